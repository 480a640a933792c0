"""What a person does on the pages of the studio, by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping

from studio_running import Running

Typed = Mapping[str, str]  # by a key of the plan, or by the name of a field


def choose(here: Running, name: str, person: str = "person") -> None:
    """Choose data and their column of participants; without one where the format says it."""
    here.type("#path", name)
    here.send("Look at it")
    if person:
        here.reach(f"input[value={person}]")
        here.page.keyboard.press("Space")


def write(here: Running, typed: Typed, within: str = "") -> None:
    """Write into fields, or choose in lists; two numbers into a range."""
    for key, text in typed.items():
        low, _, high = text.partition(" … ")
        here.type(f"{within} :is([name='{key}'], [name$=', \"{key}\"]'])", low)
        if high:
            here.page.keyboard.press("Tab")
            here.page.keyboard.type(high)


def answer(here: Running, typed: Typed, *, choice: int = 0) -> None:
    """Answer questions; of those with a list that was found, the first by the choice of a number."""
    write(here, typed)
    here.reach("input[value=confirmed]")
    here.page.keyboard.press("Space")
    for _ in range(choice):
        here.page.keyboard.press("ArrowDown")
    here.send("Write the answers into the plan")


def settings(here: Running, part: str, typed: Typed, *, ticked: str = "") -> None:
    """Open settings by a text of their heading or of their card, change some, and write them."""
    of_part = f"details.part > summary:has-text('{part}')"
    of_card = f"section:has(h2:text-is('{part}')) summary:text-is('Settings')"
    heading = here.page.locator(f"{of_part}, {of_card}")
    heading.evaluate("one => one.dataset.wanted = 'yes'")
    here.reach("[data-wanted]")
    here.page.keyboard.press("Enter")
    write(here, typed)
    if ticked:
        here.reach(f"input[value={ticked}]")
        here.page.keyboard.press("Space")
    here.send("Write the settings into the plan")


def add_output(here: Running, kind: str, typed: Typed) -> None:
    """Add an output of a kind."""
    form = f"form:has(input[value={kind}])"
    write(here, typed, form)
    here.send_at(f"{form} button")

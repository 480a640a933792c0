"""The public report of a bundle: what it guarantees, what it contains, and how to verify both."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import synthrelease
from synthrelease.bundle.disclosure import releases_no_better, warning_sentence
from synthrelease.bundle.finding import claims_on_trust
from synthrelease.files.atomic import refuse_unwritable, write_atomically
from synthrelease.files.digest import sha256_of
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.stimuli import StimulusParameters
from synthrelease.number_words import listed
from synthrelease.reports.budget_bars import budget_charts
from synthrelease.reports.cards import Card, Protection, card_of
from synthrelease.reports.exhibits import PICTURES
from synthrelease.reports.guarantee_words import guarantee_words
from synthrelease.reports.lead import lead_of
from synthrelease.reports.look import Look
from synthrelease.reports.page import embedded, render
from synthrelease.reports.panels import exhibits_of, shared_ranges
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.released import Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_LISTED = 12  # stimuli in a warning


@dataclass(frozen=True)
class BundleSource:
    """The file that a report is made of."""

    name: str  # of the file, without its folder
    digest: str  # SHA-256 of all of it
    checked: tuple[str, ...]  # what `verify` checked
    signed_by: tuple[str, ...] = ()  # ids of the keys that its signatures say they are by, unchecked

    @property
    def argument(self) -> str:
        """The name as a shell takes it, whatever is in it."""
        return shlex.quote(f"./{self.name}" if self.name.startswith("-") else self.name)


def refuse_target(bundle: Path, target: Path, *, force: bool) -> None:
    """Refuse early to write a report where it must not be, or cannot.

    Raises:
        MachineError: the target exists and `force` is not set, it is the bundle itself, or its folder does not exist.
    """
    refuse_unwritable(target, {"the bundle": bundle}, force=force)


def write_report(
    bundle: Path,
    target: Path,
    *,
    manifest: dict[str, Any],
    checked: Sequence[str],
    signed_by: Sequence[str] = (),
    force: bool = False,
    pictures: int = PICTURES,
    stimuli: Path | None = None,
    progress: Progress | None = None,
) -> tuple[int, tuple[str, ...]]:
    """Write the report of a bundle that was verified just now, and return its size in bytes, and warnings for who writes it.

    Args:
        bundle: the file.
        target: of the report.
        manifest: as `verify` returned it; values that are not its are refused.
        checked: what `verify` checked.
        signed_by: ids of the keys that signatures in the bundle say they are by.
        force: replace what is there.
        pictures: how many of each output are shown at most.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to lay maps and areas over.
        progress: called with (what, done, total).

    Raises:
        BundleError: the file was changed meanwhile.
        DataError: a picture of a stimulus cannot be read, or none is called like a stimulus.
        MachineError: as `refuse_target`, or the disk, the folder or a permission is in the way.
    """
    refuse_target(bundle, target, force=force)
    cards = []
    photographs = Photographs(stimuli)
    with Released(bundle, manifest) as released:
        look = Look(photographs, shared_ranges(released, pictures))
        for number, output in enumerate(manifest["outputs"]):
            if progress is not None:
                progress(f"drawing {output['name']}", number, len(manifest["outputs"]))
            cards.append(card_of(manifest, output, exhibits_of(released, output, pictures, look)))
    source = BundleSource(bundle.name, sha256_of(bundle), tuple(checked), tuple(signed_by))
    photographs.refuse_unused()
    page = public_page(manifest, cards, source, photographs=bool(photographs.used)).encode("utf-8")
    write_atomically(target, page, force=force)
    return len(page), tuple(_without_picture(photographs, manifest))


def _without_picture(photographs: Photographs, manifest: dict[str, Any]) -> Iterator[str]:
    """That stimuli which are drawn have no picture in the folder."""
    parameters = [parameters_of(output) for output in manifest["outputs"]]
    drawn = [
        stimulus
        for one in parameters
        if isinstance(one, StimulusParameters) and one.map_scale is not None
        for stimulus in one.stimuli
    ]
    if lacking := photographs.lacking(drawn):
        has = "has" if len(lacking) == 1 else "have"
        yield f"{listed(lacking, _LISTED)} {has} no image in the folder of stimuli"


def public_page(
    manifest: dict[str, Any], cards: Sequence[Card], source: BundleSource, *, photographs: bool = False
) -> str:
    """Return the report as text; `photographs` says that stimuli are under its maps."""
    return render(
        "public.html",
        manifest=manifest,
        embedded=embedded(manifest),
        warnings=[*releases_no_better(manifest), *map(warning_sentence, manifest["warnings"])],
        guarantee=guarantee_words(manifest),
        charts=budget_charts(manifest),
        cards=cards,
        lead=lead_of(cards),
        unprotected=[card.name for card in cards if card.protection is Protection.UNPROTECTED],
        source=source,
        photographs=photographs,
        on_trust=claims_on_trust(manifest),
        version=synthrelease.__version__,
    )

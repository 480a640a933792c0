#!/usr/bin/env python3
"""Write docs/evidence/first_releases.md: real data sets go through init, an edited plan, preview, build and verify, as a newcomer would.

`scripts/make_first_releases.py DATA`, where DATA is the folder with the public data sets (osie and others). What stands in the page is what the
commands printed.
"""

import difflib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "evidence" / "first_releases.md"
HEAD = """# First releases of four data sets

Public data as labs have them, from the files to a verified bundle. Everything below was printed by the commands themselves (`scripts/make_first_releases.py DATA` writes this page);
lines with `+` are what the curator typed into the plan that [`init`](../howto/import.md) proposed. ε is 1 throughout, and the number of people that a useful release
takes is `preview`'s: look there first. 15, 16 and 24 people are few, and the tool says so.
"""


@dataclass(frozen=True)
class First:
    """A data set, and what a curator does with it.

    Attributes:
        title: of the section.
        about: what is special about it.
        data: the file or folder, below DATA.
        person: the column that the curator names.
        edits: lines of the proposed plan (regular expressions), and what they become.
        after: what is worth knowing in the end.
    """

    title: str
    about: str
    data: str
    person: str
    edits: tuple[tuple[str, str], ...]
    after: str


def title(text: str) -> tuple[str, str]:
    """Return the edit that fills in a title."""
    return r'title = "FILL IN".*', f'title = "{text}"'


def screen(width_px: int, height_px: int) -> tuple[str, str]:
    """Return the edit that fills in a screen."""
    return r"screen = .*", f"screen = {{ width_px = {width_px}, height_px = {height_px} }}"


DESIGNED = (r"assume_public = .*", 'assume_public = ["stimuli"]')
IMAGES = ", ".join(f'"{image}.jpg"' for image in range(1001, 1013))
FIRSTS = (
    First(
        "A MATLAB file: fixations of 15 people on 700 photographs",
        "OSIE (Xu et al. 2014) is a cell array of structs: a cell for each image, in it a struct with a cell for each person, in it vectors. `init` makes a table of that "
        "([how](../howto/import/mat.md)) and asks which of its columns is the person.",
        "osie/fixations.mat",
        "subjects",
        (title("Fixations of 15 people on 700 photographs"), screen(800, 600), DESIGNED),
        "The plan is sound, and worth little: one budget of ε = 1 for all 700 maps of so few people leaves about what is known without any data. The next section asks for less.",
    ),
    First(
        "A table: twelve of the photographs",
        "The same data as a table. The stimuli that are released are listed: a choice that nobody's eyes had a part in.",
        "osie/fixations_tidy.csv.gz",
        "observer",
        (
            title("Fixations of 15 people on 12 photographs"),
            screen(800, 600),
            (r"assume_public = .*", f"stimuli = [{IMAGES}]"),
            (r"# blur_px.*", "blur_px = 48"),
        ),
        "Fewer maps, and a wider blur, take fewer people; 15 are still too few, and `preview` says how many would do.",
    ),
    First(
        "A folder with a table in it: fixations in crowded scenes",
        "Saliency in Crowd (Jiang et al. 2014): 16 people, 500 images. Three trials are missing, which `init` shows as 499 to 500, and points lie exactly on the right and the lower "
        "edge of the screen, where they belong to the last cells. The folder's readme, licence and pictures are left alone.",
        "saliency_in_crowd",
        "observer",
        (title("Fixations of 16 people on 500 crowded scenes"), screen(1024, 768), DESIGNED),
        "",
    ),
    First(
        "A Parquet file: pupils in a VR supermarket",
        "IER 2023 (Gebraad et al.): 804 187 samples of 24 people in five conditions, at about 88.5 Hz; −1 where the eye was closed, which `init` finds and asks about. Ranges come from what pupils can "
        "be, not from these people; one eye is enough, and halves what is asked.",
        "ier2023_vr_pupil/samples.parquet",
        "participant",
        (
            title("Pupils of 24 people in a VR supermarket"),
            (r'missing = \["FILL IN", ', "missing = ["),
            (r'recordings = \["FILL IN", ', "recordings = ["),
            (r"openness_l = \[.*", "openness_l = [0, 1]"),
            (r"pupil_l_mm = \[.*", "pupil_l_mm = [1.5, 8]"),
            (r"(openness|pupil)_r\w* = .*\n", ""),
        ),
        "",
    ),
)


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run a command as a newcomer would; return it with what it printed."""
    command = [sys.executable, "-m", "synthrelease", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    told = "\n".join(text.rstrip() for text in (done.stdout, done.stderr) if text.strip())
    return f"curator> synthrelease {' '.join(arguments)}\n{told}\n"


def edited(plan: Path, edits: tuple[tuple[str, str], ...]) -> str:
    """Fill in a plan; return the lines that changed."""
    before = plan.read_text(encoding="utf-8")
    after = before
    for pattern, replacement in edits:
        after, count = re.subn(rf"(?m)^(?:{pattern})", lambda _, text=replacement: text, after)
        if not count:
            sys.exit(f"nothing to edit: {pattern}")
    plan.write_text(after, encoding="utf-8")
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(f"{line[0]} {line[2:]}".rstrip() for line in lines if line[0] in "+-") + "\n"


def section(first: First, data: Path) -> str:
    """Release a data set in a fresh folder; return the page's section."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target = data / first.data, folder / Path(first.data).name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
        started = run(folder, "init", target.name, code=3)
        started += run(folder, "init", target.name, "--person", first.person)
        text = (folder / "plan.toml").read_text(encoding="utf-8")
        proposed = text[text.index("[inputs") :].rstrip()
        changed = edited(folder / "plan.toml", first.edits)
        built = run(folder, "preview", "plan.toml")
        built += run(folder, "build", "plan.toml", "-o", "release.h5")
        built += run(folder, "verify", "release.h5")
    parts = [
        f"## {first.title}",
        first.about,
        f"```text\n{started}```",
        "What it proposed:",
        f"```toml\n{proposed}\n```",
        "What the curator changed:",
        f"```diff\n{changed}```",
        f"```text\n{built}```",
        first.after,
    ]
    wrapped = [part if part.startswith("```") else textwrap.fill(part, 170) for part in parts if part]
    return "\n\n".join(wrapped) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(
        "\n".join([HEAD, *(section(first, Path(arguments[0])) for first in FIRSTS)]), encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

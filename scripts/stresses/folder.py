"""A working folder full of traps, and pictures made to do harm: tables of what commands run, look for, and need.

In the folder a module is called as each of the standard library and of our dependencies, next to files of settings; programs that
a library might start come first on the PATH. Whatever runs of that leaves a mark. Of each command it is also told what it looked for in the
folder that is not of its project, where there is strace.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from forked import ended
from hostile_folder import DONE, OURS, HostileFolder
from hostile_pictures import PICTURES, png
from studio_project import PLAN

MOST_S, MOST_MIB = 15, 1536
_OUTPUT = PLAN[PLAN.index("[[outputs]]") :]
_WITH_PICTURES = {
    "report": ("report", "whole.h5", "-o", "page.html", "--force", "--stimuli", "pictures"),
    "export": ("export", "whole.h5", "--to", "png", "-o", "drawn", "--force", "--stimuli", "pictures"),
    "maps": ("build", "maps.toml", "-o", "maps.h5", "--yes", "--force"),
    "labels": ("build", "labels.toml", "-o", "labels.h5", "--yes", "--force"),
}
_PLANS = {
    "maps": PLAN + 'prior = "maps"\nmaps = "pictures"\n',
    "labels": PLAN.replace(_OUTPUT, _OUTPUT.replace('"maps"', '"areas"').replace("heatmap", "areas"))
    + 'label_image = "pictures/{stimulus}.png"\n[outputs.areas]\nboat = { label = 1 }\n',
}
_OF_THE_PROJECT = re.compile(
    r"\.?(\.|gaze\.csv|(plan|maps|labels|other)\.toml|.*\.(h5|json|html|partial)|out.*|pictures.*|drawn.*|\.synthrelease-studio.*)"
)


def main(arguments: list[str]) -> int:
    """Do what is asked for, or all of it, and print what became of it."""
    parser = argparse.ArgumentParser(prog="scripts/stress folder", description=__doc__)
    parser.add_argument("--traps", action="store_true", help="commands among traps")
    parser.add_argument("--pictures", action="store_true", help="commands that are given pictures")
    told = parser.parse_args(arguments)
    everything = not (told.traps or told.pictures)
    broken: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        hostile = HostileFolder(Path(folder), sorted({*sys.stdlib_module_names, *OURS}))
        if told.traps or everything:
            broken += traps(hostile)
        if told.pictures or everything:
            broken += pictures(hostile)
    for failure in broken:
        print(f"BROKEN: {failure}")
    return 1 if broken else 0


def traps(hostile: HostileFolder) -> list[str]:
    """Run each command, and a studio, and return what of the folder was run."""
    broken = []
    trace = hostile.folder.parent / "trace"
    strace = shutil.which("strace")
    traced = (strace, "-f", "-qq", "-y", "-e", "trace=%file", "-o", str(trace)) if strace else ()
    for name, (words, expected) in DONE.items():
        code, printed = hostile.run(*words, around=traced)
        caught, looked = hostile.caught, _looked_for(trace, hostile.folder)
        print(
            f"{name:15} exit code {code}, run {len(caught)}, looked for {' '.join(looked) or 'nothing else'}"
        )
        broken += [f"{name}: {one}" for one in (*caught, *looked)]
        if code != expected:
            broken.append(f"{name}: exit code {code} in place of {expected}: {printed[-300:]}")
    with hostile.studio():
        pass
    broken += [f"studio: {one}" for one in hostile.caught]
    return broken


def _looked_for(trace: Path, folder: Path) -> list[str]:
    """What was looked for in the folder itself, but for what belongs to the project."""
    text = trace.read_text("utf-8", "replace") if trace.exists() else ""
    names = set(re.findall(rf'AT_FDCWD<{re.escape(str(folder))}>, "([^"/][^"]*)"', text))
    names |= set(re.findall(rf'"{re.escape(str(folder))}/([^"]+)"', text))
    return sorted(name for name in names if not _OF_THE_PROJECT.fullmatch(name))


def pictures(hostile: HostileFolder) -> list[str]:
    """Give each picture to each command, and return where it ran something, was too slow, or needed too much."""
    broken = []
    for name, text in _PLANS.items():
        (hostile.folder / f"{name}.toml").write_text(text)
    for picture, write in PICTURES.items():
        shutil.rmtree(hostile.folder / "pictures", ignore_errors=True)
        (hostile.folder / "pictures").mkdir()
        ended(
            lambda write=write: write(hostile.folder / "pictures" / "sky.png")
        )  # what it needs is not counted
        png(hostile.folder / "pictures" / "sea.png", 400, 300, rows=300)
        size = (hostile.folder / "pictures" / "sky.png").stat().st_size
        for name, words in _WITH_PICTURES.items():
            process = hostile.start(*words)
            assert process.stdout is not None
            printed = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            seconds, mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            print(
                f"{picture:24} {size / 1e6:6.2f} MB  {name:7} exit code {code}  {seconds:5.1f} s {mib:6.0f} MiB"
            )
            broken += [f"{picture}, {name}: {one}" for one in hostile.caught]
            if code not in (0, 3) or seconds > MOST_S or mib > MOST_MIB:
                broken.append(
                    f"{picture}, {name}: {code} after {seconds:.1f} s, {mib:.0f} MiB: {printed[-300:]}"
                )
    return broken

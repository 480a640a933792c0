"""Pages to look at in a browser, by name: public ones of bundles, private ones of invented evaluations and of real ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import invented_evaluation
import layouts
from hostile_labels import write_hostile_study
from pages import golden, written
from PIL import Image
from spending import dated

import synthrelease
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.private_page import write_private_page

PUBLIC = (*(path.stem for path in layouts.GOLDEN), "hostile")
INVENTED = tuple(f"private {name}" for name in invented_evaluation.NAMES)
REAL = tuple(f"evaluated {name}" for name in ("maps", "series", "seeded", "statistics", "areas"))
PRIVATE = (*INVENTED, *REAL)
PLANNED = ("preview statistics", "ledger")  # what there is before, and besides, bundles

Pages = Callable[[str], Path]
ADDED = ".tools, .probe, .reading, .sort"  # what the script of pages adds to them


def page(name: str, folder: Path) -> Path:
    """Write a page into an empty folder."""
    kind, _, own = name.partition(" ")
    target = folder / "page.html"
    if kind == "private":
        write_private_page(invented_evaluation.evaluation(own), target)
    elif kind == "preview":
        plan = write_hostile_study(folder) if own == "hostile" else layouts.STUDIES[own](folder)
        synthrelease.preview(plan, html=target)
    elif kind == "ledger":
        dated(folder).write_page(target)
    elif kind == "evaluated":
        plan = layouts.STUDIES[own](folder)
        bundle = synthrelease.build(plan, folder / "r.h5", test_seed=5).path
        stimuli = photographs(folder) if own == "maps" else None
        write_private_page(evaluate(plan, bundle), target, stimuli=stimuli)
    else:
        bundle = golden(name) if name != "hostile" else _hostile(folder)
        written(bundle, folder)
        target = folder / f"{bundle.stem}.html"
    return target


def photographs(folder: Path) -> Path:
    """A folder with a photograph of the stimulus "garden"."""
    stimuli = folder / "stimuli"
    stimuli.mkdir()
    Image.radial_gradient("L").resize((320, 240)).convert("RGB").save(stimuli / "garden.png")
    return stimuli


def _hostile(folder: Path) -> Path:
    return synthrelease.build(write_hostile_study(folder), folder / "hostile.h5", test_seed=3).path

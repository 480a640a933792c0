"""What a notebook shows of a bundle, of one of its outputs and of a difference: from manifests alone, so nothing in it is for the curator only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from synthrelease.bundle.disclosure import output_sentences, warning_sentence
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.event import from_json as event_from_json
from synthrelease.dp.guarantee import Guarantee, from_json
from synthrelease.dp.guarantee_sentence import badge_of, tone_of
from synthrelease.dp.strength import RelativeStrength
from synthrelease.extras import FIGURES, is_installed
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.registry import kind_of, parameters_of
from synthrelease.notebook import CardTable, NotebookCard, Tone
from synthrelease.number_words import several, short
from synthrelease.reports.guarantee_words import guarantee_words, in_notation, output_guarantee_words
from synthrelease.reports.rasters import VALUE_COLOURS, data_uri, map_png
from synthrelease.reports.views import MapView, OutputViews

if TYPE_CHECKING:
    from synthrelease.reports.difference import Difference

_PICTURE_PX = 160  # longer side of a map
_UNCHECKED = "Claims as the file states them: verify() recomputes them."
_GRAVER = (Tone.PLAIN, Tone.GOOD, Tone.DOUBTFUL, Tone.BAD)
_VERDICTS = {
    RelativeStrength.EQUAL: Tone.PLAIN,
    RelativeStrength.STRONGER: Tone.GOOD,
    RelativeStrength.WEAKER: Tone.BAD,
}


def mark_of(manifest: dict[str, Any]) -> str:
    """Return what stands above all of a release whose noise can be repeated; "" of others."""
    return TEST_SEED_WORDS if manifest["randomness"]["test_seed"] else ""


def badge_words(guarantee: Guarantee, mark: str) -> tuple[str, Tone]:
    """Return badge and tone of a guarantee, which does not hold under a mark."""
    if mark:
        return f"{in_notation(guarantee)} does not hold", Tone.BAD
    return badge_of(guarantee), tone_of(guarantee)


def bundle_card(manifest: dict[str, Any], *, kind: str, verified: bool) -> NotebookCard:
    """Return what a notebook shows of a release.

    Args:
        manifest: of the bundle.
        kind: what it is: "Bundle".
        verified: whether it was verified in full: else the card says that its claims are not checked, and no badge is green.
    """
    release, mark = manifest["release"], mark_of(manifest)
    badge, tone = badge_words(from_json(manifest["privacy"]["guarantee"]), mark)
    words = guarantee_words(manifest)
    shown = [] if mark else [words.statement, *(f"{name}: {what}" for name, what in words.uncovered)]
    outputs = manifest["outputs"]
    rows = tuple(
        (output["name"], kind_of(output).title, in_notation(from_json(output["guarantee"])))
        for output in outputs
    )
    thumbnails = tuple(kind_of(output).thumbnail for output in outputs)
    worst = max([tone, *(tone_of(from_json(output["guarantee"])) for output in outputs)], key=_GRAVER.index)
    return NotebookCard(
        kind,
        f"{release['title']} ({release['name']} {release['version']})",
        badge,
        worst if verified else _unchecked(worst),
        (*shown, *(() if verified else (_UNCHECKED,))),
        CardTable(("output", "what it is", "guarantee by itself"), rows, thumbnails),
        tuple(map(warning_sentence, manifest["warnings"])),
        mark,
    )


def _unchecked(tone: Tone) -> Tone:
    """The tone of a claim that nothing was recomputed of."""
    return Tone.PLAIN if tone is Tone.GOOD else tone


def output_card(manifest: dict[str, Any], name: str) -> NotebookCard:
    """Return what a notebook shows of an output."""
    output = next(one for one in manifest["outputs"] if one["name"] == name)
    mark = mark_of(manifest)
    badge, tone = badge_words(from_json(output["guarantee"]), mark)
    parameters = parameters_of(output)
    _, warnings = output_sentences(output)
    guarantee = [] if mark else [output_guarantee_words(output)]
    datasets = parameters.datasets(event_from_json(output["event"]))
    return NotebookCard(
        kind_of(output).title,
        name,
        badge,
        _unchecked(tone),
        (parameters.summary(), *guarantee, _UNCHECKED),
        datasets_table(datasets),
        tuple(warnings),
        mark,
    )


def call_card(
    views: OutputViews, guarantee: Guarantee, *, warnings: tuple[str, ...], test_seed: bool
) -> NotebookCard:
    """Return what a notebook shows of a call on arrays.

    Args:
        views: of what it released.
        guarantee: of the call.
        warnings: what readers must know.
        test_seed: whether the noise can be repeated.
    """
    entry = {**views.output, "guarantee": guarantee.to_json()}
    picture, caption = _first_map(views)
    return NotebookCard(
        kind_of(entry).title,
        f"{views.name}() by {views.parameters.name}",
        badge_of(guarantee),
        tone_of(guarantee),
        (output_guarantee_words(entry),),
        datasets_table(views.datasets),
        warnings,
        TEST_SEED_WORDS if test_seed else "",
        picture,
        caption,
    )


def _first_map(views: OutputViews) -> tuple[str, str]:
    """A small picture of the first map, and what it is; nothing where there is none, or nothing to draw it with."""
    if not views.maps or not is_installed(*FIGURES):
        return "", ""
    view = views.view(views.labels()[0])
    assert isinstance(view, MapView)
    cells = view.cells if view.times is None else view.cells[0]
    width, height = view.legend.size_px(_PICTURE_PX)
    top = max(float(cells.max()), 0.0)
    png = map_png(cells, top=top, colours=VALUE_COLOURS, width_px=width, height_px=height)
    frame = "" if view.times is None else ", first frame"
    return data_uri(png), f"{view.subject}{frame}: {view.legend.quantity}, from 0 to {short(top, 3)}"


def datasets_table(datasets: Iterable[Dataset]) -> CardTable:
    """Return names, axes, units and quantities of datasets."""
    return CardTable(
        ("array", "shape", "unit", "what it is"),
        tuple((one.path, _shape(one), one.unit or "–", one.quantity) for one in datasets),
    )


def _shape(dataset: Dataset) -> str:
    """Axes with their lengths: "2 stimulus × 75 y_px × 100 x_px"."""
    return " × ".join(f"{len(axis)} {axis.name}" for axis in dataset.axes) or "one number"


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def difference_card(difference: Difference) -> NotebookCard:
    """Return what a notebook shows of two releases: verdict, hazards, and where their manifests differ."""
    verdict = difference.guarantee.verdict
    badge = "no difference" if difference.same else f"guarantee: {verdict}"
    rows = [
        (name, str(comparison.verdict), comparison.because)
        for name, comparison in difference.guarantees.items()
    ]
    manifests = difference.old, difference.new
    marks = [file for file, one in zip(difference.files, manifests, strict=True) if mark_of(one)]
    places = several(len(difference.changes), "entry of the manifest", "entries of the manifest")
    datasets = several(sum(len(one.other) for one in difference.datasets), "dataset")
    sentences = [
        *([] if difference.same else [_capital(f"{difference.guarantee.because}.")]),
        f"{places} and {datasets} changed.",
        *(["Only checksum, structure and manifests were checked."] if difference.quick else []),
    ]
    return NotebookCard(
        "Difference",
        " → ".join(difference.files),
        badge,
        Tone.BAD if difference.hazards else _VERDICTS.get(verdict, Tone.DOUBTFUL),
        tuple(sentences),
        CardTable(("output", "guarantee", "why"), tuple(rows)) if rows and not difference.same else None,
        difference.hazards,
        f"{TEST_SEED_WORDS}: {' and '.join(marks)}" if marks else "",
    )

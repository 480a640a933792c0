"""An output of a bundle or of a call on arrays, as tables and datasets of xarray are made from it; and what is said of all outputs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.bundle.disclosure import output_sentences
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import NoGuarantee
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.errors import no_such
from synthrelease.exports.guarantee_text import guarantee_sentence, guarantees, title, warnings
from synthrelease.exports.table import OutputSource
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.reports.guarantee_words import output_guarantee_words


def source_of(bundle: Bundle, name: str) -> OutputSource:
    """Return an output of a bundle; KeyError if there is none of that name."""
    output = next((entry for entry in bundle.manifest["outputs"] if entry["name"] == name), None)
    if output is None:
        raise no_such("output", name, bundle.names)
    parameters = parameters_of(output)
    _, caveats = output_sentences(output)
    return OutputSource(
        name,
        parameters,
        list(parameters.datasets(from_json(output["event"]))),
        partial(bundle.stored.array, name),
        guarantee_sentence(bundle.manifest, output),
        {**_release(bundle.manifest), **unit_of_privacy(output["guarantee"]), "warnings": "\n".join(caveats)},
    )


def source_of_call(
    name: str,
    parameters: Parameters,
    values: Mapping[str, NDArray[Any]],
    entry: dict[str, Any],
    *,
    warnings: Sequence[str],
    test_seed: bool,
) -> OutputSource:
    """Return what one call on arrays released; with a test seed, all that is said of it begins with that.

    Args:
        name: of the function.
        parameters: of the mechanism.
        values: all datasets by path.
        entry: event and guarantee, as an output's entry in a manifest has them.
        warnings: in sentences.
        test_seed: whether the noise can be repeated.
    """
    guarantee, words = entry["guarantee"], output_guarantee_words(entry)
    if guarantee["kind"] != NoGuarantee.kind:
        words = f"Guarantee: {guarantee_from_json(guarantee)}. {words}"
    mark = f"{TEST_SEED_WORDS}: " if test_seed else ""
    about = {"title": f"{mark}{name}", **unit_of_privacy(guarantee), "warnings": "\n".join(warnings)}
    datasets = list(parameters.datasets(from_json(entry["event"])))
    return OutputSource(name, parameters, datasets, values.__getitem__, f"{mark}{words}", about)


def about_release(manifest: dict[str, Any]) -> dict[str, str]:
    """Return what is said of all outputs of a release together: title, guarantee, unit of privacy, warnings."""
    return {
        **_release(manifest),
        "guarantee": " ".join(guarantees(manifest)),
        **unit_of_privacy(manifest["privacy"]["guarantee"]),
        "warnings": "\n".join(warnings(manifest)),
    }


def unit_of_privacy(guarantee: dict[str, Any]) -> dict[str, str]:
    """Return whose data are hidden, and among which neighbours, of a guarantee in a manifest's form."""
    return {"unit_of_privacy": guarantee["unit"], "neighbours": guarantee["neighbours"]}


def _release(manifest: dict[str, Any]) -> dict[str, str]:
    release = manifest["release"]
    return {"title": title(manifest), "release": f"{release['name']} {release['version']}"}

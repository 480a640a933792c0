"""What no one can refuse without the data: fields of a manifest that may be told kinder, of which bundles of `kinder`, and why."""

from __future__ import annotations

from kinder import NAMES

# What `verify` says that one takes on trust.
NUMBERS = "that numbers of participants are those of the data"
LISTS = "bounds, limits, areas and public lists were chosen without looking"
LIMITED = "that rows were limited, and noise was drawn, as stated"
CHOSEN = "that private choices were made with the stated ε"
MET = "that every record of one met k = "
LEDGER = "what other releases cost, which the ledger alone shows"
ON_TRUST = {NUMBERS, LISTS, LIMITED, CHOSEN, MET, LEDGER}
# Or what is told is true.
ANY_PAIR = "true: a guarantee holds at each of its pairs of ε and δ"
NO_DELTA = "true: nothing in it needs a δ"
NO_BUDGET = "true: nothing in it is paid for"
RELATION = "true: the same noise protects under add-remove-one, too, and the file does not state n any more"
PRIOR = "true: other maps, of the same integers"
# Not decided here: it may be refused as well.


def _named(*beginnings: str) -> set[str]:
    return {name for name in NAMES if name.startswith(beginnings)}


_ALL = set(NAMES)
_PAPERS = _named("paper")
_GAUSSIAN = _named(
    "heatmap spectral", "heatmap gaussian", "areas gaussian", "signals", "people", "scanpaths"
) | _named("statistics gaussian", "fixations gaussian")
_TESTED = _named("records seeded", "records of trials")
_RANDOMIZED = {"records randomized"}
_PURE = _ALL - _GAUSSIAN - _PAPERS - _RANDOMIZED - {"records seeded"}
_BY_STIMULUS = _named("heatmap spectral by", "heatmap spectral unclipped")
_CHOSEN = {"statistics chosen", "fixations chosen"}
_NUMBERED = _ALL - _PAPERS - {"signals lpa", "people"}  # the others would have another shape, or design
_SEEN = _named("heatmap spectral", "areas", "records of trials", "scanpaths")
# A total near n · M · T refutes a lower M; by default T = 100, and most people have fewer samples.
_SPARSE = {name for name in NAMES if name.endswith("sparse")}
_SILENT = _ALL - _NUMBERED | _TESTED | _CHOSEN | _SPARSE  # no noise, or integers that are little but noise
_COMPOSED = _named("heatmap gaussian", "signals cfpa", "records randomized", "statistics")
FREE = (
    (NUMBERS, "mechanism/public_inputs/people", _NUMBERED),
    (NUMBERS, "privacy/people", _NUMBERED),
    (NUMBERS, "mechanism/public_inputs/people and viewers", _SEEN),
    (LIMITED, "mechanism/parameters/max_stimuli_per_person and viewers", _named("heatmap spectral by")),
    (LIMITED, "mechanism/parameters/max_stimuli_per_person", _SPARSE),
    (
        LISTS,
        "mechanism/parameters/assignment_public",
        _named("heatmap gaussian", "heatmap laplace", "fixations"),
    ),
    (LIMITED, "mechanism/parameters/clipping", _BY_STIMULUS),
    (LIMITED, "mechanism/parameters/cap", _named("heatmap gaussian")),
    (LIMITED, "mechanism/parameters/max_samples_per_stimulus", _named("heatmap gaussian", "heatmap laplace")),
    (LIMITED, "mechanism/parameters/max_groups_per_person", _CHOSEN),
    (LIMITED, "mechanism/parameters/chunk", _named("signals cfpa")),
    (LIMITED, "mechanism/parameters/clip", _named("signals fpa", "signals cfpa", "signals dcfpa")),
    (LIMITED, "mechanism/parameters/max_change_grid_units", _named("signals dcfpa")),
    (LIMITED, "noise/scale", _ALL - _SILENT),
    (LIMITED, "event/scale", _ALL - _SILENT - _COMPOSED),
    (LIMITED, "event/events/scale", _COMPOSED - _SILENT),
    (CHOSEN, "event/events/epsilon", _CHOSEN | _named("heatmap gaussian", "signals cfpa")),
    (MET, "mechanism/parameters/k", _TESTED),
    (MET, "mechanism/parameters/gamma", _TESTED),
    (LIMITED, "mechanism/parameters/dynamics_share", _named("scanpaths")),
    (PRIOR, "mechanism/parameters/prior", _BY_STIMULUS | _named("scanpaths")),
    (ANY_PAIR, "guarantee/delta", _GAUSSIAN | _RANDOMIZED),
    (ANY_PAIR, "privacy/guarantee/delta", _GAUSSIAN | _RANDOMIZED),
    (NO_DELTA, "privacy/budget/delta", _PURE | _PAPERS),
    (NO_BUDGET, "privacy/budget/epsilon", _PAPERS),
    (RELATION, "privacy/neighbours", _named("heatmap", "statistics", "fixations", "scanpaths")),
    (LEDGER, "ledger/spent_before", _ALL),
    (LEDGER, "ledger/spent_after", _PURE),
    (LEDGER, "ledger/delta", _PURE | _PAPERS | _RANDOMIZED),
)


def free(name: str) -> dict[str, str]:
    """Return the fields of a bundle that may be told kinder, each with the reason."""
    return {field: why for why, field, names in FREE if name in names}

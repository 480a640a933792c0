"""The layers of the package, from the ground up: the picture and the list in docs/contribute/architecture.md, and test_layers.py, are all of this."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A module or a folder of modules below `synthrelease`.

    Attributes:
        name: of it, without `.py`.
        storey: what it belongs to, in the picture.
        what: is in it.
    """

    name: str
    storey: str
    what: str


_STOREYS = {
    "ground": {
        "printable": "text from outside, where a person is to read it",
        "errors": "every error, and the exit code it ends with",
        "extras": "libraries that not every command needs, and what installs them",
        "children": "processes that we start: they import nothing from the working folder",
        "notebook": "results as notebooks show them: one small card of HTML",
        "files": "files and folders that are whole or not there",
        "parallel": "many calls side by side: a coordinator, its pools",
    },
    "science": {
        "numerics": "NumPy in, NumPy out: spectra, bases, tries, projections",
        "units": "units that names of features end in",
        "field_schema": "what JSON Schema says of a field of a dataclass, from its type",
        "number_words": "numbers as a reader wants them",
        "dp": "guarantees, events, sensitivities, calibration, accounting; no data. noise/: the only source of randomness, exact samplers",
        "remarks": "what a manifest states by codes with fields, and the sentences of it",
        "data": "tables, screens, series; readers/ one file per format",
    },
    "kinds": {
        "kinds": "one folder per kind of output: public half (parameters, datasets, derivations), private half (contributions, noise), proof notes",
        "schemas": "the schemas of plans and manifests, from what kinds declare",
    },
    "bundle": {
        "bundle": "the only reader and writer of HDF5; contents, claims and signatures checked by verify",
    },
    "what is shown and spent": {
        "reports": "reports, figures, summaries, what changed between two releases",
        "ledgers": "what all releases of a dataset cost together: entries, accounts, debits",
    },
    "plan": {
        "plan": "TOML files against a schema, as frozen values: plan, policy; an input in partitions that each hold some participants whole",
        "proposals": "what init proposes after a look at files: roles of columns, trackers, identifiers",
        "prepare": "raw samples -> fixations, saccades, windows of features: tables that a plan reads next",
    },
    "release": {
        "building": "from a plan to a verified bundle: budget, design, preview, builder, batch",
        "plan_object": "a plan as an object, with the calls that it is for",
        "exports": "a release in the forms that other tools read: tables, folders, one file per form",
        "arrays": "one mechanism for arrays in memory, without a plan",
        "inference": "intervals and tests on released values: sampling and privacy noise",
        "evaluation": "a release compared with the data, for the curator only: ground truth, metrics, attacks, the private report",
    },
    "terminal": {
        "demo": "the demonstration and its data",
        "api": "what commands do, as functions; synthrelease itself offers them",
        "studio": "the commands as pages of a local web application",
        "cli": "parse, call, print, exit code",
    },
}
LAYERS = [Layer(name, storey, what) for storey, names in _STOREYS.items() for name, what in names.items()]

"""The floors of the package, from the ground up: the picture and the list in docs/architecture.md, and test_floors.py, are all of this."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Floor:
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
        "unwritable": "names of files that are being written, and why one cannot be",
        "durable": "files and folders that are whole or not there",
        "parallel": "many calls side by side: a coordinator, its pools",
    },
    "science": {
        "maths": "numpy in, numpy out",
        "privacy": "guarantees, events, sensitivities, calibration, accounting; no data",
        "number_words": "numbers as a reader wants them",
        "remarks": "what a manifest states by codes with fields, and the sentences of it",
        "units": "units that names of features end in",
        "field_schema": "what JSON Schema says of a field of a dataclass, from its type",
        "noise": "the only source of randomness; exact samplers",
        "data": "tables, screens, series; readers/ one file per format",
    },
    "where they meet": {
        "specs": "inputs and outputs of a plan, every default filled in",
        "kinds": "one folder per kind of output: public half (parameters, datasets, what follows), private half (contributions, noise), proof notes",
        "json_schemas": "the schemas of plans and manifests, from what kinds declare",
    },
    "bundle": {
        "bundle": "the only reader and writer of HDF5; contents, claims and signatures checked by verify",
    },
    "worth and words": {
        "evaluate": "what a release is worth and what it resists: measures and attacks, for the curator alone",
        "report": "pages, pictures, summaries, what changed between two releases",
        "ledger": "what all releases of a dataset cost together: entries, accounts, debits",
    },
    "plan": {
        "settings_file": "TOML files against a schema, and complaints in the words of a person",
        "init": "what init proposes after a look at files: roles of columns, trackers, identifiers",
        "policy": "the limits of a board, held against a plan or a bundle",
        "plan": "TOML -> frozen values",
        "parts": "an input in parts that each hold some people whole",
        "prepare": "raw samples -> fixations, saccades, windows of features: tables that a plan reads next",
        "budgets": "how ε and δ are divided, so that exact composition meets the plan",
        "design": "plan + public facts -> parameters, budgets, events",
        "memory": "what a build of a design holds at most",
        "forecast": "what a plan will cost, without data",
    },
    "release": {
        "release_manifest": "what was planned, what was done, what it promises",
        "rehearsal": "what is known of a release before its noise, checked as verify will",
        "targets": "where a bundle goes, what may not be replaced, who else is writing it",
        "curator_notes": "what a build says of the data to the curator alone",
        "payment": "what a build is about to charge, for the curator to confirm",
        "ready": "all of a release but what is paid for: facts, contributions, what was lost",
        "builder": "from a plan to a verified bundle, or a dry run",
        "arrays": "one mechanism for arrays in memory, without a plan",
        "exports": "a release in the forms that other tools read: tables, folders, one file per form",
        "appraisal": "a release beside the data: truth, attacks, the private page",
        "journal": "what a batch has done",
        "batch": "many plans, resumed where they ended",
    },
    "terminal": {
        "demo": "the demonstration and its data",
        "api": "what commands do, as functions; synthrelease itself offers them",
        "cli": "parse, call, print, exit code",
    },
}
FLOORS = [Floor(name, storey, what) for storey, names in _STOREYS.items() for name, what in names.items()]

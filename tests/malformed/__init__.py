"""Malformed inputs of every reader, each a good one with one thing damaged: for tests/contract."""

from __future__ import annotations

from malformed import arrays, bids, eyelink, folders, mat, parquet, refused, text
from malformed.case import Case, Family

CASES: list[Case] = [
    case
    for format_ in (text, parquet, folders, bids, eyelink, mat, arrays, refused)
    for case in format_.CASES
]
FAMILIES: list[Family] = list({case.family.name: case.family for case in CASES}.values())

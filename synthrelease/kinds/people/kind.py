"""Synthetic people as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.people.public import PeopleParameters

PEOPLE = Kind(
    name="people",
    title="Synthetic people",
    subject="synthetic people",
    package="synthrelease.kinds.people",
    parameters=(PeopleParameters,),
    has_model=True,
)

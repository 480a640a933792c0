"""Synthetic people and synthetic scanpaths as they are audited."""

from __future__ import annotations

import made_people
import made_scanpaths
from made_people import MADE
from variants.people import BUDGET, Person

from auditing.rounds import AuditedRounds

OF_PEOPLE = AuditedRounds(
    name="people",
    rounds=made_people.ROUNDS,
    mechanism=made_people.mechanism,
    radii=lambda: made_people.mechanism().parameters.design.radii,
    collected=made_people.collected,
    before=made_people.before,
    cases=("uniform", "noise"),
    adversaries=made_people.adversaries,
    ordinary=lambda people, seed: MADE.ordinary(people, seed=seed),
    people=made_people.PEOPLE,
    budget=BUDGET,
)
OF_SCANPATHS = AuditedRounds(
    name="scanpaths",
    rounds=made_scanpaths.ROUNDS,
    mechanism=made_scanpaths.mechanism,
    radii=made_scanpaths.radii,
    collected=lambda people: made_scanpaths.collected([person.rows for person in people]),
    before=made_scanpaths.before,
    cases=("nothing", "noise"),
    adversaries=lambda: [Person(rows, name=name) for name, rows in made_scanpaths.adversaries().items()],
    ordinary=lambda people, seed: [Person(rows) for rows in made_scanpaths.ordinary(people, seed)],
    people=made_scanpaths.PEOPLE,
    budget=made_scanpaths.BUDGET,
)

"""The network of a sequence that ends: places one after the other, a class for each, and an end after which there is nothing.

Attributes are the sequence's label (0), its places (1 … m) and the classes of these (m + 1 … 2m). The last category of a place and of a class, but of
the first ones, is the *end*. That nothing comes after it, and that a place has a class exactly if it is there, is structure and not counted.
As `network.fitted_network`, a function of counts, exact or noisy, and of public numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.network import PRIOR, Network, Subset, normalised
from synthrelease.numerics.simplex import onto_simplex
from synthrelease.numerics.steps import HALF_RANGE

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class SequenceForm:
    """What is public of sequences."""

    labels: int  # how many there are
    places: int  # that one may be at
    classes: int
    length: int  # m, places of a sequence at most

    @property
    def subsets(self) -> list[Subset]:
        """The sets of attributes to count jointly: neighbouring places with the label (the only one, if there is one), and each class."""
        m = self.length
        places: list[Subset] = [(0, t, t + 1) for t in range(1, m)] or [(0, 1)]
        return [*places, *((m + t,) for t in range(1, m + 1))]


def fitted_sequence(
    counts: Mapping[Subset, NDArray[np.number]], form: SequenceForm, *, people: int | None
) -> Network:
    """Return the network that joint counts call for.

    * first place: by label;
    * each further one: by label and the place before it, at whatever position these are;
    * end: by position, of the sequences that go on until there;
    * class: by position.

    Few people have the same label, and fewer the same place on it. So a row of probabilities is that of people and, with the weight of one person
    who has a sequence for each label, of all labels; a row of the chain that of its label.

    Args:
        counts: of the sets that the form names, each of the shape of its attributes' categories.
        form: of the sequences.
        people: n if the counts carry noise: each set of them is then made a histogram of n people first.
    """
    if people is not None:
        counts = {subset: onto_simplex(table, people * HALF_RANGE) for subset, table in counts.items()}
    return _Fit({subset: np.asarray(table) / HALF_RANGE for subset, table in counts.items()}, form).network


@dataclass(frozen=True)
class _Fit:
    people: Mapping[Subset, Numbers]
    form: SequenceForm

    @property
    def network(self) -> Network:
        form, m = self.form, self.form.length
        tables, parents = [np.full(form.labels, 1 / form.labels), self._first()], [(), (0,)]
        if m > 1:
            transitions = self._transitions()
            tables += [self._place(t, transitions) for t in range(2, m + 1)]
            parents += [(0, t - 1) for t in range(2, m + 1)]
        tables += [self._class(t) for t in range(1, m + 1)]
        parents += [(t,) if t > 1 else () for t in range(1, m + 1)]
        return Network(tuple(range(2 * m + 1)), tuple(parents), tuple(tables))

    def _first(self) -> Numbers:
        """Pr(first place | label)."""
        people = self.people[0, 1] if self.form.length == 1 else self.people[0, 1, 2].sum(axis=2)
        common = normalised(people.sum(axis=0) + PRIOR / self.form.places)
        return normalised(people + PRIOR * common / self.form.labels)

    def _transitions(self) -> Numbers:
        """Pr(place | label, the one before it, not the end), shape (labels, places, places)."""
        form, places = self.form, self.form.places
        pairs = [self.people[0, t, t + 1][:, :places, :places] for t in range(1, form.length)]
        steps = np.sum(pairs, axis=0)
        of_all = normalised(steps.sum(axis=(0, 1)) + PRIOR / places)
        of_label = normalised(steps.sum(axis=1) + PRIOR * of_all / form.labels)
        return normalised(steps + PRIOR * of_label[:, None] / form.labels)

    def _place(self, t: int, transitions: Numbers) -> Numbers:
        """Pr(t-th place | label, the one before it)."""
        form, places = self.form, self.form.places
        of_label = self.people[0, t - 1, t].sum(axis=0)[:places]  # who has not ended before
        goes_on, ends = of_label[:, :places].sum(), of_label[:, places].sum()
        end = (ends + PRIOR / form.length) / (goes_on + ends + PRIOR)
        table = np.zeros((form.labels, places + (t > 2), places + 1))
        table[:, :places, :places] = (1 - end) * transitions
        table[:, :places, places] = end
        table[:, places:, places] = 1.0  # who has ended
        return table

    def _class(self, t: int) -> Numbers:
        """Pr(class | the t-th place)."""
        form = self.form
        people = self.people[form.length + t,][: form.classes]
        law = normalised(people + PRIOR / form.classes)
        if t == 1:
            return law
        table = np.zeros((form.places + 1, form.classes + 1))
        table[: form.places, : form.classes] = law
        table[form.places, form.classes] = 1.0
        return table

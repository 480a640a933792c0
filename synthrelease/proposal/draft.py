"""An input of a plan that is being proposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.source import Source
from synthrelease.data.tables import Code
from synthrelease.proposal.roles import Roles, X, Y
from synthrelease.proposal.setting import Setting


@dataclass(frozen=True)
class Draft:
    """What an input is written of.

    Attributes:
        name: of the input.
        source: how the data are read.
        path: of the data, relative to the plan.
        person: the column of people.
        roles: what the other columns are.
        setting: what is known of screen and coordinates.
        codes: that mark missing values, as rows of people seem to say; what the format itself says is in `setting`.
        chosen: the rows that count.
        features: columns of numbers that are no role's.
        counters: columns of numbers that seem to count rows.
        listed: the labels of the stimuli or recordings, in natural order; none where there are too many for a list.
        words: of the recording's messages, to choose among.
        unequal: whether people have different numbers of stimuli.
    """

    name: str
    source: Source
    path: str
    person: str
    roles: Roles
    setting: Setting
    codes: Sequence[Code]
    chosen: ChosenRows
    features: Sequence[str]
    counters: Sequence[str]
    listed: Sequence[str]
    words: Sequence[str] = field(default=())
    unequal: bool = False

    @property
    def gaze(self) -> bool:
        """Whether rows are points on a screen."""
        return bool(self.roles.best(X) and self.roles.best(Y))

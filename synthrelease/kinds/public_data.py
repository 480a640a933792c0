"""Public data of other people that a plan names besides the private ones: read as the input is, and never of a participant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from synthrelease.data.label_twins import may_share_people
from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.errors import PlanError
from synthrelease.files.digest import sha256_of


def refuse_participants(public: Iterable[str], participants: Iterable[str], *, noun: str, where: str) -> None:
    """Refuse public data with a label of a participant, or one like it: what is published of them has no protection.

    Args:
        public: the labels of the people in it.
        participants: those of the private data.
        noun: what the data are: "pilot".
        where: the plan's place that names them.

    Raises:
        PlanError: there is one.
    """
    # Whatever the plan says of similar labels.
    if may_share_people(public, participants):
        raise PlanError(
            f"{noun.replace(' ', '-')}-shares-people",
            f"the {noun} has participants of the data: what is published of it would give them away",
            where=where,
            expected="other people, whose data may be public",
            remedy=f"remove the participants from the {noun}; if others have the same or similar labels (P1, p1, p_01) by chance, rename these",
        )


def digest_of(source: Source) -> str:
    """Return the SHA-256 of the file; of a folder's files, of their digests in the order of their names."""
    digests = [sha256_of(path) for path in sorted(reader_for(source).files(source))]
    return hashlib.sha256("".join(digests).encode()).hexdigest() if source.path.is_dir() else digests[0]

"""Public files that a plan names besides the private ones, such as data of other people, which are read as the input is: never of a participant."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.label_twins import may_share_people
from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.errors import PlanError
from synthrelease.files.digest import sha256_of
from synthrelease.kinds.preparing import refuse_positions

_HEADER_BYTES = 1 << 16  # a longer file has rows


def refuse_participants(
    public: Iterable[str], source: InputSpec, facts: Facts, *, noun: str, where: str
) -> None:
    """Refuse public data with a label of a participant, or one like it: what is published of them has no protection.

    Args:
        public: the labels of the people in it.
        source: the input that the data are read as, with their path.
        facts: of the input.
        noun: what the data are: "pilot".
        where: the plan's place that names them.

    Raises:
        PlanError: there is one, or might be one.
        PolicyError: labels of either are places in a file, which show no one.
    """
    if facts.everyone is None:
        raise PlanError(
            "unused-input",
            f"the {noun} may have participants of an input that no output is made of, which is not read",
            where=where,
            remedy="remove that input from the plan, or make an output of it",
        )
    person = source.options["columns"]["person"]
    refuse_positions(
        source,
        where,
        f"leave the {noun} out",
        by_position=facts.by_position or reader_for(source.source).counts(source.source, person),
        problem=f"no label shows whether a participant is in the {noun}",
    )
    # Whatever the plan says of similar labels.
    if may_share_people(public, facts.everyone):
        raise PlanError(
            f"{noun.replace(' ', '-')}-shares-people",
            f"the {noun} has participants of the data: what is published of it would give them away",
            where=where,
            expected="other people, whose data may be public",
            remedy=f"remove the participants from the {noun}; if others have the same or similar labels (P1, p1, p_01) by chance, rename these",
        )


def refuse_private_files(public: Mapping[str, Path], inputs: Iterable[InputSpec]) -> None:
    """Refuse public paths that lead to a file of an input: by a link, to a copy of it, or to a folder that it is in.

    Args:
        public: by the plan's places that name them.
        inputs: all of the plan, whether anything is made of them or not.

    Raises:
        PlanError: one does.
    """
    for spec in inputs:
        private = spec.files() if spec.frame is None else [path for path in [spec.path] if path.is_file()]
        held = _identities({place for path in private for place in _upwards(path)})
        by_size = _by_size(private)
        for where, path in public.items():
            if _identities([path]) & held or _leads_to(_files_below(path), held, by_size):
                raise PlanError(
                    "public-path-is-private",
                    f"what the plan declares public is private: it belongs to the input '{spec.name}'",
                    where=where,
                    found="a file of the input, a link to one, a copy of one, or a folder that holds one",
                    expected="other files, which may be public",
                    remedy="name another path, or move what is public into a folder of its own",
                )


def _files_below(path: Path) -> list[Path]:
    return list(path.rglob("*")) if os.path.isdir(path) else [path]  # noqa: PTH112  of any text


def _leads_to(
    files: Sequence[Path], held: AbstractSet[tuple[int, int]], private: Mapping[int, Sequence[Path]]
) -> bool:
    """Whether files are among those of some identities, or copies of private ones, which are given by their sizes."""
    alike = {size: own for size, own in _by_size(files).items() if size in private}
    return not _identities(files).isdisjoint(held) or any(
        not {sha256_of(file) for file in own}.isdisjoint(map(sha256_of, private[size]))
        for size, own in alike.items()
    )


def _upwards(path: Path) -> list[Path]:
    """Where a path leads to, and all folders that hold that."""
    try:
        real = Path(os.path.realpath(path))
    except ValueError:  # no file can have such a name
        return []
    return [real, *real.parents]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):  # said better where it is read
        return None


def _identities(paths: Iterable[Path]) -> set[tuple[int, int]]:
    """What is one file or folder on the disk, under whatever names."""
    return {(status.st_dev, status.st_ino) for path in paths if (status := _status(path))}


def _by_size(paths: Iterable[Path]) -> Mapping[int, list[Path]]:
    """Files that may hold rows and may be read, by how many bytes they have."""
    sizes: defaultdict[int, list[Path]] = defaultdict(list)
    for path in paths:
        status = _status(path)
        if (
            status
            and stat.S_ISREG(status.st_mode)
            and os.access(path, os.R_OK)
            and _may_hold_rows(path, status)
        ):
            sizes[status.st_size].append(path)
    return sizes


def _may_hold_rows(path: Path, status: os.stat_result) -> bool:
    """Whether a file is more than settings or the names of columns, which two studies may have in common."""
    if path.suffix.lower() == ".json":
        return False
    return status.st_size > _HEADER_BYTES or b"\n" in path.read_bytes().strip()


def digest_of(source: Source) -> str:
    """Return the SHA-256 of the file; of a folder's files, of their digests in the order of their names."""
    digests = [sha256_of(path) for path in sorted(reader_for(source).files(source))]
    return hashlib.sha256("".join(digests).encode()).hexdigest() if source.path.is_dir() else digests[0]

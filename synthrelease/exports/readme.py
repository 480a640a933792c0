"""The README of an export: what it is, what each person is promised, what is not protected, and how to check all that."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.exports import promised
from synthrelease.exports.table import Column
from synthrelease.exports.task import MANIFEST, Task
from synthrelease.printable import printable_lines
from synthrelease.report.number_words import several
from synthrelease.report.promise_words import Promise, promise_of

if TYPE_CHECKING:
    from synthrelease.exports.written import Written

_WIDTH = 100
_NARROW = "\u202f"  # the space within numbers, which is no printable character
_SEEDED = (
    "The noise of this release can be repeated: whoever knows the seed takes it away. Nothing that this page says of protection "
    "holds."
)


def readme(
    task: Task,
    contents: Iterable[str],
    *,
    what: str,
    warnings: Sequence[str],
    below: str,
) -> bytes:
    """Return the text, in UTF-8: the same for the same bundle.

    Args:
        task: the export.
        contents: lines about its files.
        what: the files are, in a sentence.
        warnings: about the files, besides those of the manifest.
        below: the folder that manifest and signatures stand in; "" for the README's own.
    """
    lines = list(_lines(task, contents, what, warnings, below))
    text = "\n".join(lines).strip().replace(_NARROW, " ")
    return printable_lines(text + "\n").encode("utf-8")


def table_lines(written: Sequence[Written]) -> Iterator[str]:
    """Yield what tables are, and their columns, in lines."""
    seen: dict[tuple[Column, ...], str] = {}
    for one in written:
        yield from item(
            f"{one.path.as_posix()}: {one.table.title}, {several(one.rows, 'row')}. {one.table.description}"
        )
        same = tuple(replace(column, labels=()) for column in one.table.columns)
        if same in seen:
            yield f"    Columns as in {seen[same]}."
            continue
        seen[same] = one.path.as_posix()
        for column in one.table.columns:
            unit = f" [{column.unit}]" if column.unit else ""
            yield from item(f"{column.name}{unit}: {column.description}", deep=4)


def _lines(
    task: Task,
    contents: Iterable[str],
    what: str,
    warnings: Sequence[str],
    below: str,
) -> Iterator[str]:
    release, privacy = task.manifest["release"], task.manifest["privacy"]
    if task.test_seed:
        yield from (TEST_SEED_WORDS, "", *_wrapped(_SEEDED), "")
    yield from _headed(release["title"])
    yield f"Release    {release['name']} {release['version']}, {release['date']}"
    if "license" in release:
        yield f"Licence    {release['license']}"
    if "contact" in release:
        yield f"Contact    {release['contact']}"
    yield f"People     {'a private number' if privacy['people'] is None else privacy['people']}"
    yield f"Made by    {task.manifest['tool']['name']} {task.manifest['tool']['version']}"
    yield from (
        "",
        *_wrapped(
            f"{what} The values are the published ones of a bundle, which can be checked; these files cannot."
        ),
    )
    yield from ("", *_headed("What each person is promised"))
    yield from promise_lines(task)
    yield from ("", *_headed("What is not protected"))
    yield from _not_protected(promise_of(task.manifest))
    told = [*promised.warnings(task.manifest), *warnings]
    if told:
        yield from ("", *_headed("Warnings"))
        for warning in told:
            yield from item(warning)
    yield from ("", *_headed("What is in it"))
    yield from contents
    manifest, *signatures = [PurePosixPath(below, name).as_posix() for name in (MANIFEST, *task.signatures)]
    yield from ("", *_headed("Check it"))
    yield from _wrapped(
        f"{manifest} is the manifest of the bundle: every parameter, sensitivity, noise and guarantee, and the digest of "
        "every dataset. Whoever has the bundle, a file of HDF5, can compute every promise and every derived value again, "
        "without the data:"
    )
    yield from ("", "    synthrelease verify BUNDLE", "    sha256sum BUNDLE", "")
    if signatures:
        yield from _wrapped(
            f"{' and '.join(signatures)}: who signed that manifest, and so the bundle, as a DSSE envelope, which public tools verify; "
            "its subject is the manifest's SHA-256. The other files of this folder are not signed."
        )
        yield ""
    yield f"SHA-256 of the bundle    {task.bundle_digest}"
    yield f"SHA-256 of the manifest  {task.manifest_digest}"


def promise_lines(task: Task) -> Iterator[str]:
    """Yield what each person is promised, in the words of the public page, in lines."""
    promise = promise_of(task.manifest)
    if task.test_seed:
        yield from ("This would be the promise if the noise were not of a test seed. It does not hold.", "")
    yield from _wrapped(promise.headline)
    if promise.worlds:
        one, other, same = promise.worlds
        text = f"Think of one person, any of them, and two worlds. In one {one}; in the other {other}. {same} A coin decides which world is real."
        yield from ("", *_wrapped(text))
    yield from ("", *_wrapped(" ".join(promise.sentences)))
    if promise.guess is not None:
        usual = f" An ε of this size is usually called {promise.strength}." if promise.strength else ""
        yield from ("", *_wrapped(f"In the notation of the field: {promise.formal}.{usual}"))


def _not_protected(promise: Promise) -> Iterator[str]:
    for name, told in promise.uncovered:
        yield from item(f"{name} is outside of this promise. {told}")
    for reason, names in promise.public:
        yield from item(f"{', '.join(names)}: {reason}")
    yield from item("other releases: whatever else was or will be published of the same people adds to this")


def _headed(text: str) -> tuple[str, str, str]:
    return text, "-" * min(len(text), _WIDTH), ""


def item(text: str, *, deep: int = 0) -> list[str]:
    """Return an entry of a list in lines."""
    lead = " " * deep
    return textwrap.wrap(
        text, _WIDTH, initial_indent=f"{lead}* ", subsequent_indent=f"{lead}  ", break_long_words=False
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False)

"""What a command found, for its page: read from the JSON that it printed, in the words of reports and of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from synthrelease import __version__
from synthrelease.building.curator import CHECK_UNITS, CHOICE_LEAKS
from synthrelease.bundle.disclosure import releases_no_better, stated_guarantee, warning_sentence
from synthrelease.bundle.finding import Finding, Verification
from synthrelease.data.losses import Loss, Reason
from synthrelease.number_words import several
from synthrelease.printable import printable_lines
from synthrelease.reports.cards import card_of
from synthrelease.reports.difference_text import described, shown_values
from synthrelease.reports.exhibits import OutputExhibits
from synthrelease.reports.guarantee_words import guarantee_words
from synthrelease.studio.commands import (
    BUILD,
    BUNDLE_ENDING,
    CHECK,
    DIFF,
    EVALUATE,
    EXPORT,
    OF_DATA,
    PAGE_ENDING,
    PRIVATE,
    REPORT,
    SHOW,
    SIGN,
    VERIFY,
)
from synthrelease.studio.jobs import Job

_MOST_SHOWN = 100_000  # characters of what a command printed; a browser takes long for more
_PATH = " / "
# endings of the files that commands write, of those that they are about
_WRITTEN = {BUILD: BUNDLE_ENDING, SIGN: BUNDLE_ENDING, REPORT: PAGE_ENDING, EVALUATE: PAGE_ENDING}
View = Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """A command that has ended, and what there is to see of it."""

    job: Job
    view: (
        View | None
    )  # the values of its template; None if it printed no result, or not one that is understood
    error: View | None  # why it was refused, or failed
    # whether a file that it is about is another one now, or this program another version: nothing of it is shown then
    is_stale: bool = False
    is_earlier: bool = False  # whether the plan is another one now, or a file that it names

    @property
    def name(self) -> str:
        """Of the command."""
        return self.job.name

    @property
    def is_private(self) -> bool:
        """Whether it is computed from the data without noise: errors of what reads them can count rows, too."""
        return self.name in PRIVATE or (self.name in OF_DATA and self.view is None)

    @property
    def printed(self) -> str:
        """What it printed, messages first, as far as a page can show it."""
        text = "" if self.is_stale else self.job.errors + self.job.printed
        more = len(text) - _MOST_SHOWN
        return printable_lines(text[:_MOST_SHOWN]) + (
            f"… (and {several(more, 'character')})" if more > 0 else ""
        )


def result_of(
    job: Job | None, digest_of: Callable[[str], str | None], plan: str | None = None
) -> Result | None:
    """Return the result of a command; None if there is none yet.

    Args:
        job: the command.
        digest_of: returns the digest of a file that it is about, as it is now.
        plan: fingerprint of the plan as it is now; None for commands that read none.
    """
    if job is None or job.is_running:
        return None
    meanwhile = (
        file
        for file, after in job.after.items()
        if job.before.get(file) != after and not file.endswith(_WRITTEN.get(job.name, "/"))
    )
    if (
        job.version != __version__
        or any(digest_of(file) != after for file, after in job.after.items())
        or any(meanwhile)
    ):
        return Result(job, None, None, is_stale=True)
    is_earlier = plan not in (None, job.plan)
    document = _document(job.printed)
    if document is None or job.is_interrupted:
        return Result(job, None, None, is_earlier=is_earlier)
    if "error" in document:
        return Result(job, None, document["error"], is_earlier=is_earlier)
    try:
        view = _VIEWS[job.name](document)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        view = None  # another version of this program printed it, or a manifest contradicts itself
    return Result(job, view, None, is_earlier=is_earlier)


def written_page(result: Result | None, name: str) -> str | None:
    """Return the digest of a page if it is what the command of a result wrote: others can have been put there."""
    return None if result is None or result.view is None else result.job.after.get(name)


def _document(printed: str) -> dict[str, Any] | None:
    try:
        document = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    return _printable(document) if isinstance(document, dict) else None


def _printable(value: Any) -> Any:
    """The same, without characters that could turn a line round: manifests can be anyone's."""
    match value:
        case str():
            return printable_lines(value)
        case list():
            return [_printable(item) for item in value]
        case dict():
            return {printable_lines(key): _printable(item) for key, item in value.items()}
    return value


class InputLosses(NamedTuple):
    """What does not count as it stands of one input, or looks like a mistake."""

    name: str
    rows: int | None  # that were read; None if nothing counted them
    lost: list[Loss]
    nothing: list[Loss]  # what was looked for, and not found
    remarks: list[str]


def _check(form: View) -> View:
    private = form["private"]
    losses: dict[str, list[Loss]] = {name: [] for name in private["notes"]}
    for one in private["losses"]:
        loss = Loss(one["count"], one["total"], one["what"], Reason(one["reason"]), one["feature"])
        losses.setdefault(one["input"], []).append(loss)
    most = [f"{name}: {loss}" for name, of in losses.items() for loss in of if loss.is_most]
    return {
        **_made(form),
        "inputs": [_input(name, of, private["notes"].get(name, ())) for name, of in losses.items()],
        "most": [f"{sentence}: {CHECK_UNITS}" for sentence in most],
        "choice_leaks": CHOICE_LEAKS,
    }


def _input(name: str, losses: list[Loss], notes: list[str]) -> InputLosses:
    lost = [loss for loss in losses if loss.count]
    sentences = set(map(str, lost))
    return InputLosses(
        name,
        max((loss.total for loss in losses if loss.feature is None), default=None),
        lost,
        [loss for loss in losses if not loss.count],
        [note for note in notes if note not in sentences],
    )


def _made(form: View) -> View:
    return {
        **form,
        "guarantee": stated_guarantee(form["privacy"]),
        "warnings": [warning["sentence"] for warning in form["warnings"]],
    }


def _verify(form: View) -> View:
    findings = [Finding(one["code"], one["where"], one["message"]) for one in form["findings"]]
    shown = _only("ok", "findings", "checked", "signed_by", "on_trust", "not_done", "unprotected")(form)
    return {**shown, "remedy": Verification(findings).remedy}


def _show(manifest: dict[str, Any]) -> View:
    return {
        "manifest": manifest,
        "words": guarantee_words(manifest),
        "warnings": [*releases_no_better(manifest), *map(warning_sentence, manifest["warnings"])],
        "cards": [card_of(manifest, output, OutputExhibits(())) for output in manifest["outputs"]],
    }


class PlaceChange(NamedTuple):
    """A place of the manifest that changed, in words."""

    where: str
    old: str
    new: str


def _diff(form: View) -> View:
    if "changes" not in form:  # one of the two does not verify
        return {"findings": form["findings"]}
    return {**form, "findings": [], "changes": [_place_change(one) for one in form["changes"]]}


def _place_change(form: View) -> PlaceChange:
    where = _PATH.join(form["where"])
    if "reordered" in form:
        order = " (in another order)" if form["reordered"] else ""
        return PlaceChange(where + order, *("; ".join(form[side]) for side in ("removed", "added")))
    old, new = (_readable(form[side]) if side in form else "" for side in ("old", "new"))
    return PlaceChange(where, *shown_values(old, new))


def _readable(value: Any) -> Any:
    """An output in words; anything else as it is."""
    return described(value) if isinstance(value, dict) and "mechanism" in value else value


def _only(*keys: str) -> Callable[[View], View]:
    """What its template names, all of which must be there."""
    return lambda form: {key: form[key] for key in keys}


_VIEWS: Mapping[str, Callable[[dict[str, Any]], View]] = {
    CHECK: _check,
    BUILD: _made,
    EVALUATE: _only("faults"),
    VERIFY: _verify,
    SHOW: _show,
    DIFF: _diff,
    REPORT: _only("report", "bytes", "warnings", "test_seed"),
    EXPORT: _only("folder", "to", "files", "bytes", "warnings", "test_seed"),
    SIGN: _only("bundle", "signature", "key"),
}

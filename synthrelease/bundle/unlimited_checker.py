"""The process that checks one file for another, on a system that has no forks and no limits of processes, such as Windows.

It may crash or hang: the process that asked ends it when its time is over. The answer says what was not limited.
"""

from __future__ import annotations

import json
import os
import sys

from synthrelease.bundle.checking import (
    FILES_NOT_KEPT,
    MEMORY_NOT_LIMITED,
    TOO_MUCH_MEMORY,
    answer_of,
    answer_without_check,
    progress_to,
)
from synthrelease.bundle.examination import examine
from synthrelease.bundle.signing.expectations import SignatureExpectations


def serve() -> None:
    """Answer one request on standard input."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library might print is no answer
    request = json.loads(sys.stdin.buffer.readline())
    try:
        verification = examine(
            request["path"],
            quick=request["quick"],
            allow_test_seed=request["allow_test_seed"],
            expected=SignatureExpectations.from_json(request["expected"]),
            progress=progress_to(answers) if request["progress"] else None,
        )
        verification.not_done += [MEMORY_NOT_LIMITED, FILES_NOT_KEPT]
        answer = answer_of(verification, request)
    except MemoryError:
        answer = answer_without_check(request, TOO_MUCH_MEMORY)
    with os.fdopen(answers, "wb") as pipe:
        pipe.write(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    serve()

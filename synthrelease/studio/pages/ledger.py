"""Ledger: what all releases of the data have spent over time, and what is left; private."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.errors import SynthReleaseError
from synthrelease.ledgers import Ledger
from synthrelease.ledgers.ledger_page import dataset_card
from synthrelease.reports.page import drawn
from synthrelease.studio.commands import GRANT, ledger_of
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.results import result_of

PRIVATE_PAGE = "private-ledger.html"


def _ledger(studio: Studio, _request: Request) -> Response:
    plan = studio.project.load_plan()
    command: tuple[str, ...] = ()
    account, error = None, None
    if plan.ledger is not None:
        command = (
            "ledger",
            "show",
            ledger_of(studio.project, plan),
            "--dataset",
            plan.dataset,
            "--html",
            PRIVATE_PAGE,
        )
        try:
            stands = Ledger(plan.ledger).over_time(plan.dataset)[plan.dataset]
            account = drawn("accounts.html", "account", dataset_card(plan.dataset, *stands))
        except SynthReleaseError as no_account:
            error = no_account
    job = studio.jobs.job(GRANT)
    return studio.page(
        "ledger.html",
        "/ledger",
        account=account,
        error=error,
        command=command,
        job=job,
        result=result_of(job, studio.jobs.digest_of),
    )


SHOWN: Shown = {"/ledger": _ledger}
CHANGING: Changing = {}

"""The ledger in the studio: the dataset of the plan as `ledger show --html` draws it, marked as private."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from pages import Page, parsed
from spending import dated
from studio_project import PAID_PLAN, PLAN, Browser, project

from synthrelease.cli import main
from synthrelease.ledgers import Ledger
from synthrelease.ledgers.ledger_page import dataset_card
from synthrelease.reports.page import drawn
from synthrelease.studio.commands import command


def doors(page: Page) -> list[str | None]:
    return [one["href"] for one in page.all("a") if one.get("href") in ("/bundles", "/ledger")]


@pytest.fixture
def paid(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path, PAID_PLAN))


def test_the_dataset_of_the_plan_is_drawn_as_on_the_ledger_s_own_page(paid: Browser) -> None:
    ledger = dated(paid.project.folder)
    answer = paid.ask("/ledger")
    page = parsed(answer.text)
    account = drawn("accounts.html", "account", dataset_card("study", *ledger.over_time("study")["study"]))
    assert account in answer.text
    assert len(page.texts("figure", "line-chart")) == 1
    assert len(page.texts("tr")) == 1 + len(ledger.over_time()["study"][1])
    assert "pilot" not in page.text  # another dataset of the ledger
    assert len(page.texts("p", "private-mark")) == 1
    assert answer.headers["cache-control"] == "no-store"
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_the_command_below_it_does_the_same(paid: Browser) -> None:
    dated(paid.project.folder)
    (typed,) = parsed(paid.ask("/ledger").text).texts("pre")
    _, group, name, *arguments = shlex.split(typed)
    context = main.commands[group].commands[name].make_context(name, arguments)
    assert context.params["dataset"] == "study"
    assert paid.project.folder / context.params["path"] == paid.project.folder / "ledger.sqlite"


def test_there_is_a_door_to_it_where_the_plan_names_one(paid: Browser) -> None:
    assert doors(parsed(paid.ask("/data").text)) == ["/bundles", "/ledger"]
    paid.project.plan.write_text(PLAN)
    page = parsed(paid.ask("/data").text)
    assert doors(page) == ["/bundles"]
    without = paid.ask("/ledger")
    assert without.status == 200
    assert parsed(without.text).texts("p", "private-mark") == []


def test_a_ledger_that_is_not_there_or_has_no_such_dataset_is_a_message(paid: Browser) -> None:
    missing = paid.ask("/ledger")
    assert len(parsed(missing.text).texts("div", "problem")) == 1
    assert missing.status == 200  # it is not the plan that cannot be used
    dated(paid.project.folder)
    paid.project.plan.write_text(PAID_PLAN.replace('"study"', '"other"'))
    page = parsed(paid.ask("/ledger").text)
    assert len(page.texts("div", "problem")) == 1
    assert page.texts("figure") == []


def test_a_total_budget_is_set_where_there_is_none(paid: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(parsed(paid.ask("/ledger").text).texts("button")) == 1
    monkeypatch.chdir(paid.project.folder)
    typed = command(
        "grant", paid.project, {"epsilon": ["4.5"], "delta": ["1e-5"], "digest": [paid.project.digest()]}
    )
    assert CliRunner().invoke(main, typed).exit_code == 0
    account, _ = Ledger(paid.project.folder / "ledger.sqlite").over_time("study")["study"]
    assert "4.5" in parsed(paid.ask("/ledger").text).text
    assert account.debits == {}


@pytest.mark.parametrize("sent", [{"epsilon": "much", "delta": "0"}, {"epsilon": "1", "delta": "--json"}])
def test_what_is_no_budget_is_not_granted(paid: Browser, sent: dict[str, str]) -> None:
    assert paid.change("/jobs/start", name="grant", **sent).status == 422
    paid.project.plan.write_text(PLAN)
    assert paid.change("/jobs/start", name="grant", epsilon="1", delta="0").status == 422
    assert not paid.project.state.exists()

"""The public page: what it says is what the manifest says, whoever wrote the manifest, and nothing of it is markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from goldens import check_text, figures
from hostile_labels import ENDING, LONG, QUOTES, SCRIPT, TEMPLATE, write_hostile_study
from layouts import GOLDEN, NAMES, layout
from pages import Page, check_form, golden, golden_page, parsed, written
from refusals import refused

import synthrelease
from synthrelease.bundle.disclosure import (
    no_better_sentences,
    output_sentences,
    unprotected_facts,
    warning_sentence,
)
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError, MachineError
from synthrelease.number_words import is_certain
from synthrelease.reports import released
from synthrelease.reports.guarantee_words import guarantee_words, output_guarantee_words
from synthrelease.reports.public_report import BundleSource, public_page, write_report
from synthrelease.reports.released import Released, labels_of

_SEEDED, _STAMP = "seeded.TEST-SEED", "TEST SEED – DO NOT PUBLISH"


def manifest_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(golden_page(name).data)
    return found


def page_of(manifest: dict[str, Any]) -> Page:
    """The page of a manifest that may be anyone's, without cards."""
    return parsed(public_page(manifest, [], BundleSource("b.h5", "0" * 64, ("checksum",))))


@pytest.mark.quick("areas", "records", "estimates")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_page_of_every_golden_bundle(path):
    page = golden_page(path.stem)
    check_form(page, "manifest")
    with BundleFile(path) as file:
        manifest = file.manifest()
    assert json.loads(page.data) == manifest
    for output in manifest["outputs"]:
        assert f"output-{output['name']}" in [a.get("id") for a in page.all("article")]
        done, warnings = output_sentences(output)
        expected = no_better_sentences(output)
        assert len(done) == len(output["post_processing"])
        assert len(warnings) == len(output["warnings"]) + len(expected)
        assert all(
            page.text.count(re.sub(r"\s+", " ", one)) >= 2 for one in expected
        )  # above, and at the output
        for sentence in (*warnings, *done):
            assert re.sub(r"\s+", " ", sentence) in page.text
    for warning in manifest["warnings"]:
        assert warning_sentence(warning) in page.text
    facts = unprotected_facts(manifest)
    assert len(facts) == len(manifest["privacy"]["not_protected"])
    for what, reason in facts:
        if not what.startswith("output "):
            assert reason in page.text
            assert what in page.text


@pytest.mark.quick(but=["series", "each"])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_every_layout(name, tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(layout(name).raw)
    page = written(path, tmp_path)
    check_form(page, "manifest")
    assert json.loads(page.data) == layout(name).manifest


def test_what_is_seen_of_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr(synthrelease, "__version__", "{version}")
    check_text("report/records", written(golden("records"), tmp_path).lines)


def badges(page: Page) -> list[str]:
    return [str(one["class"]).split()[1] for one in page.all("p") if "badge" in str(one.get("class")).split()]


def terms(page: Page) -> set[str]:
    """The words that a page explains."""
    (explained,) = page.texts("dl", "glossary")
    return {one for one in page.texts("dt") if f" {one} " in f" {explained} "}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    return synthrelease.build(write_hostile_study(folder), folder / "h.h5", test_seed=3).path


def test_names_are_text(hostile, tmp_path):
    page = written(hostile, tmp_path)
    check_form(page, "manifest")
    for name in (SCRIPT, ENDING, QUOTES, TEMPLATE, LONG):
        assert name in page.text, name
        assert name not in page.source.replace(LONG, "") or name in (TEMPLATE, LONG)
    assert "49" not in re.sub(r"\d[\d.]*\d", "", page.text)


def test_a_manifest_cannot_end_its_element():
    manifest = manifest_of("areas")
    hostile = {**manifest, "more": [ENDING, "<!--<script>", "a\N{LINE SEPARATOR}b", "&amp;</SCRIPT >"]}
    page = page_of(hostile)
    assert json.loads(page.data) == hostile
    inside = page.source.split('id="manifest">')[1].split("</script>")[0]
    assert "<" not in inside
    assert json.loads(inside) == hostile


def test_nothing_turns_a_line_round_or_hides():
    manifest = manifest_of("areas")
    manifest["release"]["title"] = (
        "a\N{RIGHT-TO-LEFT OVERRIDE}b\N{ZERO WIDTH SPACE}c\x07d\N{POP DIRECTIONAL ISOLATE}"
    )
    page = page_of(manifest)
    assert "a\\u202eb\\u200bc\\u0007d\\u2069" in page.text
    seen = page.source.split("<script")[0]
    assert not [c for c in seen if not (c.isprintable() or c in "\n\N{NARROW NO-BREAK SPACE}")]


def test_a_test_seed_cannot_be_overlooked():
    page = golden_page(_SEEDED)
    assert page.source.index(_STAMP) < page.source.index("<h1")
    assert page.text.count(_STAMP) == 2
    assert badges(page) == ["unprotected"] * 3
    assert len(page.all("article")) == 3
    assert "DO NOT PUBLISH" not in golden_page("areas").text


def test_a_criterion_is_no_differential_privacy():
    page = golden_page("records")
    assert badges(page) == [*["protected"] * 3, "criterion", "criterion", "protected"]
    outputs = {output["name"]: output["guarantee"] for output in manifest_of("records")["outputs"]}
    for name, card in zip(outputs, page.texts("article"), strict=True):
        assert ("ε = " in card) == ("epsilon" in outputs[name])


def test_standings():
    """Of outputs with every kind of guarantee; a test that cannot fail guarantees no number."""
    outputs = {output["name"]: output for output in manifest_of("records")["outputs"]}
    plain, exact = outputs["plain"], outputs["exact"]
    told = [
        *map(output_guarantee_words, (plain, outputs["tree"], exact)),
        output_guarantee_words({**exact, "guarantee": {**exact["guarantee"], "counted": "record"}}),
        output_guarantee_words({**exact, "guarantee": {**exact["guarantee"], "vacuous": True}}),
    ]
    assert [figures(one) for one in told] == [[76.8, 50], [], [4, 4], [4, 4], []]
    check_text("report/standings", "\n".join(told))


def with_guarantee(
    guarantee: dict[str, Any], event: dict[str, Any], neighbours: str = "replace-one"
) -> dict[str, Any]:
    manifest = manifest_of("areas")
    whole = {**guarantee, "unit": "person", "neighbours": neighbours}
    manifest["privacy"] |= {"guarantee": whole, "neighbours": neighbours}
    manifest["privacy"]["composition"]["outputs"] = ["dwell"]
    manifest["outputs"] = [
        {**output, "guarantee": whole, "event": event}
        for output in manifest["outputs"]
        if output["name"] == "dwell"
    ]
    return manifest


def gaussian(sensitivity: float, scale: float) -> dict[str, Any]:
    norm = {"norm": "l2", "value": repr(sensitivity)}
    return {"type": "rounded_gaussian", "sensitivity": norm, "scale": repr(scale), "grid": "1", "count": 3}


def laplace(sensitivity: int, scale: float) -> dict[str, Any]:
    norm = {"norm": "l1", "value": repr(sensitivity)}
    return {"type": "discrete_laplace", "sensitivity": norm, "scale": repr(scale), "grid": "1", "count": 3}


@pytest.mark.parametrize(
    ("guarantee", "event", "percent"),
    [
        # e/(1 + e) = 0.73106, rounded up
        ({"kind": "pure_dp", "epsilon": 1.0}, laplace(1, 1.0), [73.2]),
        # Φ(1/2) = 0.69146: less than the (e + 0.1)/(e + 1) = 0.75795 of the pair
        ({"kind": "approx_dp", "epsilon": 1.0, "delta": 0.1}, gaussian(2.0, 2.0), [69.2]),
        # (3 + 0.04)/4 where the noise itself would allow more
        ({"kind": "approx_dp", "epsilon": 1.0986122886681098, "delta": 0.04}, gaussian(9.0, 1.0), [76]),
        ({"kind": "pure_dp", "epsilon": 12.0}, laplace(12, 1.0), []),
    ],
)  # fmt: skip
def test_the_headline_is_the_guarantee(guarantee, event, percent):
    manifest = with_guarantee(guarantee, event)
    guarantee = guarantee_words(manifest)
    page = page_of(manifest)
    assert page.texts("p", "headline") == [guarantee.headline]
    assert page.texts("p", "explanation") == [guarantee.explanation]
    assert figures(guarantee.headline) == percent
    assert figures(guarantee.statement)[: len(percent)] == percent
    assert guarantee.guess is not None
    assert is_certain(guarantee.guess) == (not percent)


def test_the_two_worlds_are_those_of_the_relation():
    pure = {"kind": "pure_dp", "epsilon": 1.0}
    replaced, added = (
        with_guarantee(pure, laplace(1, 1.0), neighbours) for neighbours in ("replace-one", "add-remove-one")
    )
    for own, other in ((replaced, added), (added, replaced)):
        text, guarantee = page_of(own).text, guarantee_words(own)
        assert len(guarantee.worlds) == 3
        assert all(one in text for one in (guarantee.explanation, *guarantee.worlds, *guarantee.sentences))
        others = guarantee_words(other)
        assert not [one for one in (others.explanation, *others.worlds) if one in text]


def test_nothing_protected_guarantees_nothing():
    manifest = manifest_of("records")
    manifest["outputs"] = [o for o in manifest["outputs"] if o["name"] == "exact"]
    manifest["privacy"]["composition"]["outputs"] = []
    none = {"kind": "none", "unit": "person", "neighbours": "replace-one", "reason": "nothing"}
    manifest["privacy"]["guarantee"] = none
    page, guarantee = page_of(manifest), guarantee_words(manifest)
    assert (guarantee.guess, guarantee.worlds, guarantee.strength) == (None, (), "")
    assert page.texts("p", "headline") == [guarantee.headline]
    assert figures(" ".join([guarantee.statement, *guarantee.sentences])) == []
    assert page.texts("div", "meter") == []
    assert len(golden_page("records").texts("div", "meter")) == 1
    check_text("report/nothing-protected", "\n".join([guarantee.statement, *guarantee.sentences]))


@pytest.mark.thorough
def test_budget_and_ledger_are_those_of_the_manifest():
    page = golden_page("statistics")
    for told in ("ε = 20", "ε = 10", "ε = 49.97", "ε = 60", "ε = 47.6"):
        assert told in page.text
    _, of_ledger = page.texts("section", "chart")
    ledger = manifest_of("statistics")["ledger"]
    spent = [ledger[f"spent_{when}"] for when in ("before", "here", "after")]
    assert figures(of_ledger)[:4] == [*spent, ledger["delta"]]
    assert manifest_of("areas")["ledger"] is None
    assert len(golden_page("areas").texts("section", "chart")) == 1


def test_a_private_number_of_people_stays_private():
    people = [golden_page(name).texts("dd")[2] for name in ("areas", "unknown-number")]
    assert [figures(one) for one in people] == [[50], []]


def test_words_of_the_glossary_are_those_of_the_page():
    areas, records, unknown = (terms(golden_page(name)) for name in ("areas", "records", "unknown-number"))
    assert {"Person", "Replace-one"} <= areas & records
    assert "Add-remove-one" in unknown - areas
    assert "Replace-one" not in unknown
    assert {"k", "γ (gamma)"} <= records - areas


def card_of(page: Page, name: str) -> str:
    ids = [str(one["id"]) for one in page.all("article")]
    return page.texts("article")[ids.index(f"output-{name}")]


def rows_of(page: Page, name: str, *words: str) -> list[str]:
    """The rows of an output's tables that have some words."""
    card = card_of(page, name)
    return [one for one in page.texts("tr") if one in card and all(word in one.split() for word in words)]


def test_values_are_those_of_the_bundle():
    bundle = synthrelease.open_bundle(golden("statistics"))
    (row,) = rows_of(golden_page("statistics"), "all", "mean", "left")
    expected = [bundle["all"]["mean/value"][0], *bundle["all"]["mean/interval"][0]]
    shown = figures(row.replace("\N{MINUS SIGN}", "-"))
    assert shown[:3] == [float(f"{one:.4g}") for one in expected]
    assert shown[3:] == [2.0, 8.0], "the ends of the scale that they are drawn on: the public bounds"
    shares = synthrelease.open_bundle(golden("areas"))["dwell"]["dwell/shares"][0]
    assert all(f"{100 * share:.1f} %" in golden_page("areas").text for share in shares)


def test_histograms_are_drawn_as_histograms():
    bundle = synthrelease.open_bundle(golden("statistics"))
    expected = {float(f"{value:.4g}") for value in bundle["all"]["histogram/value"][0]}
    drawn = [line for line in golden_page("statistics").lines.split("\n") if line.startswith("[")]
    assert any(expected <= set(figures(line.replace("\N{MINUS SIGN}", "-"))) for line in drawn)


def test_uncertainty_stands_beside_shares():
    share = synthrelease.open_bundle(golden("areas"))["visits"]["dwell/shares"][0, 0]
    (row,) = [row for row in rows_of(golden_page("areas"), "visits", "door") if "–" not in row][:1]
    value, uncertainty = figures(row)
    assert value == pytest.approx(100 * share, abs=0.06)
    assert uncertainty > 0


def test_quantiles_say_how_far_their_ranks_may_be():
    """2Δ/ε·ln((K − 1)/0.05) people, rounded up: 2/3.33·ln(5100) = 5.12; where people may change groups 2/10·38/20·ln(780) = 2.53."""
    page = golden_page("statistics")
    for name, statistic, rank in (("all", "median", 5.2), ("chosen", "quantile:0.05", 2.6)):
        assert rows_of(page, name, statistic)
        assert figures(card_of(page, name)).count(rank) == 1


@pytest.mark.thorough
def test_pictures_are_limited_and_the_rest_is_told(tmp_path):
    few, all_of_them = (
        written(golden("heatmaps"), tmp_path, pictures=1),
        golden_page("heatmaps"),
    )
    assert len(few.all("img")) < len(all_of_them.all("img"))
    told = few.texts("p", "more")
    assert [figures(one)[0] for one in told] == [1, 1]
    command = "synthrelease export heatmaps.h5 --to png"
    assert all(command in one for one in told)
    assert all_of_them.texts("p", "more") == []


@pytest.mark.thorough
def test_the_same_bundle_makes_the_same_page(tmp_path):
    assert written(golden("signals"), tmp_path).source == golden_page("signals").source


@pytest.mark.parametrize(("name", "what"), [("heatmaps", "heatmap"), ("records", "category/mood")])
def test_what_changed_after_it_was_verified_is_refused(name, what, tmp_path):
    lied = manifest_of(name)
    path = next(path for path in lied["digests"] if path.endswith(what))
    lied["digests"][path] = "0" * 64
    with refused(BundleError, "values-changed", where=path):
        write_report(golden(name), tmp_path / "p.html", manifest=lied, checked=[])
    assert list(tmp_path.iterdir()) == []


def test_a_page_does_not_replace_its_bundle(tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(golden("areas").read_bytes())
    (tmp_path / "link.html").symlink_to(path)
    for target in (path, tmp_path / "link.html"):
        with refused(MachineError, "output-replaces-input", where=target):
            write_report(path, target, manifest=layout("areas").manifest, checked=[], force=True)
    assert path.read_bytes() == golden("areas").read_bytes()


@pytest.mark.parametrize(
    ("name", "command"),
    [("b.h5", "sha256sum b.h5"), ("my 'data'; ls.h5", """sha256sum 'my '"'"'data'"'"'; ls.h5'"""), ("-o.h5", "sha256sum ./-o.h5")],
)  # fmt: skip
def test_commands_can_be_copied(name, command):
    page = parsed(public_page(manifest_of("areas"), [], BundleSource(name, "0" * 64, ("checksum",))))
    assert command in page.text


def test_a_figure_of_the_release_stands_first():
    maps = golden_page("heatmaps")
    first = maps.source.index('class="lead-figure"')
    assert first < maps.source.index("<img") < maps.source.index('<h2 id="outputs">')
    protected = golden_page("records").texts("div", "lead-figure")[0]
    assert "tree" in protected  # and not an output that the guarantee does not cover
    assert page_of(manifest_of("areas")).texts("div", "lead-figure") == []


def test_what_is_not_covered_is_stated_next_to_the_figure():
    page = golden_page("records")
    assert (
        page.source.index('class="headline"')
        < page.source.index('class="outside"')
        < page.source.index("<h3>")
    )


def test_labels_of_an_outputs_items_are_made_once(monkeypatch):
    """Else an evaluation of S maps takes S² of them."""
    made = []

    def noted(parameters, dataset, index):
        made.append((dataset.path, index))
        return labels_of(parameters, dataset, index)

    monkeypatch.setattr(released, "labels_of", noted)
    with Released(golden("heatmaps"), synthrelease.open_bundle(golden("heatmaps")).manifest) as values:
        for name in ("garden", "a/b"):
            assert values.values("joint", name, "heatmap").shape == (12, 16)
    assert made
    assert len(made) == len(set(made))

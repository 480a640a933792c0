"""The public page: what it says is what the manifest says, whoever wrote the manifest, and nothing of it is markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hostile_labels import ENDING, LONG, QUOTES, SCRIPT, TEMPLATE, write_hostile_study
from layouts import GOLDEN, NAMES, layout
from pages import Page, check_form, golden, golden_page, parsed, written

import synthrelease
from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.errors import BundleError, MachineError
from synthrelease.report.promise_words import standing
from synthrelease.report.public_report import Source, public_page, write_report

_SEEDED = "seeded.TEST-SEED"


def manifest_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(golden_page(name).data)
    return found


def page_of(manifest: dict[str, Any]) -> Page:
    """The page of a manifest that may be anybody's, without cards."""
    return parsed(public_page(manifest, [], Source("b.h5", "0" * 64, ("seal",))))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_page_of_every_golden_bundle(path):
    page = golden_page(path.stem)
    check_form(page, "manifest")
    with BundleFile(path) as file:
        manifest = file.manifest()
    assert json.loads(page.data) == manifest
    for output in manifest["outputs"]:
        assert f"output-{output['name']}" in [a.get("id") for a in page.all("article")]
        for sentence in (*output["warnings"], *output["post_processing"]):
            assert re.sub(r"\s+", " ", sentence) in page.text
    for warning in manifest["warnings"]:
        assert warning in page.text
    for entry in manifest["privacy"]["not_protected"]:
        if not entry["what"].startswith("output "):
            assert entry["reason"] in page.text
            assert entry["what"] in page.text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_every_layout(name, tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(layout(name).raw)
    page = written(path, tmp_path)
    check_form(page, "manifest")
    assert json.loads(page.data) == layout(name).manifest


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
    hostile = {**manifest, "warnings": [ENDING, "<!--<script>", "a\N{LINE SEPARATOR}b", "&amp;</SCRIPT >"]}
    page = page_of(hostile)
    assert json.loads(page.data) == hostile
    inside = page.source.split('id="manifest">')[1]
    assert inside.count("<") == inside.split("</script>")[1].count("<") + 1


def test_nothing_turns_a_line_round_or_hides():
    manifest = manifest_of("areas")
    manifest["release"]["title"] = (
        "a\N{RIGHT-TO-LEFT OVERRIDE}b\N{ZERO WIDTH SPACE}c\x07d\N{POP DIRECTIONAL ISOLATE}"
    )
    page = page_of(manifest)
    assert "a\\u202eb\\u200bc\\u0007d\\u2069" in page.text
    seen = page.source.split('<script type="application/json"')[0]
    assert not [c for c in seen if not (c.isprintable() or c in "\n\N{NARROW NO-BREAK SPACE}")]


def test_a_test_seed_cannot_be_overlooked():
    page = golden_page(_SEEDED)
    assert page.source.index("TEST SEED – DO NOT PUBLISH") < page.source.index("<h1")
    assert page.text.count("TEST SEED – DO NOT PUBLISH") == 2
    assert "Nothing that this page says of protection holds." in page.text
    assert "It does not hold." in page.text
    assert 'class="badge protected"' not in page.source
    assert page.text.count("If the noise were not of a test seed: ") == page.source.count("<article") == 3
    assert "DO NOT PUBLISH" not in golden_page("areas").text


def test_what_protects_nobody_is_red():
    page = golden_page("unprotected")
    badges = [p["class"] for p in page.all("p") if "badge" in (p.get("class") or "")]
    assert badges == ["badge protected", "badge unprotected"]
    assert "Whatever noise is in it carries no promise." in page.text
    assert "bozkir2021: protects nobody." in page.text
    assert "bozkir2021 is outside of this promise. Protects nobody:" in page.text


def test_a_criterion_is_no_differential_privacy():
    page = golden_page("records")
    assert (
        "each record could have come from at least 3 people, about as likely from each (within a factor of 4)"
        in page.text
    )
    assert page.source.count('class="badge criterion"') == 2
    assert "The records themselves carry no noise. The seeds carry none." in page.text
    assert "Every published number follows from" not in page.text


def test_a_test_that_cannot_fail_protects_nobody():
    output = next(o for o in manifest_of("records")["outputs"] if o["name"] == "exact")
    empty = {**output, "guarantee": {**output["guarantee"], "vacuous": True}}
    assert (
        standing(empty)
        == "A criterion that cannot fail here: it protects nobody, and is no differential privacy."
    )
    rows = {**output, "guarantee": {**output["guarantee"], "counted": "record"}}
    assert "at least 4 real records, perhaps of one person" in standing(rows)


def with_guarantee(guarantee: dict[str, Any], event: dict[str, Any], neighbours: str = "replace-one") -> Page:
    manifest = manifest_of("areas")
    whole = {**guarantee, "unit": "person", "neighbours": neighbours}
    manifest["privacy"] |= {"guarantee": whole, "neighbours": neighbours}
    manifest["privacy"]["composition"]["outputs"] = ["dwell"]
    manifest["outputs"] = [
        {**output, "guarantee": whole, "event": event}
        for output in manifest["outputs"]
        if output["name"] == "dwell"
    ]
    return page_of(manifest)


def gaussian(sensitivity: float, scale: float) -> dict[str, Any]:
    norm = {"norm": "l2", "value": repr(sensitivity)}
    return {"type": "rounded_gaussian", "sensitivity": norm, "scale": repr(scale), "grid": "1", "count": 3}


def laplace(sensitivity: int, scale: float) -> dict[str, Any]:
    norm = {"norm": "l1", "value": repr(sensitivity)}
    return {"type": "discrete_laplace", "sensitivity": norm, "scale": repr(scale), "grid": "1", "count": 3}


@pytest.mark.parametrize(
    ("guarantee", "event", "headline"),
    [
        # e/(1 + e) = 0.73106, rounded up
        ({"kind": "pure_dp", "epsilon": 1.0}, laplace(1, 1.0), "nobody guesses right more than 73.2 % of the time"),
        # Φ(1/2) = 0.69146: less than the (e + 0.1)/(e + 1) = 0.75795 of the pair
        ({"kind": "approx_dp", "epsilon": 1.0, "delta": 0.1}, gaussian(2.0, 2.0), "nobody guesses right more than 69.2 % of the time"),
        # (3 + 0.04)/4 where the noise itself would allow more
        ({"kind": "approx_dp", "epsilon": 1.0986122886681098, "delta": 0.04}, gaussian(9.0, 1.0), "nobody guesses right more than 76 % of the time"),
        ({"kind": "pure_dp", "epsilon": 12.0}, laplace(12, 1.0), "somebody may be able to tell with near certainty"),
    ],
)  # fmt: skip
def test_the_headline_is_the_guarantee(guarantee, event, headline):
    assert headline in with_guarantee(guarantee, event).text


def test_the_two_worlds_are_those_of_the_relation():
    pure = {"kind": "pure_dp", "epsilon": 1.0}
    replaced = with_guarantee(pure, laplace(1, 1.0)).text
    assert "or other data in their place?" in replaced
    assert "how many there are" in replaced
    added = with_guarantee(pure, laplace(1, 1.0), "add-remove-one").text
    assert "Did one person take part, or not?" in added
    assert "this person did not take part" in added
    assert "any other rows stand in their place" not in added


def test_nothing_protected_promises_nothing():
    manifest = manifest_of("unprotected")
    manifest["outputs"] = [o for o in manifest["outputs"] if o["name"] == "bozkir2021"]
    manifest["privacy"]["composition"]["outputs"] = []
    manifest["privacy"]["guarantee"] = {**manifest["outputs"][0]["guarantee"], "reason": "nothing"}
    page = page_of(manifest)
    assert "Nothing in this release is differentially private." in page.text
    assert "% of the time" not in page.text


def test_budget_and_ledger_are_those_of_the_manifest():
    page = golden_page("statistics")
    for told in ("ε = 20", "ε = 10", "ε = 49.97", "ε = 60", "ε = 47.6", "releases before this one ε = 0"):
        assert told in page.text
    assert "No ledger" not in page.text
    assert "No ledger" in golden_page("areas").text


def test_a_private_number_of_people_stays_private():
    assert "People a private number" in re.sub(r"\s+", " ", golden_page("unknown-number").text)
    assert "People 50" in golden_page("areas").text


def test_words_of_the_glossary_are_those_of_the_page():
    text = golden_page("areas").text
    assert "Everybody with a label" in text
    assert "A criterion for synthetic records" not in text
    assert "one person is added or taken away" not in text
    assert "A criterion for synthetic records" in golden_page("records").text
    assert "one person is added or taken away" in golden_page("unknown-number").text


def test_values_are_those_of_the_bundle():
    bundle = synthrelease.open_bundle(golden("statistics"))
    text = golden_page("statistics").text.replace("\N{MINUS SIGN}", "-")
    mean = bundle["all"]["mean/left_mm/value"][0]
    low, high = bundle["all"]["mean/left_mm/interval"][0]
    assert f"mean of left_mm {mean:.4g} {low:.4g} to {high:.4g}" in text
    shares = synthrelease.open_bundle(golden("areas"))["dwell"]["coast/dwell/shares"]
    assert all(f"{100 * share:.1f} %" in golden_page("areas").text for share in shares)


def test_quantiles_say_how_far_their_ranks_may_be():
    """2Δ/ε·ln((K − 1)/0.05) people, rounded up: 2/3.33·ln(5100) = 5.12; where people may change groups 2/10·38/20·ln(780) = 2.53."""
    text = golden_page("statistics").text
    assert "none; rank within 5.2 people" in text
    assert "none; rank within 2.6 people" in text
    assert "in 95 of 100 releases or more by 5.2 people at most" in text


def test_pictures_are_limited_and_the_rest_is_told(tmp_path):
    few, all_of_them = (
        written(golden("heatmaps"), tmp_path, pictures=1),
        golden_page("heatmaps"),
    )
    assert len(few.all("img")) < len(all_of_them.all("img"))
    assert (
        "1 more heatmap is in the bundle. To draw all: synthrelease export heatmaps.h5 --to png" in few.text
    )
    assert "more heatmap" not in all_of_them.text


def test_the_same_bundle_makes_the_same_page(tmp_path):
    assert written(golden("signals"), tmp_path).source == golden_page("signals").source


@pytest.mark.parametrize(("name", "what"), [("heatmaps", "heatmap"), ("records", "category")])
def test_what_changed_after_it_was_verified_is_refused(name, what, tmp_path):
    lied = manifest_of(name)
    path = next(path for path in lied["digests"] if path.endswith(what))
    lied["digests"][path] = "0" * 64
    with pytest.raises(BundleError, match="not those"):
        write_report(golden(name), tmp_path / "p.html", manifest=lied, checked=[])
    assert list(tmp_path.iterdir()) == []


def test_a_page_does_not_replace_its_bundle(tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(golden("areas").read_bytes())
    (tmp_path / "link.html").symlink_to(path)
    for target in (path, tmp_path / "link.html"):
        with pytest.raises(MachineError, match="replace the bundle"):
            write_report(path, target, manifest=layout("areas").manifest, checked=[], force=True)
    assert path.read_bytes() == golden("areas").read_bytes()


@pytest.mark.parametrize(
    ("name", "command"),
    [("b.h5", "sha256sum b.h5"), ("my 'data'; ls.h5", """sha256sum 'my '"'"'data'"'"'; ls.h5'"""), ("-o.h5", "sha256sum ./-o.h5")],
)  # fmt: skip
def test_commands_can_be_copied(name, command):
    page = parsed(public_page(manifest_of("areas"), [], Source(name, "0" * 64, ("seal",))))
    assert command in page.text

"""What docs/howto/review.md and docs/howto/ethics.md quote of the demonstration's manifest is what a build of it says."""

import json
import math
import re

import pytest
from click.testing import CliRunner
from documented import ROOT, blocks

from synthrelease.cli import main
from synthrelease.dp import event as events
from synthrelease.dp.best_guess import best_guess_of
from synthrelease.evaluation.attacks.intervals import coins_rate

AUDITING, ETHICS, ATTACKS = (
    ROOT / "docs" / name for name in ("howto/review.md", "howto/ethics.md", "evidence/attacks.md")
)


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demonstration")
    result = CliRunner().invoke(main, ["demo", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture(scope="module")
def manifest(demonstration):
    return json.loads((demonstration / "release.manifest.json").read_text("utf-8"))


def differences(excerpt, whole, place="manifest"):
    """Return where an excerpt says something that the whole does not: keys may be left out of it, and members of lists."""
    if isinstance(excerpt, dict) and isinstance(whole, dict):
        return [
            found
            for key, value in excerpt.items()
            for found in (
                differences(value, whole[key], f"{place}.{key}")
                if key in whole
                else [f"{place}.{key} is not there"]
            )
        ]
    if isinstance(excerpt, list) and isinstance(whole, list):
        found, at = [], 0
        for number, member in enumerate(excerpt):
            fits = [j for j in range(at, len(whole)) if not differences(member, whole[j])]
            if fits:
                at = fits[0] + 1
            else:
                found.append(f"{place}[{number}] is not there, or not in this order")
        return found
    return [] if type(excerpt) is type(whole) and excerpt == whole else [f"{place}: {excerpt!r} is {whole!r}"]


def test_excerpts_of_the_manifest_are_what_it_says(manifest):
    excerpts = [json.loads(block.text) for block in blocks(AUDITING) if block.language == "json"]
    assert len(excerpts) == 3
    assert [found for excerpt in excerpts for found in differences(excerpt, manifest)] == []


@pytest.mark.parametrize(
    ("excerpt", "found"),
    [
        ({"a": 1, "b": [{"n": 2}, {"n": 3}]}, 0),
        ({"b": [{"n": 3}]}, 0),
        ({"b": [{"n": 3}, {"n": 2}]}, 1),
        ({"b": [{"n": 4}]}, 1),
        ({"a": 1.0}, 1),
        ({"a": True}, 1),
        ({"c": 1}, 1),
        ({"b": {"n": 2}}, 1),
    ],
)
def test_differences_are_found(excerpt, found):
    assert len(differences(excerpt, {"a": 1, "b": [{"n": 2}, {"n": 3}], "d": None})) == found


FLAGS = {
    "a test seed": ([], ["--test-seed", "1"], 1),
    "a large delta": ([("delta = 1e-6", "delta = 5e-3")], [], 0),
    "a vacuous test": (
        [('"seeded"', '"marginals"'), ("resampled = 2\n", "acknowledge_vacuous = true\n")],
        [],
        0,
    ),
}


@pytest.mark.parametrize("flag", FLAGS)
def test_verify_refuses_what_the_page_says_it_refuses(demonstration, tmp_path, flag):
    edits, options, refused = FLAGS[flag]
    plan = (demonstration / "plan.toml").read_text("utf-8")
    for old, new in edits:
        assert old in plan
        plan = plan.replace(old, new)
    for name in ("attention.csv.gz", "distance.csv.gz", "pupil.csv.gz"):
        (tmp_path / name).symlink_to(demonstration / name)
    (tmp_path / "plan.toml").write_text(plan, "utf-8")
    built = CliRunner().invoke(
        main, ["build", str(tmp_path / "plan.toml"), "-o", str(tmp_path / "b.h5"), *options]
    )
    assert built.exit_code == 0, built.output
    [bundle] = tmp_path.glob("*.h5")
    told = json.loads(bundle.with_suffix(".manifest.json").read_text("utf-8"))
    shows = {
        "a test seed": told["randomness"]["test_seed"],
        "a large delta": told["privacy"]["guarantee"]["delta"] * told["privacy"]["people"] >= 1
        and "large-delta" in [warning["code"] for warning in told["warnings"]],
        "a vacuous test": told["outputs"][3]["guarantee"].get("vacuous") is True,
    }
    assert shows == {name: name == flag for name in FLAGS}
    verified = CliRunner().invoke(main, ["verify", str(bundle)])
    assert verified.exit_code == refused
    assert ("Caveat " in verified.output) == (flag == "a vacuous test")


def quoted(manifest):
    """What the worked text says of the demonstration's release, as its manifest has it."""
    heatmaps, signals, summary, records = manifest["outputs"]
    guarantee, people = (
        manifest["privacy"]["guarantee"],
        [one["mechanism"]["public_inputs"]["people"] for one in (signals, summary)],
    )
    guess = best_guess_of([events.from_json(one["event"]) for one in (heatmaps, signals, summary)])
    parameters = records["mechanism"]["parameters"]
    [pupil] = [one for one in parameters["attributes"] if one["name"] == "pupil_l_mean_mm"]
    return [
        f"attention of {people[0]} participants, features of pupils and eyelids of {people[1]} other participants",
        f"ε = {guarantee['epsilon']}, δ = 10⁻⁶, replace-one",
        f"e^{guarantee['epsilon']} = {math.exp(guarantee['epsilon']):.1f} times",
        f"in more than {math.ceil(1000 * guess) / 10} % of the cases",
        f"at least k = {records['guarantee']['k']} participants, within a factor of γ = {records['guarantee']['gamma']:g}",
        f"and {parameters['rows']} synthetic records of {('no', 'one', 'two', 'three', 'four', 'five')[len(parameters['attributes'])]} attributes",
        f"physiology ({pupil['low']:g} to {pupil['high']:g} mm)",
        f"at most ε = {manifest['privacy']['budget']['epsilon']:g} at δ = 10⁻⁶",
        f"(differential privacy, ε = {guarantee['epsilon']}, δ = 10⁻⁶)",
        f"right in at most {math.ceil(1000 * guess) / 10} % of cases",
    ]


def words(path):
    return " ".join(path.read_text("utf-8").replace("\n> ", " ").split())


def test_the_worked_text_quotes_the_manifest(manifest):
    text = words(ETHICS)
    assert [one for one in quoted(manifest) if one not in text] == []
    assert manifest["privacy"]["guarantee"]["delta"] == manifest["privacy"]["budget"]["delta"] == 1e-6
    assert (
        sum(one["mechanism"]["public_inputs"]["people"] for one in manifest["outputs"][1:3])
        == manifest["privacy"]["people"]
    )
    assert manifest["ledger"] is None  # the text says so


def interval(cell):
    """Return what was measured of 24 participants, which a page rounds to hundredths, with its interval."""
    value = float(cell)
    whole = round(24 * value)
    return coins_rate(whole / 24 if abs(whole / 24 - value) < 0.0051 else value, 24)


def percent(cell):
    """0.83 as the text has it: 83 % (64–93 %)."""
    rate = interval(cell)
    return f"{100 * float(cell):.0f} % ({100 * rate.low:.0f}–{100 * rate.high:.0f} %)"


def attack_rows():
    """Cells of the tables of 11 columns in docs/evidence/attacks.md, by the first of them."""
    rows = {}
    for line in ATTACKS.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("**", "") for cell in line.strip("|").split("|")]
        if len(cells) == 11:
            rows[cells[0]] = cells[1:]
    return rows


def test_the_intervals_of_24_participants_are_those_of_the_package():
    lines = [line.strip("| ").split(" | ") for line in ATTACKS.read_text("utf-8").splitlines()]
    values, intervals = (
        next(line[1:] for line in lines if line[0] == name) for name in ("of 24", "interval")
    )
    assert len(values) == len(intervals) == 11
    for value, shown in zip(values, intervals, strict=True):
        rate = interval(value)
        assert shown == f"{rate.low:.2f}–{rate.high:.2f}", value


def test_the_worked_text_quotes_the_attacks():
    rows = attack_rows()
    head = rows["attack"]
    raw, seeded = head.index("real data"), head.index("seeded, independent")
    chance = head.index("chance")
    text = words(ETHICS)
    expected = []
    for name in ("re-identification, k-NN", "linkage", "inference of condition"):
        right, _, control = rows[name][raw].partition("/")
        expected.append(f"| {percent(right)} | {round(100 * float(control or rows[name][chance]))} % |")
    membership = rows["membership, likelihood ratio, online"]
    rate = interval(membership[raw])
    expected.append(f"| {membership[raw]} ({rate.low:.2f}–{rate.high:.2f}) | {membership[chance]} |")
    rate = interval(membership[seeded])
    shown = f"{membership[seeded]} ({rate.low:.2f}–{rate.high:.2f})"
    expected.append(f"took part with an area of {shown}, where 0.50 is chance")
    named = [float(rows[f"re-identification, {how}"][seeded]) for how in ("k-NN", "SVM", "DT", "RF")]
    expected.append(f"They re-identified {100 * min(named):.0f} to {100 * max(named):.0f} %, 4 % by chance")
    assert [one for one in expected if one not in text] == []


def test_plain_wording_is_plain():
    """Sentences are short, words are too; the full wording is what it is compared with."""
    plain, full = (
        " ".join(line.removeprefix(">").strip() for line in part.splitlines() if line.startswith(">"))
        for part in ETHICS.read_text("utf-8").split("### In plain language")[1].split("### In full")
    )
    lengths = {}
    for name, text in (("plain", plain), ("full", full)):
        sentences = [sentence for sentence in re.split(r"[.!?:] ", text) if sentence]
        every = re.findall(r"[A-Za-z]+", text)
        lengths[name] = (len(every) / len(sentences), sum(len(word) > 9 for word in every) / len(every))
    assert lengths["plain"][0] < 11
    assert lengths["plain"][1] < 0.03
    assert lengths["full"][0] > 15
    assert lengths["full"][1] > 0.08

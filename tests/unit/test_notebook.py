"""What a notebook shows of results: short, escaped, in one piece, and without anything that is for the curator only."""

import dataclasses
import html.parser
import re

import pytest
from invented_evaluation import evaluation
from invented_study import write_study
from layouts import GOLDEN

import synthrelease
from synthrelease import arrays
from synthrelease.building.curator import CuratorNotes
from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.demo import copy_sample
from synthrelease.dp.guarantee import ApproxDP, NoGuarantee, PlausibleDeniability, PureDP
from synthrelease.dp.guarantee_sentence import tone_of
from synthrelease.exports.readable import ReadableBundle
from synthrelease.notebook import CardTable, NotebookCard, Tone
from synthrelease.proposals.doubts import Doubt

PLANTED = "4711"
NOTES = (f"{PLANTED} of 90210 values were clipped",)
MARKUP = "<script>alert(1)</script>"
PRIVATE_MARK = "PRIVATE"
VOID = {"img", "meta", "br", "path", "rect", "ellipse", "line", "circle", "polyline"}


class Parser(html.parser.HTMLParser):
    """Tags, and whether each is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.sources = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.sources += [value for name, value in attributes if name in {"src", "href"}]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):  # noqa: ARG002  as of the parent
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def parsed(source):
    parser = Parser()
    parser.feed(source)
    assert parser.open == []
    return parser


def words(source):
    return " ".join(re.sub(r"<[^>]*>", " ", source).split())


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study of which rows are dropped, and all that its curator gets to see."""
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def results(study):
    """One of each kind of result, what is for the curator only being a number that is nowhere else."""
    notes = CuratorNotes(remarks={"gaze": NOTES})
    folder = study.parent
    built = synthrelease.build(study, folder / "r.h5")
    dry = synthrelease.dry_run(study, folder / "s.h5")
    other = synthrelease.build(study, folder / "t.h5")
    bundle = synthrelease.open_bundle(built.path)
    data = {"person": ["a", "b", "c"], "values": {"x_mm": [3.0, 4.0, 5.0]}, "bounds": {"x_mm": (1.5, 8.0)}}
    call = arrays.statistics(**data, statistics=["mean"], epsilon=1.0)
    seeded = arrays.statistics(**data, statistics=["mean"], epsilon=1.0, test_seed=1)
    (folder / "rows.csv").write_text("who,pupil_mm\n" + "a,3\nb,4\n" * 30)
    proposal = synthrelease.init(folder / "rows.csv", person="who")
    (found,) = proposal.inputs
    return {
        "bundle": bundle,
        **{f"output {name}": bundle[name] for name in bundle.names},
        "built": dataclasses.replace(built, private=notes),
        "dry run": dataclasses.replace(dry, private=notes),
        "verification": synthrelease.verify(built.path),
        "faults": Verification([Finding("digest", "heatmaps", f"changed {MARKUP}")]),
        "preview": synthrelease.preview(study),
        "proposal": dataclasses.replace(
            proposal,
            doubts=(Doubt("label-twins", ("who",), NOTES[0]),),
            inputs=(dataclasses.replace(found, people=int(PLANTED)),),
        ),
        "difference": synthrelease.diff(built.path, other.path),
        "no difference": synthrelease.diff(built.path, built.path),
        "call": dataclasses.replace(call, notes=NOTES),
        "seeded call": dataclasses.replace(seeded, notes=NOTES),
        "guarantee": call.guarantee,
        "no guarantee": NoGuarantee(reason=f"long {'reason ' * 100}{MARKUP}"),
        "evaluation": dataclasses.replace(evaluation("plain"), notes={"gaze": NOTES}),
    }


GREEN = "#0b6b4f"  # of badges
NAMES = (
    "bundle",
    "built",
    "dry run",
    "verification",
    "faults",
    "preview",
    "proposal",
    "difference",
    "no difference",
    "call",
    "seeded call",
    "guarantee",
    "no guarantee",
    "evaluation",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_shown_in_a_few_lines_and_as_a_small_card(results, name):
    result = results[name]
    assert 1 <= len(repr(result).splitlines()) <= 3
    assert len(repr(result)) <= 300
    source = result._repr_html_()
    assert len(source.encode()) <= 30_000
    page = parsed(source)
    assert not {"script", "style", "link", "iframe", "object"} & set(page.tags)
    assert all(one.startswith("data:image/png;base64,") for one in page.sources)
    assert "url(" not in source
    assert MARKUP not in source


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_shown_that_is_for_the_curator_only(results, name):
    result = results[name]
    for shown in (repr(result), result._repr_html_(), str(result)):
        assert PLANTED not in re.sub(r"data:image/png;base64,[^\"]*|[0-9a-f]{32,}", "", shown)


def test_outputs_are_shown_as_results_are(results):
    for name, result in results.items():
        if name.startswith("output "):
            assert len(repr(result)) <= 300
            assert parsed(result._repr_html_()).tags.count("tr") == min(len(result), 12) + 1


def test_no_note_of_a_build_is_in_what_is_shown_of_it(study):
    dry = synthrelease.dry_run(study, study.parent / "u.h5")
    notes = [note for of_one in dry.notes.values() for note in of_one]
    assert notes
    for shown in (repr(dry), dry._repr_html_(), str(dry)):
        assert not [note for note in notes if note in shown]


def test_no_figure_of_an_evaluation_is_in_what_is_shown_of_it(results):
    found = results["evaluation"]
    shown = words(found._repr_html_())
    assert PRIVATE_MARK in shown
    assert PRIVATE_MARK in repr(found)
    release = found.manifest["release"]
    rest = shown.replace(release["name"], "").replace(release["version"], "")
    for output in found.outputs:
        rest = rest.replace(output.name, "")
    assert not re.search(r"\d", rest)


def test_a_bundle_is_shown_with_its_guarantee_its_outputs_and_its_warnings(results):
    bundle = results["bundle"]
    shown = words(bundle._repr_html_())
    assert all(name in shown for name in bundle.names)
    assert str(bundle.manifest["release"]["version"]) in shown
    assert parsed(bundle._repr_html_()).tags.count("svg") == len(bundle.names)


def test_only_what_was_verified_in_full_looks_so(results):
    """`open_bundle` believes the manifest: who forges one has no green badge."""
    bundle, outputs = results["bundle"], [results["bundle"][name] for name in results["bundle"].names]
    for opened in (bundle, *outputs):
        assert GREEN not in opened._repr_html_()
        assert "verify()" in opened._repr_html_()
    assert GREEN in results["verification"]._repr_html_()
    for checked in ("built", "verification"):
        assert "verify()" not in results[checked]._repr_html_()


def test_an_array_is_shown_with_its_shape(results):
    call = results["call"]
    rows = parsed(call._repr_html_()).tags.count("tr")
    assert rows == len(call) + 1
    assert all(name in call._repr_html_() for name in call)
    assert all(name in repr(call) for name in call)


@pytest.mark.parametrize("name", ["seeded call"])
def test_a_test_seed_is_above_all(results, name):
    for shown in (repr(results[name]), results[name]._repr_html_(), str(results[name])):
        assert TEST_SEED_WORDS in shown


def test_a_seeded_bundle_says_so():
    path = next(path for path in GOLDEN if path.name == "seeded.TEST-SEED.h5")
    bundle = synthrelease.open_bundle(path, allow_test_seed=True)
    for result in (bundle, *(bundle[name] for name in bundle.names)):
        assert TEST_SEED_WORDS in repr(result)
        assert words(result._repr_html_()).startswith(TEST_SEED_WORDS)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_golden_bundle_has_a_card(path):
    bundle = synthrelease.open_bundle(path, allow_test_seed=True)
    for result in (bundle, *(bundle[name] for name in bundle.names)):
        assert len(parsed(result._repr_html_()).tags) > 5
        assert len(result._repr_html_()) <= 30_000


def test_names_of_a_manifest_are_text(results):
    manifest = {**results["bundle"].manifest}
    manifest["release"] = {**manifest["release"], "title": f"{MARKUP}\u202eevil {'long ' * 20_000}"}
    source = ReadableBundle(results["bundle"].path, manifest)._repr_html_()
    assert MARKUP not in source
    assert "\u202e" not in source
    assert "&lt;script&gt;" in source
    assert len(source) <= 30_000
    parsed(source)


def test_long_tables_and_lists_of_warnings_are_cut():
    rows = tuple((f"row {number}", "x") for number in range(100))
    card = NotebookCard(
        "Kind", "", table=CardTable(("name", "what"), rows), warnings=tuple(map(str, range(50)))
    )
    page = parsed(card.html)
    assert page.tags.count("tr") == 13
    assert "88 more" in words(card.html)
    assert page.tags.count("li") == 7
    assert "44 more" in words(card.html)


@pytest.mark.parametrize(
    ("guarantee", "tone"),
    [
        (PureDP(epsilon=1.0), Tone.GOOD),
        (ApproxDP(epsilon=2.9, delta=1e-6), Tone.GOOD),
        (PureDP(epsilon=12.0), Tone.DOUBTFUL),
        (PlausibleDeniability(k=5, gamma=4.0, counted="person", vacuous=False), Tone.DOUBTFUL),
        (PlausibleDeniability(k=5, gamma=4.0, counted="person", vacuous=True), Tone.BAD),
        (NoGuarantee(reason="none"), Tone.BAD),
    ],
)
def test_only_what_limits_guesses_is_marked_as_protection(guarantee, tone):
    assert tone_of(guarantee) is tone


def test_no_epsilon_of_a_mixed_release_stands_without_what_it_does_not_cover(tmp_path):
    """Where it stands in a line alone: of a build, a dry run and a preview, and of a bundle."""
    plan = copy_sample(tmp_path) / "plan.toml"
    dry, view = synthrelease.dry_run(plan, tmp_path / "r.h5"), synthrelease.preview(plan)
    mixed = synthrelease.build(plan, tmp_path / "r.h5", test_seed=1)
    (outside,) = [
        output["name"]
        for output in mixed.manifest["outputs"]
        if output["guarantee"]["kind"] == "plausible_deniability"
    ]
    for shown in (repr(dry), repr(mixed), view["guarantee"]):
        assert outside in shown
        assert not [name for name in mixed.manifest["privacy"]["composition"]["outputs"] if name in shown]
    assert TEST_SEED_WORDS in repr(mixed)
    for card in (dry, mixed, view):
        assert outside in words(card._repr_html_())

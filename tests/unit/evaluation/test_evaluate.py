"""Every kind of output is held against the data it was made from, and a bundle that does not belong to the data is found out."""

import functools
import json
import shutil
from collections import Counter
from dataclasses import replace

import invented_study as invented
import numpy as np
import pytest
from goldens import check_text, figures
from invented_evaluation import attack
from pages import parsed
from refusals import refused
from tiers import params

import synthrelease
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.errors import BundleError, PlanError
from synthrelease.evaluation import curves
from synthrelease.evaluation import evaluate as orchestrator
from synthrelease.evaluation.attacks import AttackVerdict
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.private_page import private_page
from synthrelease.evaluation.result import RELEASED, EvaluatedOutput
from synthrelease.evaluation.utility import EXACT
from synthrelease.plan import partitions


def capped(folder):
    return invented.write_heatmaps_study(folder, capped=True)


STUDIES = [
    invented.write_heatmaps_study,
    capped,
    invented.write_areas_study,
    invented.write_signals_study,
    invented.write_statistics_study,
    invented.write_people_study,
]


# The evaluation of another study takes seconds.
studies = pytest.mark.parametrize("write", params(STUDIES, quick=[capped]), ids=lambda write: write.__name__)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a function that builds a study once: plan and bundle."""

    @functools.cache
    def of(write):
        folder = tmp_path_factory.mktemp("study")
        plan = write(folder)
        return plan, synthrelease.build(plan, folder / "r.h5", test_seed=5).path

    return of


@pytest.fixture(scope="module")
def watched(built):
    """Return a function that evaluates the bundle of a study once: what came out, what was said of its progress, and what curves were drawn of."""

    @functools.cache
    def of(write):
        said, drawn = [], []

        def curve(made, *arguments, **options):
            drawn.append(made)
            return curves.curve(made, *arguments, **options)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(orchestrator, "curve", curve)
            told = evaluate(*built(write), progress=lambda *step: said.append(step))
        return told, said, drawn

    return of


@pytest.fixture(scope="module")
def evaluated(watched):
    """Return a function that evaluates the bundle of a study once."""
    return lambda write: watched(write)[0]


@studies
def test_nothing_is_wrong_with_an_honest_release(evaluated, write):
    told = evaluated(write)
    assert told.faults == ()
    assert json.loads(json.dumps(told.to_json(), allow_nan=False))["faults"] == []
    for output in told.outputs:
        assert output.noise is None or output.noise.agrees
        rest = output.known_rest
        if rest is not None:
            assert 0.5 <= rest.typical <= rest.worst + 0.02  # of Laplace noise both are measured
            assert rest.worst <= rest.allowed
            assert rest.measured.low - 0.01 <= rest.worst <= rest.measured.high + 0.01


@studies
def test_what_has_no_noise_is_the_nearest_to_the_truth(evaluated, write):
    """The first measure of each kind: the clip that is left does less harm than clip and noise."""
    told = evaluated(write)
    for output in told.outputs:
        measures, compared = output.utility.measures, output.utility.compared
        assert next(iter(compared)) == RELEASED
        if EXACT in compared:
            released, exact = (abs(compared[what][0] - measures[0].best) for what in (RELEASED, EXACT))
            assert exact <= released + 0.05, output.name
            assert compared[EXACT] != compared[RELEASED]


def remarks_of(told):
    """How every output was tried, as the page lists it."""
    return "\n".join(
        "\n".join([f"# {told.manifest['release']['name']}: {one.name}", *one.remarks]) for one in told.outputs
    )


@studies
def test_how_everything_was_tried(evaluated, write):
    check_text(f"evaluation/remarks-{write.__name__}", remarks_of(evaluated(write)))


@pytest.mark.thorough
def test_what_was_chosen_privately_is_said_to_be_left_out(evaluated):
    remarks = {True: [], False: []}
    for write, name, chosen in [
        (capped, "capped", True),
        (invented.write_statistics_study, "all", True),
        (invented.write_statistics_study, "moods", False),
        (invented.write_signals_study, "chunks", True),
        (invented.write_signals_study, "course", False),
    ]:
        (output,) = (one for one in evaluated(write).outputs if one.name == name)
        assert output.known_rest is not None
        remarks[chosen].append({*output.remarks})
    assert len(set.intersection(*remarks[True]) - set.union(*remarks[False])) == 1


@pytest.mark.thorough
def test_the_curve_rises_with_the_budget(evaluated):
    told = evaluated(invented.write_heatmaps_study)
    for output in told.outputs:
        curve = output.curve
        assert curve.epsilons == tuple(times * curve.plan_epsilon for times in (0.25, 0.5, 1.0, 2.0, 4.0))
        assert np.mean(curve.drawn[-1]) > np.mean(curve.drawn[0])
        assert len({value for values in curve.drawn for value in values}) == 15


@studies
def test_without_data_the_curve_scores_what_the_table_says(evaluated, write):
    for output in evaluated(write).outputs:
        if output.curve is not None:
            what, value = output.curve.without_data
            assert value == pytest.approx(output.utility.compared[what][0])
            assert output.curve.items == (len(output.utility.items),) * 2


def test_of_an_output_that_is_too_large_the_curve_is_of_some_items(built, evaluated, monkeypatch):
    (plan, bundle), whole = built(capped), evaluated(capped)
    monkeypatch.setattr(curves, "_MOST_VALUES", 0)
    monkeypatch.setattr(curves, "_LEAST_PARTS", 1)
    (some,) = (one for one in evaluate(plan, bundle).outputs if one.name == "capped")
    (every,) = (one for one in whole.outputs if one.name == "capped")
    assert (some.curve.items, every.curve.items) == ((1, 2), (2, 2))
    what, value = some.curve.without_data
    assert value != pytest.approx(every.curve.without_data[1])
    assert what == every.curve.without_data[0]


@pytest.mark.thorough
def test_what_is_not_drawn_is_said(built, evaluated):
    (plan, bundle), whole = (of(invented.write_heatmaps_study) for of in (built, evaluated))
    told = evaluate(plan, bundle, pictures=1)
    assert [(len(one.exhibits), one.cut) for one in whole.outputs] == [(2, False)] * 3
    assert [(len(one.exhibits), one.cut) for one in told.outputs] == [(1, True)] * 3
    uncut = replace(told, outputs=tuple(replace(one, cut=False) for one in told.outputs))
    seen, less = (Counter(parsed(private_page(one)).texts("p")) for one in (told, uncut))
    ((more, times),) = (seen - less).items()
    assert times == 3
    assert "--pictures" in more
    assert more not in parsed(private_page(whole)).texts("p")


@pytest.mark.thorough
def test_fresh_releases_at_the_plan_s_epsilon_have_the_noise_of_the_release(watched):
    """What a private choice took is not spent on noise again."""
    asked = {}
    for write in (capped, invented.write_signals_study, invented.write_statistics_study):
        for made in watched(write)[2]:
            left = Budget(made.budget.epsilon - made.spent_on_choice, made.budget.delta)
            if noise_of(made.event) is not None:
                asked[made.name] = noise_of(made.mechanism.calibrate(left)).scale / noise_of(made.event).scale
    assert {"capped", "chunks", "all"} <= asked.keys()
    assert all(times == pytest.approx(1, abs=1e-6) for times in asked.values()), asked


@pytest.mark.thorough
def test_the_same_seed_tells_the_same(built, evaluated):
    (plan, bundle), told = built(capped), evaluated(capped)
    assert evaluate(plan, bundle).to_json() == told.to_json()
    assert evaluate(plan, bundle, seed=2).to_json() != told.to_json()


@pytest.mark.thorough
@pytest.mark.parametrize("write", [invented.write_areas_study, invented.write_signals_study])
def test_data_that_is_read_in_parts_is_held_against_all_the_same(built, evaluated, write, monkeypatch):
    """Only who is asked about is of the first part, and that is said."""
    (plan, bundle), whole = built(write), evaluated(write)
    monkeypatch.setattr(partitions, "PART_CELLS", 1000)
    told = evaluate(plan, bundle)
    assert [one.people for one in told.inputs] == [one.people for one in whole.inputs]
    for some, every in zip(told.outputs, whole.outputs, strict=True):
        assert some.noise == every.noise
        for what, values in every.utility.compared.items():
            assert some.utility.compared[what] == pytest.approx(values, nan_ok=True)
        for one, other in zip(some.curve.drawn, every.curve.drawn, strict=True):
            assert one == pytest.approx(other)
        first = some.remarks[0]
        assert first not in every.remarks
        assert len(figures(first)) == 1  # of how many parts it was the first
        assert some.remarks[1:] == every.remarks


@pytest.mark.thorough
def test_progress(watched):
    said = watched(invented.write_signals_study)[1]
    assert all(0 <= done <= total for _, done, total in said)
    whole = {what: total for what, _, total in said}
    whole.pop("checking the values", None)  # a check that is quick says nothing
    check_text("evaluation/progress", "\n".join(f"{what}, of {total}" for what, total in whole.items()))


def test_why_nothing_was_tried_is_told(tmp_path):
    """Of quantiles alone, and where there is no one else."""
    plan = invented.write_signals_study(tmp_path, people=6)
    text = plan.read_text()
    head, *outputs = text.split("[[outputs]]")
    chosen = (
        '\nname = "chosen"\nkind = "statistics"\ninput = "pupils"\nstatistics = ["median"]\nepsilon = 1\n'
    )
    plan.write_text(f"{head}[[outputs]]{chosen}")
    told = evaluate(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path)
    assert [(one.attacks, one.known_rest) for one in told.outputs] == [((), None)]
    why = [remarks_of(told)]
    rows = (tmp_path / "pupils.csv").read_text().splitlines()
    (tmp_path / "pupils.csv").write_text(
        "\n".join(row for row in rows if row.startswith(("who", "p0,"))) + "\n"
    )
    each = next(one for one in outputs if '"changes"' in one)
    plan.write_text(f"{head}[[outputs]]{each}")
    told = evaluate(plan, synthrelease.build(plan, tmp_path / "one.h5", test_seed=5).path)
    assert [(one.attacks, one.known_rest, one.noise) for one in told.outputs] == [((), None, None)]
    check_text("evaluation/untried", "\n\n".join([*why, remarks_of(told)]))


def test_attacks_on_all_outputs_are_judged_together():
    """Each of them by itself would be significant."""
    outputs = [EvaluatedOutput(name, "records", attacks=(attack(name, p_value=0.008),)) for name in "abc"]
    assert {output.attacks[0].verdict for output in outputs} == {AttackVerdict.SIGNIFICANT}
    for output in orchestrator._judged_together(outputs):
        (judged,) = output.attacks
        assert (judged.attack, judged.together) == (output.name, 3)
        assert judged.corrected_p == pytest.approx(0.024)
        assert judged.verdict is AttackVerdict.NOT_SIGNIFICANT


# --- what does not belong together


@pytest.mark.thorough
def test_other_data_of_the_same_shape_is_found_out(built, tmp_path):
    """Public facts are the same; what is left when the wrong data is taken away is no noise of the stated scale."""
    plan, bundle = built(invented.write_heatmaps_study)
    for name in (plan.name, "gaze.csv"):
        shutil.copy(plan.parent / name, tmp_path)
    rows = (tmp_path / "gaze.csv").read_text().splitlines()
    mirrored = []
    for row in rows[1:]:
        who, picture, x, *rest = row.split(",")
        mirrored.append(",".join([who, picture, f"{80 - float(x):.2f}", *rest]))
    (tmp_path / "gaze.csv").write_text("\n".join([rows[0], *mirrored]) + "\n")
    told = evaluate(tmp_path / plan.name, bundle)
    assert {fault.split(":")[0] for fault in told.faults} >= {
        "still",
        "composed",
    }  # the third is drowned in noise
    assert all(output.noise.ratio > 1 for output in told.outputs)


@pytest.mark.thorough
def test_noise_that_is_too_small_is_found_out(tmp_path, monkeypatch):
    """A builder that adds less noise than it states, and not so much less that the bundle tells: only the data can."""
    from synthrelease.dp.noise import addition

    honest = addition.rounded_gaussian
    monkeypatch.setattr(
        addition, "rounded_gaussian", lambda scale, size, *, random: honest(0.8 * scale, size, random=random)
    )
    plan = invented.write_heatmaps_study(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    monkeypatch.undo()
    told = evaluate(plan, bundle)
    assert told.faults
    assert all(output.noise.ratio == pytest.approx(0.8, abs=0.1) for output in told.outputs)


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("blur_px = 6", "blur_px = 7", ("mechanism", "still", "blur_px")),
        ("epsilon = 2\n", "epsilon = 1\n", ("budget", "still")),
        ('name = "still"', 'name = "quiet"', ("outputs",)),
        ("delta = 1e-4", 'delta = 1e-4\nneighbours = "add-remove-one"', ("neighbours",)),
    ],
)
def test_another_plan_is_refused(built, tmp_path, old, new, other):
    plan, bundle = built(invented.write_heatmaps_study)
    shutil.copy(plan.parent / "gaze.csv", tmp_path)
    text = plan.read_text()
    assert old in text
    (tmp_path / "plan.toml").write_text(text.replace(old, new))
    part, *places = other
    with refused(PlanError, f"bundle-of-other-{part}", where=bundle) as refusal:
        evaluate(tmp_path / "plan.toml", bundle)
    assert [place for place in places if place not in refusal.value.found] == []


def test_other_people_are_refused(built, tmp_path):
    plan, bundle = built(invented.write_heatmaps_study)
    shutil.copy(plan, tmp_path)
    rows = (plan.parent / "gaze.csv").read_text().splitlines()
    (tmp_path / "gaze.csv").write_text("\n".join(row for row in rows if not row.startswith("p7,")) + "\n")
    with refused(PlanError, "bundle-of-other-mechanism", where=bundle) as refusal:
        evaluate(tmp_path / plan.name, bundle)
    assert "people" in refusal.value.found


def test_a_bundle_that_does_not_verify_is_refused(built, tmp_path):
    plan, bundle = built(capped)
    raw = bytearray(bundle.read_bytes())
    raw[-3] ^= 1
    (tmp_path / "r.h5").write_bytes(raw)
    with refused(BundleError, "bundle-invalid", where=tmp_path / "r.h5"):
        evaluate(plan, tmp_path / "r.h5")


@pytest.mark.thorough
def test_people_who_look_alike_everywhere_are_recognised(evaluated):
    """Pupils of the invented study have levels of their own; in the statistics study no one has anything of their own."""
    signals, statistics = (
        evaluated(write) for write in (invented.write_signals_study, invented.write_statistics_study)
    )
    assert AttackVerdict.SIGNIFICANT in {attack.verdict for attack in signals.inputs[0].attacks}
    assert AttackVerdict.SIGNIFICANT not in {attack.verdict for attack in statistics.inputs[0].attacks}

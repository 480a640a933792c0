"""Evaluations as no release has them: of each kind, with every verdict, with faults, and with names that try to become markup."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hostile_labels import ENDING, LONG, OTHER, QUOTES, SCRIPT, TEMPLATE
from layouts import GOLDEN

from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.data.screen import Screen
from synthrelease.evaluation.attacks import AttackResult, GuaranteeCheck, Rate, judged
from synthrelease.evaluation.attacks.chance import Permutation
from synthrelease.evaluation.result import (
    Curve,
    EvaluatedInput,
    EvaluatedOutput,
    Evaluation,
    Measure,
    NoiseCheck,
    Utility,
    WorstCaseAttack,
)
from synthrelease.reports.axis_ticks import edge_ticks
from synthrelease.reports.exhibits import Panel, Plate
from synthrelease.reports.histograms import histogram
from synthrelease.reports.look import Look
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.map_panels import Colouring, Frame, map_panel
from synthrelease.reports.rasters import SPREAD_COLOURS, VALUE_COLOURS

NAMES = ("plain", "faulty", "hostile", "odd", "bare")
CC = Measure("CC", 1.0, "correlation with the true map; 0 is no likeness at all")
NMSE = Measure("NMSE", 0.0, "squared error over the variance of the truth")
SIM = Measure("SIM", 1.0, "share of attention that both have in the same place")
KL = Measure("KL", 0.0, "bits that are lost where the release stands for the truth")
NAN, INF = math.nan, math.inf


def evaluation(name: str) -> Evaluation:
    """Return an invented evaluation by its name."""
    return {"plain": _plain, "faulty": _faulty, "hostile": _hostile, "odd": _odd, "bare": _bare}[name]()


def attack(name: str, **changes: Any) -> AttackResult:
    """Return an attack, judged alone."""
    fields = {
        "attack": name,
        "measure": "area under the ROC curve",
        "main": Rate(0.83, 0.6, 0.93),
        "control": Rate(0.5, 0.4, 0.6),
        "chance": 0.5,
        "people": 24,
        "design": Permutation.DIVISION,
        "p_value": 0.0001,
        "control_p": 1.0,
        "least_p": 0.0001,
    }
    return judged([AttackResult(**{**fields, **changes})])[0]


def attacks() -> tuple[AttackResult, ...]:
    """Return attacks with each of the verdicts."""
    rates = {"TPR at FPR ≤ 1 %": Rate(0.1, 0.01, 0.32), "balanced accuracy": 0.71}
    found = attack("membership, nearest record", further=rates, guarantee_check=guarantee(violated=False))
    nothing = attack(
        "linkage",
        main=Rate(0.05, 0.01, 0.26),
        control=Rate(0.04, 0.0, 0.13),
        chance=0.04,
        p_value=0.4,
        measure="share of people who are linked",
        design=Permutation.MATCHING,
        remarks=("whoever has no release guesses as well",),
    )
    few = attack("identification, k-NN", people=5, p_value=0.2, least_p=0.05, risk=Rate(0.2, -0.1, 0.5))
    return judged([found, nothing, few])


def guarantee(*, violated: bool) -> GuaranteeCheck:
    """Return a guarantee that was kept, or not."""
    return GuaranteeCheck(1.0, 1e-6, Rate(0.9, 0.8, 1.0), Rate(0.0, 0.0, 0.1), 0.3, violated)


def known_rest(**changes: Any) -> WorstCaseAttack:
    """Return what whoever knows all others finds out."""
    fields = {
        "people": 24,
        "typical": 0.5231,
        "worst": 0.5612,
        "measured": Rate(0.559, 0.55, 0.568),
        "allowed": 0.6128,
        "tpr_at_fpr": {"1 %": 0.0142, "10 %": 0.1311},
        "guarantee_check": guarantee(violated=False),
    }
    return WorstCaseAttack(**{**fields, **changes})


def curve(measure: Measure = CC, *, own: float = 2.0, without: float = 0.43) -> Curve:
    """Return a curve over six ε, with five releases each."""
    epsilons = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    best = [1 - 0.6 / (1 + 2 * epsilon) for epsilon in epsilons]
    if measure.best == 0:
        best = [0.4 / epsilon**2 for epsilon in epsilons]
    drawn = tuple(tuple(b * (1 + 0.02 * k) for k in range(-2, 3)) for b in best)
    return Curve(measure, epsilons, drawn, own, ("even attention everywhere", without))


def utility(noun: str = "stimulus", items: int = 3, measures: tuple[Measure, ...] = (CC, SIM, KL)) -> Utility:
    """Return a utility of some items."""
    one = np.linspace(0.71, 0.93, items)
    values = {f"{noun} {k}": tuple(float(v) for _ in measures) for k, v in enumerate(one, start=1)}
    compared = {"released": 0.8213, "without noise": 0.987, "even attention everywhere": 0.4312}
    return Utility(measures, {what: (v,) * len(measures) for what, v in compared.items()}, values, noun)


def _picture(label: str, colours: str) -> Panel:
    rows, columns = np.mgrid[0:12, 0:16]
    cells = np.exp(-((rows - 4) ** 2 + (columns - 9) ** 2) / 12)
    legend = MapLegend(Screen(320, 240), None, "times even attention")
    frame = Frame(cells, f"Heatmap: {label}. Most looked at: upper right.")
    colouring = Colouring(colours, legend.quantity, (0.0, 1.0))
    return map_panel(label, [frame], colouring, legend=legend, longer_px=320, look=Look())


def _plate(title: str) -> Plate:
    panels = (
        _picture("truth", VALUE_COLOURS),
        _picture("released", VALUE_COLOURS),
        _picture("differ by", SPREAD_COLOURS),
    )
    return Plate(title, panels, "All on one scale. CC 0.82.")


def manifest(stem: str = "heatmaps") -> dict[str, Any]:
    """Return the manifest of a golden bundle."""
    with BundleFile(next(path for path in GOLDEN if path.stem == stem)) as file:
        found: dict[str, Any] = file.manifest()
    return found


def _plain() -> Evaluation:
    maps = EvaluatedOutput(
        "heatmaps",
        "heatmap",
        utility(items=40),
        curve(),
        NoiseCheck(4096, 1.004, 0.93, 1.07),
        known_rest(),
        (),
        (_plate("1005"), _plate("1011")),
        ("Attacks on maps: there are no rows in them that could be anyone's.",),
    )
    table = EvaluatedOutput(
        "table",
        "records",
        utility("feature", measures=(SIM,)),
        None,
        None,
        None,
        attacks(),
        (
            histogram(
                [4, 9, 2, 7],
                title="pupil",
                x=edge_ticks([1, 2, 3, 4, 5]),
                x_label="pupil (mm)",
                y_label="records",
                alt="Histogram of pupil.",
            ),
        ),
        ("identification: one recording of each person, and it takes two",),
        input="pupil",
    )
    mean = EvaluatedOutput(
        "pupil-mean",
        "signals",
        utility("feature", measures=(NMSE,)),
        curve(NMSE, own=0.1, without=1.0),
        NoiseCheck(64, 0.97, 0.5, 1.6),
        known_rest(allowed=None, guarantee_check=None, tpr_at_fpr={}),
    )
    numbers = EvaluatedOutput(
        "numbers", "statistics", utility("statistic", 1, (KL,)), None, None, known_rest(typical=0.501)
    )
    areas = EvaluatedOutput("dwell", "areas", utility("area"), curve(SIM, own=30.0))
    raw = [
        attack(one.attack, measure=one.measure, chance=one.chance, main=Rate(1.0, 0.86, 1.0))
        for one in attacks()
    ]
    inputs = (
        EvaluatedInput("pupil", 24, judged(raw), ("18 400 of 36 800 windows were left out: they overlap",)),
        EvaluatedInput("gaze", 1, (), ("one person: there is no one to be told apart from",)),
    )
    notes = {
        "pupil": ("14 rows without a label were dropped", "0.3 % of the values were clipped"),
        "gaze": (),
    }
    return Evaluation(manifest(), inputs, (maps, table, mean, numbers, areas), notes)


def _faulty() -> Evaluation:
    broken = known_rest(worst=0.97, exceeds=True, guarantee_check=guarantee(violated=True))
    foreign = NoiseCheck(4096, 31.2, 0.93, 1.07)
    outputs = (
        EvaluatedOutput("heatmaps", "heatmap", utility(), curve(), foreign, known_rest()),
        EvaluatedOutput(
            "table",
            "records",
            None,
            None,
            None,
            None,
            (attack("membership", guarantee_check=guarantee(violated=True)),),
        ),
        EvaluatedOutput("dwell", "areas", utility("area"), None, None, broken),
    )
    return Evaluation(manifest("seeded.TEST-SEED"), (), outputs, {})


def _hostile() -> Evaluation:
    """Whatever may hold text holds one that wants to be more."""
    measures = (Measure(SCRIPT, 1.0, ENDING), Measure(LONG, 0.0, QUOTES))
    values = (0.5, 0.25)
    worth = Utility(
        measures,
        {"released": values, QUOTES: values, LONG: values},
        {SCRIPT: values, ENDING: values},
        TEMPLATE,
    )
    tried = (
        attack(
            f"{SCRIPT} {LONG}",
            measure=QUOTES,
            remarks=(ENDING, TEMPLATE),
            further={SCRIPT: 0.1, LONG: Rate(0, 0, 1)},
        ),
        attack(OTHER, measure=LONG, p_value=0.9),
    )
    spent = Curve(measures[1], (0.5, 1.0), ((0.1, 0.2), (0.3,)), 0.7, (f"$x^2$ {SCRIPT}", 0.15))
    outputs = (
        EvaluatedOutput(
            SCRIPT,
            "heatmap",
            worth,
            spent,
            None,
            known_rest(tpr_at_fpr={QUOTES: 0.5}),
            tried,
            (_plate(LONG),),
            (ENDING,),
        ),
        EvaluatedOutput(
            LONG, QUOTES, worth, None, NoiseCheck(1, 9.0, 0.0, 2.0), None, (), (), (TEMPLATE, OTHER)
        ),
    )
    inputs = (EvaluatedInput(ENDING, 20, tried, (SCRIPT, QUOTES)), EvaluatedInput(LONG, 20, (), (TEMPLATE,)))
    own = manifest()
    own["release"] |= {
        "title": f"{SCRIPT} {TEMPLATE} a\N{RIGHT-TO-LEFT OVERRIDE}b",
        "name": QUOTES,
        "version": ENDING,
    }
    return Evaluation(own, inputs, outputs, {SCRIPT: (ENDING, QUOTES), LONG: (LONG,)})


def _odd() -> Evaluation:
    """Whatever may be a number is none, or is infinite."""
    measure = Measure("CC", NAN, "of nothing")
    worth = Utility((measure, NMSE), {"released": (NAN, INF)}, {"1": (NAN, -INF)}, "stimulus")
    rate = Rate(NAN, NAN, NAN)
    tried = attack(
        "membership", main=rate, control=rate, chance=NAN, p_value=NAN, further={"a": INF}, risk=rate
    )
    check = GuaranteeCheck(INF, 0.0, rate, rate, NAN, violated=False)
    guess = WorstCaseAttack(0, NAN, NAN, rate, NAN, {"1 %": NAN}, check)
    lines = Curve(measure, (0.5, 1.0, INF), ((NAN,), (), (0.5,)), INF, ("nothing", NAN))
    some = Curve(NMSE, (0.01, 1.0, 100.0), ((1e6, NAN), (10.0,), (1e-3, 2e-3)), 0.0, None)
    outputs = (
        EvaluatedOutput("a", "heatmap", worth, lines, NoiseCheck(0, NAN, 0.0, INF), guess, (tried,)),
        EvaluatedOutput("b", "signals", worth, some, None, known_rest(worst=0.9)),
    )
    return Evaluation(manifest(), (EvaluatedInput("x", 0, (tried,), ()),), outputs, {})


def _bare() -> Evaluation:
    """Nothing could be said of anything."""
    return Evaluation(manifest("records"), (), (EvaluatedOutput("tree", "records"),), {})


def words_of(told: Any) -> list[str]:
    """Return every text that JSON holds, and every key that is no name of a field."""
    match told:
        case str():
            return [told]
        case dict():
            keys = [key for key in told if not key.isidentifier()]
            return keys + [text for value in told.values() for text in words_of(value)]
        case list():
            return [text for value in told for text in words_of(value)]
        case _:
            return []

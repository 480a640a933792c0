"""A pilot: public people whom a release starts from."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from reading_people import PILOT, reading_plan, reading_table

import synthrelease
from synthrelease.errors import SynthReleaseError
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.form import WITHIN, PeopleForm, rotation
from synthrelease.kinds.people.pilot import pilot_of
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import Windows
from synthrelease.numerics.log_density import Others, cosines, densities

PLAN = reading_plan(epsilon=8.0, people=300) + PILOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reading.csv").write_text(reading_table(40))
    (tmp_path / "pilot.csv").write_text(others())
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def others(people: int = 50, *, prefix: str = "q") -> str:
    return reading_table(people, prefix=prefix, pupil=4.05)


def built(folder: Path, plan: str = PLAN) -> Path:
    (folder / "plan.toml").write_text(plan)
    return synthrelease.build(folder / "plan.toml", folder / "people.h5", test_seed=3, force=True).path


def error(folder: Path) -> SynthReleaseError:
    with pytest.raises(SynthReleaseError) as caught:
        built(folder)
    return caught.value


def pupils(bundle: Path) -> np.ndarray:
    people = synthrelease.open_bundle(bundle, allow_test_seed=True)["people"]["people"]
    return np.asarray(people)[..., 0]


def variation(folder: Path, plan: str) -> float:
    """Of synthetic pupils from the participants'."""
    rows = (folder / "reading.csv").read_text("utf-8").splitlines()[1:]
    exact = [float(row.split(",")[2]) for row in rows]
    one, other = (
        np.histogram(values, bins=20, range=(2, 8))[0] / np.size(values)
        for values in (exact, pupils(built(folder, plan)))
    )
    return float(np.abs(one - other).sum() / 2)


@pytest.mark.thorough
def test_few_people_are_closer_to_theirs_with_a_pilot(folder: Path) -> None:
    (folder / "reading.csv").write_text(reading_table(80))
    (folder / "pilot.csv").write_text(others(100))
    plan = PLAN.replace("epsilon = 8.0", "epsilon = 3.0")
    assert variation(folder, plan) < 0.8 * variation(folder, plan.replace(PILOT, ""))


def test_the_manifest_has_its_digest_and_warns(folder: Path) -> None:
    bundle = synthrelease.open_bundle(built(folder), allow_test_seed=True)
    (output,) = bundle.manifest["outputs"]
    stated = output["mechanism"]["parameters"]["pilot"]
    assert stated["sha256"] == hashlib.sha256((folder / "pilot.csv").read_bytes()).hexdigest()
    assert stated["people"] == 50
    assert "pilot" in {warning["code"] for warning in output["warnings"]}
    assert "beside-pilot" in {step["code"] for step in output["post_processing"]}
    unprotected = {"code": "pilot", "fields": {"output": "people"}}
    assert unprotected in bundle.manifest["privacy"]["not_protected"]


@pytest.mark.parametrize(
    ("pilot", "code"),
    [
        (others(prefix="p"), "pilot-shares-people"),
        (others().replace("\nq7,", "\nP_07,"), "pilot-shares-people"),  # p7, written otherwise
        (others(4), "small-pilot"),
        ("person,task,pupil\nq1,read,4\n", "unknown-column"),
        (others(9).replace("read", "rest").replace("search", "rest"), "small-pilot"),
    ],
)
def test_what_is_no_pilot_is_refused(folder: Path, pilot: str, code: str) -> None:
    (folder / "pilot.csv").write_text(pilot)
    assert error(folder).code == code


def test_labels_that_may_be_different_people_elsewhere_may_not_in_a_pilot(folder: Path) -> None:
    (folder / "pilot.csv").write_text(others().replace("\nq7,", "\nP7,"))
    distinct = PLAN.replace("[privacy]", "[privacy]\ndistinct_labels = true")
    with pytest.raises(SynthReleaseError) as caught:
        built(folder, distinct)
    assert caught.value.code == "pilot-shares-people"


def test_a_folder_is_a_pilot_where_the_input_is_one(folder: Path) -> None:
    """Its digest is that of its files' digests."""
    for name in ("reading", "pilot"):
        head, *rows = (folder / f"{name}.csv").read_text("utf-8").splitlines()
        (folder / name).mkdir()
        for person in {row.split(",")[0] for row in rows}:
            own = [row.partition(",")[2] for row in rows if row.startswith(f"{person},")]
            (folder / name / f"S_{person}.csv").write_text("\n".join([head.partition(",")[2], *own]) + "\n")
    plan = PLAN.replace('path = "reading.csv"', 'path = "reading"\npattern = "S_{person}.csv"')
    bundle = synthrelease.open_bundle(built(folder, plan.replace("pilot.csv", "pilot")), allow_test_seed=True)
    (output,) = bundle.manifest["outputs"]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "pilot").iterdir())]
    due = hashlib.sha256("".join(digests).encode()).hexdigest()
    assert output["mechanism"]["parameters"]["pilot"]["sha256"] == due


def test_its_numbers_are_those_of_its_people() -> None:
    form = PeopleForm(2, 2, 20, 40)
    scales = [Scale.of(Feature("a", 0.0, 1.0), None), Scale.of(Feature("b", 0.0, 3.0), 1.0)]
    random = np.random.default_rng(4)
    person, condition, _ = np.indices((30, 2, 6)).reshape(3, -1)
    values = np.stack([random.beta(2, 5, len(person)), random.integers(0, 4, len(person))], axis=1)
    levels = np.stack([scale.levels(values[:, f]) for f, scale in enumerate(scales)], axis=1)
    pilot = pilot_of(Windows(person, condition, 30), levels, form, scales, sha256="0" * 64)
    with_absent = pilot_of(Windows(person, condition, 33), levels, form, scales, sha256="0" * 64)
    assert with_absent == pilot  # people without rows are none
    expected = np.histogram(values[:, 0], bins=40, range=(0, 1))[0] / len(values)
    np.testing.assert_allclose(pilot.density[0], expected, rtol=1e-5)
    exact = np.sqrt(2) * np.cos(np.pi * np.arange(1, 5) * values[:, :1]).mean(axis=0)
    np.testing.assert_allclose(pilot.centre(form)[0, :4], exact, atol=0.03)
    blocks = form.blocks(np.array(pilot.dependence))
    within = rotation(2).T @ form.of_features(blocks, WITHIN)
    np.testing.assert_allclose(within, 11 / 12, atol=0.05)  # of independent values


def test_a_density_is_drawn_to_that_of_others_where_little_is_known() -> None:
    other = np.exp(-((np.arange(40) - 10) ** 2) / 30)[None]
    other /= other.sum()
    others = Others(other, 100)
    nothing = np.zeros((1, 20)), np.full((1, 20), 100.0)
    near, far = densities(*nothing, 40, others).density, densities(*nothing, 40).density
    assert np.abs(near - other).sum() < 0.5 * np.abs(far - other).sum()
    truth = other[:, ::-1]
    known = truth @ cosines(20, 40).T, np.full((1, 20), 1e-6)
    assert np.abs(densities(*known, 40, others).density - truth).sum() / 2 < 0.05

"""Forged statements of what all releases cost, resealed: refused where this release alone contradicts them."""

import pytest
from forging import codes, forge_carefully, read_manifest
from paid_study import grant, write_paid_study
from spending import charge, gaussian, laplace

import synthrelease
from synthrelease.bundle import verify

PURE = """
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
mechanism = "laplace"
width_px = 8
height_px = 6
max_samples_per_stimulus = 8
blur_px = 10
"""


def released(folder, *, pure, earlier):
    """The bytes of a release that an earlier one of another plan stands before."""
    plan = write_paid_study(folder)
    if pure:
        plan.write_text(plan.read_text().split("[[outputs]]")[0].replace("delta = 1e-6\n", "") + PURE)
    ledger = grant(folder, 10.0, 0.0 if pure else 1e-5)
    ledger.debit(charge(earlier))
    return synthrelease.build(plan, folder / "r.h5").path.read_bytes()


@pytest.fixture(scope="session")
def gaussian_release(tmp_path_factory):
    return released(tmp_path_factory.mktemp("gaussian"), pure=False, earlier=gaussian(0.2))


@pytest.fixture(scope="session")
def pure_release(tmp_path_factory):
    return released(tmp_path_factory.mktemp("pure"), pure=True, earlier=laplace(0.5))


@pytest.fixture
def noised(gaussian_release, tmp_path):
    """Return the path of a Gaussian release, another before it, at δ = 1e-5."""
    (tmp_path / "r.h5").write_bytes(gaussian_release)
    return tmp_path / "r.h5"


@pytest.fixture
def pure(pure_release, tmp_path):
    """Return the path of a Laplace release, another before it, at δ = 0."""
    (tmp_path / "r.h5").write_bytes(pure_release)
    return tmp_path / "r.h5"


def stating(**values):
    return lambda manifest: manifest["ledger"].update(values)


def scaling(**factors):
    def change(manifest):
        for key, factor in factors.items():
            manifest["ledger"][key] *= factor

    return change


def test_honest_statements_are_believed(noised, pure):
    for path in (noised, pure):
        forge_carefully(path, lambda _manifest: None)
        assert verify(path).ok, verify(path).findings
        assert read_manifest(path)["ledger"]["spent_before"] > 0


@pytest.mark.parametrize(
    "change",
    [
        scaling(spent_here=0.5),
        scaling(spent_here=0.999),
        scaling(spent_here=0.5, spent_after=0.5, spent_before=0.5),
        stating(spent_here=0),
        stating(spent_after=0.1),
        scaling(spent_after=0.5),
        scaling(spent_before=2),
        lambda manifest: manifest["ledger"].update(spent_after=manifest["ledger"]["spent_before"]),
        stating(delta=0),
        stating(delta=1e-7),
        stating(delta=0, spent_here=0),
    ],
)
def test_forged_statements_of_a_gaussian_release(noised, change):
    forge_carefully(noised, change)
    assert codes(noised) == {"guarantee"}


@pytest.mark.parametrize(
    "change",
    [
        scaling(spent_here=0.5),
        scaling(spent_here=0.5, spent_after=0.7),
        scaling(spent_after=0.9),
        scaling(spent_before=2),
        stating(spent_after=1.0),
        stating(spent_here=0),
    ],
)
def test_forged_statements_of_a_laplace_release(pure, change):
    forge_carefully(pure, change)
    assert codes(pure) == {"guarantee"}


def test_more_than_it_costs_is_a_true_claim_too(noised):
    forge_carefully(noised, scaling(spent_here=1.01))
    assert verify(noised).ok


@pytest.mark.parametrize(
    "change",
    [
        stating(spent_before=-0.1),
        stating(spent_after="1.0"),
        stating(delta=1.0),
        stating(delta=-1e-9),
        stating(entry="A" * 64),
        stating(entry="a" * 64 + "\n"),
        stating(dataset_id="study"),
        stating(host="here"),
        lambda manifest: manifest["ledger"].pop("entry"),
        lambda manifest: manifest.update(ledger=True),
    ],
)
def test_statements_of_another_form(noised, change):
    forge_carefully(noised, change)
    assert "manifest" in codes(noised)


def test_a_test_seed_is_paid_for_at_no_ledger(noised, tmp_path):
    told = read_manifest(noised)["ledger"]
    seeded = synthrelease.build(write_paid_study(tmp_path), tmp_path / "s.h5", test_seed=1).path
    forge_carefully(seeded, lambda manifest: manifest.update(ledger=told))
    assert codes(seeded, allow_test_seed=True) == {"test-seed"}


def test_a_ledger_that_is_left_out_is_no_fault_that_a_bundle_can_show(noised):
    """Whoever holds the ledger sees it: `ledger check LEDGER BUNDLE`."""
    forge_carefully(noised, lambda manifest: manifest.update(ledger=None))
    assert verify(noised).ok

"""Every mechanism in every variant behind one face, and the people who attack it.

A `Variant` says how a dataset is made of people, which integers a release of it would hold if there were no
noise, and which people could move them furthest. The contract is then one suite: `test_mechanisms.py` for the
integers, `test_release.py` for what is made of them, `test_attack.py` for the guarantee itself.

Where settings of a mechanism are combined, the quick tier has variants in which every two of them meet, and the thorough tier all.

Tests ask for variants by the name of an argument: `variant` is all of them, `gaussian` those with that noise,
`bounded` those that differ in more than the noise; `attacked` are small ones whose worst case is likely enough to
be seen, of which `apart` release everyone's own integers and `summed` their sum, and `halved` get half of their noise; `drawn` make records, and `long`
signals need clipping; `capped` choose their cap privately, `chosen` their frequencies, `choosing` either; `quantile` are statistics
that are choices alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from tiers import covering
from variants.areas import all_areas
from variants.fixations import all_fixations
from variants.gaze_maps import heatmaps, private_caps
from variants.people import GAUSSIAN, LAPLACE, Silence
from variants.records import all_records
from variants.signals import all_signals, all_spectral_signals, long_signals, private_frequencies
from variants.small import small_ones
from variants.spectral_maps import spectral_heatmaps
from variants.statistics import all_quantiles, all_statistics

if TYPE_CHECKING:
    from variants.variant import Variant

VARIANTS = [
    *heatmaps(),
    *spectral_heatmaps(),
    *all_areas(),
    *all_signals(),
    *all_spectral_signals(),
    *all_statistics(),
    *all_fixations(),
    *all_records(),
]
_NAMES = {v.name for v in VARIANTS}
BOUNDED = [v for v in VARIANTS if v.name.replace(f"-{GAUSSIAN}-", f"-{LAPLACE}-") not in _NAMES - {v.name}]
ATTACKED = small_ones()
FIXTURES = {
    "variant": VARIANTS,
    "bounded": BOUNDED,
    "gaussian": [v for v in VARIANTS if v.noise == GAUSSIAN],
    "attacked": ATTACKED,
    "halved": ATTACKED,
    "apart": [v for v in ATTACKED if v.apart],
    "summed": [v for v in ATTACKED if not v.apart],
    "drawn": all_records(),
    "long": long_signals(),
    "capped": private_caps(),
    "chosen": private_frequencies(),
    "choosing": [*private_caps(), *private_frequencies()],
    "quantile": all_quantiles(),
}


_COMBINED = ("variant", "bounded", "gaussian", "halved")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, variants in FIXTURES.items():
        if name in metafunc.fixturenames:
            quick = _quick(variants) if name in _COMBINED else {v.name for v in variants}
            cases = [
                pytest.param(v, id=v.name, marks=() if v.name in quick else pytest.mark.thorough)
                for v in variants
            ]
            metafunc.parametrize(name, cases)


def _quick(variants: Sequence[Variant]) -> set[str]:
    # How many settings a name has is one as well: another one that is not named is something else to meet.
    return covering({v.name: [*v.name.split("-"), v.name.count("-")] for v in variants}, together=1)


@pytest.fixture
def silence() -> Silence:
    return Silence()

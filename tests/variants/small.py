"""Small variants whose worst case is likely enough to be seen."""

from __future__ import annotations

import itertools

from synthrelease.data.features import RECORDING
from synthrelease.dp.budget import Budget
from synthrelease.kinds.statistics.public_fixations import FIXATION_COUNT
from variants.areas import areas_variant
from variants.fixations import fixations_variant
from variants.gaze_maps import GazeMapVariant, gaze_map_parameters
from variants.people import ADD_REMOVE, GAUSSIAN, LAPLACE, REPLACE
from variants.records import record_variant
from variants.signals import signal_variant, spectral_signal_variant
from variants.spectral_maps import spectral_variant
from variants.statistics import EVERY, statistics_variant
from variants.variant import Variant


def small_ones() -> list[Variant]:
    loose = Budget(1.0, 0.02)
    one_map = {"stimuli": 2, "max_stimuli": 1, "max_samples": 1}
    out: list[Variant] = []
    for noise, neighbours in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE)):
        parameters = gaze_map_parameters(noise=noise, neighbours=neighbours, **one_map)
        out.append(GazeMapVariant(f"heatmap-{noise}-{neighbours}", noise, parameters, loose))
    spectral = {"stimuli": 1, "max_stimuli": 1, "budget": loose}
    out.append(spectral_variant("spectral", **spectral))
    out.append(
        spectral_variant(
            "spectral-dynamic", blurs=(0.5, 0.4, 0.3), cells=(3, 4, 5), window=(0.0, 1.5), **spectral
        )
    )
    for noise, neighbours in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE)):
        one = {"stimuli": 2, "max_stimuli": 1, "neighbours": neighbours, "budget": loose}
        out.append(areas_variant(f"areas-{noise}-{neighbours}", noise, **one))
        also = one | {"transitions": True, "weight": "duration"}
        out.append(areas_variant(f"areas-transitions-{noise}-{neighbours}", noise, **also))
    many = gaze_map_parameters(noise=GAUSSIAN)
    out.append(GazeMapVariant("heatmap-gaussian-many-cells", GAUSSIAN, many, loose))
    for query in ("mean", "each"):
        one = {"features": 1, "recordings": 1, "budget": loose, "query": query}
        out += [
            signal_variant(f"signals-lpa-laplace-{query}", LAPLACE, mechanism="lpa", length=2, **one),
            signal_variant(f"signals-lpa-gaussian-{query}", GAUSSIAN, mechanism="lpa", length=6, **one),
            signal_variant(f"signals-fpa-laplace-{query}", LAPLACE, length=9, frequencies=1, **one),
            signal_variant(f"signals-fpa-gaussian-{query}", GAUSSIAN, length=9, frequencies=3, **one),
        ]
    one = {"features": 1, "recordings": 1, "budget": loose, "length": 9, "chunk": 4}
    for noise in (LAPLACE, GAUSSIAN):
        name = f"signals-%s-{noise}"
        out += [
            signal_variant(
                name % "cfpa", noise, mechanism="cfpa", frequencies=1 + (noise == GAUSSIAN), **one
            ),
            signal_variant(name % "dcfpa", noise, mechanism="dcfpa", frequencies=1, **one),
        ]
    one = {"features": 1, "recordings": 1, "budget": loose, "length": 9, "cosines": 3}
    out += [
        spectral_signal_variant(f"spectral-signals-{b}", baseline=b, **one) for b in ("recording", "none")
    ]
    for name, neighbours in itertools.product(EVERY, (REPLACE, ADD_REMOVE)):
        one = {"neighbours": neighbours, "features": 1, "bins": 4, "budget": loose}
        out.append(statistics_variant(f"statistics-{name}-{neighbours}", (name,), **one))
        if name in ("mean", "histogram"):
            one |= {"groups": (1, 2)}
            out += [
                statistics_variant(
                    f"statistics-{name}-{noise}-M1of2-{neighbours}", (name,), noise=noise, **one
                )
                for noise in (LAPLACE, GAUSSIAN)
            ]
    declared = {"groups": (2, 2), "everyone": True, "features": 1, "budget": loose}
    out.append(statistics_variant("statistics-mean-everyone", ("mean",), **declared))
    for noise, neighbours in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE)):
        counts = {"measures": {FIXATION_COUNT: (1.0, 2.0)}, "stimuli": 2, "max_stimuli": 1, "noise": noise}
        one = counts | {"neighbours": neighbours, "budget": loose}
        out.append(fixations_variant(f"fixations-{noise}-{neighbours}", ("mean",), **one))
    out.append(record_variant("records", features=1))
    for noise in (LAPLACE, GAUSSIAN):
        common = {"noise": noise, "bins": 3, "budget": loose}
        out.append(record_variant(f"records-tree-{noise}", dependence="tree", missing=True, **common))
        out.append(record_variant(f"records-per-task-{noise}", features=1, task=RECORDING, **common))
    return out

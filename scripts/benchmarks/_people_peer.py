"""Run by a Python that has a peer: a table of whole numbers in, synthetic rows, seconds and peak memory out.

`python _people_peer.py METHOD IN.npz OUT.npz`. IN holds `table` (rows × columns), `sizes` (of each column's public grid), `epsilon`, `delta`,
`rows` (how many to make), `seed` and `limit` (seconds of the processor, after which the system ends this process); OUT holds `rows`,
`seconds` of the processor without loading modules, and `peak_bytes`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

# At its default size dpmm's AIM takes too long. Apart from this, and one parent for a column in DataSynthesizer's network, settings are the authors'.
AIM_MODEL_MB, AIM_ITERATIONS = 2, 200


@dataclass(frozen=True)
class Asked:
    """A table, the public grid of each column, and the budget."""

    table: pd.DataFrame
    sizes: dict[str, int]
    epsilon: float
    delta: float
    rows: int
    seed: int


def main(method: str, source: str, target: str) -> None:
    """Read IN, synthesise, and write OUT."""
    warnings.simplefilter("ignore")
    with np.load(source) as file:
        names = [f"c{number}" for number in range(file["table"].shape[1])]
        asked = Asked(
            pd.DataFrame(file["table"].astype(int), columns=names),
            dict(zip(names, file["sizes"].tolist(), strict=True)),
            float(file["epsilon"]),
            float(file["delta"]),
            int(file["rows"]),
            int(file["seed"]),
        )
        resource.setrlimit(resource.RLIMIT_CPU, (int(file["limit"]), int(file["limit"]) + 1))
    np.random.seed(asked.seed)
    with contextlib.redirect_stdout(sys.stderr):
        run = METHODS[method]()
        start = _seconds()
        made = run(asked)
        seconds = _seconds() - start
    rows = made[names].to_numpy().astype(int)
    np.savez(target, rows=rows, seconds=seconds, peak_bytes=_peak_bytes())


def _seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text("ascii").splitlines()
    return 1024 * int(next(line for line in status if line.startswith("VmHWM:")).split()[1])


def _datasynthesizer(*, network: bool) -> Callable[[Asked], pd.DataFrame]:
    from DataSynthesizer.DataDescriber import DataDescriber
    from DataSynthesizer.DataGenerator import DataGenerator

    def run(asked: Asked) -> pd.DataFrame:
        describer, generator = DataDescriber(), DataGenerator()
        kind = "correlated_attribute" if network else "independent_attribute"
        describe = getattr(describer, f"describe_dataset_in_{kind}_mode")
        with tempfile.TemporaryDirectory() as folder:
            table, grid, model = (Path(folder) / name for name in ("table.csv", "grid.json", "model.json"))
            asked.table.to_csv(table, index=False)
            grid.write_text(json.dumps({name: list(range(size)) for name, size in asked.sizes.items()}))
            describe(
                dataset_file=str(table),
                epsilon=asked.epsilon,
                attribute_to_is_categorical=dict.fromkeys(asked.sizes, True),
                attribute_to_is_candidate_key=dict.fromkeys(asked.sizes, False),
                categorical_attribute_domain_file=str(grid),
                seed=asked.seed,
                **({"k": 1} if network else {}),
            )
            describer.save_dataset_description_to_file(str(model))
            kind = "correlated_attribute" if network else "independent"
            getattr(generator, f"generate_dataset_in_{kind}_mode")(asked.rows, str(model), seed=asked.seed)
        return generator.synthetic_dataset

    return run


def _dpmm(pipeline: str, gen: dict[str, int], **more: object) -> Callable[[Asked], pd.DataFrame]:
    from dpmm import pipelines

    def run(asked: Asked) -> pd.DataFrame:
        made = getattr(pipelines, pipeline)(
            epsilon=asked.epsilon,
            delta=asked.delta,
            disable_processing=True,
            n_jobs=1,
            gen_kwargs=gen,
            **more,
        )
        made.fit(asked.table, domain=asked.sizes, random_state=asked.seed)
        return made.generate(n_records=asked.rows, random_state=asked.seed)

    return run


def _smartnoise(method: str) -> Callable[[Asked], pd.DataFrame]:
    from mbi import Dataset, Domain
    from snsynth.aim import AIMSynthesizer
    from snsynth.mst import MSTSynthesizer
    from snsynth.utils import cdp_rho

    def run(asked: Asked) -> pd.DataFrame:
        # Not `fit`: it would take the grid from the data. What follows it is called as it calls it.
        domain = Domain(tuple(asked.sizes), tuple(asked.sizes.values()))
        if method == "mst":
            mst = MSTSynthesizer(asked.epsilon, asked.delta)
            mst.MST(Dataset(asked.table.to_numpy(), domain), asked.epsilon, asked.delta)
            return mst.undo_compress_fn(mst.synthesizer.synthetic_data(rows=asked.rows)).df
        aim = AIMSynthesizer(asked.epsilon, asked.delta)
        aim.rho = cdp_rho(asked.epsilon, asked.delta)
        aim.AIM(Dataset(asked.table.to_numpy(), domain), list(itertools.combinations(asked.sizes, 2)))
        return aim.synthesizer.synthetic_data(rows=asked.rows).df

    return run


def _copula(asked: Asked) -> pd.DataFrame:
    """Without privacy."""
    from copulas.multivariate import GaussianMultivariate

    copula = GaussianMultivariate(random_state=asked.seed)
    copula.fit(asked.table.astype(float))
    return copula.sample(asked.rows).round()


METHODS: dict[str, Callable[[], Callable[[Asked], pd.DataFrame]]] = {
    "datasynthesizer-independent": lambda: _datasynthesizer(network=False),
    "datasynthesizer-privbayes": lambda: _datasynthesizer(network=True),
    "dpmm-mst": lambda: _dpmm("MSTPipeline", {}),
    "dpmm-aim": lambda: _dpmm("AIMPipeline", {"n_iters": AIM_ITERATIONS}, max_model_size=AIM_MODEL_MB),
    "dpmm-privbayes": lambda: _dpmm("PrivBayesPipeline", {}),
    "smartnoise-mst": lambda: _smartnoise("mst"),
    "smartnoise-aim": lambda: _smartnoise("aim"),
    "copulas-gaussian": lambda: _copula,
}

if __name__ == "__main__":
    main(*sys.argv[1:])

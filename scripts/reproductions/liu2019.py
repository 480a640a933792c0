"""Liu et al. 2019, "Differential privacy for eye-tracking data": what does not protect, sigmas, caps, Figures 2 and 3.

On mouse-tracked attention to one image of OSIE (osie_mouse). Where the paper replicates five eye-tracked observers, five
people's paths are interpolated to 1500 samples, as 300 Hz for 5 s would give, and replicated as there. Everything is seeded:
nothing here may be published as private.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks._measure import print_table
from numpy.typing import NDArray
from tqdm import tqdm

from reproductions._liu2019_attacks import attack_noise_free, attack_selection, selection_bound
from reproductions._liu2019_cap import best_cap
from reproductions._liu2019_curves import (
    BLUR_PX,
    SCREEN_PX,
    Crowd,
    Strategy,
    centred,
    coarseness,
    good_delta,
    one_map,
    strategies,
    worth,
)
from reproductions._liu2019_figures import draw_caps, draw_grids, draw_maps, draw_sigma, draw_tradeoff
from reproductions._liu2019_grids import (
    BOUNDED,
    EXACT,
    MOUSE_T,
    PAPERS,
    blurred,
    cell_heatmap,
    grid_points,
    on_common_grid,
)
from reproductions._liu2019_spectral import NAME as SPECTRAL
from reproductions._liu2019_spectral import Spectral, spectral_strategy
from reproductions._tracker import gaze_counts, load_image, paths, tracked
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import gaussian_delta, gaussian_sigma, laplace_scale, liu2019_sigma
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import DataError, PolicyError
from synthrelease.evaluation.metrics import correlation
from synthrelease.kinds.heatmap.public_cells import LIU2019

IMAGE = "1005"
OBSERVERS, REPLICATED, SAMPLES = 5, 50_000, 1500  # the paper's people; a stand-in for its tracker
FIXED_T = 600  # samples of a person on a stimulus where no data are at hand: 5 s at 120 Hz
GOOD, OKAY = 1.0, 3.0  # the paper's ε
SHOWN = 1.5  # ε of its pictures and its example
LEVELS = {"good privacy, ε = 1": GOOD, "okay privacy, ε = 3": OKAY}
SHARES = (0.01, 0.1, 0.25, 0.5, 0.9)
GRIDS = (4, 8, 20, 40, 100, 200, 400, 800)  # columns; rows are three quarters of them


@dataclass(frozen=True)
class Scale:
    """How much of it to do."""

    trials: int
    draws: int
    grid_draws: int
    rows: int
    columns: int
    cell: int
    epsilons: tuple[float, ...]
    grids: tuple[int, ...]


FULL = Scale(200, 100, 20, 1050, 1680, 7, (0.5, 1.0, 1.5, 3.0, 5.0, 10.0), GRIDS)
QUICK = Scale(20, 4, 3, 60, 96, 3, (1.0, 3.0), GRIDS[:5])


def run(data: Path, out: Path, *, quick: bool = False) -> None:
    """Print the tables and write the pictures."""
    scale = QUICK if quick else FULL
    random = SecureRandom.for_tests(2019)
    gaze = load_image(data / "osie_mouse" / "samples.csv.gz", IMAGE, person="worker", time="sample_index")
    recorded = paths(gaze)
    if len(recorded) < OBSERVERS:
        raise DataError(
            "too-few-people",
            "too few people saw the image",
            found=f"{len(recorded)} on image {IMAGE}",
            expected=f"{OBSERVERS}",
        )
    out.mkdir(parents=True, exist_ok=True)
    print(
        f"OSIE image {IMAGE}, {len(recorded)} people, mouse-tracked. Seeded: nothing here may be published."
    )
    crowd = _crowd(recorded[:OBSERVERS], scale, copies=REPLICATED // OBSERVERS)
    everyone = _crowd(recorded, scale, copies=1)
    show_attacks(gaze, scale, random.spawn("attacks"))
    show_sigmas(len(recorded))
    show_surface(out / "liu2019_figure_2.png")
    show_caps(crowd, everyone, out / "liu2019_caps.png")
    ours = spectral_strategy(tracked(recorded[:OBSERVERS], SAMPLES), crowd)
    show_tradeoff(crowd, [*strategies(crowd), ours], scale, out, random.spawn("figure 3"))
    show_grids(gaze, scale, out / "liu2019_grid.png", random.spawn("grids"))


def _crowd(recorded: list[NDArray[np.float64]], scale: Scale, *, copies: int) -> Crowd:
    pixel, count, _ = gaze_counts(tracked(recorded, SAMPLES), rows=scale.rows, columns=scale.columns)
    return Crowd(
        pixel, count, len(recorded), copies, scale.rows, scale.columns, scale.cell, max_samples=SAMPLES
    )


def show_attacks(gaze: GazeData, scale: Scale, random: SecureRandom) -> None:
    """Sections 3.3 and 3.4: the bounds on δ, and the attacks that meet them."""
    width, height = SCREEN_PX
    pixel, count, person = gaze_counts(paths(gaze), rows=height, columns=width)
    people = int(person.max()) + 1
    seen, place = np.unique(pixel, return_inverse=True)
    maps = np.zeros((people, seen.size), dtype=np.int32)
    maps[person, place] = count
    found = attack_noise_free(maps, scale.trials, random)
    rows = [["noise-free", "–", "1", f"{found.recovered:.3f}", f"{found.present:.3f}", f"{found.false:.3f}"]]
    for replaced in (False, True):
        name = "selection, with replacement" if replaced else "selection, without replacement"
        for share in tqdm(SHARES, desc=name, leave=False, disable=None):
            selected = max(1, round(share * people))
            found = attack_selection(maps, selected, scale.trials, random, replaced=replaced)
            bound = selection_bound(people, selected, replaced=replaced)
            shares = (found.recovered, found.present, found.false)
            rows.append([name, f"{selected}/{people}", f"{bound:.3f}", *(f"{x:.3f}" for x in shares)])
    _title(
        "3.3, 3.4  What does NOT protect: demonstrations, never releasable as private",
        f"The adversary knows the output and everyone's map but one person's ({width}×{height} px, random person, "
        f"{scale.trials} trials:\na share p has a standard error of √(p(1−p)/{scale.trials})). "
        "δ of the mechanism is at least the bound of the theorem; an attack\nwithout false alarms proves "
        "that it is at least the share it recovers.",
    )
    print_table(["mechanism", "cn/n", "δ ≥", "map recovered", "presence told", "false alarms"], rows)


def show_sigmas(people: int) -> None:
    """Theorems 3.4 and 3.5 beside exact calibration and bounded contributions."""
    rows = []
    for side_by_side, n, max_samples in (
        ((1, 1), 900, FIXED_T),
        ((10, 10), 50_000, FIXED_T),
        ((300, 300), 900, FIXED_T),
        ((600, 800), people, MOUSE_T),
        ((1050, 1680), 50_000, SAMPLES),
    ):
        for epsilon in LEVELS.values():
            rows.append(_sigma_row(*side_by_side, n, max_samples, epsilon))
    _title(
        "3.4, 3.5  Noise in a pixel of the mean map, m = 1, δ = n^(−3/2)",
        "Standard deviations in samples per person. δ of Thm 3.4: what its σ really keeps (Balle & Wang 2018); "
        "the product refuses it\nwhere that is above the δ guaranteed. Exact: least σ for the paper's sensitivity √r/n; "
        "with T: where a person counts at most T samples.",
    )
    print_table(
        [
            "r",
            "n",
            "ε",
            "δ",
            "Thm 3.4",
            "its δ",
            "product",
            "exact",
            "T",
            "exact with T",
            "Thm 3.5",
            "Laplace with T",
        ],
        rows,
    )


def _sigma_row(height: int, width: int, n: int, max_samples: int, epsilon: float) -> list[str]:
    pixels, delta = height * width, good_delta(n)
    whole = one_map(pixels=pixels, cap=1, max_samples=None)
    bounded = one_map(pixels=pixels, cap=1, max_samples=max_samples)
    papers = liu2019_sigma(epsilon, delta, cap=1, pixels=pixels)
    papers_own = cell_heatmap(height, width, n, cap=1, max_samples=None, calibration=LIU2019)
    try:
        papers_own.calibrate(Budget(epsilon, delta))
        verdict = "accepts"
    except PolicyError:
        verdict = "REFUSES"
    exact = [gaussian_sigma(epsilon, delta, sensitivity=s.l2) / n for s in (whole, bounded)]
    laplace = [math.sqrt(2) * laplace_scale(epsilon, sensitivity=s.l1) / n for s in (whole, bounded)]
    return [
        f"{height}×{width}",
        f"{n:,}",
        f"{epsilon:g}",
        f"{delta:.2e}",
        f"{papers / n:.4g}",
        f"{gaussian_delta(epsilon, sigma=papers, sensitivity=whole.l2):.2e}",
        verdict,
        f"{exact[0]:.4g}",
        str(max_samples),
        f"{exact[1]:.4g}",
        f"{laplace[0]:.4g}",
        f"{laplace[1]:.4g}",
    ]


def _sigmas_of_the_mean(epsilon: float, *, pixels: int) -> dict[str, Callable[[int], float]]:
    """σ(n) for m = 1."""
    whole = one_map(pixels=pixels, cap=1, max_samples=None).l2
    bounded = one_map(pixels=pixels, cap=1, max_samples=FIXED_T).l2
    return {
        "Theorem 3.4": lambda n: liu2019_sigma(epsilon, good_delta(n), cap=1, pixels=pixels) / n,
        "exact": lambda n: gaussian_sigma(epsilon, good_delta(n), sensitivity=whole) / n,
        f"exact, T = {FIXED_T}": lambda n: gaussian_sigma(epsilon, good_delta(n), sensitivity=bounded) / n,
    }


def show_surface(path: Path) -> None:
    """Figure 2, and the question a curator asks of it: how many people for σ ≤ 1.5?"""
    root, people = np.meshgrid(np.linspace(50, 1000, 40), np.linspace(100, 3000, 40))
    surfaces = {}
    slices = {}
    needed = []
    crowds = np.unique(np.geomspace(10, 3000, 60).round().astype(int)).tolist()
    for label, epsilon in LEVELS.items():
        sigma = np.array(
            [
                [
                    liu2019_sigma(epsilon, good_delta(n), cap=1, pixels=k * k) / n
                    for k, n in zip(*row, strict=True)
                ]
                for row in zip(root, people, strict=True)
            ]
        )
        surfaces[label] = (root, people, sigma)
    for name in _sigmas_of_the_mean(GOOD, pixels=300**2):
        row = [name]
        for label, epsilon in LEVELS.items():
            sigma_of = _sigmas_of_the_mean(epsilon, pixels=300**2)[name]
            slices[f"{name}, {label}"] = [(n, sigma_of(n)) for n in crowds]
            row.append(f"{_least(lambda n, sigma_of=sigma_of: sigma_of(n) <= 1.5):,}")
        needed.append(row)
    draw_sigma(surfaces, slices, path)
    _title(
        "Figure 2  People needed for σ ≤ 1.5 on 300×300 pixels",
        f'The paper reads "of the order of n = 900" and 300 off its figure. Picture: {path.name}',
    )
    print_table(["calibration", *LEVELS], needed)


def _least(enough: Callable[[int], bool]) -> int:
    """Return the least n ≥ 2 that is enough, if from there on all are."""
    high = 2
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def show_caps(crowd: Crowd, everyone: Crowd, path: Path) -> None:
    """Algorithm 1 at the paper's ε = 1.5."""
    curves = {}
    rows = []
    for people in (crowd, everyone):
        papers, _, bounded = strategies(people)
        for strategy in (papers, bounded):
            errors = people.errors(lambda m, s=strategy: s.sigma(SHOWN, m))
            best = best_cap(people.caps, errors)
            curves[f"n = {people.people:,}, {strategy.name}"] = (people.caps, errors.tolist(), best)
            rows.append(
                [strategy.name, f"{people.people:,}", str(people.caps[-1]), str(best)]
                + [f"{errors[m - 1]:.3g}" for m in (best, 1, people.caps[-1])]
            )
    draw_caps(curves, path)
    _title(
        f"4.2  Algorithm 1 at ε = {SHOWN:g}: the cap of least expected MSE (depends on the data: reproduction only)",
        f"Maps of {crowd.rows}×{crowd.columns} px. T cuts nothing away here: no one has more samples. "
        f"Picture: {path.name}",
    )
    print_table(["mechanism", "n", "g_max", "best m", "MSE at best", "at m = 1", "at g_max"], rows)


def show_tradeoff(
    crowd: Crowd, shown_strategies: list[Strategy], scale: Scale, out: Path, random: SecureRandom
) -> None:
    """Figure 3 for every strategy."""
    truth = crowd.heatmap(crowd.total(crowd.caps[-1]))
    no_data = correlation(centred(truth.shape), truth)
    cc, error = {}, {}
    rows = []
    shown = {"noise-free (not private)": truth}
    for strategy in shown_strategies:
        cc[strategy.name], error[strategy.name] = [], []
        for epsilon in tqdm(scale.epsilons, desc=strategy.name, leave=False, disable=None):
            own = random.spawn(strategy.name, str(epsilon))
            found = worth(lambda r, e=epsilon, s=strategy: s.draw(e, r), truth, scale.draws, own)
            cc[strategy.name].append((epsilon, *found.cc))
            error[strategy.name].append((epsilon, *found.mse))
            cap = (
                "–"
                if strategy.sigma is None
                else str(crowd.best_cap(lambda m, e=epsilon, s=strategy: s.sigma(e, m)))
            )
            rows.append(
                [
                    strategy.name,
                    f"{epsilon:g}",
                    cap,
                    f"{found.cc[0]:.3f} ± {found.cc[1]:.3f}",
                    f"{found.mse[0]:.2e} ± {found.mse[1]:.0e}",
                    f"{found.kl[0]:.2f}",
                    f"{found.sim[0]:.2f}",
                ]
            )
        shown[f"{strategy.name}, ε = {SHOWN:g}"] = strategy.draw(SHOWN, random.spawn(strategy.name, "shown"))
    about = (
        f"n = {crowd.people:,} ({crowd.few} people replicated), {crowd.rows}×{crowd.columns} px, δ = n^(−3/2)"
    )
    draw_tradeoff(
        cc,
        error,
        no_data=no_data,
        title=f"{about}; mean ± standard deviation of {scale.draws} draws",
        path=out / "liu2019_figure_3.png",
    )
    draw_maps(shown, title=about, path=out / "liu2019_maps.png")
    _title(
        "Figure 3  Heatmap with noise against heatmap without",
        f"{about}; m by Algorithm 1; mean ± standard deviation of {scale.draws} draws.\nBlur {BLUR_PX:g} px of "
        f"{SCREEN_PX[0]}×{SCREEN_PX[1]}, shown on cells of {crowd.cell}×{crowd.cell} px, "
        f"at most {100 * coarseness(crowd):.2g} % of the maximum from the same blur at full resolution.\n"
        "MSE in (samples per person and pixel)². Pictures: liu2019_figure_3.png, liu2019_maps.png",
    )
    print_table(["mechanism", "ε", "m", "CC", "MSE", "KL", "SIM"], rows)
    print(f"\nno data, a centred Gaussian: CC {no_data:.3f}")


def show_grids(gaze: GazeData, scale: Scale, path: Path, random: SecureRandom) -> None:
    """The paper's footnote 7: down-sample the maps if there are few people. The real people, no replication."""
    width, height = SCREEN_PX
    people = gaze.people
    all_counted = cell_heatmap(height, width, people, cap=10**6, max_samples=None, calibration="exact")
    truth = on_common_grid(blurred(all_counted.exact(all_counted.collect(gaze))["noisy"][0], people))
    no_data = correlation(centred(truth.shape), truth)
    panels, ours = {}, {}
    rows = []
    spectral = Spectral(gaze, copies=1, cells=truth.shape)
    for label, epsilon in LEVELS.items():
        own = random.spawn(SPECTRAL, label)
        found = [correlation(spectral.draw(epsilon, own), truth) for _ in range(scale.grid_draws)]
        ours[label] = float(np.mean(found))
        curves = {PAPERS: [], EXACT: [], BOUNDED: []}
        for columns in tqdm(scale.grids, desc=label, leave=False, disable=None):
            cells = []
            for name, (cap, mean, spread) in grid_points(
                gaze, columns, truth, epsilon=epsilon, draws=scale.grid_draws, random=random
            ):
                curves[name].append((columns, mean, spread))
                cells.append(f"{mean:.3f} ± {spread:.3f} ({cap})")
            refused = ["REFUSED"] * (len(curves) - len(cells))  # only the first can be
            rows.append([label, f"{columns}×{columns * 3 // 4}", *refused, *cells])
        panels[label] = curves
    draw_grids(
        panels,
        lines={label: {SPECTRAL: cc, "no data: a centred Gaussian": no_data} for label, cc in ours.items()},
        title=f"n = {people} real people, δ = n^(−3/2), m by Algorithm 1; mean ± standard deviation of {scale.grid_draws} draws",
        path=path,
    )
    _title(
        "Footnote 7  Down-sampling the grid",
        f"CC with the noise-free heatmap of {width}×{height} px; n = {people} real people, δ = n^(−3/2), m by Algorithm 1 in "
        f"brackets;\nmean ± standard deviation of {scale.grid_draws} draws. Picture: {path.name}",
    )
    print_table(["level", "grid", *curves], rows)
    told = ", ".join(f"{cc:.3f} with {label}" for label, cc in ours.items())
    print(f"\n{SPECTRAL}, which has no grid: CC {told}\nno data, a centred Gaussian: CC {no_data:.3f}")


def _title(title: str, note: str) -> None:
    print(f"\n{title}\n{'=' * len(title)}\n{note}\n")

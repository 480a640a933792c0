"""Tables and figures of docs/explanation/epsilon.md and reidentification.md: ε as a guess, and what a heatmap reveals.

DATA is the folder with the demonstration's `attention.csv.gz`: `scripts/study concepts synthrelease/demo docs/images`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studies import _reconstruction as attack
from studies._concept_figures import Panel, draw_guesses, draw_panels
from studies._osie_mouse import SCREEN, one_image
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.dp.best_guess import best_guess, best_guess_of
from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.event import RoundedGaussian
from synthrelease.dp.guarantee import PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.metrics import correlation

IMAGE, IMAGES = "1005", ("1005", "1012")
EPSILONS = (1.0, 3.0, 10.0, 100.0)
MARKED = (0.5, 1.0, 2.0, 3.0, 5.0)  # ε with a number in the picture
SHARP_PX = (4.0, 8.0, 12.0)  # blurs at which a restored map is compared with the person's own
DRAWS = 50
SEED = 2022
STEP = 1e-3  # of Δ: the grid on which Gaussian noise is rounded does not matter here


def run(data: Path) -> None:
    """Print the tables of docs/explanation/reidentification.md."""
    print("\n".join([*exact_table(data), "", *sharp_table(data), "", *noised_table(data)]))


def draw(data: Path, out: Path) -> None:
    """Draw the figures of docs/explanation/epsilon.md and reidentification.md."""
    draw_guesses(
        *guesses(), {epsilon: pure_guess(epsilon) for epsilon in MARKED}, out / "concept_epsilon.png"
    )
    gaze = viewers(data)
    own = attack.heatmaps_of(attack.dwell_shares(gaze))
    person, people, total = shown_person(gaze), gaze.people, own.sum(axis=0)
    with_all = attack.as_numbers(total / people)
    left = attack.as_numbers((total - own[person]) / (people - 1))
    found = people * with_all - (people - 1) * left
    here = gaze.person == person
    points = (gaze.x_px[here] + 0.5, gaze.y_px[here] + 0.5)
    draw_panels(
        [
            Panel(f"exact map of {people} people", with_all),
            Panel(f"exact map of {people - 1} of them", left),
            Panel("reconstructed from the two", found),
            Panel("… deblurred", attack.smoothed(attack.sharpened(found), SHARP_PX[0]), points),
        ],
        out / "concept_reconstruction.png",
    )
    released = attack.Released(gaze, 1.0)
    noisy = released.drawn(SecureRandom.for_tests(SEED).spawn("picture"))
    draw_panels(
        [
            Panel(f"released map of {people}, ε = 1", released.map_of(noisy)),
            Panel("the person's own map (exact)", own[person]),
            Panel("strong adversary's estimate", released.attacked(noisy, person)),
            Panel("guess without a release", released.blind()),
        ],
        out / "concept_protected.png",
    )


def viewers(data: Path, image: str = IMAGE) -> GazeData:
    """Return the attention on one image, of those who saw it."""
    gaze = load_gaze(
        data / "attention.csv.gz",
        columns={"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px"},
        screen=SCREEN,
        stimuli=IMAGES,
    )
    return one_image(gaze, IMAGES.index(image))


def shown_person(gaze: GazeData) -> int:
    """Return the person who has the middle number of samples: chosen by nothing else."""
    return int(np.argsort(np.bincount(gaze.person), kind="stable")[gaze.people // 2])


def guesses() -> tuple[list[float], list[float], list[float]]:
    """Return ε, how often the best guess is right at pure ε, and with Gaussian noise of that ε at δ = 10⁻⁶."""
    epsilons = np.geomspace(0.1, 10, 60).tolist()
    return epsilons, [pure_guess(e) for e in epsilons], [gaussian_guess(e) for e in epsilons]


def pure_guess(epsilon: float) -> float:
    """Return how often the best guess is right at most at pure ε."""
    found = best_guess(PureDP(epsilon=epsilon))
    assert found is not None
    return found


def gaussian_guess(epsilon: float) -> float:
    """Return how often the best guess is right where Gaussian noise is just (ε, 10⁻⁶)-differentially private."""
    sensitivity = 1 / STEP
    sigma = gaussian_sigma(epsilon, attack.DELTA, sensitivity=sensitivity)
    found = best_guess_of([RoundedGaussian(sensitivity, sigma, 1)])
    assert found is not None
    return found


def exact_table(data: Path) -> list[str]:
    """Maps without noise, attacked."""
    lines = [
        f"| published without noise | {' | '.join(f'{image}: CC | re-identified' for image in IMAGES)} |",
        "|---|---|---|---|---|",
    ]
    maps = [attack.heatmaps_of(attack.dwell_shares(viewers(data, image))) for image in IMAGES]
    for label, method, publish in (
        ("one map; n − 1 participants known", attack.attack_known_rest, attack.as_numbers),
        (
            "the same, as an image of 256 grey levels",
            attack.attack_known_rest,
            attack.as_picture,
        ),
        (
            "two maps, before and after a participant withdrew",
            attack.attack_two_maps,
            attack.as_numbers,
        ),
        ("the same, as images of 256 grey levels", attack.attack_two_maps, attack.as_picture),
    ):
        found = [method(own, publish=publish) for own in maps]
        cells = [f"{one.correlation:.2f} | {100 * one.named:.0f} %" for one in found]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def sharp_table(data: Path) -> list[str]:
    """How finely the blur can be taken off again."""
    gaze = viewers(data)
    shares = attack.dwell_shares(gaze)
    person = shown_person(gaze)
    own = attack.smoothed(shares[person], attack.BLUR_PX)
    others = sum(attack.smoothed(one, attack.BLUR_PX) for one in np.delete(shares, person, axis=0))
    published = attack.as_numbers((own + others) / gaze.people)
    found = attack.subtracted(published, gaze.people, others)
    sharp = attack.sharpened(found)
    lines = [
        f"| CC with the person's own map, blurred by | {' | '.join(f'{blur:g} px' for blur in SHARP_PX)} |",
        f"|---|{'---|' * len(SHARP_PX)}",
    ]
    truths = [attack.smoothed(shares[person], blur) for blur in SHARP_PX]
    before = [f"{correlation(found, truth):.2f}" for truth in truths]
    after = [
        f"{correlation(attack.smoothed(sharp, blur), truth):.2f}"
        for blur, truth in zip(SHARP_PX, truths, strict=True)
    ]
    return [
        *lines,
        f"| the reconstructed map | {' | '.join(before)} |",
        f"| the same, deblurred | {' | '.join(after)} |",
    ]


def noised_table(data: Path, draws: int = DRAWS) -> list[str]:
    """The spectral map with noise, attacked."""
    gaze = viewers(data)
    truth = attack.heatmaps_of(attack.dwell_shares(gaze))
    lines = [
        "| ε of the map | CC | re-identified | right, median pair | right, most distinguishable pair | bound |",
        "|---|---|---|---|---|---|",
    ]
    blind = ""
    for epsilon in EPSILONS:
        random = SecureRandom.for_tests(SEED).spawn("concepts", str(epsilon))
        found = attack.Released(gaze, epsilon).found(truth, draws=draws, random=random)
        blind = f"| no release | {found.without:.2f} | {100 / gaze.people:.1f} % | 50 % | 50 % | 50 % |"
        lines.append(
            f"| {epsilon:g} | {found.correlation:.2f} | {100 * found.named:.1f} % | {100 * found.typical:.1f} % "
            f"| {100 * found.best:.1f} % | {100 * found.bound:.1f} % |"
        )
    return [*lines[:2], blind, *lines[2:]]

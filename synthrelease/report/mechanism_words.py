"""How an output was made, in a sentence or two for somebody who knows eye tracking and not privacy."""

from __future__ import annotations

from typing import Any

from synthrelease.number_words import grouped, listed, several, short

KINDS = {
    "heatmap": "Heatmaps",
    "areas": "Areas of interest",
    "signals": "Signals",
    "records": "Synthetic records",
    "statistics": "Statistics",
}


def what_it_is(output: dict[str, Any]) -> str:
    """Return what an output publishes."""
    p, people = output["mechanism"]["parameters"], output["mechanism"]["public_inputs"]["people"]
    whose = "a private number of people" if people is None else several(people, "person", "people")
    match output["kind"]:
        case "heatmap":
            moving = p.get("frames") is not None
            return f"Where {whose} looked on {several(len(p['stimuli']), 'picture')}" + (
                f", over time in {p['frames']} frames." if moving else "."
            )
        case "areas":
            also = ", and how they moved between them" if p["transitions"] else ""
            return (
                f"How {whose} divided their looking among {several(len(p['areas']), 'area')} "
                f"of {several(len(p['stimuli']), 'picture')}{also}."
            )
        case "signals":
            what = "Everybody's own course" if p["query"] == "each" else "The mean course"
            return (
                f"{what} of {listed([f['name'] for f in p['features']])} over {several(p['length'], 'step')}, "
                f"of {whose}, in {several(len(p['recordings']), 'recording')}."
            )
        case "records":
            return (
                f"{several(p['rows'], 'synthetic record')} of {several(len(p['attributes']), 'attribute')}, "
                f"made from data of {whose}."
            )
        case "statistics":
            by = "" if p["groups"] is None else f" in {several(len(p['groups']), 'group')}"
            return f"Summary numbers of {listed([f['name'] for f in p['features']])} over {whose}{by}."
    raise ValueError("Expected a known kind of output, found another")


def how_it_was_made(output: dict[str, Any]) -> str:
    """Return what was done to the data, before and with the noise."""
    return _MAKERS[output["kind"]](output["mechanism"]["name"], output["mechanism"]["parameters"])


def noise_words(output: dict[str, Any]) -> str:
    """Return the noise of an output beside what one person can change; what stands for it where there is none."""
    noise = output["noise"]
    if noise is None and output["guarantee"]["kind"] == "none":
        return "Whatever noise is in it carries no promise."
    if noise is None:
        return (
            "No noise was added to it."
            if output["kind"] == "records"
            else "The choice itself was random, drawn exactly."
        )
    form = "Gaussian" if noise["distribution"] == "rounded_gaussian" else "Laplace"
    share = float(noise["standard_deviation"]) / float(output["sensitivity"]["value"])
    return (
        f"{_noised(output)} {form} noise. Its standard deviation is {short(share)} times the most by which one person can "
        f"move all of them together ({_NORMS[output['sensitivity']['norm']]}). It was drawn exactly, in whole steps."
    )


def _noised(output: dict[str, Any]) -> str:
    """What of an output has noise: not everything has."""
    p = output["mechanism"]["parameters"]
    if output["kind"] == "records":
        seeds = " The seeds carry none." if output["mechanism"]["name"] == "seeded" else ""
        return f"The records themselves carry no noise.{seeds} The counts that the model follows from are integers with"
    if output["kind"] == "statistics" and any(name.startswith("quantile") for name in p["statistics"]):
        return "Every published number but the quantiles follows from integers with"
    return "Every published number follows from integers with"


_NORMS = {"l1": "the sum of the changes", "l2": "the root of the sum of their squares"}


def _heatmap(name: str, p: dict[str, Any]) -> str:
    if name == "spectral":
        weight = "time" if p["weight"] == "duration" else "samples"
        return (
            f"Everybody's {weight} on a picture become one map, which weighs the same for everybody. Of it only the coarse waves are kept that a "
            f"blur of σ = {short(p['blur_px'])} px leaves visible, and their size is limited. The waves are added up over "
            "people, noise is added, and the map is drawn from the noisy waves alone."
        )
    limit = p["max_samples_per_stimulus"]
    most = "" if limit is None else f", and {several(limit, 'sample')} per picture"
    return (
        f"Looks are counted in {p['columns']} × {p['rows']} cells, of one person at most {p['cap']} in a cell{most}. "
        f"The counts are added up over people, noise is added to every cell, and the sums are blurred with σ = "
        f"{short(p['blur_px'])} px."
    )


def _areas(_name: str, p: dict[str, Any]) -> str:
    moves = " and one share of moves from area to area" if p["transitions"] else ""
    return (
        f"Everybody divides one share of looking{moves} on a picture, on at most "
        f"{several(p['max_stimuli_per_person'], 'picture')}. The shares are added up over people, noise is added, and what the "
        "noise makes impossible is mended: no share is negative, and all of a picture sum to 100 %."
    )


def _signals(name: str, p: dict[str, Any]) -> str:
    if p.get("calibration") == "bozkir2021":
        return (
            "Noise was added as Bozkir et al. 2021 publish it, for comparison with their paper. How much was taken from the "
            "private data themselves, and parts of one person were counted as if they were different people."
        )
    if name == "spectral":
        return (
            f"Of everybody's course the {several(p['cosines'], 'slowest wave')} are kept and limited in size. They are added up over "
            "people, noise is added, and the course is drawn from the noisy waves alone."
        )
    whole = p["chunk"] is None
    piece = "" if whole else f", in pieces of {several(p['chunk'], 'step')}"
    kept = {
        "lpa": "Noise is added to every step",
        "fpa": f"Of the course {several(p['coefficients'] or 0, 'frequency', 'frequencies')} are kept, and noise is added to them",
        "cfpa": f"Of the course {several(p['coefficients'] or 0, 'frequency', 'frequencies')} are kept{piece}, and noise is added to them",
        "dcfpa": (
            f"Of the changes from step to step {several(p['coefficients'] or 0, 'frequency', 'frequencies')} are kept{piece}, "
            "and noise is added to them"
        ),
    }[name]
    over = "of everybody's own series" if p["query"] == "each" else "after adding up over people"
    return f"{kept}, {over}. Values are limited to public bounds first."


def _records(name: str, p: dict[str, Any]) -> str:
    counted = "counts with noise" if p["fit"] == "dp" else "exact counts of the private data"
    linked = "each depending on one other" if p["dependence"] == "tree" else "independent of each other"
    model = f"a model of {counted}, attributes {linked}"
    if name == "marginals":
        return f"Every record is drawn from {model}."
    drawn = p["resampled"]
    number = grouped(drawn[0]) if len(drawn) == 1 else f"{min(drawn)} to {max(drawn)}"
    return (
        f"Every record begins as a real one, its seed. The last {number} of {len(p['attributes'])} attributes are drawn "
        f"anew from {model}; the others are kept as they were. {_TESTS[p['threshold']]}"
    )


_TESTS = {
    "fixed": "It is published if enough others could have been its seed.",
    "randomized": (
        "It is published if, counted with noise, enough others could have been its seed; if not, one of the model alone takes its place."
    ),
}


def _statistics(name: str, p: dict[str, Any]) -> str:
    chosen = (
        f"A quantile is one of {grouped(p['quantile_steps'])} public intervals, chosen at random so that those near the true "
        "rank are likelier."
    )
    if name == "exponential":
        return f"Everybody counts once, with the mean of their values. {chosen}"
    told = "Everybody counts once, with the mean of their values, limited to public bounds. Sums and counts carry noise."
    return f"{told} {chosen}" if any(s.startswith("quantile") for s in p["statistics"]) else told


_MAKERS = {
    "heatmap": _heatmap,
    "areas": _areas,
    "signals": _signals,
    "records": _records,
    "statistics": _statistics,
}

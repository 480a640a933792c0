"""All planted faults, and all detectors."""

from __future__ import annotations

from auditing import (
    faults_of_guarantees,
    faults_of_noise,
    faults_of_people,
    faults_of_plans,
    faults_of_scanpaths,
    faults_of_sums,
)
from auditing.detectors import Detector
from auditing.planting import Fault

FAULTS: tuple[Fault, ...] = (
    *faults_of_noise.FAULTS,
    *faults_of_sums.FAULTS,
    *faults_of_guarantees.FAULTS,
    *faults_of_plans.FAULTS,
    *faults_of_people.FAULTS,
    *faults_of_scanpaths.FAULTS,
)

ASKED_FOR = (
    "scale halved",
    "Δ without the √",
    "√2 lost",
    "float noise instead of integer",
    "clip forgotten",
    "clip after sum",
    "people counted as rows",
    "same noise in two workers",
    "composition dropped for a second stimulus",
    "cap off by one",
    "bin edges from data",
    "test seed in production",
    "parallel composition over chunks",
    "difference sensitivity taken as the undifferenced one",
    "discrete Laplace accounted as continuous",
    "retry until enough",
    "Test 2 with many rows per person",
)


def detectors() -> list[Detector]:
    """Return all detectors, each once."""
    return list({detector.name: detector for fault in FAULTS for detector in fault.detectors}.values())

"""Synthetic records: a model, a test of plausible deniability, and their release."""

from synthrelease.mechanisms.records.deniability import DeniabilityResult, deniability_test
from synthrelease.mechanisms.records.model import Model, SeededModel

__all__ = ["DeniabilityResult", "Model", "SeededModel", "deniability_test"]

"""Synthetic records: a model, a test of plausible deniability, and their release (`records.proof.md`)."""

from synthrelease.mechanisms.records.deniability import DeniabilityResult, SeedSet, deniability_test
from synthrelease.mechanisms.records.model import Model, SeededModel
from synthrelease.mechanisms.records.model_file import load_model, save_model

__all__ = [
    "DeniabilityResult",
    "Model",
    "SeedSet",
    "SeededModel",
    "deniability_test",
    "load_model",
    "save_model",
]

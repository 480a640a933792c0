"""Synthetic records, by a model and a test of plausible deniability."""

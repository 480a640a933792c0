"""Signals: mean courses of features over time, or those of every person."""

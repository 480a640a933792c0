"""Synthetic people."""

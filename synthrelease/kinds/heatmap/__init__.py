"""Heatmaps: spectral ones, and counts in cells."""

"""Directions of gaze shifts: a kind of output outside of synthrelease."""

"""Scanpaths: where and how long synthetic trials fixate, one fixation after the other."""

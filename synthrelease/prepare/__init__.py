"""Events and windows of features out of raw gaze samples: what a plan can read where a tracker gave only samples.

Everything is done within one recording, the samples of one person on one stimulus (and of one label of every column that is kept):
no person's rows depend on another person. Detection is that of pymovements (extra `pymovements`); what comes out is as private as what went in.
"""

from synthrelease.prepare.prepared import PreparedInput, prepare
from synthrelease.prepare.samples import Samples, load_samples
from synthrelease.prepare.settings import Settings
from synthrelease.prepare.tables import fixations, saccades, windows

__all__ = [
    "PreparedInput",
    "Samples",
    "Settings",
    "fixations",
    "load_samples",
    "prepare",
    "saccades",
    "windows",
]

"""What type checkers must refuse: a fault on every line that says so, and on no other. It is never run."""

from __future__ import annotations

from synthrelease import Features, Gaze, Heatmap, Plan, Privacy, Statistics, arrays, build

Heatmap(blurpx=24)  # fault
Heatmap(blur_px="24")  # fault
Heatmap(mechanism="spectrall")  # fault
Heatmap(cap="privat")  # fault
Statistics()  # fault
Gaze("gaze.csv", columns={"person": "who", "x": "x"}, screen=(800, 600))  # fault
Gaze("gaze.csv", columns={"person": "who", "x": "x", "z": "y"}, screen=(800, 600))  # fault
Features("pupil.csv", columns={"person": "who"}, bounds={"pupil_mm": 3})  # fault
Heatmap(blur_px=24).blur_px = 12  # fault
Plan(release={}, privacy=Privacy(epsilon=1), inputs={}, output=[])  # fault
build(3)  # fault
arrays.mean_signals(person=[1], values={}, bounds={}, epsilon=1)  # fault
arrays.statistics(person=[1], values={}, bounds={}, epsilon=1, statistics=["mean"], binz=3)  # fault
arrays.statistics(person=[1], values={}, bounds={}, epsilon=1, statistics=["mean"], bins=3)

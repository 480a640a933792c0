"""Small invented studies: most kinds of output in one plan, every kind of records, of heatmaps, of areas."""

from pathlib import Path

import numpy as np

PLAN = """
[release]
name = "small-study"
version = "1.0.0"
title = "A small invented study"
license = "CC0-1.0"
contact = "data@example.org"

[privacy]
epsilon = 4.0
delta = 1e-4

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y" }
screen = { width_px = 80, height_px = 60 }
assume_public = ["stimuli"]

[inputs.pupil]
kind = "features"
path = "pupil.csv"
columns = { person = "who", recording = "task", time = "t" }
assume_public = ["recordings"]
[inputs.pupil.bounds]
size_mm = [2.0, 8.0]
blink_hz = [0.0, 2.0]

[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
mechanism = "gaussian"
width_px = 16
height_px = 12
max_samples_per_stimulus = 20
blur_px = 5

[[outputs]]
name = "signals"
kind = "signals"
input = "pupil"
mechanism = "fpa"
length = 24
coefficients = 3

[[outputs]]
name = "table"
kind = "records"
input = "pupil"
model = "marginals"
fit = "dp"
bins = 5
rows = 50

[[outputs]]
name = "summary"
kind = "statistics"
input = "pupil"
statistics = ["count", "mean", "histogram"]

[[outputs]]
name = "seeded"
kind = "records"
input = "pupil"
model = "seeded"
task = "recording"
bins = 4
resampled = 1
k = 3
rows = 40
"""


def write_study(folder: Path, *, people: int = 30) -> Path:
    """Write gaze.csv, pupil.csv and plan.toml, and return the plan's path."""
    rng = np.random.default_rng(20261121)
    gaze = ["who,picture,x,y"]
    pupil = ["who,task,t,size_mm,blink_hz"]
    for person in range(people):
        for picture in ("garden", "street.jpg"):
            for _ in range(int(rng.integers(5, 40))):
                x, y = rng.normal(40, 12), rng.normal(30, 9)
                gaze.append(f"p{person},{picture},{np.clip(x, 0, 80):.2f},{np.clip(y, 0, 60):.2f}")
        for task in ("read", "search"):
            level = rng.normal(4 if task == "read" else 5, 0.6)
            for t in range(int(rng.integers(15, 30))):
                size, blink = np.clip(rng.normal(level, 0.3), 2, 8), rng.choice([0.2, 0.4, 1.1])
                pupil.append(f"p{person},{task},{t * 0.5},{size:.3f},{blink}")
    (folder / "gaze.csv").write_text("\n".join(gaze) + "\n")
    (folder / "pupil.csv").write_text("\n".join(pupil) + "\n")
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


RECORDS_PLAN = """
[release]
name = "records-study"
version = "1.0.0"
title = "A small invented study of records"

[privacy]
epsilon = 64.0
delta = 1e-3

[inputs.reading]
kind = "features"
path = "reading.csv"
columns = { person = "who", recording = "task" }
recordings = ["read", "search"]
[inputs.reading.bounds]
left_mm = [2.0, 8.0]
right_mm = [2.0, 8.0]
speed = [0.0, 10.0]
[inputs.reading.categories]
mood = ["calm", "tense", "tired"]

[[outputs]]
name = "tree"
kind = "records"
input = "reading"
model = "marginals"
fit = "dp"
dependence = "tree"
task = "recording"
missing = "category"
bins = 4
rows = 10000
epsilon = 12

[[outputs]]
name = "plain"
kind = "records"
input = "reading"
model = "marginals"
fit = "dp"
noise = "gaussian"
bins = 4
rows = 8000
epsilon = 6
delta = 1e-4

[[outputs]]
name = "randomized"
kind = "records"
input = "reading"
model = "seeded"
fit = "dp"
dependence = "tree"
threshold = "randomized"
features = ["mood", "left_mm", "right_mm"]
bins = 2
resampled = [1, 2]
k = 12
gamma = 1.5
epsilon0 = 1.6
trials = 5
epsilon = 44
delta = 1e-4

[[outputs]]
name = "kept"
kind = "records"
input = "reading"
model = "seeded"
fit = "dp"
dependence = "tree"
bins = 4
resampled = 2
k = 3
rows = 3000
epsilon = 2

[[outputs]]
name = "exact"
kind = "records"
input = "reading"
model = "seeded"
task = "mood"
per_task = false
bins = 5
resampled = [1, 2]
k = 4
copies = "exclude"
rows = 30
"""


def write_records_study(folder: Path, *, people: int = 80) -> Path:
    """Write reading.csv and plan.toml, and return the plan's path: what was seen hangs together, and cells are empty."""
    rng = np.random.default_rng(20261122)
    reading = ["who,task,mood,left_mm,right_mm,speed"]
    for person in range(people):
        for task in ("read", "search"):
            for _ in range(int(rng.integers(4, 12))):
                left, tired = rng.uniform(2, 8), rng.random() < 0.3
                right = np.clip(left + rng.normal(0, 0.2), 2, 8) if task == "read" else 10 - left
                mood = "tired" if tired else "calm" if left < 5 else "tense"
                speed = "" if rng.random() < 0.1 else f"{np.clip(rng.normal(left, 1), 0, 10):.2f}"
                reading.append(
                    f"p{person},{task},{'' if rng.random() < 0.05 else mood},{left:.3f},{right:.3f},{speed}"
                )
    (folder / "reading.csv").write_text("\n".join(reading) + "\n")
    (folder / "plan.toml").write_text(RECORDS_PLAN)
    return folder / "plan.toml"


HEATMAPS_PLAN = """
[release]
name = "heatmaps-study"
version = "1.0.0"
title = "A small invented study of attention"

[privacy]
epsilon = 8.0
delta = 1e-4

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", time = "t", duration = "ms" }
screen = { width_px = 80, height_px = 60, width_mm = 400, distance_mm = 600 }
stimuli = ["garden", "a/b"]
assume_public = ["assignment"]

[inputs.unassigned]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", time = "t", duration = "ms" }
screen = { width_px = 80, height_px = 60 }
stimuli = ["garden", "a/b"]

[[outputs]]
name = "still"
kind = "heatmap"
input = "gaze"
blur_px = 6
epsilon = 2

[[outputs]]
name = "moving"
kind = "heatmap"
input = "gaze"
blur_px = 10
window = [0, 5]
frames = 4
weight = "duration"
epsilon = 2

[[outputs]]
name = "composed"
kind = "heatmap"
input = "unassigned"
clipping = "per-stimulus"
max_stimuli_per_person = 1
prior = "none"
blur_px = 8
epsilon = 2
"""


CAPPED = """
[[outputs]]
name = "capped"
kind = "heatmap"
input = "unassigned"
mechanism = "gaussian"
cap = "private"
caps = [1, 2, 4]
width_px = 8
height_px = 6
max_samples_per_stimulus = 8
blur_px = 6
epsilon = 2
"""


def write_heatmaps_study(folder: Path, *, people: int = 60, capped: bool = False) -> Path:
    """Write gaze.csv and plan.toml of spectral heatmaps, or of one under a private cap, and return the plan's path."""
    rng = np.random.default_rng(20261123)
    gaze = ["who,picture,x,y,t,ms"]
    for person in range(people):
        for picture in ("garden", "a/b")[: 1 + person % 2]:
            for step in range(int(rng.integers(5, 40))):
                x, y = np.clip(rng.normal(50 - 4 * step, 8), 0, 80), np.clip(rng.normal(30, 9), 0, 60)
                gaze.append(f"p{person},{picture},{x:.2f},{y:.2f},{step * 0.25},{rng.integers(0, 400)}")
    (folder / "gaze.csv").write_text("\n".join(gaze) + "\n")
    head, outputs = HEATMAPS_PLAN.split("[[outputs]]", 1)
    (folder / "plan.toml").write_text(head + (CAPPED if capped else "[[outputs]]" + outputs))
    return folder / "plan.toml"


SIGNALS_PLAN = """
[release]
name = "signals-study"
version = "1.0.0"
title = "A small invented study of signals"

[privacy]
epsilon = 40.0
delta = 1e-4

[inputs.pupils]
kind = "features"
path = "pupils.csv"
columns = { person = "who", recording = "task", time = "t" }
recordings = ["read", "a/b"]
[inputs.pupils.bounds]
size_mm = [2.0, 8.0]
open = [0.0, 1.0]

[[outputs]]
name = "course"
kind = "signals"
input = "pupils"
length = 40
coefficients = 6
epsilon = 8

[[outputs]]
name = "levels"
kind = "signals"
input = "pupils"
baseline = "none"
length = 40
coefficients = 3
completion = "centre"
epsilon = 8

[[outputs]]
name = "after"
kind = "signals"
input = "pupils"
baseline = "start"
baseline_steps = 4
length = 40
epsilon = 8

[[outputs]]
name = "chunks"
kind = "signals"
input = "pupils"
mechanism = "cfpa"
chunk = 16
length = 40
coefficients = "private"
candidates = [1, 2, 4]
noise = "gaussian"
epsilon = 8

[[outputs]]
name = "changes"
kind = "signals"
input = "pupils"
mechanism = "dcfpa"
query = "each"
chunk = 16
length = 40
max_change = 0.1
clip = 0.5
features = ["open"]
epsilon = 8
"""


def write_signals_study(folder: Path, *, people: int = 30) -> Path:
    """Write pupils.csv and plan.toml of signals, and return the plan's path."""
    rng = np.random.default_rng(20261124)
    pupils = ["who,task,t,size_mm,open"]
    for person in range(people):
        level = rng.uniform(3, 7)
        for task in ("read", "a/b")[: 2 - (person % 10 == 9)]:
            for t in range(int(rng.integers(25, 60))):
                size = level + 0.4 * np.sin(t / 8 + (task == "read")) + rng.normal(0, 0.1)
                shut = "" if rng.random() < 0.1 else f"{np.clip(rng.normal(0.8, 0.1), 0, 1):.3f}"
                pupils.append(f"p{person},{task},{t * 0.5},{np.clip(size, 2, 8):.3f},{shut}")
    (folder / "pupils.csv").write_text("\n".join(pupils) + "\n")
    (folder / "plan.toml").write_text(SIGNALS_PLAN)
    return folder / "plan.toml"


AREAS_PLAN = """
[release]
name = "areas-study"
version = "1.0.0"
title = "A small invented study of areas"

[privacy]
epsilon = 20.0
delta = 1e-4

[inputs.looks]
kind = "gaze"
path = "looks.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", duration = "ms" }
screen = { width_px = 80, height_px = 60 }
assume_public = ["stimuli", "assignment"]

[[outputs]]
name = "visits"
kind = "areas"
input = "looks"
areas = "areas.toml"
transitions = true
max_stimuli_per_person = 2

[[outputs]]
name = "dwell"
kind = "areas"
input = "looks"
noise = "gaussian"
weight = "duration"
label_image = "labels/{stimulus}.png"
[outputs.areas]
sky = { label = 1 }
sea = { label = 2, stimuli = ["coast"] }
"""
AREAS = """
door = { rectangle = [0, 0, 20, 60] }
roof = { polygon = [[20, 0], [80, 0], [50, 30]] }
floor = { rectangle = [20, 40, 80, 60], stimuli = ["coast", "street.jpg"] }
"""


def write_areas_study(folder: Path, *, people: int = 50) -> Path:
    """Write looks.csv, areas.toml, label images and plan.toml, and return the plan's path; some see one picture, some three."""
    from PIL import Image

    rng = np.random.default_rng(20261123)
    pictures = ("coast", "garden", "street.jpg")
    looks = ["who,picture,x,y,ms"]
    for person in range(people):
        for picture in rng.permutation(pictures)[: rng.integers(1, 4)]:
            for _ in range(int(rng.integers(2, 20))):
                x, y = rng.uniform(0, 80), rng.normal(30, 9)
                ms = rng.integers(80, 900)
                looks.append(f"p{person},{picture},{x:.2f},{np.clip(y, 0, 60):.2f},{ms}")
    (folder / "looks.csv").write_text("\n".join(looks) + "\n")
    (folder / "areas.toml").write_text(AREAS)
    (folder / "labels").mkdir(exist_ok=True)
    for picture in pictures:
        labels = np.repeat([1, 1, 2 * (picture == "coast")], 4).reshape(3, 4).astype(np.uint8)
        Image.fromarray(labels).save(folder / "labels" / f"{picture}.png")
    (folder / "plan.toml").write_text(AREAS_PLAN)
    return folder / "plan.toml"


STATISTICS_PLAN = """
[release]
name = "statistics-study"
version = "1.0.0"
title = "A small invented study of statistics"

[privacy]
epsilon = 60.0
delta = 1e-4

[inputs.reading]
kind = "features"
path = "reading.csv"
columns = { person = "who", recording = "task" }
recordings = ["read", "a/b"]
[inputs.reading.bounds]
left_mm = [2.0, 8.0]
speed = [-1.0, 9.0]
[inputs.reading.categories]
mood = ["calm", "tense", "tired"]

[[outputs]]
name = "all"
kind = "statistics"
input = "reading"
statistics = ["count", "sum", "mean", "variance", "histogram", "median", "quantile:0.9"]
bins = 5
epsilon = 20

[[outputs]]
name = "tasks"
kind = "statistics"
input = "reading"
statistics = ["mean", "variance", "quantile:0.25"]
quantile_steps = 40
quantile_share = 0.5
by = "recording"
epsilon = 20

[[outputs]]
name = "moods"
kind = "statistics"
input = "reading"
statistics = ["count", "sum", "mean", "histogram"]
features = ["left_mm"]
noise = "gaussian"
by = "mood"
max_groups_per_person = 1
epsilon = 10

[[outputs]]
name = "chosen"
kind = "statistics"
input = "reading"
statistics = ["quantile:0.05", "quantile:0.95"]
features = ["speed"]
by = "mood"
max_groups_per_person = 2
epsilon = 10
"""


def write_statistics_study(folder: Path, *, people: int = 60, neighbours: str = "replace-one") -> Path:
    """Write reading.csv and plan.toml of statistics, and return the plan's path; some have one task, moods change."""
    rng = np.random.default_rng(20261125)
    reading = ["who,task,mood,left_mm,speed"]
    for person in range(people):
        for task in ("read", "a/b")[: 1 + (person % 4 > 0)]:
            for _ in range(int(rng.integers(2, 9))):
                mood = rng.choice(["calm", "tense", "tired", ""], p=[0.5, 0.3, 0.15, 0.05])
                speed = "" if rng.random() < 0.1 else f"{np.clip(rng.normal(4, 2), -1, 9):.2f}"
                reading.append(f"p{person},{task},{mood},{np.clip(rng.normal(5, 1), 2, 8):.3f},{speed}")
    (folder / "reading.csv").write_text("\n".join(reading) + "\n")
    changed = f'delta = 1e-4\nneighbours = "{neighbours}"'
    (folder / "plan.toml").write_text(STATISTICS_PLAN.replace("delta = 1e-4", changed))
    return folder / "plan.toml"


PEOPLE_PLAN = """
[release]
name = "people-study"
version = "1.0.0"
title = "A small invented study of people over time"

[privacy]
epsilon = 20.0
delta = 1e-5

[inputs.reading]
kind = "features"
path = "reading.csv"
columns = { person = "who", recording = "task", time = "t" }
recordings = ["read", "search", "rest"]
bounds = { pupil_mm = [2, 8], speed = [0, 10], blinks = [0, 4] }

[[outputs]]
name = "people"
kind = "people"
input = "reading"
people = 30
windows = 5
lattice = { blinks = 1 }
"""


def write_people_study(folder: Path, *, people: int = 60) -> Path:
    """Write reading.csv and plan.toml, and return the plan's path: people differ, successive windows are alike, and tasks differ in speed."""
    rng = np.random.default_rng(20261127)
    reading = ["who,task,t,pupil_mm,speed,blinks"]
    for person in range(people):
        level = rng.normal(0, 0.6)
        for number, task in enumerate(("read", "search", "rest")):
            here = rng.normal(0, 0.4)
            for t in range(int(rng.integers(4, 8))):
                here = 0.7 * here + rng.normal(0, 0.3)
                pupil, speed = 4 + level + here, 4 + number + here + rng.normal(0, 1)
                shut = "" if rng.random() < 0.05 else rng.integers(0, 5)
                reading.append(f"p{person},{task},{t},{pupil:.4f},{speed:.4f},{shut}")
    (folder / "reading.csv").write_text("\n".join(reading) + "\n")
    (folder / "plan.toml").write_text(PEOPLE_PLAN)
    return folder / "plan.toml"

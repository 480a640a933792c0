#!/usr/bin/env python3
"""Write the golden bundles, once: scripts/make_golden_bundles.py [NAME…].

They are files that every later reader must accept (`tests/golden/test_bundles.py`), as this program wrote them when they were
made, one of each plan in `tests/golden/plans`. A bundle that exists is therefore never written again, and this script refuses to: what a
later program writes otherwise is a further bundle, of a further plan. The data are invented.
"""

import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
BUNDLES, SUMS = GOLDEN / "bundles", GOLDEN / "bundles" / "SHA256SUMS"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import invented_study  # noqa: E402  a neighbour
import numpy as np  # noqa: E402
import people_release  # noqa: E402
import scanpath_study  # noqa: E402
from paid_study import grant  # noqa: E402

import synthrelease  # noqa: E402


def write_records(folder: Path) -> None:
    """As the study of records; and a column whose labels are all alike, so that a million records are small."""
    invented_study.write_records_study(folder)
    (folder / "rooms.csv").write_text("who,room,light\n" + "".join(f"p{n},one,0.5\n" for n in range(80)))


def write_people(folder: Path) -> None:
    """And a pilot of other people, who have the same values under other labels."""
    people_release.write_people_study(folder)
    head, *rows = (folder / "pupil.csv").read_text().splitlines()
    (folder / "others.csv").write_text("\n".join([head, *(f"other {row}" for row in rows)]) + "\n")


def write_public_maps(folder: Path) -> None:
    """Gaze as in the study of heatmaps, arrays of public maps, and a table of other people who look at other places."""
    invented_study.write_heatmaps_study(folder)
    head, *rows = (folder / "gaze.csv").read_text().splitlines()
    (folder / "others.csv").write_text("\n".join([head, *(f"other {row}" for row in rows[::3])]) + "\n")
    (folder / "maps").mkdir()
    for number, name in enumerate(("garden", "a%2Fb")):
        across, down = np.meshgrid(np.arange(16), np.arange(12))
        np.save(
            folder / "maps" / f"{name}.npy", np.exp(-((across - 9 + 4 * number) ** 2 + (down - 6) ** 2) / 12)
        )


def write_scanpaths(folder: Path) -> None:
    """Fixations of people, and of others as public maps."""
    (folder / "fixations.csv").write_text(scanpath_study.table())
    (folder / "others.csv").write_text(scanpath_study.table(20, prefix="other ", seed=1))


def write_estimates(folder: Path) -> None:
    """Gaze as in the study of heatmaps, and tasks that every person is in, as in the study of records."""
    invented_study.write_heatmaps_study(folder, people=200)
    invented_study.write_records_study(folder, people=200)


DATA = {
    "heatmaps": invented_study.write_heatmaps_study,
    "areas": invented_study.write_areas_study,
    "signals": invented_study.write_signals_study,
    "records": write_records,
    "statistics": invented_study.write_statistics_study,
    "unknown-number": invented_study.write_study,
    "seeded": invented_study.write_study,
    "estimates": write_estimates,
    "people": write_people,
    "public-maps": write_public_maps,
    "scanpaths": write_scanpaths,
    "deniable-scanpaths": write_scanpaths,
}


def main(names: list[str]) -> None:
    """Build a bundle of each plan that has none."""
    BUNDLES.mkdir(exist_ok=True)
    for name in names or DATA:
        seed = ".TEST-SEED" if name == "seeded" else ""
        bundle = BUNDLES / f"{name}{seed}.h5"
        if bundle.exists():
            sys.exit(f"{bundle.name} exists, and must verify for ever: it is never written again")
        with tempfile.TemporaryDirectory() as folder:
            made = build(name, Path(folder))
            shutil.copyfile(made, bundle)
        print(f"{bundle.name}: {bundle.stat().st_size} bytes")
    SUMS.write_text(
        "".join(f"{sha256(b.read_bytes()).hexdigest()}  {b.name}\n" for b in sorted(BUNDLES.glob("*.h5")))
    )


def build(name: str, folder: Path) -> Path:
    """Return the bundle of a plan."""
    DATA[name](folder)
    plan = folder / "plan.toml"
    plan.write_bytes((GOLDEN / "plans" / f"{name}.toml").read_bytes())
    if name == "statistics":
        grant(folder, epsilon=60.0, delta=1e-3)
    return synthrelease.build(plan, folder / "release.h5", test_seed=1 if name == "seeded" else None).path


if __name__ == "__main__":
    main(sys.argv[1:])

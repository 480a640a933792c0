"""A layer imports only from those below it, and only the right files touch HDF5 and randomness."""

import ast
import functools
import re
from pathlib import Path

import pytest
from layers import LAYERS

import synthrelease
from synthrelease.kinds.registry import SHIPPED

ROOT = Path(synthrelease.__file__).parent
ORDER = [layer.name for layer in LAYERS]
# `synthrelease` itself (version, lazy exports) is open to all; `__main__` starts the command line.
SECRETS = ("studio/guard.py", "studio/seals.py")
MODULES = sorted(p for p in ROOT.rglob("*.py") if p.name != "__main__.py" and p != ROOT / "__init__.py")


def layer_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


@functools.cache  # a dozen tests ask it of the whole package
def imports(path):
    """Every imported module, those inside functions included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.append(node.module)
            if node.module == "synthrelease":
                found += [f"synthrelease.{name.name}" for name in node.names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards(path):
    own = path.relative_to(ROOT).with_suffix("").parts[0]
    for module in imports(path):
        if module.split(".")[0] == "synthrelease" and layer_of(module) in ORDER:
            assert ORDER.index(layer_of(module)) <= ORDER.index(own), f"{own} imports {module}"


def test_every_module_belongs_to_a_layer():
    assert {p.relative_to(ROOT).with_suffix("").parts[0] for p in MODULES} == set(ORDER)
    assert len(set(ORDER)) == len(ORDER)


def users_of(library):
    return {str(p.relative_to(ROOT)) for p in MODULES if any(m.split(".")[0] == library for m in imports(p))}


def test_hdf5_is_touched_in_the_bundle_and_in_one_reader_of_data_only():
    assert users_of("h5py") <= {
        "bundle/writer.py",
        "bundle/strict_hdf5/library.py",
        "bundle/resealing.py",
        "data/readers/hdf5.py",
    }


def test_the_reader_of_hdf5_writes_none():
    tree = ast.parse((ROOT / "data" / "readers" / "hdf5.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    opening = [call for call in calls if ast.unparse(call.func) == "h5py.File"]
    assert {ast.unparse(call.args[1]) for call in opening} == {"'r'"}


@pytest.mark.parametrize(
    ("doing", "place"),
    [
        (
            r"\bsubprocess\.(Popen|run|call|check_\w+)\(|\bmultiprocessing\b|\bos\.(system|popen|exec|spawn|posix_spawn)",
            "children.py",
        ),
        (r"\bImage\.open\(|\bimread\(", "data/picture.py"),
    ],
    ids=["processes are started", "pictures are opened"],
)
def test_what_is_done_in_one_place_only(doing, place):
    assert {str(p.relative_to(ROOT)) for p in MODULES if re.search(doing, p.read_text("utf-8"))} == {place}


def test_recordings_of_eye_trackers_are_read_in_one_place():
    assert users_of("pymovements") == {"data/readers/eyelink.py"}


def test_libraries_of_extras_are_used_where_frames_are_made():
    typed = {"exports/readable.py", "arrays/release.py"}  # which name the types of frames only
    assert users_of("pandas") == {"exports/frames.py", "inference/estimate.py", *typed}
    assert users_of("xarray") == {"exports/arrays.py", *typed}


def test_randomness_is_made_in_one_place():
    # No noise comes from there.
    signing = {f"bundle/signing/{name}.py" for name in ("envelope", "key_pair", "keys", "sign")}
    # api.py names the type of a key.
    assert users_of("cryptography") == {"dp/noise/entropy.py", "api.py", *signing}
    for path in MODULES:
        text = path.read_text("utf-8")
        assert "numpy.random" not in text
        # Numbers of a public seed are in what is made up and in what follows from a release, and in no noise.
        assert ("np.random" in text) == (path == ROOT / "numerics" / "public_draws.py")
        assert not re.search(r"import random\b", text)  # not a sentence: Python
        assert ("urandom" in text) == (path == ROOT / "dp" / "noise" / "entropy.py")
        # Keys and nonces of the ledger, tokens and the key of the studio: they are in no noise, and no one need be able to repeat them.
        has_secrets = path.parent == ROOT / "ledgers" or path.relative_to(ROOT).as_posix() in SECRETS
        assert "import secrets" not in text or has_secrets  # not a sentence: Python
    names = ("design", "fitting", "made_up", "model", "rounds", "sampler")
    public = {f"kinds/people/{name}.py" for name in names}
    public |= {
        "evaluation/metrics/judged_scanpaths.py",
        "numerics/gaze_samples.py",
        "studio/simulated.py",
        "inference/quotient.py",
        "inference/redrawn.py",
    }
    public |= {f"kinds/{name}.py" for name in ("scanpath_form", "synthetic_gaze", "scanpaths/chain")}
    found = {str(p.relative_to(ROOT)) for p in MODULES if "synthrelease.numerics.public_draws" in imports(p)}
    assert found == public


@functools.cache
def run_time_imports(path):
    """Imports, but for those that are for types alone."""
    tree = ast.parse(path.read_text("utf-8"))
    typing = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    alone = {id(node) for one in typing for node in ast.walk(one)}
    return [
        node.module for node in ast.walk(tree) if id(node) not in alone and isinstance(node, ast.ImportFrom)
    ]


def reached(start):
    """All modules of the package that one imports, however far, those that a function imports included."""
    found, left = set(), [start]
    while left:
        module = left.pop()
        path = ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
        path = path if path.exists() else path.with_suffix("") / "__init__.py"
        if module in found or not module.startswith("synthrelease.") or not path.exists():
            continue
        found.add(module)
        left += run_time_imports(path)
    return found


def dotted(path):
    return ".".join(("synthrelease", *path.relative_to(ROOT).with_suffix("").parts))


PRIVATE = re.compile(r"synthrelease\.(dp\.noise\b.*|kinds\.\w+\.(prepare|mechanism)|kinds\.mechanism)")


@pytest.mark.parametrize("layer", ["bundle", "report", "exports"])
def test_what_checks_shows_and_exports_loads_no_private_half(layer):
    """`verify`, reports and exports are made of public halves: no noise, no contributions."""
    for path in (ROOT / layer).rglob("*.py"):
        modules = reached(dotted(path))
        private = sorted(filter(PRIVATE.fullmatch, modules))
        # A model with noise is read to be sampled from.
        assert private == [] or "synthrelease.bundle.reading" in modules, path
        assert not [one for one in private if "noise" not in one], path


def test_public_halves_load_no_private_ones():
    halves = sorted((ROOT / "kinds").glob("*/public*.py"))
    assert len(halves) >= 5
    for path in (*halves, ROOT / "kinds" / "registry.py"):
        assert not list(filter(PRIVATE.fullmatch, reached(dotted(path)))), path


def test_no_file_is_much_above_400_lines():
    assert {str(p): n for p in MODULES if (n := len(p.read_text("utf-8").splitlines())) > 420} == {}


def asks_for_a_kind(source):
    """Return the lines that compare something with the name of a kind of this package, or look one up by it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        compared += [node.value] if isinstance(node, ast.MatchValue) else []
        texts = {leaf.value for one in compared for leaf in ast.walk(one) if isinstance(leaf, ast.Constant)}
        found += [node.lineno] if texts & {kind.name for kind in SHIPPED} else []
    return found


def test_only_kinds_know_kinds_by_name():
    """Whatever differs by kind is declared by it; else a kind of another package would be taken for one of this."""
    # Labels of items; names of columns and datasets; keys `people` and `statistics` of a manifest.
    elsewhere = {
        "reports/released.py": 3,
        "evaluation/ground_truth/maps.py": 1,
        "plan/plan.py": 1,
        "building/preview_words.py": 1,
        "bundle/finding.py": 1,
        "bundle/release_claims.py": 1,
    }
    paths = [path for path in MODULES if path.relative_to(ROOT).parts[0] != "kinds"]
    lines = {str(path.relative_to(ROOT)): asks_for_a_kind(path.read_text("utf-8")) for path in paths}
    assert {name: len(found) for name, found in lines.items() if found} == elsewhere


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('if output["kind"] == "records":\n    pass\n', [1]),
        ('x = kind in ("areas", "signals")\n', [1]),
        ('match kind:\n    case "heatmap":\n        pass\n', [2]),
        ('title = "records"\n', []),
    ],
)
def test_questions_for_a_kind_are_seen(source, lines):
    assert asks_for_a_kind(source) == lines

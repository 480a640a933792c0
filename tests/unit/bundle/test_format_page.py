"""docs/reference/format.md says what the code does: its bytes, its codes of findings, the tests that it names."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synthrelease.bundle import verify
from synthrelease.bundle.content import Content, content_of
from synthrelease.bundle.layout import USER_BLOCK, block_of, user_block
from synthrelease.bundle.strict_hdf5 import messages
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.writer import write_body, write_bundle

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "format.md").read_text("utf-8")
GOLDEN = ROOT / "tests" / "golden" / "bundles"


def rows(title: str) -> list[list[str]]:
    """The cells of the first table under a title."""
    below = PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_code_of_a_finding_is_explained_and_no_other() -> None:
    stated = {code for row in rows("What `verify` finds") for code in re.findall(r"`([a-z-]+)`", row[0])}
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "synthrelease").rglob("*.py"))
    used = set(re.findall(r'Finding\(\s*"([a-z-]+)"', sources))
    bundle = "".join(path.read_text("utf-8") for path in (ROOT / "synthrelease" / "bundle").rglob("*.py"))
    used |= set(re.findall(r'yield \(?"([a-z-]+)", ', bundle)) | set(
        re.findall(r'"findings": \[\("([a-z-]+)"', bundle)
    )
    assert stated == used


def test_every_rule_has_a_test_and_every_test_exists() -> None:
    head, below = PAGE.split("\n## Rules and their tests\n")  # not a sentence: a heading of the page
    of_file = head.split("\n## The file\n")[1]  # not a sentence: a heading of the page
    defined = re.findall(r"\[([A-Z][0-9]+)\]", of_file)
    assert len(defined) == len(set(defined))
    found = rows("Rules and their tests")
    assert {rule for row in found for rule in row[0].split(", ")} == set(defined)
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = {name for row in found for name in re.findall(r"`(\w+)`", row[1])}
    assert {name for name in named if f"def {name}(" not in tests} == set()
    assert all("`" in row[1] for row in found)
    assert below


def block_after(rule: str) -> list[str]:
    """The indented lines that follow the paragraph of a rule."""
    lines = PAGE.split(f"[{rule}]", 1)[1].split("\n\n", 1)[1].split("\n\n", 1)[0].splitlines()
    return [line.strip() for line in lines]


def numbers(line: str) -> str:
    """Its hexadecimal numbers, and .. for what differs, without what is said of them."""
    found = re.match(r"(?:(?:[0-9a-f]{2}|\.\.|<u32 w>)\s+)+", line + " ")
    assert found is not None
    return found.group().replace("<u32 w>", "04 00 00 00")


def test_types_and_filters_are_those_of_the_code() -> None:
    stated = dict(line.split("  ", 1) for line in block_after("H9"))
    encoded = {f"{kind.kind}{kind.itemsize}": form.hex(" ") for kind, form in messages._TYPES.items()}
    assert stated == encoded
    lines = block_after("H10")
    assert bytes.fromhex("".join(map(numbers, lines))) == messages.pipeline_of(4)
    assert f"`{messages.FILL_VALUE.hex(' ')}`" in PAGE


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.h5")), ids=lambda path: path.name)
def test_the_superblock_is_that_of_the_page(path: Path) -> None:
    stated = "".join(map(numbers, block_after("H3"))).split()
    found = path.read_bytes()[USER_BLOCK : USER_BLOCK + 96].hex(" ").split()
    assert len(stated) == len(found)
    assert [one if other != ".." else ".." for one, other in zip(found, stated, strict=True)] == stated
    assert struct.unpack_from("<Q", bytes.fromhex("".join(found)), 40) == (path.stat().st_size,)


def test_the_text_block_is_that_of_the_page() -> None:
    text = PAGE.split("```text\n", 1)[1].split("\n```", 1)[0]
    *lines, last = text.splitlines()
    for mark, seeded in zip(last.split("  |  "), (False, True), strict=True):
        whole = "\n".join([*lines, mark]) + "\n"
        whole = whole.replace("<64 lower-case hexadecimal digits>", "0a" * 32)
        assert whole.encode().ljust(511) + b"\n" == block_of("0a" * 32, test_seed=seeded)


def test_a_digest_that_is_not_that_of_the_values(tmp_path: Path) -> None:
    """`reseal` makes digests agree; here they are left as a forger would who forgets them."""
    path = GOLDEN / "statistics.h5"
    with BundleFile(path) as file:
        manifest, content = file.manifest(), content_of(file)
        whole = replace(content, values=list(content.values))

    def codes(change: Any) -> set[str]:
        changed = {**manifest, "digests": dict(manifest["digests"])}
        change(changed["digests"])
        with (tmp_path / "r.h5").open("w+b") as file:
            write_body(file, whole, lambda _: changed)
        body = (tmp_path / "r.h5").read_bytes()[USER_BLOCK:]
        (tmp_path / "r.h5").write_bytes(user_block(body, test_seed=False) + body)
        return {finding.code for finding in verify(tmp_path / "r.h5").findings}

    first, *_ = manifest["digests"]
    assert codes(len) == set()
    assert codes(lambda digests: digests.update({first: "0" * 64})) == {"digest"}
    assert codes(lambda digests: digests.pop(first)) == {"digest"}
    assert codes(lambda digests: digests.update({"/outputs/other": "0" * 64})) == {"digest"}


def _upside_down(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: _upside_down(value) for key, value in reversed(item.items())}
    return [_upside_down(one) for one in item] if isinstance(item, list) else item


def test_what_a_writer_may_choose(tmp_path: Path) -> None:
    """Order of keys, of attributes and of structures, 40 or 40.0, i4 or i8."""
    path = tmp_path / "r.h5"
    with BundleFile(GOLDEN / "areas.h5") as file:
        content, before = content_of(file), file.manifest()
        values = list(content.values)
    groups = {name: dict(reversed(group.items())) for name, group in content.groups.items()}
    noisy = "/outputs/dwell/dwell/noisy"
    assert content.forms[noisy].dtype == np.int32
    forms = dict(reversed(content.forms.items())) | {
        noisy: replace(content.forms[noisy], dtype=np.dtype(np.int64))
    }
    scales_first = {name: forms[name] for name in sorted(forms, key=lambda name: not forms[name].axis)}
    assert list(scales_first) != list(content.forms)

    def completed(digests: dict[str, str]) -> dict[str, Any]:
        assert before["privacy"]["budget"]["epsilon"] == 20.0
        changed = {**before, "digests": digests}
        changed["privacy"] = {**before["privacy"], "budget": {**before["privacy"]["budget"], "epsilon": 20}}
        return _upside_down(changed)

    path.touch()
    write_bundle(path, Content(groups, scales_first, values), completed=completed, test_seed=False)
    assert verify(path).findings == []
    with BundleFile(path) as file, BundleFile(GOLDEN / "areas.h5") as other:
        assert file.array(noisy).dtype == np.int64
        assert list(file.anatomy.groups["/"]) != list(other.anatomy.groups["/"])
        starts = [[one.structure for one in which.anatomy.regions] for which in (file, other)]
        assert starts[0] != starts[1]

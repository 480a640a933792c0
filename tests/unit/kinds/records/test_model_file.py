"""Models in files: every bit comes back, and what is no model is refused with the file's name and no more."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import check_refusal

from synthrelease.data.attribute import Attribute
from synthrelease.errors import DataError
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.model_file import load_model, save_model

ATTRIBUTES = (
    Attribute("group", 2, ("canary-a", 'Größe 日本 \u2028"\\')),
    Attribute("pupil_mm", 3, None, 2.0, 8.1),
    Attribute("hand", 3, ("left", "right"), missing=True),
)
MODEL = SeededModel(
    [[0.1, 0.9], [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.0, 0.5]], [[0.2, 0.3, 0.5]] * 3],
    (0, 1, 2),
    (1, 2),
    [(), (0,), (1,)],
)
FORMAT = "synthrelease model 1"


def through_file(path: Path, model: SeededModel, attributes: tuple[Attribute, ...]) -> SeededModel:
    save_model(path, model, attributes)
    again, of_file = load_model(path)
    assert of_file == attributes
    assert (again.order, again.resampled, again.parents) == (model.order, model.resampled, model.parents)
    for one, other in zip(again.marginals, model.marginals, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    return again


def test_a_model_comes_back_bit_for_bit_with_its_attributes(tmp_path: Path) -> None:
    through_file(tmp_path / "model.json", MODEL, ATTRIBUTES)
    through_file(tmp_path / "with blank, ü.txt", MODEL, ATTRIBUTES)
    path, again = str(tmp_path / "twice.json"), MODEL
    for _ in range(2):
        save_model(path, again, ATTRIBUTES)
        again, _ = load_model(path)
    assert [t.tolist() for t in again.marginals] == [t.tolist() for t in MODEL.marginals]


def test_the_file_is_plain_json_of_one_format(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_model(path, MODEL, ATTRIBUTES)
    form = json.loads(path.read_bytes())
    assert form["format"] == FORMAT
    assert set(form) == {"format", "attributes", "order", "resampled", "parents", "tables"}
    assert path.read_bytes().decode("utf-8").endswith("}\n")
    assert "Größe 日本" in path.read_text(encoding="utf-8")  # a reader sees the labels
    before = path.read_bytes()
    save_model(path, MODEL, ATTRIBUTES)  # over the old one
    assert path.read_bytes() == before


@given(
    weights=st.lists(
        st.lists(st.one_of(st.just(0.0), st.floats(5e-324, 1.0)), min_size=3, max_size=3).filter(
            lambda w: sum(w) > 1e-3
        ),
        min_size=1,
        max_size=4,
    ),
    low=st.floats(-1e300, 1e300),
)
def test_every_float_comes_back(
    tmp_path_factory: pytest.TempPathFactory, weights: list[list[float]], low: float
) -> None:
    rows = [[w / math.fsum(row) for w in row] for row in weights]
    model = SeededModel([[1 / len(rows)] * len(rows), rows], (0, 1), (1,), [(), (0,)])
    attributes = (
        Attribute("a", len(rows), None, low, math.nextafter(low, math.inf)),
        Attribute("b", 3, None, 0.1, 1 / 3),
    )
    through_file(tmp_path_factory.mktemp("models") / "m.json", model, attributes)


# --- what is no model


def form_of(path: Path) -> dict[str, Any]:
    save_model(path, MODEL, ATTRIBUTES)
    form: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return form


def refused(path: Path, kind: str = "") -> None:
    with pytest.raises(DataError) as caught:
        load_model(path)
    check_refusal(caught.value, path, "not-a-model", secrets=("canary",))
    assert FORMAT in caught.value.expected
    assert kind in caught.value.found


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"canary",
        b"{",
        b'{"format": "synthrelease model 1", ',
        b"[]",
        b"null",
        b"3",
        b'"synthrelease model 1"',
        b"\x89HDF\r\n\x1a\n",
        b"PAR1canary",
        b"\xff\xfe{\x00}\x00",
        b'{"format": "\xe9"}',  # Latin-1
        b"{}",
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    refused(path)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path, code in ((tmp_path / "nothing.json", "no-such-file"), (tmp_path, "path-is-folder")):
        with pytest.raises(DataError) as caught:
            load_model(path)
        check_refusal(caught.value, path, code, secrets=("canary",))


@pytest.mark.parametrize("length", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_refused(tmp_path: Path, length: float) -> None:
    path = tmp_path / "model.json"
    form_of(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * length)])
    refused(path)


@pytest.mark.parametrize("key", ["format", "attributes", "order", "resampled", "parents", "tables"])
def test_a_missing_key_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "model.json"
    form = form_of(path)
    del form[key]
    path.write_text(json.dumps(form), encoding="utf-8")
    refused(path)


@pytest.mark.parametrize("key", ["name", "categories", "labels"])
def test_a_missing_key_of_an_attribute_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "model.json"
    form = form_of(path)
    del form["attributes"][1][key]
    path.write_text(json.dumps(form), encoding="utf-8")
    refused(path)


CHANGES: dict[str, tuple[tuple[Any, ...], Any]] = {
    "another format": (("format",), "synthrelease model 2"),
    "format of another type": (("format",), None),
    "no attributes": (("attributes",), []),
    "one attribute too few": (("attributes",), [a.to_json() for a in ATTRIBUTES[:2]]),
    "attributes the wrong way round": (("attributes",), [a.to_json() for a in ATTRIBUTES[::-1]]),
    "attributes that are none": (("attributes",), ["canary"] * 3),
    "one category too many": (("attributes", 1, "categories"), 4),
    "one category too few": (("attributes", 2, "categories"), 2),
    "an unknown field": (("attributes", 0, "canary"), 1),
    "labels that are a number": (("attributes", 0, "labels"), 7),
    "one table too few": (("tables",), [t.tolist() for t in MODEL.marginals[:2]]),
    "a table without its parent's axis": (("tables", 1), [0.2, 0.3, 0.5]),
    "a table of another parent": (("tables", 1), [[0.2, 0.3, 0.5]] * 3),
    "a ragged table": (("tables", 1, 0), [0.5, 0.5]),
    "a table that is a number": (("tables", 0), 1.0),
    "a table of text": (("tables", 0), ["canary", "b"]),
    "a table of nothing": (("tables", 0), []),
    "a table that is null": (("tables", 0), None),
    "a probability above one": (("tables", 0), [1.5, -0.5]),
    "probabilities that sum to less": (("tables", 0), [0.1, 0.8]),
    "a probability that is NaN": (("tables", 0), [math.nan, 0.5]),
    "a probability that is infinite": (("tables", 0), [math.inf, 0.5]),
    "an order that repeats": (("order",), [0, 1, 1]),
    "an order that is too short": (("order",), [0, 1]),
    "an order that is text": (("order",), "canary"),
    "an order that is null": (("order",), None),
    "children before parents": (("order",), [1, 0, 2]),
    "nothing drawn": (("resampled",), [0]),
    "an empty Ω": (("resampled",), []),
    "Ω beyond all": (("resampled",), [4]),
    "Ω that is a number": (("resampled",), 1),
    "parents that are not there": (("parents", 1), [7]),
    "its own parent": (("parents", 1), [1]),
    "parents that are a number": (("parents", 1), 0),
    "parents of too few": (("parents",), [[], [0]]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_form_that_makes_no_model_is_refused(tmp_path: Path, change: tuple[tuple[Any, ...], Any]) -> None:
    path = tmp_path / "model.json"
    where, value = change
    form = form_of(path)
    at = copy.copy(form)
    inside: Any = at
    for step in where[:-1]:
        inside = inside[step]
    inside[where[-1]] = value
    path.write_text(json.dumps(at), encoding="utf-8")
    refused(path)


def test_a_model_that_is_not_finite_is_not_written_as_if_it_were_json(tmp_path: Path) -> None:
    odd = (Attribute("a", 2, None, 0.0, math.inf), *ATTRIBUTES[1:])
    with pytest.raises(ValueError, match="JSON"):
        save_model(tmp_path / "model.json", MODEL, odd)
    assert not (tmp_path / "model.json").exists()


def test_a_loaded_model_draws_and_tells_what_the_saved_one_does(tmp_path: Path) -> None:
    again = through_file(tmp_path / "model.json", MODEL, ATTRIBUTES)
    records = np.array([[0, 1, 2], [1, 0, 0], [1, 2, 1]])
    np.testing.assert_array_equal(again.log_conditional(records), MODEL.log_conditional(records))
    for one, other in zip(again.given({2: 1}).marginals, MODEL.given({2: 1}).marginals, strict=True):
        np.testing.assert_array_equal(one, other)

"""Drawings of kinds: they stand in pages, so they are pictures and nothing else."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.registry import SHIPPED

SHAPES = {"svg", "g", "rect", "circle", "ellipse", "path"}


@pytest.mark.parametrize("kind", SHIPPED, ids=lambda kind: kind.name)
def test_every_kind_of_the_package_has_one_of_shapes_alone(kind: Kind) -> None:
    drawing = ET.fromstring(kind.thumbnail)  # noqa: S314  our own file
    assert drawing.get("viewBox") == "0 0 120 72"
    assert {shape.tag for shape in drawing.iter()} <= SHAPES
    assert not {"style", "href", "onload"} & {key for shape in drawing.iter() for key in shape.attrib}


def test_no_two_are_alike() -> None:
    assert len({kind.thumbnail for kind in SHIPPED}) == len(SHIPPED)


def test_a_package_may_have_none() -> None:
    assert dataclasses.replace(SHIPPED[0], package="synthrelease.kinds").thumbnail == ""

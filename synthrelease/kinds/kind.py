"""A kind of output: what the registry, and with it every command, knows of it.

A kind outside this package is an object of this class that an entry point of the group `synthrelease.kinds` names (docs/contribute/kind.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.field_schema import Schema
from synthrelease.kinds.parameters import Parameters

if TYPE_CHECKING:
    from synthrelease.data.facts import Facts
    from synthrelease.data.input_spec import InputSpec
    from synthrelease.dp.event import Event
    from synthrelease.kinds.mechanism import Mechanism
    from synthrelease.kinds.output_spec import OutputSpec


@dataclass(frozen=True)
class Kind:
    """A kind of output: its public half, and where its private half is."""

    name: str  # as plans and manifests have it
    title: str  # of what it releases, such as "Heatmaps"
    subject: str  # a keyword for catalogues
    package: str  # with `options.json` and the module `prepare`, its private half
    parameters: tuple[type[Parameters], ...]  # public parameters of its mechanisms
    # Under which its guarantees are proved: one that divides by the number of people needs that to be public.
    relations: tuple[Neighbours, ...] = (Neighbours.REPLACE_ONE,)
    has_model: bool = False  # whether its package has a module `model`, of which anyone may draw more
    # What stands for <words> in `options.json`: names that code lists.
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def input_kinds(self) -> tuple[str, ...]:
        """What it can be made of: "gaze" or "features"."""
        return tuple(dict.fromkeys(parameters.input_kind for parameters in self.parameters))

    @cached_property
    def options(self) -> Schema:
        """What a plan may write for such an output: a JSON schema of `properties`, which are `required`, and a description."""
        text = files(self.package).joinpath("options.json").read_text("utf-8")
        for word, names in self.named.items():
            text = text.replace(f"<{word}>", names)
        options: Schema = json.loads(text)
        properties = options["properties"]
        if "mechanism" in properties:
            properties["mechanism"]["enum"] = self.mechanisms
        for parameters in self.parameters:
            properties |= parameters.plan_options
        return options

    @cached_property
    def thumbnail(self) -> str:
        """A drawing of what it releases, as SVG of 120 × 72 in the colour of the text; "" if its package has none."""
        file = files(self.package).joinpath("thumbnail.svg")
        return file.read_text("utf-8") if file.is_file() else ""

    @property
    def public_paths(self) -> list[str]:
        """The options that are paths: what they lead to is public, since private files are inputs."""
        return [
            key
            for key, node in self.options["properties"].items()
            if any(form.get("$ref") == "#/$defs/file" for form in (node, *node.get("oneOf", ())))
        ]

    @property
    def mechanisms(self) -> list[str]:
        """The names of all mechanisms."""
        return list(dict.fromkeys(name for parameters in self.parameters for name in parameters.mechanisms))

    def read(self, mechanism: Mapping[str, Any]) -> Parameters:
        """Return the public parameters that a manifest's entry of a mechanism states.

        Raises:
            ValueError: they have not the form of its mechanism's.
            KeyError: the kind has no such mechanism.
        """
        return self.form_of(mechanism).from_entry(mechanism)

    def model(self, mechanism: Mapping[str, Any], event: Event, arrays: Mapping[str, Any]) -> Any:
        """Return what anyone may draw more from, of a release's datasets by path; None if the release holds no model.

        Args:
            mechanism: a manifest's entry.
            event: what was done.
            arrays: the output's datasets.
        """
        if not self.has_model:
            return None
        module = import_module(f"{self.package}.model")
        return module.released_model(self.read(mechanism), event, arrays)

    def form_of(self, mechanism: Mapping[str, Any]) -> type[Parameters]:
        """Return what a manifest's entry of a mechanism has the form of; KeyError if the kind has no such mechanism."""
        for parameters in self.parameters:
            if parameters.is_named(mechanism):
                return parameters
        raise KeyError(mechanism["name"])

    def prepare(
        self, spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
    ) -> Mechanism[Any]:
        """Return the mechanism that a plan's output asks for, with every public parameter filled in.

        Loads the private half, which no one needs who checks or reads a release.

        Raises:
            PlanError: parameters contradict each other or the input, or the relation is not one of the kind's.
            PolicyError: the guarantee would be false or empty.
        """
        if neighbours not in self.relations:
            raise PlanError(
                "needs-public-people",
                f"a {self.name} output needs the number of participants to be public",
                where=spec.where,
                found=f'neighbours = "{neighbours}"',
                expected=" or ".join(f'neighbours = "{relation}"' for relation in self.relations),
                remedy="change neighbours, or release another kind of output",
            )
        private_half = import_module(f"{self.package}.prepare")
        mechanism: Mechanism[Any] = private_half.prepare(spec, source, facts, neighbours)
        return mechanism

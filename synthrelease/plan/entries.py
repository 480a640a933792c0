"""What the classes of a plan's entries have in common: frozen, by name only, and they keep which keys were stated.

The classes themselves, `synthrelease.plan.inputs` and `synthrelease.plan.outputs`, are generated from the schema of plans.
"""

from __future__ import annotations

import copy
import inspect
import math
import os
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, NoReturn, dataclass_transform

from synthrelease.data.arguments import listed, plain, screen_keys
from synthrelease.data.screen import Screen
from synthrelease.plan.named_arguments import refuse_names

IN_MEMORY = "in memory"  # stands in a plan in the place of a path


def leading(*, kw_only: bool) -> Any:
    """Declare a field of an entry that may be given without its name."""
    return _LEADING if not kw_only else inspect.Parameter.empty


_LEADING: Any = object()


def _parameter(name: str, annotation: Any, body: Mapping[str, Any]) -> inspect.Parameter:
    empty, default = inspect.Parameter.empty, body.get(name, inspect.Parameter.empty)
    first = default is _LEADING
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD if first else inspect.Parameter.KEYWORD_ONLY,
        default=empty if first else default,
        annotation=annotation,
    )


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False, field_specifiers=(leading,))
class PlanEntry:  # noqa: PLW1641  tables hold lists
    """A table of a plan. Its values are checked when a plan is made of it."""

    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls) -> None:
        """Make the signature of the annotated fields."""
        if "__init__" in vars(cls):  # which has one
            own = list(inspect.signature(cls.__init__).parameters.values())[1:]
            cls.__signature__ = inspect.Signature(own)
            return
        fields = {
            name: words
            for base in reversed(cls.__mro__)
            for name, words in inspect.get_annotations(base).items()
            if "ClassVar" not in str(words)
        }
        cls.__signature__ = inspect.Signature(
            [_parameter(name, words, vars(cls)) for name, words in fields.items()], return_annotation=None
        )

    def __init__(self, *unnamed: Any, **stated: Any) -> None:
        parameters = inspect.signature(type(self)).parameters
        first = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
        given = {**dict(zip(first, unnamed, strict=False)), **stated}
        where = f"{type(self).__name__}()"
        needed = [name for name, one in parameters.items() if one.default is one.empty]
        own = {name: value for name, value in given.items() if value is not None or name not in parameters}
        refuse_names(where, own, parameters, needed, unnamed=len(unnamed) - len(first))
        self._keep({name: self._plain(name, value, f"{where}.{name}") for name, value in own.items()})

    def _keep(self, stated: dict[str, Any]) -> None:
        vars(self).update({name: _frozen(value) for name, value in stated.items()}, _stated=stated)

    def _plain(self, _name: str, value: Any, where: str) -> Any:
        return plain(value, where)

    @property
    def stated(self) -> dict[str, Any]:
        """What was stated, as TOML would have been read; keys that were left out are not in it."""
        return dict(copy.deepcopy(vars(self)["_stated"]))

    def document(self) -> dict[str, Any]:
        """Return the entry as TOML would have been read."""
        return self.stated

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise FrozenInstanceError(name)

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanEntry):
            return NotImplemented
        return bool(comparable(self.document()) == comparable(other.document()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> list[str]:
        return [f"{name}={value!r}" for name, value in vars(self)["_stated"].items()]


_LABELS = {"stimuli", "recordings"}  # public lists; a study may number them


class InputEntry(PlanEntry):  # noqa: PLW1641  as above
    """An input of a plan: its file, or rows in memory."""

    kind: ClassVar[str]

    @property
    def rows(self) -> object | None:
        """The rows in memory, private; None if it is a file."""
        data = vars(self)["data"]
        return None if isinstance(data, str) else data

    def document(self) -> dict[str, Any]:
        """Return the entry as TOML would have been read: rows in memory are not in it."""
        keys = {name: value for name, value in self.stated.items() if name != "data"}
        path = IN_MEMORY if self.rows is not None else vars(self)["data"]
        return {"kind": self.kind, "path": path, **keys}

    @property
    def stated(self) -> dict[str, Any]:
        """What was stated, as TOML would have been read, next to `data`."""
        own = vars(self)["_stated"]
        return {name: value if name == "data" else copy.deepcopy(value) for name, value in own.items()}

    def __eq__(self, other: object) -> bool:
        same_rows = isinstance(other, InputEntry) and self.rows is other.rows
        return same_rows and super().__eq__(other)

    def _plain(self, name: str, value: Any, where: str) -> Any:
        if name == "data":
            return os.fspath(value) if isinstance(value, str | os.PathLike) else value
        if name in _LABELS:
            return listed(value, where, example=f'{name}=["1001", "1002"]')
        is_screen = name == "screen" and not isinstance(value, Mapping)
        return screen_keys(value, where) if is_screen else plain(value, where)

    def _shown(self) -> list[str]:
        shown = [f"{name}={value!r}" for name, value in self.stated.items() if name != "data"]
        return [f"<rows {IN_MEMORY}>" if self.rows is not None else repr(vars(self)["data"]), *shown]


class OutputEntry(PlanEntry):
    """An output of a plan."""

    kind: ClassVar[str]
    name: str | None = None
    input: str | None = None

    def document(self) -> dict[str, Any]:
        """Return the entry as TOML would have been read."""
        return {"kind": self.kind, **self.stated}


ScreenLike = Screen | tuple[int, int]


def comparable(value: Any) -> Any:
    """Return a value that is equal to that of an equal plan: nan is nan."""
    match value:
        case dict():
            return {key: comparable(inner) for key, inner in value.items()}
        case list():
            return [comparable(inner) for inner in value]
        case float():
            return "nan" if math.isnan(value) else value
        case _:
            return value


def _frozen(value: Any) -> Any:
    """A value that changes nothing if it is changed."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return {key: _frozen(inner) for key, inner in value.items()} if isinstance(value, dict) else value


class OtherOutput(OutputEntry):
    """An output of a kind that another package registers; of a kind of this package, it is equal to one of its own class.

    Args:
        kind: its name.
        name: of the output in the bundle. Default: its kind, if no other output is of that kind.
        input: name of the input that it is made of. Default: the only one that it can be made of.
        options: all other keys that a plan has of that kind.

    Raises:
        ArgumentError: an option is nothing that a plan could hold. Which options there are is checked when a plan is made.
    """

    kind: str  # type: ignore[misc]  # of each object its own

    def __init__(
        self,
        *,
        kind: str,
        name: str | None = None,
        input: str | None = None,  # noqa: A002  as a plan has it
        **options: Any,
    ) -> None:
        stated = {"name": name, "input": input, **options}
        where = "OtherOutput()"
        vars(self)["kind"] = plain(kind, f"{where}.kind")
        self._keep(
            {key: plain(value, f"{where}.{key}") for key, value in stated.items() if value is not None}
        )

    def _shown(self) -> list[str]:
        return [f"kind={self.kind!r}", *super()._shown()]

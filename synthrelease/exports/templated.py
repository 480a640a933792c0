"""Plain texts of exports from templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def filled(template: str, filters: Mapping[str, Callable[..., Any]], **values: Any) -> str:
    """Return the text of `templates/<template>`.

    Args:
        template: its name.
        filters: functions that escape or wrap a value, by their names in the template.
        values: what the template fills in.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  where a text is made

    environment = Environment(
        loader=PackageLoader("synthrelease.exports", "templates"),
        autoescape=False,  # noqa: S701  no page: filters make values harmless in it
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment.get_template(template).render(**values)

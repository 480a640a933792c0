"""A plan as `init` proposes it, filled in as a curator would."""

from __future__ import annotations

import re
from pathlib import Path

from synthrelease.plan.settings_file import FILL_IN


def filled(plan: Path, **values: str) -> None:
    """Do what the comments ask for: titles, sizes and ranges, from outside."""
    text = plan.read_text().replace(f'title = "{FILL_IN}"', 'title = "A study"')
    for key, value in values.items():
        text, count = re.subn(
            rf'(?m)\b{key} = ("{FILL_IN}"|\["{FILL_IN}"(, "{FILL_IN}")?\])', f"{key} = {value}", text
        )
        assert count == 1, key
    text = text.replace(f'["{FILL_IN}", ', "[")  # of a list: the design of the study made it
    assert f'"{FILL_IN}"' not in text
    plan.write_text(text)

"""The command line: parse, call, print, exit code; nothing else."""

from synthrelease.extras import ignore_styles
from synthrelease.parallel.freed_memory import return_freed_memory

return_freed_memory()  # before polars is imported
ignore_styles()  # before matplotlib is

from synthrelease.cli import (  # noqa: E402
    building,
    bundles,
    completing,
    converting,
    evaluating,
    ledgers,
    preparing,
    signing,
    starting,
    studio,
)
from synthrelease.cli.group import main  # noqa: E402

__all__ = [
    "building",
    "bundles",
    "completing",
    "converting",
    "evaluating",
    "ledgers",
    "main",
    "preparing",
    "signing",
    "starting",
    "studio",
]

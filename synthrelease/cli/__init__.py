"""The command line: parse, call, print, exit code; nothing else."""

from synthrelease.cli import (
    building,
    bundles,
    completing,
    converting,
    evaluating,
    ledgers,
    preparing,
    signing,
    starting,
)
from synthrelease.cli.group import main

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
]

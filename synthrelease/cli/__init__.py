"""The command line: parse, call, print, exit code; nothing else."""

from synthrelease.cli import building, bundles, completing, evaluating, ledgers, preparing, signing, starting
from synthrelease.cli.group import main

__all__ = [
    "building",
    "bundles",
    "completing",
    "evaluating",
    "ledgers",
    "main",
    "preparing",
    "signing",
    "starting",
]

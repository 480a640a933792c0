"""The command line: parse, call, print, exit code; nothing else."""

from synthrelease.cli import building, bundles, ledgers
from synthrelease.cli.group import main

__all__ = ["building", "bundles", "ledgers", "main"]

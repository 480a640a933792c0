"""The command for people who prefer pages: studio."""

from __future__ import annotations

from pathlib import Path

import click

from synthrelease.cli.group import main
from synthrelease.cli.printing import print_line


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="[FOLDER]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on. Default: any that is free."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
def studio(folder: Path, *, port: int, no_browser: bool) -> None:
    """Open FOLDER in a local web application: from data to a release without a terminal.

    It runs the other commands, shows each of them, and keeps everything in the folder's plan.toml. It listens on this machine only, under
    an address that works once. From another machine: ssh -L PORT:127.0.0.1:PORT, with the same --port.
    """
    from synthrelease.studio.server import serve

    def ready(address: str) -> None:
        print_line(f"Studio     {address}")
        print_line("           (works once; Ctrl-C ends the studio, and no command that it started)")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    serve(folder, port=port, ready=ready)

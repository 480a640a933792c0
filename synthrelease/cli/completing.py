"""The command for shells: completion."""

from __future__ import annotations

import click

from synthrelease.cli.group import main

_VARIABLE = "_SYNTHRELEASE_COMPLETE"  # click's own name for it
_WHERE = {
    "bash": "echo 'eval \"$(synthrelease completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(synthrelease completion zsh)\"' >> ~/.zshrc",
    "fish": "synthrelease completion fish > ~/.config/fish/completions/synthrelease.fish",
}


@main.command()
@click.argument("shell", type=click.Choice(list(_WHERE)))
def completion(shell: str) -> None:
    """Print a shell completion script for SHELL."""
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(main, {}, "synthrelease", _VARIABLE).source())


# A paragraph that begins with \\b is not wrapped.
_LINES = "\n".join(f"  {shell:<5} {line}" for shell, line in _WHERE.items())
completion.help = (
    f"{completion.help}\n\nTo install it, run one of these once and open a new terminal:\n\n\b\n{_LINES}"
)

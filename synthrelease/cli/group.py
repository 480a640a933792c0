"""The group of all commands: its sections, and how errors become messages and exit codes."""

from __future__ import annotations

import signal
from typing import Any, NoReturn

import click

from synthrelease.cli.options import wants_json
from synthrelease.cli.printing import as_options, print_findings, print_json
from synthrelease.errors import FaultyBundleError, NotConfirmedError, SynthReleaseError

FAULT, PART_FAILED, _INTERRUPTED = 1, 5, 130
_PAYING = "build", "batch"
_IN_THE_PLAN = "--epsilon", "--delta"


# In the order in which somebody needs them, who never did this before.
SECTIONS = {
    "Begin": ("demo", "init", "prepare"),
    "Make": ("preview", "build", "batch", "ledger"),
    "Look and check": ("verify", "show", "report", "diff"),
    "Publish": ("keygen", "sign", "export"),
    "For you alone": ("evaluate",),
    "For the shell": ("completion",),
}


_WHOLE = 200  # characters: a first sentence is not cut off


def _set_verbosity(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001  as click calls it
    if value and ctx.obj is not None:
        ctx.obj[parameter.name] = True


_QUIET = ("--quiet", "-q"), "Print results and errors only."
_VERBOSE = ("--verbose", "-v"), "Also print how many rows were dropped and values clipped; for you alone."


class Commands(click.Group):
    """Some commands, each of which takes --quiet and --verbose behind its name, too."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, and the two options to it."""
        for flags, words in (_QUIET, _VERBOSE):
            option = click.Option(
                flags, is_flag=True, help=words, hidden=True, expose_value=False, callback=_set_verbosity
            )
            cmd.params.append(option)
        super().add_command(cmd, name)


class _MainGroup(Commands):
    """Turns our errors into messages and exit codes, for every command; lists commands by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in sections."""
        width = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                commands = ((name, self.get_command(ctx, name)) for name in names)
                formatter.write_dl(
                    [
                        (f"{name:<{width}}", command.get_short_help_str(_WHOLE))
                        for name, command in commands
                        if command
                    ]
                )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            if ctx.invoked_subcommand in SECTIONS["Make"] and error.option_name in _IN_THE_PLAN:
                name = error.option_name.removeprefix("--")
                raise click.UsageError(f"{name} is set in the plan, under [privacy].", error.ctx) from None
            raise
        except SynthReleaseError as error:
            error.remedy = as_options(error.remedy)
            as_json = wants_json(ctx)
            if as_json:
                print_json({"error": error.to_json()})
            if isinstance(error, FaultyBundleError) and not as_json:
                print_findings(error)
            else:
                before = "" if isinstance(error, NotConfirmedError) else "error: "
                click.echo(f"{before}{error}", err=True)
            raise SystemExit(error.exit_code) from None
        except KeyboardInterrupt:
            paid = "; a ledger keeps what was paid" if ctx.invoked_subcommand in _PAYING else ""
            click.echo(f"interrupted: no half file was left behind{paid}", err=True)
            raise SystemExit(_INTERRUPTED) from None


@click.group(
    cls=_MainGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="synthrelease")
@click.option(*_QUIET[0], is_flag=True, help=_QUIET[1])
@click.option(*_VERBOSE[0], is_flag=True, help=_VERBOSE[1])
@click.pass_context
def main(ctx: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Turn private eye-tracking data into a release that can be published.

    Begin with `synthrelease demo`. With your own data, `init` proposes a plan, `preview` says what it will cost and how good it will be,
    `build` makes the bundle, and anyone can `verify` it. `report` writes a page about it. `evaluate`, for you alone, compares it with the
    data and attacks it. Raw samples go through `prepare` first.

    Exit codes: 0 fine, 1 a bundle is at fault, 2 wrong usage, 3 plan, data or file cannot be used, 4 refused by privacy policy,
    5 part of a batch failed, 6 the machine (disk, permission), 130 interrupted.
    """
    ctx.obj = {"quiet": quiet, "verbose": verbose}
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):  # Windows has no SIGHUP
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, which means to go on
            signal.signal(number, _terminated)


def _terminated(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt

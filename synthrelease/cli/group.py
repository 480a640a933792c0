"""The group of all commands: its sections, and how errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
from typing import IO, Any, NoReturn

import click

from synthrelease.cli.options import wants_json
from synthrelease.cli.printing import print_error, print_findings, print_json
from synthrelease.errors import FaultyBundleError, NotConfirmedError, SynthReleaseError, as_options

FAULT, PART_FAILED, _INTERRUPTED = 1, 5, 130
_CHARGING = "build", "batch"
_IN_THE_PLAN = "--epsilon", "--delta"


# In the order in which a new user needs them.
SECTIONS = {
    "Getting started": ("demo", "studio", "init", "convert", "prepare"),
    "Build": ("preview", "build", "batch", "ledger"),
    "Inspect": ("verify", "show", "report", "diff"),
    "Publish": ("keygen", "sign", "export"),
    "Private evaluation": ("evaluate",),
    "Other": ("completion",),
}


_WHOLE = 200  # characters: a first sentence is not cut off


def _set_verbosity(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001  as click calls it
    if value and ctx.obj is not None:
        ctx.obj[parameter.name] = True


_QUIET = ("--quiet", "-q"), "Print results and errors only."
_VERBOSE = ("--verbose", "-v"), "Also print dropped rows and clipped values (private: do not share)."


class _UsageError(click.UsageError):
    """Wrong use of the command line, in the form of all other errors."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(error.format_message(), error.ctx)
        self._missing = _missing_parameter(error)

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002  as click calls it
        """Print what is wrong, how the command is used, and where its help is."""
        problem, _, hint = self.message.partition(" Did you mean ")
        problem, _, choices = problem.partition(" is not one of ")
        lines = [problem[:1].lower() + problem[1:].rstrip(".")]
        if choices:
            lines.append(f"  expected: {choices.rstrip('.')}")
        help_command = "synthrelease --help"
        if self.ctx is not None:
            help_command = f"{self.ctx.command_path} --help"
            if not (hint or choices):
                lines.append(
                    f"  usage:    {self.ctx.command_path} {' '.join(self.ctx.command.collect_usage_pieces(self.ctx))}"
                )
        to_do = f"did you mean {hint}" if hint else "write one of these" if choices else f"see {help_command}"
        lines.append(f"  to do:    {f'add {self._missing}; ' if self._missing else ''}{to_do}")
        print_error("\n".join(lines), color=False if _colourless() else None)


def _missing_parameter(error: click.UsageError) -> str:
    """How the usage calls a parameter that was left out; empty if none was."""
    parameter = error.param if isinstance(error, click.MissingParameter) else None
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return "" if parameter is None else parameter.make_metavar(error.ctx) if error.ctx else ""


class Commands(click.Group):
    """Some commands, each of which also takes --quiet and --verbose after its name."""

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

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Return a context without colours where `NO_COLOR` is set (https://no-color.org)."""
        try:
            ctx = super().make_context(*args, **extra)
        except click.UsageError as error:
            raise _UsageError(error) from None
        if _colourless():
            ctx.color = False
        return ctx

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
        except click.UsageError as error:
            if isinstance(error, click.NoSuchOption) and error.option_name in _IN_THE_PLAN:
                name = error.option_name.removeprefix("--")
                if ctx.invoked_subcommand in SECTIONS["Build"]:
                    error = click.UsageError(f"{name} is set in the plan, under [privacy]", error.ctx)
            raise _UsageError(error) from None
        except SynthReleaseError as error:
            error.remedy = as_options(error.remedy)
            as_json = wants_json(ctx)
            if as_json:
                print_json({"error": error.to_json()})
            if isinstance(error, FaultyBundleError) and not as_json:
                print_findings(error)
            elif isinstance(error, NotConfirmedError):
                click.echo(str(error), err=True)
            else:
                print_error(str(error))
            raise SystemExit(error.exit_code) from None
        except KeyboardInterrupt:
            charged = (
                "; what a ledger was charged stays charged" if ctx.invoked_subcommand in _CHARGING else ""
            )
            click.echo(f"interrupted: no partial file was left behind{charged}", err=True)
            raise SystemExit(_INTERRUPTED) from None


@click.group(
    cls=_MainGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="synthrelease")
@click.option(*_QUIET[0], is_flag=True, help=_QUIET[1])
@click.option(*_VERBOSE[0], is_flag=True, help=_VERBOSE[1])
@click.pass_context
def main(ctx: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Publish eye-tracking data with differential privacy.

    Start with `synthrelease demo`. With your own data: `init` proposes a plan, `preview` estimates privacy cost and accuracy, `build`
    writes the bundle, and anyone can `verify` it without the data. `report` writes a public HTML report. `evaluate` measures utility and
    privacy risk against the private data. Raw samples go through `prepare` first.

    Exit codes: 0 success, 1 verification or a check failed, 2 wrong usage, 3 plan, data or file cannot be used, 4 refused by a privacy
    rule, policy or ledger, 5 part of a batch failed, 6 the machine (disk, permission), 130 interrupted.
    """
    ctx.obj = {"quiet": quiet, "verbose": verbose}
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):  # Windows has no SIGHUP
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, which means to go on
            signal.signal(number, _terminated)


def _colourless() -> bool:
    return bool(os.environ.get("NO_COLOR"))


def _terminated(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt

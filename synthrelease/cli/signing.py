"""Commands of signers: keygen, sign."""

from __future__ import annotations

import stat
import warnings
from pathlib import Path

import click

from synthrelease.cli.group import main
from synthrelease.cli.options import AS_JSON, BUNDLE, PATH
from synthrelease.cli.printing import print_json, print_line, print_warning, progress

_PASSWORD_FILE = click.option(
    "--password-file",
    type=PATH,
    help="Read the password from the first line of a file.",
)


@main.command()
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    required=True,
    help="The private key to write, KEY; the public key becomes KEY.pub.",
)
@_PASSWORD_FILE
@click.option("--no-password", is_flag=True, help="Do not encrypt the private key.")
@AS_JSON
def keygen(target: Path, *, password_file: Path | None, no_password: bool, as_json: bool) -> None:
    """Generate an Ed25519 key pair."""
    from synthrelease.bundle.signing.key_pair import MOST_PASSWORD_BYTES, refuse_taken_pair
    from synthrelease.bundle.signing.key_pair import keygen as run

    if no_password and password_file is not None:
        raise click.UsageError("--no-password and --password-file contradict each other")
    refuse_taken_pair(target)  # before a password is chosen
    password = b""
    if not no_password:
        password = _first_line(password_file) if password_file else _prompted_password(confirm=True)
        if not password:
            raise click.UsageError("the password is empty: add --no-password for a key without one")
        if len(password) > MOST_PASSWORD_BYTES:
            raise click.UsageError(f"the password has more than {MOST_PASSWORD_BYTES} bytes")
    pair = run(target, password)
    if as_json:
        files = {"private": str(pair.private), "public": str(pair.public)}
        print_json({**files, "key": pair.key_id, "encrypted": bool(password)})
        return
    kept = "keep it and its password secret" if password else "keep it secret"
    print_line(f"Private    {pair.private}  ({kept})")
    print_line(f"Public     {pair.public}  (publish it, so that others can check signatures)")
    click.echo(f"Key        {pair.key_id}")


@main.command()
@BUNDLE
@click.option("--key", "key_file", type=PATH, required=True, help="The private key to sign with.")
@_PASSWORD_FILE
@click.option(
    "--detached",
    is_flag=True,
    help="Write the signature into a file next to the bundle, and leave the bundle unchanged.",
)
@AS_JSON
@click.pass_obj
def sign(
    obj: dict[str, bool],
    bundle: Path,
    *,
    key_file: Path,
    password_file: Path | None,
    detached: bool,
    as_json: bool,
) -> None:
    """Sign BUNDLE with a key of `keygen`.

    BUNDLE is verified in full first. The signature is an in-toto statement about the manifest in a DSSE envelope, which public tools
    verify. It is written into the bundle, which is replaced by a new file; earlier signatures stay.
    """
    from synthrelease.api import sign as run
    from synthrelease.bundle.signing.keys import PasswordNeededError, key_id, read_private_key

    try:
        key = read_private_key(key_file, _first_line(password_file) if password_file else None)
    except PasswordNeededError:
        if password_file is not None:
            raise
        key = read_private_key(key_file, _prompted_password(confirm=False))
    if not obj["quiet"] and _others_may_read(key_file):  # only of what was read as one
        print_warning(f"other users can read the private key {key_file}: run chmod 600")
    with progress(obj) as show:
        signed = run(bundle, key, detached=detached, progress=show)
    key_name = key_id(key.public_key())
    if as_json:
        print_json({"bundle": str(bundle), "signature": str(signed), "key": key_name})
        return
    print_line(f"Signed     {bundle}{f', in {signed}' if detached else ''}")
    click.echo(f"Key        {key_name}")


def _prompted_password(*, confirm: bool) -> bytes:
    """Ask at the terminal; without one, name the other ways."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that what is typed can be seen, where there is no terminal
            password: str = click.prompt("Password", hide_input=True, confirmation_prompt=confirm, err=True)
    except (click.Abort, AttributeError) as error:  # the latter where there is no standard input at all
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        more = ", or --no-password" if confirm else ""
        raise click.UsageError(f"there was no answer: give the password by --password-file{more}") from None
    return password.encode("utf-8", "surrogateescape")  # as it was typed, whatever the terminal's encoding


def _others_may_read(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o077)


def _first_line(path: Path) -> bytes:
    from synthrelease.bundle.signing.keys import key_file_bytes

    return key_file_bytes(path).split(b"\n", 1)[0].rstrip(b"\r")

"""Commands of whoever stands by a bundle: keygen, sign."""

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
    help="Take the password from the first line of a file, and ask for none.",
)


@main.command()
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    required=True,
    help="The private key to write, KEY; the public one becomes KEY.pub.",
)
@_PASSWORD_FILE
@click.option("--no-password", is_flag=True, help="Do not encrypt the private key.")
@AS_JSON
def keygen(target: Path, *, password_file: Path | None, no_password: bool, as_json: bool) -> None:
    """Make a pair of ed25519 keys: a private one to sign with, a public one to give away."""
    from synthrelease.bundle.signing.key_pair import MOST_PASSWORD_BYTES, refuse_taken_pair
    from synthrelease.bundle.signing.key_pair import keygen as run

    if no_password and password_file is not None:
        raise click.UsageError("--no-password and --password-file contradict each other.")
    refuse_taken_pair(target)  # before anybody thinks of a password
    password = b""
    if not no_password:
        password = _first_line(password_file) if password_file else _prompted_password(confirm=True)
        if not password:
            raise click.UsageError("The password is empty. Say --no-password for a key without one.")
        if len(password) > MOST_PASSWORD_BYTES:
            raise click.UsageError(f"The password has more than {MOST_PASSWORD_BYTES} bytes.")
    pair = run(target, password)
    if as_json:
        files = {"private": str(pair.private), "public": str(pair.public)}
        print_json({**files, "key": pair.key_id, "encrypted": bool(password)})
        return
    kept = (
        "keep it, and its password, where nobody else gets them"
        if password
        else "keep it where nobody else gets it"
    )
    print_line(f"Private    {pair.private}  ({kept})")
    print_line(f"Public     {pair.public}  (give it to whoever verifies)")
    click.echo(f"Key        {pair.key_id}")


@main.command()
@BUNDLE
@click.option("--key", "key_file", type=PATH, required=True, help="The private key to sign with.")
@_PASSWORD_FILE
@click.option(
    "--detached",
    is_flag=True,
    help="Write the signature into a file beside the bundle, and leave the bundle as it is.",
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
    """Verify BUNDLE in full, and sign it with a key of `keygen`.

    The signature is an in-toto statement about the manifest in a DSSE envelope, which public tools verify. It is written into the bundle,
    which is replaced by a new file; earlier signatures stay.
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
        print_warning(f"others may read the private key {key_file}: chmod 600 keeps them out")
    with progress(obj) as tell:
        signed = run(bundle, key, detached=detached, progress=tell)
    key_name = key_id(key.public_key())
    if as_json:
        print_json({"bundle": str(bundle), "signature": str(signed), "key": key_name})
        return
    print_line(f"Signed     {bundle}{f', in {signed}' if detached else ''}")
    click.echo(f"Key        {key_name}")


def _prompted_password(*, confirm: bool) -> bytes:
    """Ask at the terminal; whoever has none is told what else there is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that what is typed can be seen, where nobody types
            password: str = click.prompt("Password", hide_input=True, confirmation_prompt=confirm, err=True)
    except (click.Abort, AttributeError) as error:  # the latter where there is no standard input at all
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        more = ", or --no-password" if confirm else ""
        raise click.UsageError(f"Nobody answered. Give the password by --password-file{more}.") from None
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

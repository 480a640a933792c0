"""Keys and the commands that use them: made once, never replaced, never shown, and nothing taken for one that is none."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from goldens import check_text, figures
from refusals import refused

import synthrelease
from synthrelease.bundle.signing import key_pair
from synthrelease.bundle.signing.key_pair import new_key, write_pair
from synthrelease.bundle.signing.keys import (
    KeyFileError,
    PasswordNeededError,
    key_id,
    private_key,
    public_key,
)
from synthrelease.cli import main
from synthrelease.errors import MachineError
from synthrelease.files import atomic
from synthrelease.files.partial_files import Partial


def run(*arguments: object, said: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], input=said)


def code(*arguments: object, said: str | None = None, exits: int = 3) -> str:
    """The code of the error that a command ends with."""
    done = run(*arguments, "--json", said=said)
    assert done.exit_code == exits, done.output
    found = json.loads(done.stdout)
    assert set(found) == {"error"}
    return found["error"]["code"]


@pytest.mark.thorough
def test_from_a_pair_of_keys_to_a_checked_signature(bundle: Path, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "archive"
    key.parent.mkdir()
    made = run("keygen", "-o", key, said="swordfish\nswordfish\n")
    assert made.exit_code == 0, made.output
    assert "swordfish" not in made.output
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert b"ENCRYPTED" in key.read_bytes()
    public = key.with_name("archive.pub")
    name = key_id(load_pem_public_key(public.read_bytes()))
    assert name in made.output
    assert run("verify", bundle, "--public-key", public).exit_code == 1
    assert code("verify", bundle, "--public-key", tmp_path / "none.pub") == "no-such-file"
    absent = run("verify", bundle, "--public-key", tmp_path / "none.pub")
    assert (absent.exit_code, absent.stdout) == (3, "")
    assert str(tmp_path / "none.pub") in absent.stderr
    done = run("sign", bundle, "--key", key, said="swordfish\n")
    assert done.exit_code == 0, done.output
    assert name in done.output
    texts = []
    for options in (["--public-key", public], ["--public-key", public, "--quick"], []):
        checked = run("verify", bundle, *options)
        assert checked.exit_code == 0
        texts.append(checked.output)
    check_text("verify/signed", "\n".join(texts), bundle=bundle, public=public, key=name[:12])
    document = json.loads(run("verify", bundle, "--json").stdout)
    assert document["signed_by"] == [name]


def test_passwords(bundle: Path, tmp_path: Path) -> None:
    key, secret = tmp_path / "k", tmp_path / "secret"
    assert run("keygen", "-o", key, said="one\nother\n\n").exit_code != 0
    assert not key.exists()
    secret.write_text("longer\nand no more\n")
    assert run("keygen", "-o", key, "--password-file", secret).exit_code == 0
    assert code("sign", bundle, "--key", key, said="qwertz\n") == "wrong-password"
    assert "qwertz" not in run("sign", bundle, "--key", key, said="qwertz\n").output
    assert run("sign", bundle, "--key", key, "--password-file", secret, "--detached").exit_code == 0
    bare = tmp_path / "bare"
    assert run("keygen", "-o", bare, "--no-password").exit_code == 0
    assert run("sign", bundle, "--key", bare).exit_code == 0
    assert code("sign", bundle, "--key", bare, "--password-file", secret) == "key-not-encrypted"
    assert run("keygen", "-o", tmp_path / "n", "--no-password", "--password-file", secret).exit_code == 2
    (tmp_path / "empty").write_text("\n")
    assert run("keygen", "-o", tmp_path / "n", "--password-file", tmp_path / "empty").exit_code == 2
    empty = ["sign", bundle, "--key", key, "--password-file", tmp_path / "empty"]
    assert code(*empty, said="longer\n") == "password-needed"
    for length, exits in ((1023, 0), (1024, 2)):
        (tmp_path / "long").write_text("x" * length)
        made = run("keygen", "-o", tmp_path / f"n{length}", "--password-file", tmp_path / "long")
        assert made.exit_code == exits, made.output


def test_where_no_one_can_be_asked_it_says_what_else_there_is(bundle: Path, tmp_path: Path) -> None:
    asked = run("keygen", "-o", tmp_path / "k", said="")
    assert asked.exit_code == 2
    assert "--password-file" in asked.output
    assert "--no-password" in asked.output
    assert not (tmp_path / "k").exists()
    (tmp_path / "secret").write_text("secret\n")
    assert run("keygen", "-o", tmp_path / "k", "--password-file", tmp_path / "secret").exit_code == 0
    asked = run("sign", bundle, "--key", tmp_path / "k", said="")
    assert asked.exit_code == 2
    assert "--password-file" in asked.output
    assert "--no-password" not in asked.output


def test_no_key_is_replaced(tmp_path: Path) -> None:
    key = tmp_path / "k"
    for name in ("k", "k.pub"):
        (tmp_path / name).write_text("mine")
        done = run("keygen", "-o", key, "--no-password")
        assert done.exit_code == 6
        assert "--force" not in done.output  # which it does not have
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()
    for name in ("none/k", "", "/", ".", ".."):
        assert run("keygen", "-o", tmp_path / name if "k" in name else name, "--no-password").exit_code == 6


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", "no-such-file"),
        ("folder", "path-is-folder"),
        ("public", "not-a-private-key"),
        ("text", "not-a-private-key"),
        ("damaged", "key-damaged"),
    ],
)
def test_what_is_no_private_key_is_refused(bundle: Path, tmp_path: Path, name: str, expected: str) -> None:
    private, public = new_key(None)
    (tmp_path / "folder").mkdir()
    (tmp_path / "public").write_bytes(public)
    (tmp_path / "text").write_text("hello")
    (tmp_path / "damaged").write_bytes(private.replace(b"MC4", b"MC5"))
    before = bundle.read_bytes()
    assert code("sign", bundle, "--key", tmp_path / name) == expected
    done = run("sign", bundle, "--key", tmp_path / name)
    assert done.exit_code == 3, done.output
    assert str(tmp_path / name) in done.output
    assert "Traceback" not in done.output
    assert bundle.read_bytes() == before


def test_keys_of_other_kinds_are_refused() -> None:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    for key in (rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())):
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        with refused(KeyFileError, "key-of-other-kind", where="k"):
            private_key(pem, None, where="k")
    private, _ = new_key(b"secret")
    with refused(PasswordNeededError, "password-needed", where="k"):
        private_key(private, None, where="k")


@pytest.mark.thorough
def test_refusals_of_sign_have_their_codes(study: Any, tmp_path: Path) -> None:
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    seeded = synthrelease.build(study.plan, study.folder / "seeded.h5", test_seed=1).path
    key = tmp_path / "k"
    assert code("sign", seeded, "--key", key, exits=4) == "signing-test-seed"
    assert code("sign", tmp_path / "none.h5", "--key", key) == "no-such-file"
    (tmp_path / "text.h5").write_text("no bundle")
    assert code("sign", tmp_path / "text.h5", "--key", key) == "not-a-bundle"
    (tmp_path / "text.h5").write_text("synthrelease bundle 1")
    assert code("sign", tmp_path / "text.h5", "--key", key, exits=1) == "bundle-invalid"


def test_of_a_pair_there_are_both_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = atomic.move_into_place

    def taken(beside: Partial, **options: Any) -> None:
        if beside.target.suffix == ".pub":
            beside.target.write_text("mine")
        whole(beside, **options)

    monkeypatch.setattr(key_pair, "move_into_place", taken)
    with refused(MachineError, "file-exists", where=tmp_path / "k.pub"):
        write_pair(tmp_path / "k", new_key(None))
    assert [one.name for one in tmp_path.iterdir()] == ["k.pub"]
    assert (tmp_path / "k.pub").read_text() == "mine"


def test_what_a_killed_keygen_left_of_a_private_key_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".k.abcd1234.partial"
    left.write_bytes(new_key(None)[0])
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["k", "k.pub"]


def test_a_private_key_is_its_owners_alone_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600


@pytest.mark.thorough
def test_a_private_key_that_others_may_read_is_warned_of(bundle: Path, tmp_path: Path) -> None:
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    assert run("sign", bundle, "--key", tmp_path / "k").stderr == ""
    (tmp_path / "k").chmod(0o640)
    done = run("sign", bundle, "--key", tmp_path / "k")
    assert done.exit_code == 0
    assert str(tmp_path / "k") in done.stderr
    assert figures(done.stderr.replace(str(tmp_path), "")) == [600]


def test_without_any_input_it_says_what_else_there_is(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "synthrelease", "keygen", "-o", str(tmp_path / "k")]
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    done = subprocess.run(shell, capture_output=True, text=True, check=False, start_new_session=True)
    assert done.returncode == 2
    assert "--password-file" in done.stderr
    assert "--no-password" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_interrupts_the_question_has_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("click.termui.hidden_prompt_func", interrupted)
    with pytest.raises(SystemExit) as ended:
        main.main(["keygen", "-o", str(tmp_path / "k")])
    assert ended.value.code == 130


def test_of_several_keys_none_is_taken() -> None:
    (one, of_one), (other, of_other) = new_key(None), new_key(None)
    with refused(KeyFileError, "several-keys", where="k"):
        private_key(one + other, None, where="k")
    with refused(KeyFileError, "several-keys", where="k"):
        public_key(of_one + of_other, where="k")


def test_keys_of_openssh_are_called_that() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    with refused(KeyFileError, "key-in-openssh-form", where="k"):
        private_key(pem, None, where="k")

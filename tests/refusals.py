"""What every refusal of a data file must be."""

from collections.abc import Sequence
from pathlib import Path

from synthrelease.errors import DataError


def check_refusal(error: DataError, path: Path, *words: str, secrets: Sequence[str]) -> None:
    """Assert that an error names the file and the words, ends with code 3, helps, and quotes no cell."""
    assert type(error) is DataError
    assert error.exit_code == 3
    assert str(path) in str(error)
    told = str(error).replace(str(path), "")
    for word in words:
        assert word in told
    assert error.expected or error.remedy
    assert not [secret for secret in secrets if secret in told + repr(error).replace(str(path), "")]
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__

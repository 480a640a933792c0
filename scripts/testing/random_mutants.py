"""Random mutants: small mistakes in the code, drawn by a seed and spread by lines of code over the rooms of the package.

A mutant's place in the draw follows from the text of its line, not from its file: code that only moves keeps its mutants.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOMS = (
    "dp",
    "numerics",
    "kinds",
    "data",
    "plan",
    "building",
    "ledgers",
    "bundle",
    "inference",
    "evaluation",
    "exports",
)
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


_SYMMETRIC = (
    "max",
    "min",
    "maximum",
    "minimum",
    "isclose",
    "gcd",
    "hypot",
)  # functions of two alike arguments


@dataclass(frozen=True)
class Mutant:
    """A change of one place in a file."""

    file: str
    line: int
    start: int  # in the bytes of the file
    end: int
    old: str
    new: str

    @property
    def change(self) -> str:
        """What is changed, in one line."""
        return f"{' '.join(self.old.split())} → {self.new}"

    def planted(self, source: str) -> str:
        """Return the file's text with the change."""
        raw = source.encode()
        return (raw[: self.start] + self.new.encode() + raw[self.end :]).decode()


def drawn(root: Path, count: int, seed: int) -> dict[str, list[Mutant]]:
    """Return `count` mutants of the checkout by room, in proportion to the rooms' lines of code, at most one of a line."""
    of_room: dict[str, list[tuple[bytes, Mutant]]] = {}
    lines: Counter[str] = Counter()
    for room in ROOMS:
        seen: Counter[tuple[str, str]] = Counter()
        first: dict[tuple[str, int], tuple[bytes, Mutant]] = {}
        for path in sorted((root / "synthrelease" / room).rglob("*.py")):
            source = path.read_text("utf-8")
            lines[room] += len(code_lines(source))
            for one in mutants(path.relative_to(root).as_posix(), source):
                text = (source.splitlines()[one.line - 1].strip(), one.change)
                seen[text] += 1
                key = hashlib.sha256(repr((seed, text, seen[text])).encode()).digest()
                place = (one.file, one.line)
                first[place] = min(first.get(place, (key, one)), (key, one), key=lambda keyed: keyed[0])
        of_room[room] = sorted(first.values(), key=lambda keyed: keyed[0])
    shares = {room: count * lines[room] / lines.total() for room in ROOMS}
    quota = {room: int(share) for room, share in shares.items()}
    for room in sorted(ROOMS, key=lambda room: quota[room] - shares[room])[: count - sum(quota.values())]:
        quota[room] += 1
    return {room: [one for _, one in of_room[room][: quota[room]]] for room in ROOMS}


def code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold code: no comment, docstring or blank line."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    no_code = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in no_code
        for line in range(token.start[0], token.end[0] + 1)
    } - docstrings


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Yield all mutants of a file, in the order of its tree."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _mutable(ast.parse(source)):
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        old = source.encode()[start:end].decode()
        for new in _changed(node):
            yield Mutant(file, node.lineno, start, end, old, new)


def _mutable(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes that run: not types, not texts for readers, not what only a type checker sees."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _mutable(child)


def _changed(node: ast.AST) -> Iterator[str]:  # noqa: C901 - one case for each kind of mistake
    """Yield the texts that take a node's place."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in _SWAPPED:
            yield f"({ast.unparse(ast.Compare(left, [_SWAPPED[type(operator)]()], [right]))})"
        case ast.BinOp(left, operator, right) if type(operator) in _SWAPPED and not _is_text(left, right):
            yield f"({ast.unparse(ast.BinOp(left, _SWAPPED[type(operator)](), right))})"
        case ast.BoolOp(operator, values):
            yield f"({ast.unparse(ast.BoolOp(_SWAPPED[type(operator)](), values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield from (f"({value + 1!r})", f"({value - 1!r})")
        case ast.Call(function, [first, second, *others], keywords):
            alike = ast.dump(first) == ast.dump(second) or ast.unparse(function).endswith(_SYMMETRIC)
            if not alike and not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield ast.unparse(ast.Call(function, [second, first, *others], keywords))
        case ast.Raise() | ast.AugAssign() | ast.Expr(ast.Call()) | ast.Delete():
            yield "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case _:
            return


def _is_text(*operands: ast.expr) -> bool:
    """Whether an operand is a type or a text: `int | None` runs in no test, `"a" + b` is an error in all of them."""
    return any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and (one.value is None or isinstance(one.value, str)))
        for one in operands
    )

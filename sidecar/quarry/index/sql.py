"""Pieces of SQL that carry the values of their placeholders, and how they are put together."""

from collections.abc import Sequence

from msgspec import Struct

from quarry.index.database import SqlValue


class SqlFragment(Struct, frozen=True):
    """A piece of SQL, with the values of its placeholders in their order."""

    text: str
    bindings: tuple[SqlValue, ...] = ()

    def wrap(self, before: str, after: str = "") -> "SqlFragment":
        """This with constant SQL around it."""
        return SqlFragment(before + self.text + after, self.bindings)


def join(between: str, pieces: Sequence[SqlFragment], otherwise: SqlFragment) -> SqlFragment:
    """*pieces* in parentheses with *between* in the middle; *otherwise* where there are none."""
    if len(pieces) < 2:
        return pieces[0] if pieces else otherwise
    return concat(between, pieces).wrap("(", ")")


def concat(between: str, pieces: Sequence[SqlFragment]) -> SqlFragment:
    """*pieces* one after another with *between* in the middle."""
    text = between.join(piece.text for piece in pieces)
    return SqlFragment(text, tuple(value for piece in pieces for value in piece.bindings))

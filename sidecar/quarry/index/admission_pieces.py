"""Pieces of SQL that carry the values of their placeholders, and how they are put together."""

from collections.abc import Sequence

from msgspec import Struct

from quarry.index.database import SqlValue


class Sql(Struct, frozen=True):
    """A piece of SQL, with the values of its placeholders in their order."""

    text: str
    bindings: tuple[SqlValue, ...] = ()

    def within(self, before: str, after: str = "") -> "Sql":
        """This with constant SQL around it."""
        return Sql(before + self.text + after, self.bindings)


def joined(between: str, pieces: Sequence[Sql], otherwise: Sql) -> Sql:
    """*pieces* in parentheses with *between* in the middle; *otherwise* where there are none."""
    if len(pieces) < 2:
        return pieces[0] if pieces else otherwise
    return sequence(between, pieces).within("(", ")")


def sequence(between: str, pieces: Sequence[Sql]) -> Sql:
    """*pieces* one after another with *between* in the middle."""
    text = between.join(piece.text for piece in pieces)
    return Sql(text, tuple(value for piece in pieces for value in piece.bindings))

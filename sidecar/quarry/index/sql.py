"""Fragments of constant SQL together with the values of their placeholders."""

from collections.abc import Sequence

from msgspec import Struct

from quarry.index.database import SqlValue


class SqlFragment(Struct, frozen=True):
    """A fragment of SQL, and the values of its placeholders in order."""

    text: str
    bindings: tuple[SqlValue, ...] = ()

    def wrap(self, before: str, after: str = "") -> "SqlFragment":
        """This fragment with constant SQL around it."""
        return SqlFragment(before + self.text + after, self.bindings)


def join(between: str, fragments: Sequence[SqlFragment], otherwise: SqlFragment) -> SqlFragment:
    """*fragments*, with constant SQL *between* them, in parentheses where there are several; *otherwise* where none."""
    if len(fragments) < 2:
        return fragments[0] if fragments else otherwise
    return concat(between, fragments).wrap("(", ")")


def concat(between: str, fragments: Sequence[SqlFragment]) -> SqlFragment:
    """*fragments* one after another, with constant SQL *between* them."""
    text = between.join(fragment.text for fragment in fragments)
    return SqlFragment(text, tuple(value for fragment in fragments for value in fragment.bindings))

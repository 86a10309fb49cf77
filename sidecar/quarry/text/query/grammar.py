"""
How do the pieces of a query belong together?

    query     sequence, then `OR` and another sequence, and so on
    sequence  parts beside each other: all of them are meant
    part      `-` part | ( query ) | word | "phrase" | /regex/ | #tag | [property:value] | operator:value
    value     word | "phrase" | /regex/ | ( query )

What is not there yet is left out: an operator without a value, an `OR` or a `-` with nothing behind it, an open
parenthesis. A closing parenthesis that nothing opened is a slip, or a list's number (`1) buy milk`), and means nothing.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.errors import BadQuery
from quarry.text.query.lexer import QueryToken, tokenize_query

MAX_DEPTH = 20  # parentheses in each other; nobody types five

VALUELESS_OPERATORS = frozenset({"task", "task-todo", "task-done"})  # they mean something without a value


class LeafNode(Struct, frozen=True):
    """A single word, phrase, regular expression, tag or property."""

    token: QueryToken


class OperatorNode(Struct, frozen=True):
    """`name:` with its value; None stands for no value where that means something, `task:`."""

    token: QueryToken
    value: "QueryNode | None"


class GroupNode(Struct, frozen=True):
    """Two or more parts: all are meant (`every`), or one of them (`either`)."""

    kind: Literal["every", "either"]
    parts: tuple["QueryNode", ...]


class NegationNode(Struct, frozen=True):
    """What a hit must not have; `start` is where its minus stands."""

    part: "QueryNode"
    start: int


QueryNode: TypeAlias = LeafNode | OperatorNode | GroupNode | NegationNode


def parse_query_tree(typed: str) -> QueryNode | None:
    """
    The tree of a query; None where nothing is said yet.

    Raises:
        BadQuery: More than 20 parentheses stand in each other.
    """
    return _Parser(tokenize_query(typed)).query(0)


class _Parser:
    """Reads token after token; `_ahead` is the one not yet used."""

    def __init__(self, tokens: Iterator[QueryToken]) -> None:
        self._tokens = tokens
        self._ahead = next(tokens, None)

    def query(self, depth: int) -> QueryNode | None:
        """Alternatives up to the parenthesis that closes them, or the end."""
        branches = [self._sequence(depth)]
        while self._take("or"):
            branches.append(self._sequence(depth))
        return _group("either", branches)

    def _sequence(self, depth: int) -> QueryNode | None:
        parts: list[QueryNode | None] = []
        while self._ahead is not None and self._ahead.kind != "or":
            if self._ahead.kind != "close":
                parts.append(self._part(depth))
            elif depth:
                break
            else:
                self._next()
        return _group("every", parts)

    def _part(self, depth: int) -> QueryNode | None:
        token = self._next()
        if token.kind == "not":
            if self._ahead is None or self._ahead.kind in ("or", "close"):
                return None
            part = self._part(depth)
            return NegationNode(part, token.start) if part else None
        if token.kind == "open":
            return self._parenthesis(token, depth)
        if token.kind == "operator":
            return self._operator(token, depth)
        return None if token.kind == "property" and not token.is_whole else LeafNode(token)

    def _parenthesis(self, token: QueryToken, depth: int) -> QueryNode | None:
        if depth == MAX_DEPTH:
            raise BadQuery(f"more than {MAX_DEPTH} parentheses stand in each other: use fewer", token.start)
        inner = self.query(depth + 1)
        self._take("close")
        return inner

    def _operator(self, token: QueryToken, depth: int) -> QueryNode | None:
        has_value = self._ahead is not None and self._ahead.start == token.end and self._ahead.kind != "close"
        value = self._part(depth) if has_value else None
        return OperatorNode(token, value) if value or token.text in VALUELESS_OPERATORS else None

    def _next(self) -> QueryToken:
        token = self._ahead
        assert token is not None
        self._ahead = next(self._tokens, None)
        return token

    def _take(self, kind: str) -> bool:
        found = self._ahead is not None and self._ahead.kind == kind
        if found:
            self._next()
        return found


def _group(kind: Literal["every", "either"], parts: list[QueryNode | None]) -> QueryNode | None:
    """*parts* as one node, without those that are not there yet."""
    known = tuple(part for part in parts if part is not None)
    return GroupNode(kind, known) if len(known) > 1 else known[0] if known else None

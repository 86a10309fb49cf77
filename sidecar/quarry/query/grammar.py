"""
Parses a sequence of query tokens into a tree.

    query     sequence, then `OR` and another sequence, and so on
    sequence  parts next to each other: all of them must hold
    part      `-` part | ( query ) | word | "phrase" | /regex/ | #tag | [property:value] | operator:value
    value     word | "phrase" | /regex/ | ( query )

A query is parsed while it is typed, so unfinished parts are ignored: an operator without a value, an `OR` or a `-` with
nothing behind it, an open parenthesis. A closing parenthesis that nothing opened is ignored too (`1) buy milk`).
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.errors import BadQuery
from quarry.messages import message
from quarry.query.lexer import QueryToken, tokenize_query

MAX_DEPTH = 20  # nested parentheses; nobody types five

VALUELESS_OPERATORS = frozenset({"task", "task-todo", "task-done"})  # `task:` alone: the note has a task


class LeafNode(Struct, frozen=True):
    """A single word, phrase, regular expression, tag or property."""

    token: QueryToken


class OperatorNode(Struct, frozen=True):
    """`name:` with its value; None only for operators that need none."""

    token: QueryToken
    value: "QueryNode | None"


class GroupNode(Struct, frozen=True):
    """Two or more parts, of which all must hold (`every`) or one (`either`)."""

    kind: Literal["every", "either"]
    parts: tuple["QueryNode", ...]


class NegationNode(Struct, frozen=True):
    """A part that must not hold; `start` is the offset of its minus."""

    part: "QueryNode"
    start: int


QueryNode: TypeAlias = LeafNode | OperatorNode | GroupNode | NegationNode


def parse_query_tree(typed: str) -> QueryNode | None:
    """
    Parse a query; None if it is empty so far.

    Raises:
        BadQuery: Parentheses are nested more than 20 deep.
    """
    return _Parser(tokenize_query(typed)).query(0)


class _Parser:
    """A recursive-descent parser with one token of lookahead, `_ahead`."""

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
            raise BadQuery(message("query.too-deep", limit=MAX_DEPTH), token.start)
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
    """*parts* as one node, without the unfinished ones, which are None."""
    known = tuple(part for part in parts if part is not None)
    return GroupNode(kind, known) if len(known) > 1 else known[0] if known else None

"""
The clauses of a typed query: its parts that are more than words to rank by, with their places.

A pane shows each as a chip. The text stays the truth: to take a part away is to cut its range out of it, which leaves
the same query without that part. Of alternatives and of what parentheses negate, no part can be cut out by itself.
"""

from msgspec import Struct
from msgspec.structs import replace

from quarry.lazy_pattern import lazy_pattern
from quarry.query.grammar import (
    VALUELESS_OPERATORS,
    GroupNode,
    LeafNode,
    NegationNode,
    OperatorNode,
    QueryNode,
    QueryToken,
    tokenize_query,
)
from quarry.types import Clause, ClauseKind, Span

MAX_CLAUSES = 100  # as many as there may be filters
MAX_CHECKED = 16  # clauses for each of which a query is read again; nobody has ten

# Where these stand, the rest of a query may be read in another way when something between is cut out.
_READS_AHEAD = lazy_pattern(r"[/\[]|[^\s(-]\(")


def find_clauses(tree: QueryNode, typed: str) -> tuple[Clause, ...]:
    """The clauses of *tree* in order, as far as they are complete; *typed* is what it was read from."""
    found = _Finder(typed).clauses(tree, removable=True)[:MAX_CLAUSES]
    if any(clause.removable for clause in found) and _READS_AHEAD.search(typed):
        if len(found) > MAX_CHECKED:
            return tuple([replace(clause, removable=False) for clause in found])
        tokens = tuple(tokenize_query(typed))
        return tuple([_checked(clause, typed, tokens) for clause in found])
    return tuple(found)


class _Finder(Struct, frozen=True):
    """Finds the clauses of a tree that was read from *typed*."""

    typed: str

    def clauses(self, node: QueryNode, *, removable: bool) -> list[Clause]:
        """The clauses of *node*; *removable*: the rest of the query says the same without one of them."""
        if isinstance(node, NegationNode):
            return self._clause(node.part, Span(node.start, node.end), negated=True, removable=removable)
        if isinstance(node, LeafNode):
            span = Span(node.token.start, node.token.end)
            is_ranked = node.token.kind == "word"
            return [] if is_ranked else self._clause(node, span, negated=False, removable=removable)
        if isinstance(node, OperatorNode):
            return self._clause(node, Span(node.token.start, node.end), negated=False, removable=removable)
        is_divisible = removable and node.kind == "every"
        parts = [clause for part in node.parts for clause in self.clauses(part, removable=is_divisible)]
        if node.kind == "every" or node.around is None or not parts:  # alternatives without clauses only rank
            return parts
        return self._clause(node, node.around, negated=False, removable=removable)

    def _clause(self, node: QueryNode, span: Span, *, negated: bool, removable: bool) -> list[Clause]:
        """The clause of *node*, whose place with its minus is *span*; none while its value is incomplete."""
        value, name = self._value(node), ""
        kind: ClauseKind = "group"
        if isinstance(node, OperatorNode):
            kind = node.token.text  # type: ignore[assignment]  # the lexer knows no other operator
        elif isinstance(node, LeafNode):
            kind = node.token.kind  # type: ignore[assignment]  # the other kinds of tokens are no leaves
            name = node.token.text if kind == "property" else ""
        if not (value or name or kind in VALUELESS_OPERATORS):
            return []
        start, end = span.start, span.end
        if removable:
            start, end, removable = _cut(self.typed, start, end)
        return [Clause(kind, start, end, value, name, negated, removable)]

    def _value(self, node: QueryNode | None) -> str:
        """What *node* asks for, as typed, without delimiters."""
        if isinstance(node, OperatorNode):
            return self._value(node.value)
        if isinstance(node, GroupNode) and node.inside is not None:
            return self.typed[node.inside.start : node.inside.end]
        if isinstance(node, LeafNode):
            return node.token.value or "" if node.token.kind == "property" else node.token.text
        return ""


def _cut(typed: str, start: int, end: int) -> tuple[int, int, bool]:
    """The range to cut out of *typed*, with the spaces that separate it from one side, and whether it can be."""
    behind = end + len(typed[end:]) - len(typed[end:].lstrip())
    if behind == len(typed):
        return len(typed[:start].rstrip()), behind, True
    if start == 0 or typed[start - 1].isspace() or typed[start - 1] == "(":
        return start, behind, True
    return start, end, behind > end or typed[end] == ")"


def _checked(clause: Clause, typed: str, tokens: tuple[QueryToken, ...]) -> Clause:
    """*clause*, not removable where the rest would be read in another way without it."""
    if not clause.removable:
        return clause
    rest = [_said(token) for token in tokens if not clause.start <= token.start < clause.end]
    without = [_said(token) for token in tokenize_query(typed[: clause.start] + typed[clause.end :])]
    return replace(clause, removable=rest == without)


def _said(token: QueryToken) -> tuple[str, str, str | None, bool]:
    return token.kind, token.text, token.value, token.is_whole

"""
The clauses of a typed query: its parts that are more than words to rank by, with their places.

A pane shows each as a chip. The text stays the truth: to take a part away is to cut its range out of it, which leaves
the same query without that part. Of alternatives and of what parentheses negate, no part can be cut out by itself.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import Operator
from quarry.lazy_pattern import lazy_pattern
from quarry.query.grammar import VALUELESS_OPERATORS
from quarry.query.lexer import QueryToken, tokenize_query

ClauseKind = Literal["word", "phrase", "regex", "property", "group", Operator]
"""`tag` is `#idea` as well as `tag:idea`; a `word` is one that is excluded; a `group` stands in parentheses."""

MAX_CLAUSES = 100  # as many as there may be filters
MAX_CHECKED = 16  # clauses for each of which a query is read again; nobody has ten
_KINDS: dict[str, ClauseKind] = {kind: kind for kind in get_args(ClauseKind)}

# A query without any of these is words alone, as most are.
_SYNTAX = lazy_pattern(r"[\"“”„«»#:\[(/]|(?:^|\s)-")
# Where these stand, the rest of a query may be read in another way when something between is cut out.
_READS_AHEAD = lazy_pattern(r"[/\[]|[^\s(-]\(")


class Clause(Struct, frozen=True):
    """A part of a query that is more than a word to rank by."""

    kind: ClauseKind
    start: int  # code points into the query; the space behind it included where it can be cut out with it
    end: int
    value: str  # as typed, without delimiters; of a group what is in it
    name: str = ""  # of a property
    negated: bool = False
    removable: bool = False  # without its range, the query says the same but for this


def find_clauses(typed: str) -> tuple[Clause, ...]:
    """The clauses of *typed* in order, as far as they are complete; *typed* is a query that can be read."""
    if not _SYNTAX.search(typed):
        return ()
    tokens = tuple(tokenize_query(typed))
    is_divisible = not _alternates(tokens, 0, len(tokens))
    found = _Finder(typed, tokens).between(0, len(tokens), removable=is_divisible)[:MAX_CLAUSES]
    if is_divisible and _READS_AHEAD.search(typed):
        found = [_checked(clause, typed, tokens, is_known=len(found) <= MAX_CHECKED) for clause in found]
    return tuple(found)


class _Finder(Struct, frozen=True):
    """Finds the clauses among the *tokens* of *typed*, by the grammar of `grammar.py`."""

    typed: str
    tokens: Sequence[QueryToken]

    def between(self, at: int, end: int, *, removable: bool) -> list[Clause]:
        """The clauses of the tokens in `[at, end)`, whose parentheses are balanced but for open ones."""
        found: list[Clause] = []
        while at < end:
            first = at
            is_negated = self.tokens[at].kind == "not"
            at += is_negated
            if at == end or self.tokens[at].kind in ("or", "close"):
                at += at < end and not is_negated
                continue
            behind = self._end_of_part(at, end)
            found += self._part(first, at, behind, removable=removable)
            at = behind
        return found

    def _part(self, first: int, at: int, behind: int, *, removable: bool) -> list[Clause]:
        """The clauses of one part, whose minus is the token *first* where that is not its first token *at*."""
        token, is_negated = self.tokens[at], first < at
        value, name = token.text, ""
        kind = _KINDS.get(token.text if token.kind == "operator" else token.kind)
        if token.kind == "open":
            inner = at + 1, self._inner_end(at, behind)
            alternates = _alternates(self.tokens, *inner)
            if not is_negated and not alternates:
                return self.between(*inner, removable=removable)
            if not is_negated and not self.between(*inner, removable=False):
                return []  # alternatives that only rank
            kind, value = "group", self._text(*inner)
        elif token.kind == "operator":
            if behind == at + 1 and token.text not in VALUELESS_OPERATORS:
                return []
            value = self._value(at + 1, behind)
        elif token.kind == "property":
            value, name = token.value or "", token.text
        if kind is None or not (value or name or kind in VALUELESS_OPERATORS):
            return []
        if not token.is_whole and kind == "property":
            return []
        if kind == "word" and not is_negated:
            return []
        start, end = self.tokens[first].start, self.tokens[behind - 1].end
        if removable:
            start, end, removable = _cut(self.typed, start, end)
        return [Clause(kind, start, end, value, name, is_negated, removable)]

    def _end_of_part(self, at: int, end: int) -> int:
        """One behind the last token of the part that begins with the token *at*."""
        token = self.tokens[at]
        if token.kind == "open":
            depth = 0
            for place in range(at, end):
                depth += _DEPTH.get(self.tokens[place].kind, 0)
                if depth == 0:
                    return place + 1
            return end
        if token.kind == "operator" and at + 1 < end:
            value = self.tokens[at + 1]
            if value.start == token.end and value.kind != "close":
                return self._end_of_part(at + 1, end)
        return at + 1

    def _value(self, at: int, behind: int) -> str:
        """The value of an operator, which are the tokens in `[at, behind)`."""
        if at == behind:
            return ""
        if self.tokens[at].kind != "open":
            return self.tokens[at].text
        return self._text(at + 1, self._inner_end(at, behind))

    def _inner_end(self, at: int, behind: int) -> int:
        """One behind the last token in the parenthesis that the token *at* opens, of the tokens before *behind*."""
        depth = sum(_DEPTH.get(token.kind, 0) for token in self.tokens[at:behind])
        return behind - (depth == 0)

    def _text(self, at: int, end: int) -> str:
        """The typed text of the tokens in `[at, end)`."""
        return self.typed[self.tokens[at].start : self.tokens[end - 1].end] if at < end else ""


_DEPTH = {"open": 1, "close": -1}


def _alternates(tokens: Sequence[QueryToken], at: int, end: int) -> bool:
    """Whether the tokens in `[at, end)` are alternatives, apart from what is in parentheses."""
    depth = 0
    for token in tokens[at:end]:
        if token.kind == "or" and depth == 0:
            return True
        depth = max(0, depth + _DEPTH.get(token.kind, 0))
    return False


def _cut(typed: str, start: int, end: int) -> tuple[int, int, bool]:
    """The range to cut out of *typed*, with the spaces that separate it from one side, and whether it can be."""
    behind = end + len(typed[end:]) - len(typed[end:].lstrip())
    if behind == len(typed):
        return len(typed[:start].rstrip()), behind, True
    if start == 0 or typed[start - 1].isspace() or typed[start - 1] == "(":
        return start, behind, True
    return start, end, behind > end or typed[end] == ")"


def _checked(clause: Clause, typed: str, tokens: Sequence[QueryToken], *, is_known: bool) -> Clause:
    """*clause*, not removable where the rest may be read in another way; that is not *known* where there are many."""
    if clause.removable and is_known:
        rest = [_said(token) for token in tokens if not clause.start <= token.start < clause.end]
        is_known = rest == [_said(token) for token in tokenize_query(typed[: clause.start] + typed[clause.end :])]
    return replace(clause, removable=clause.removable and is_known)


def _said(token: QueryToken) -> tuple[str, str, str | None, bool]:
    return token.kind, token.text, token.value, token.is_whole

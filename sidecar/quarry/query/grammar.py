"""
Reads a typed query into a tree whose nodes know their places.

    query     sequence, then `OR` and another sequence, and so on
    sequence  parts next to each other: all of them must hold
    part      `-` part | ( query ) | word | "phrase" | /regex/ | #tag | [property:value] | operator:value
    value     word | "phrase" | /regex/ | ( query )

A query is read while it is typed: a quote or a property's bracket that is still open extends to the end, and unfinished
parts are ignored: an operator without a value, an `OR` or a `-` with nothing behind it, an open parenthesis. A closing
parenthesis that nothing opened is ignored too (`1) buy milk`). Whatever does not match the syntax is an ordinary word:
`http://x`, `foo:bar`, `and/or`, `path/to/file`, `--force`, `malloc()`, `#1`, `[[a link]]`.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import Operator, TaskOperator, TimeField
from quarry.errors import BadQuery
from quarry.lazy_pattern import lazy_pattern
from quarry.messages import message
from quarry.types import Span

MAX_DEPTH = 20  # nested parentheses; nobody types five

VALUELESS_OPERATORS = frozenset(get_args(TaskOperator))  # `task:` alone: the note has a task

QueryTokenKind = Literal["word", "phrase", "regex", "tag", "property", "operator", "open", "close", "or", "not"]

OPERATORS: frozenset[str] = frozenset(get_args(Operator))
REGEX_OPERATORS = frozenset(
    {"content", "match-case", "ignore-case", "path", "file"}
)  # elsewhere slashes are part of the value: `folder:/a/`
DATE_OPERATORS = frozenset(get_args(TimeField))
MAX_BRACKET_DEPTH = 3  # within a property: `[up:[[Home]]]`; bounds how often brackets are read again

_TYPOGRAPHIC_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\x00": " "})
_HALF_CHARACTER = lazy_pattern("[\ud800-\udfff]")  # from a command line that was not UTF-8; no note can hold one
_SPACE = lazy_pattern(r"\s*")
_PIECE = lazy_pattern(r"[^\s\"()]+|[()]")
_PHRASE = lazy_pattern(r'"([^"]*)("?)')
_OPERATOR = lazy_pattern(r"([A-Za-z-]+):")
_REGEX = lazy_pattern(r"/((?![\s/])(?:[^\\/]|\\.)*(?<!\s))/(?=[\s)]|\Z)", re.DOTALL)
_TAG = lazy_pattern(r"#([^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\]+)")
_NUMERIC = lazy_pattern(r"[\d/_-]*")
_PROPERTY = lazy_pattern(
    r"\[(?:\s*\"(?P<quoted>[^\"]*)(?:\"\s*|\Z)|(?P<plain>[^\[\]\":(){}<>,=|\\#]+))(?P<next>[:\]]|\Z)"
)
_IN_PROPERTY = lazy_pattern(r'"[^"]*"|[\[\]]')
_RELATIVE_DAYS = lazy_pattern(r"(?i:last|this)\s+(?:\d+\s+)?[A-Za-z]+")


class QueryToken(Struct, frozen=True):
    """
    A token of a query.

    `text` has no delimiters: the words in the quotes, the expression between the slashes, the tag without its `#`, the
    name of the property or operator. The value of an operator is the token that follows it.
    """

    kind: QueryTokenKind
    text: str
    start: int  # code points into the query, quotes and signs included
    end: int
    value: str | None = None  # of a property: the text behind its colon, as typed
    is_whole: bool = True  # False: the quote or the bracket is still open


def tokenize_query(typed: str) -> Iterator[QueryToken]:
    """Yield the tokens of *typed* in order, reading each character a bounded number of times."""
    source = _HALF_CHARACTER.sub("\ufffd", typed.translate(_TYPOGRAPHIC_QUOTES))
    at = _end(_SPACE, source, 0)
    while at < len(source):
        token = _token(source, at)
        yield token
        at = token.end
        if token.kind == "operator" and (value := _value(source, at, token.text)) is not None:
            yield value
            at = value.end
        at = _end(_SPACE, source, at)


def _token(source: str, at: int) -> QueryToken:
    sign = source[at]
    if sign == '"':
        return _phrase(source, at)
    if sign in "()":
        return QueryToken("open" if sign == "(" else "close", sign, at, at + 1)
    if sign == "-" and not _ends_word(source, at + 1) and source[at + 1] != "-":
        return QueryToken("not", sign, at, at + 1)
    read = {"/": _regex, "#": _tag, "[": _property}.get(sign, _operator)
    return read(source, at) or _word(source, at)


def _value(source: str, at: int, operator: str) -> QueryToken | None:
    """The value that follows an operator; None if there is none yet. Only quotes and `(` are special in it."""
    if _ends_word(source, at) or source[at] == ")":
        return None
    sign = source[at]
    if sign in '"(':
        return _token(source, at)
    if sign == "/" and operator in REGEX_OPERATORS and (regex := _regex(source, at)):
        return regex
    if operator in DATE_OPERATORS and (days := _RELATIVE_DAYS.match(source, at)):
        return QueryToken("word", days[0], at, days.end())
    word = _word(source, at)
    return QueryToken("word", word.text, word.start, word.end)


def _ends_word(source: str, at: int) -> bool:
    return at >= len(source) or source[at].isspace()


def _phrase(source: str, at: int) -> QueryToken:
    found = _PHRASE.match(source, at)
    assert found is not None
    return QueryToken("phrase", " ".join(found[1].split()), at, found.end(), is_whole=bool(found[2]))


def _word(source: str, at: int) -> QueryToken:
    """Read a word: up to a space, a quote, or a parenthesis without its partner in the word."""
    end = at
    opened: list[int] = []
    for found in _PIECE.finditer(source, at):
        sign = found[0]
        if found.start() != end or (sign == ")" and not opened):
            break
        end = found.end()
        if sign == "(":
            opened.append(found.start())
        elif sign == ")":
            opened.pop()
    text = source[at : opened[0] if opened else end]
    return QueryToken("or" if text == "OR" else "word", text, at, at + len(text))


def _regex(source: str, at: int) -> QueryToken | None:
    found = _REGEX.match(source, at)
    return QueryToken("regex", found[1], at, found.end()) if found else None


def _tag(source: str, at: int) -> QueryToken | None:
    found = _TAG.match(source, at)
    if found is None or _NUMERIC.fullmatch(found[1]):
        return None
    return QueryToken("tag", found[1], at, found.end())


def _operator(source: str, at: int) -> QueryToken | None:
    found = _OPERATOR.match(source, at)
    if found is None or found[1].lower() not in OPERATORS:
        return None
    return QueryToken("operator", found[1].lower(), at, found.end())


def _property(source: str, at: int) -> QueryToken | None:
    found = _PROPERTY.match(source, at)
    if found is None:
        return None
    name = " ".join((found["quoted"] if found["quoted"] is not None else found["plain"]).split())
    if _NUMERIC.fullmatch(name):
        return None
    has_value = found["next"] == ":"
    end = _closing_bracket(source, found.end()) if has_value else found.end()
    if end is None:
        return None
    value = source[found.end() : end - 1].strip() if has_value else None
    if end > len(source) or not found["next"]:
        return QueryToken("property", name, at, len(source), value, is_whole=False)
    if not (_ends_word(source, end) or source[end] == ")"):
        return None  # `[text](address)`
    return QueryToken("property", name, at, end, value)


def _closing_bracket(source: str, at: int) -> int | None:
    """Where the property that continues at *at* ends: one past the source while it is open; None if it is none."""
    depth = 1
    for found in _IN_PROPERTY.finditer(source, at):
        if found[0] == "]":
            depth -= 1
        elif found[0] == "[":
            depth += 1
        if depth == 0:
            return found.end()
        if depth > MAX_BRACKET_DEPTH:
            return None
    return len(source) + 1


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    found = pattern.match(source, at)
    return found.end() if found else at


# --- the tree ----------------------------------------------------------------------------------


class LeafNode(Struct, frozen=True):
    """A single word, phrase, regular expression, tag or property."""

    token: QueryToken


class OperatorNode(Struct, frozen=True):
    """`name:` with its value; None only for operators that need none."""

    token: QueryToken
    value: "QueryNode | None"
    end: int


class GroupNode(Struct, frozen=True):
    """Parts of which all must hold (`every`) or one (`either`): two or more, or any number in parentheses."""

    kind: Literal["every", "either"]
    parts: tuple["QueryNode", ...]
    around: Span | None = None  # with its parentheses; None where it has none
    inside: Span | None = None  # between them, without the spaces at either end


class NegationNode(Struct, frozen=True):
    """A part that must not hold; `start` is the offset of its minus."""

    part: "QueryNode"
    start: int
    end: int


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
        self._end = 0  # of the token before

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
            return NegationNode(part, token.start, self._end) if part else None
        if token.kind == "open":
            return self._parenthesis(token, depth)
        if token.kind == "operator":
            return self._operator(token, depth)
        return None if token.kind == "property" and not token.is_whole else LeafNode(token)

    def _parenthesis(self, token: QueryToken, depth: int) -> QueryNode | None:
        if depth == MAX_DEPTH:
            raise BadQuery(message("query.too-deep", limit=MAX_DEPTH), token.start)
        start = self._ahead.start if self._ahead else token.end
        inner = self.query(depth + 1)
        inside = Span(start, self._end)
        self._take("close")
        if inner is None:
            return None
        group = inner if isinstance(inner, GroupNode) else GroupNode("every", (inner,))
        return replace(group, around=Span(token.start, self._end), inside=inside)

    def _operator(self, token: QueryToken, depth: int) -> QueryNode | None:
        has_value = self._ahead is not None and self._ahead.start == token.end and self._ahead.kind != "close"
        value = self._part(depth) if has_value else None
        return OperatorNode(token, value, self._end) if value or token.text in VALUELESS_OPERATORS else None

    def _next(self) -> QueryToken:
        token = self._ahead
        assert token is not None
        self._end = token.end
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

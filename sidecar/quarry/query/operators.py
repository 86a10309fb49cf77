"""
Turns the tree of a query into conditions.

Words are read in two ways. At the top level they only rank and set no condition. They are *required* behind a minus,
inside an operator, and in an alternative that has nothing else (`tag:#work OR todo`), which would otherwise admit every
note.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta

from msgspec import Struct

from quarry.analysis.patterns import BadPattern, bad_pattern, compile_pattern
from quarry.conditions import (
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InFile,
    InFolder,
    InPath,
    InTimeRange,
    IsKind,
    MatchesPattern,
    Not,
    PropertyComparison,
    TimeField,
    all_of,
    any_of,
)
from quarry.dates import is_unfinished_date, parse_date_range, start_of_day_ms
from quarry.errors import BadQuery
from quarry.kinds import KINDS
from quarry.lazy_pattern import lazy_pattern
from quarry.messages import message
from quarry.query.grammar import GroupNode, LeafNode, NegationNode, OperatorNode, QueryNode, QueryToken
from quarry.query.passages import PASSAGE_OPERATORS, passage_condition
from quarry.query.terms import bare_word, content_word, is_stop_word, word_count

MAX_REQUIRED_WORDS = 32  # in all phrases, exclusions, sections and tasks together
MAX_FILTERS = 100  # as many as the wire takes

_VALUE_PIECES = lazy_pattern(r'"[^"]*"?|\S+')
_COMPARED_VALUE = lazy_pattern(r"(<=|>=|<|>)\s*(.*)", re.DOTALL)
_COMPARISONS: dict[str, PropertyComparison] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_RELATIVE_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_TIMES: dict[str, TimeField] = {"created": "created", "modified": "modified"}


class ConditionBuilder(Struct):
    """Builds the conditions of one query and counts them against the limits."""

    length: int  # of the query; a date that ends there may be unfinished
    now: datetime
    required_words: int = 0
    filters: int = 0

    def conditions(self, node: QueryNode) -> tuple[Condition, ...]:
        """
        The conditions that *node* sets at the top level, all of which must hold.

        Raises:
            BadQuery: A limit is exceeded, or a part of the query cannot be read.
        """
        if isinstance(node, GroupNode) and node.kind == "every":
            return tuple(condition for part in node.parts for condition in self.conditions(part))
        if isinstance(node, GroupNode):
            return self._alternatives(node)
        if isinstance(node, OperatorNode) and node.token.text == "ignore-case" and node.value:
            return self.conditions(node.value)
        if isinstance(node, LeafNode) and node.token.kind == "word":
            return ()
        return self._required(node)

    def _alternatives(self, node: GroupNode) -> tuple[Condition, ...]:
        found = [self.conditions(part) for part in node.parts]
        if not any(found):
            return ()
        required = [read or self._words_of(part) for part, read in zip(node.parts, found, strict=True)]
        return _disjunction(required)

    def _words_of(self, node: QueryNode) -> tuple[Condition, ...]:
        """A condition for each word of an alternative; stop words count only if it has no others."""
        content = self._required(node, lambda word: not is_stop_word(word))
        return content or self._required(node)

    def _required(self, node: QueryNode, is_wanted: Callable[[str], bool] = lambda _: True) -> tuple[Condition, ...]:
        """The conditions of *node* where its words are required, those for which *is_wanted* holds."""
        if isinstance(node, NegationNode):
            return _negation(self._required(node.part))
        if isinstance(node, GroupNode):
            parts = [self._required(part, is_wanted) for part in node.parts]
            return _disjunction(parts) if node.kind == "either" else tuple(c for part in parts for c in part)
        if isinstance(node, OperatorNode):
            return self._operator(node)
        if node.token.kind in ("word", "phrase"):
            word = node.token.text if node.token.kind == "phrase" else content_word(node.token.text)
            return self._holds(word, node.token) if word and is_wanted(word) else ()
        return self._filter(node.token)

    def _holds(self, words: str, token: QueryToken) -> tuple[Condition, ...]:
        self._count_words(words, token)
        return (HasPhrase(words),)

    def _filter(self, token: QueryToken) -> tuple[Condition, ...]:
        """The condition of a regular expression, a tag or a property that stands alone."""
        self._count_filter(token)
        if token.kind == "regex":
            return (self._matching(token),)
        if token.kind == "tag":
            return _tag_condition(token.text)
        return (property_condition(token.text, token.value, self.now.date()),)

    def _matching(self, token: QueryToken) -> MatchesPattern:
        try:
            compile_pattern(token.text)
        except BadPattern as error:
            raise bad_pattern(token.text, error, token.start) from error
        return MatchesPattern(token.text)

    # --- operators -----------------------------------------------------------------------------

    def _operator(self, node: OperatorNode) -> tuple[Condition, ...]:
        name = node.token.text
        if name in PASSAGE_OPERATORS:
            return passage_condition(node, self._count_words)
        if node.value is None:
            return ()
        if name in ("content", "ignore-case"):
            return self._required(node.value)
        return self._distributed(node.value, node.token)

    def _distributed(self, value: QueryNode, operator: QueryToken) -> tuple[Condition, ...]:
        """The condition of *operator* with *value*; before parentheses it applies to each part in them."""
        if isinstance(value, NegationNode):
            return _negation(self._distributed(value.part, operator))
        if isinstance(value, GroupNode):
            parts = [self._distributed(part, operator) for part in value.parts]
            return _disjunction(parts) if value.kind == "either" else tuple(c for part in parts for c in part)
        token = value.token
        if isinstance(value, OperatorNode) or token.kind == "property":
            raise BadQuery(message("query.no-filter-here", operator=operator.text, inner=token.text), token.start)
        self._count_filter(token)
        return self._apply(operator.text, token)

    def _apply(self, name: str, token: QueryToken) -> tuple[Condition, ...]:
        """The condition of operator *name* with one word or phrase; none while the value is incomplete."""
        if name in _TIMES:
            return self._dated(name, token)
        if name == "match-case":
            return self._cased(token)
        if token.kind == "regex":
            if name not in ("path", "file"):
                raise BadQuery(message("query.no-regex-here", operator=name), token.start)
            return (MatchesPattern(self._matching(token).pattern, "path" if name == "path" else "file"),)
        text = token.text.strip()
        if name == "kind":
            return self._of_kind(token)
        if name == "tag":
            return _tag_condition(text)
        text = f"#{text}" if token.kind == "tag" else text
        if name == "folder":
            text = text.replace("\\", "/").strip("/")
        if not text:
            return ()
        simple: dict[str, Callable[[str], Condition]] = {"path": InPath, "file": InFile, "folder": InFolder}
        return (simple[name](text) if name in simple else HasProperty(name, "is", text),)

    def _cased(self, token: QueryToken) -> tuple[Condition, ...]:
        """The condition of `match-case:` with one word, phrase or regular expression."""
        if token.kind == "regex":
            return (MatchesPattern(f"(?-i:{self._matching(token).pattern})"),)
        words = token.text if token.kind == "phrase" else bare_word(token.text)
        if not words:
            return ()
        self._count_words(words, token)
        return (HasPhrase(words, match_case=True),)

    def _of_kind(self, token: QueryToken) -> tuple[Condition, ...]:
        wanted = token.text.strip().lower()
        for kind in KINDS:
            if wanted == kind:
                return (IsKind(kind),)
        if token.end == self.length and any(kind.startswith(wanted) for kind in KINDS):
            return ()  # it is being typed
        raise BadQuery(message("query.bad-kind", operator="kind", value=token.text, kinds=tuple(KINDS)), token.start)

    def _dated(self, name: str, token: QueryToken) -> tuple[Condition, ...]:
        dates = parse_date_range(token.text, self.now.date())
        if dates is None:
            if not token.text or (token.end == self.length and is_unfinished_date(token.text)):
                return ()
            raise BadQuery(message("query.bad-date", operator=name, value=token.text), token.start)
        first = start_of_day_ms(dates.first, self.now) if dates.first else None
        behind = start_of_day_ms(dates.end, self.now) if dates.end else None
        return (InTimeRange(_TIMES[name], first, behind),)

    # --- bounds --------------------------------------------------------------------------------

    def _count_words(self, words: str, token: QueryToken) -> None:
        self.required_words += word_count(words)
        if self.required_words > MAX_REQUIRED_WORDS:
            raise BadQuery(message("query.too-many-words", limit=MAX_REQUIRED_WORDS), token.start)

    def _count_filter(self, token: QueryToken) -> None:
        self.filters += 1
        if self.filters > MAX_FILTERS:
            raise BadQuery(message("query.too-many-filters", limit=MAX_FILTERS), token.start)


def _tag_condition(tag: str) -> tuple[Condition, ...]:
    name = tag.lstrip("#").strip("/")
    return (HasTag(name),) if name else ()


def _conjunction(conditions: tuple[Condition, ...]) -> Condition:
    together = all_of(conditions)
    return together.parts[0] if len(together.parts) == 1 else together


def _negation(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return (Not(_conjunction(conditions)),) if conditions else ()


def _disjunction(alternatives: list[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    """The condition that one of *alternatives* holds, each a conjunction; empty ones are still being typed."""
    known = [_conjunction(alternative) for alternative in alternatives if alternative]
    return (any_of(known),) if known else ()


# --- properties --------------------------------------------------------------------------------


def property_condition(name: str, value: str | None, today: date) -> Condition:
    """
    The condition of `[name:value]`; without a value, that the property is there.

    Quotes keep a value from being read as anything else: `[status:"null"]`, `[sign:"<"]`. `OR` separates alternatives,
    and a value may be compared: `[rating:>=4]`, `[due:<today]`.
    """
    written = (value or "").strip()
    if written.startswith("(") and written.endswith(")"):
        written = written[1:-1]
    found = [
        HasProperty(name, *_comparison(each, today)) for each in _value_alternatives(written) if each.strip("<>= ")
    ]
    return any_of(found) if found else HasProperty(name)


def _value_alternatives(written: str) -> Iterator[str]:
    """Split *written* at `OR` outside of quotes."""
    pieces: list[str] = []
    for piece in _VALUE_PIECES.findall(written):
        if piece == "OR":
            yield " ".join(pieces)
            pieces.clear()
        else:
            pieces.append(piece)
    yield " ".join(pieces)


def _comparison(written: str, today: date) -> tuple[PropertyComparison, str]:
    compared = _COMPARED_VALUE.fullmatch(written)
    if compared:
        value = compared[2].strip('"')
        days = _RELATIVE_DAYS.get(value.lower())
        return _COMPARISONS[compared[1]], value if days is None else (today + timedelta(days)).isoformat()
    return "is", "" if written == "null" else written.replace('"', "")

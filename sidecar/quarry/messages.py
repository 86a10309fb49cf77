"""
Sentences that are told to people, by code and arguments, so that a client can word them in its own language.

Beside each stands the English sentence, which the command line and agents show. `MessageCode` is the closed list; what
an argument is, is said beside the code. Words and phrases are quoted as they were searched for; filters are written in
the language of queries (`folder:Work`).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

QueryProblem = Literal[
    "query-too-long",  # count, limit
    "query-only-excludes",  # query
    "query-without-words",  # and without a complete filter
    "query-too-deep",  # limit: of nested parentheses
    "too-many-words",  # limit: in quotes, after a minus or in an OR
    "too-many-filters",  # limit
    "too-many-alternatives",  # operator, limit
    "bad-regex",  # pattern, problem: a `RegexProblem`, reason: what the engine says of it, in English
    "no-regex-here",  # operator
    "no-filter-here",  # operator, inner: an operator or property in its value
    "bad-date",  # operator, value
]
"""Why a query cannot be read."""

RegexProblem = Literal[
    "missing-parenthesis",
    "unexpected-parenthesis",
    "missing-bracket",
    "bad-range",
    "bad-repetition",
    "nothing-to-repeat",
    "bad-escape",
    "trailing-backslash",
    "unsupported",  # lookarounds and the like
    "too-large",
    "unavailable",  # there is no engine for them on this machine
    "other",
]

RelaxedCode = Literal[
    "relaxed-beginnings",  # word, among
    "relaxed-phrases",  # phrases, among
    "relaxed-phrases-in-case",  # phrases, among
    "relaxed-unmet-filters",  # filters: of which no note meets any, ignored: how many filters were left out
    "relaxed-filters",  # filters: that no note that matches meets, ignored
    "relaxed-words",  # words: at most three, among
    "relaxed-many-words",  # among
    "relaxed-nothing",  # among
]
"""
What of a query was given up. `among` is `all`, `filtered` (notes that the other filters admit) or `not-excluded`.
"""

ExplainCode = Literal[
    "explain-hit",  # rank, total, reasons: of `ExplainReason`, found, lacking, model
    "explain-beyond",  # and limit
    "explain-far",
    "explain-no-words",  # meaning is not compared
    "explain-crowded-out",  # found, lacking
    "explain-alternative",  # it meets an alternative without words
    "explain-listed",
    "explain-refused",  # filters
    "explain-status",  # value: of the property, which a setting leaves out
    "explain-skipped-section",  # words, section
    "explain-absent",  # reason: a `ReasonCode`, entry, plugin
]
"""Why a note stands where it stands, or is not there."""

ReasonCode = Literal[
    "sensitivity",  # entry: the data class, as written
    "folders-include",
    "folders-exclude",
    "index-ignore",
    "obsidian-excluded",
    "templates",
    "hidden",
    "not-markdown",
    "kind-off",
    "drawing",
    "status",
    "link",
    "name",
    "unreadable",
    "not-a-file",
    "crash",
    "defect",
    "too-large",
    "too-many-passages",
    "front-matter",
    "damaged",
    "locked",
    "no-text",
    "settings",
    "new",
    "changed",
    "gone",
    "unknown",
    "other",
]
"""Why a note is not in the index, or only a part of it."""

ExplainReason = Literal["words", "phrase", "meaning", "title", "exact", "severity", "recency", "tags", "domain"]

UnderstoodCode = Literal[
    "query-all",  # all notes
    "query-words",  # words, by: `words`, `meaning` or `both`
    "query-phrase",  # phrase, negated: as all that follow
    "query-phrase-in-case",  # phrase
    "query-pattern",  # pattern, place: a `PatternTarget`
    "query-together",  # unit: `section`, `block` or `line`, phrases, without
    "query-task",  # state: a `TaskState`, phrases, without
    "query-note",  # path
    "query-folder",  # folder
    "query-path",  # part
    "query-file",  # part
    "query-kind",  # kind, as it is typed
    "query-tag",  # tag, without `#`
    "query-property",  # name, comparison: a `PropertyComparison`, value
    "query-dated",  # field: a `TimeField`, period: a `PeriodKind`, first, last
    "query-filter",  # filter: of several parts, as in a query
]
"""
How a query was understood, condition by condition. `negated` is 1 where a note must not meet the condition, else 0.
"""

StatusCode = Literal[
    "words-unavailable",  # search by words
    "model-loading",
    "model-missing",  # model
    "vectors-pending",  # model: another than before, whose vectors are being made
    "index-unavailable",
    "index-recreated",  # file: that the damaged one is kept as; "" where it was deleted
    "vault-missing",
    "settings-unreadable",
    "indexing-failed",
    "notes-kept",  # count: notes that are gone at once
    "process-ended",  # of those that index: it is slower, or begins anew
]
"""Why a retriever is not available, or what a person should know of the index."""

MessageCode = Literal[QueryProblem, RelaxedCode, ExplainCode, UnderstoodCode, StatusCode]

Argument = str | int | tuple[str, ...]


class Message(NamedTuple):
    """A message: its code and its arguments."""

    code: MessageCode
    args: Mapping[str, Argument] = MappingProxyType({})


def message(code: MessageCode, **args: Argument) -> Message:
    """The message with this *code* and these arguments."""
    return Message(code, args)


class Sentence(NamedTuple):
    """A sentence in English, and what it says by its code."""

    english: str
    told: Message

    def __str__(self) -> str:
        return self.english


class Description(NamedTuple):
    """A description in English that makes part of a sentence, and what it says by codes, part by part."""

    english: str = ""
    told: tuple[Message, ...] = ()

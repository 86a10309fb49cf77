"""
Compiles typed regular expressions.

By RE2, whose time is linear in the text for every expression; `(a+)+$` keeps Python's own engine busy for years. In
return there are no lookarounds (`(?=`) and no backreferences (`\\1`).
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, Protocol

from quarry.errors import BadQuery
from quarry.messages import message

MEMORY_BYTES = 8 << 20  # for the automaton of one expression; `(a{999}){999}` is refused instead of built
COMPILED = 64  # cached; an expression is compiled again with every key typed


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


class BadPattern(ValueError):
    """The expression cannot be used. The message is RE2's reason; *problem* is its kind."""

    def __init__(self, message: str, problem: RegexProblem) -> None:
        super().__init__(message)
        self.problem = problem


class Pattern(Protocol):
    """A compiled expression."""

    def search(self, text: str) -> Any:
        """A truthy value if it matches anywhere in *text*."""
        ...

    def finditer(self, text: str) -> Iterator[Any]:
        """The matches in *text*, in order, each with a `span()`; they do not overlap."""
        ...


@lru_cache(maxsize=COMPILED)
def compile_pattern(pattern: str) -> Pattern:
    """
    Compile *pattern*, ignoring case, with `^` and `$` matching at line ends.

    Raises:
        BadPattern: RE2 cannot read it, or there is no RE2 on this machine.
    """
    try:
        import re2  # type: ignore[import-untyped]  # here, so that a platform without it can go on
    except ImportError:
        raise BadPattern("google-re2 is not installed", "unavailable") from None
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True  # that it matches is enough, and comes quicker
    options.log_errors = False
    options.max_mem = MEMORY_BYTES
    try:
        re2.compile(pattern, options)  # by itself, so that no parenthesis of it closes one of ours
        compiled: Pattern = re2.compile("(?m)" + pattern, options)
    except re2.error as error:
        reason = _reason(error)
        raise BadPattern(reason, _problem(reason)) from error
    return compiled


def bad_pattern(pattern: str, error: BadPattern, position: int) -> BadQuery:
    """The error for a query with *pattern*, which cannot be used, at *position*."""
    return BadQuery(message(f"query.regex-{error.problem}", pattern=pattern, reason=str(error)), position)


def find_pattern(pattern: str, text: str, limit: int) -> list[tuple[int, int]]:
    """The spans of the first *limit* matches of *pattern* in *text*, without empty ones; none if it cannot be used."""
    try:
        matches = compile_pattern(pattern).finditer(text)
    except BadPattern:
        return []
    return [(start, end) for start, end in (found.span() for found in islice(matches, limit)) if start < end]


_PROBLEMS: tuple[tuple[str, RegexProblem], ...] = (
    ("missing )", "missing-parenthesis"),
    ("unexpected )", "unexpected-parenthesis"),
    ("missing ]", "missing-bracket"),
    ("missing closing ]", "missing-bracket"),
    ("invalid character class", "bad-range"),
    ("no argument for repetition", "nothing-to-repeat"),
    ("bad repetition", "bad-repetition"),
    ("invalid repetition", "bad-repetition"),
    ("trailing \\", "trailing-backslash"),
    ("invalid escape", "bad-escape"),
    ("invalid perl", "unsupported"),
    ("invalid named capture", "unsupported"),
    ("pattern too large", "too-large"),
)
"""How RE2 begins to say what is wrong, and the kind of problem that it is."""


def _problem(reason: str) -> RegexProblem:
    return next((problem for beginning, problem in _PROBLEMS if reason.startswith(beginning)), "other")


def _reason(error: Exception) -> str:
    """RE2's message, which it gives as bytes."""
    said = error.args[0] if error.args else b""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)

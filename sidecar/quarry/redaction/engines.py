"""
Which regular expression engine runs the rules?

RE2 where google-re2 can be imported, else Python's `re`: slower, and linear
only because the rules are written for it. Both give the same spans. Why sets
of patterns are matched first, and why one set for each family: docs/decisions/003.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol

from quarry.lazy_pattern import lazy_pattern
from quarry.redaction.rules import RULE_FAMILIES, RULES, Rule

SETS_PAY_BYTES = 96 << 10  # preselecting by keywords takes 16 ms for these, as compiling the sets does
SET_MEMORY_BYTES = 32 << 20  # for the automaton of one set, grown as texts need it; 8 MB, the default, thrashes


class ScrubEngine(Protocol):
    """The rules, compiled. The bytes they search must begin and end with a character that is part of no secret."""

    def candidates(self, data: bytes) -> Iterator[int]:
        """The indexes into `RULES` of all rules that may match *data*, ascending."""
        ...

    def compile_sets(self) -> None:
        """Compile now what the first long text would otherwise wait for."""
        ...

    def place(self, index: int, data: bytes, position: int) -> int | None:
        """Where rule *index* next begins to match *data* from *position* on, in any context; None if nowhere."""
        ...

    def search(self, index: int, data: bytes, position: int) -> tuple[int, int] | None:
        """The next span that rule *index* matches in *data* at *position* or later; None if there is none."""
        ...


class Re2Engine:
    """
    google-re2: one pass over the note for each family of rules finds the candidates.

    The sets of patterns for this are compiled once `SETS_PAY_BYTES` have been scanned, or by `compile_sets`. That takes
    16 ms, which the few texts of a first answer need not wait for: until then, keywords preselect the rules.
    """

    def __init__(self) -> None:
        import re2  # type: ignore[import-untyped]  # here, so that a platform without it can go on

        self._re2 = re2
        options = self._options()
        # Compiled when first used: most rules match in no note, and all of them take 10 ms.
        self._pattern: Callable[[int], Any] = cache(lambda index: re2.compile(_with_ends(RULES[index]), options))
        self._core: Callable[[int], Any] = cache(lambda index: re2.compile(_without_group(RULES[index]), options))
        self._sets: list[Any] | None = None
        self._compiling = threading.Lock()
        self._scanned_bytes = 0

    def compile_sets(self) -> None:
        """Compile the sets of patterns, unless they are compiled already."""
        with self._compiling:
            if self._sets is None:
                self._sets = [self._family_set(family) for family in RULE_FAMILIES]

    def candidates(self, data: bytes) -> Iterator[int]:
        """See `ScrubEngine`."""
        self._scanned_bytes += len(data)
        if self._sets is None and self._scanned_bytes < SETS_PAY_BYTES:
            yield from (index for index in _with_keywords(data) if self._core(index).search(data))
            return
        self.compile_sets()
        assert self._sets is not None
        first = 0
        for family, patterns in zip(RULE_FAMILIES, self._sets, strict=True):
            yield from sorted(first + index for index in patterns.Match(data) or ())
            first += len(family)

    def _options(self) -> Any:
        options = self._re2.Options()
        options.encoding = self._re2.Options.Encoding.LATIN1  # one byte is one character
        options.log_errors = False
        return options

    def _family_set(self, family: Sequence[Rule]) -> Any:
        options = self._options()
        options.max_mem = SET_MEMORY_BYTES
        patterns = self._re2.Set.SearchSet(options)
        for rule in family:
            patterns.Add(_core(rule).encode())
        patterns.Compile()
        return patterns

    def place(self, index: int, data: bytes, position: int) -> int | None:
        """See `ScrubEngine`."""
        match = self._core(index).search(data, position)
        return match.start() if match else None

    def search(self, index: int, data: bytes, position: int) -> tuple[int, int] | None:
        """
        See `ScrubEngine`. RE2 has no lookaround, so the characters at both ends are matched too and removed here.

        A group would do as well, but RE2 leaves its automaton to fill a group: a second for a line of 1 MB.
        """
        rule = RULES[index]
        match = self._pattern(index).search(data, position - 1 if position and rule.left else position)
        if match is None:
            return None
        if rule.lead or rule.trail:
            start, end = match.span(1)
        else:
            start, end = match.start() + bool(rule.left), match.end() - bool(rule.right)
        return start, end


class ReEngine:
    """Python's `re`: keywords preselect the rules."""

    def __init__(self) -> None:
        self._patterns = [lazy_pattern(_between_ends(rule)) for rule in RULES]
        self._core = [lazy_pattern(_without_group(rule)) for rule in RULES]

    def compile_sets(self) -> None:
        """Do nothing: this engine has no sets."""

    def candidates(self, data: bytes) -> Iterator[int]:
        """See `ScrubEngine`."""
        return _with_keywords(data)

    def place(self, index: int, data: bytes, position: int) -> int | None:
        """See `ScrubEngine`."""
        match = self._core[index].search(data, position)
        return match.start() if match else None

    def search(self, index: int, data: bytes, position: int) -> tuple[int, int] | None:
        """See `ScrubEngine`."""
        match = self._patterns[index].search(data, position)
        return match.span(1) if match else None


_KEYWORDS = [[word.encode() for word in rule.keywords.split()] for rule in RULES]


def _with_keywords(data: bytes) -> Iterator[int]:
    """Yield the indexes into `RULES` of the rules without keywords and of those with a keyword that *data* contains."""
    lower = data.lower()
    for index, keywords in enumerate(_KEYWORDS):
        if not keywords or any(keyword in lower for keyword in keywords):
            yield index


def _core(rule: Rule) -> str:
    """The pattern with its lead and trail; if it has either, the span is its only group."""
    return f"{rule.lead}({rule.pattern}){rule.trail}" if rule.lead or rule.trail else f"(?:{rule.pattern})"


def _without_group(rule: Rule) -> bytes:
    return f"{rule.lead}(?:{rule.pattern}){rule.trail}".encode()


def _with_ends(rule: Rule) -> bytes:
    left = f"[^{rule.left}]" if rule.left else ""
    right = f"[^{rule.right}]" if rule.right else ""
    return (left + _core(rule) + right).encode()


def _between_ends(rule: Rule) -> bytes:
    left = f"(?<![{rule.left}])" if rule.left else ""
    right = f"(?![{rule.right}])" if rule.right else ""
    return f"{left}{rule.lead}({rule.pattern}){rule.trail}{right}".encode()


@cache
def default_scrub_engine() -> ScrubEngine:
    """The fastest engine that is installed."""
    try:
        return Re2Engine()
    except ImportError:  # no wheel of google-re2 for this platform (musl)
        return ReEngine()

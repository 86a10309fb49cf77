"""
The formats of credentials that Quarry recognises, and the engine of regular expressions that searches for them.

The rules are data, in `rules.toml`. RE2 runs them where google-re2 can be imported, else Python's `re`: slower, and
linear only because the rules are written for it. Both give the same spans. Why sets of patterns are matched first, and
why one set for each family: docs/decisions/003.
"""

import threading
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from quarry.lazy_pattern import lazy_pattern
from quarry.redaction import validators
from quarry.redaction.validators import Validator

RULES_FILE = Path(__file__).with_name("rules.toml")
FOREIGN_LABEL = "\x01"  # no letter, so that a token may touch it; no space, so that it can stand among keywords
SETS_PAY_BYTES = 96 << 10  # preselecting by keywords takes 16 ms for these, as compiling the sets does
SET_MEMORY_BYTES = 32 << 20  # for the automaton of one set, grown as texts need it; 8 MB, the default, thrashes
_ALNUM = "A-Za-z0-9"


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """One format of credential; `rules.toml` describes the fields."""

    name: str
    pattern: str
    keywords: str = ""  # lower case, separated by spaces
    validator: str = "vendor_token"  # a function of `validators.py`
    left: str = _ALNUM
    right: str = _ALNUM
    lead: str = ""
    trail: str = ""
    mask: str = ""  # a function of `validators.py`; "": none

    def __post_init__(self) -> None:
        for name in filter(None, (self.validator, self.mask)):
            if not callable(getattr(validators, name, None)):
                raise ValueError(f"rule {self.name} names {name!r}, which validators.py has not")

    def validate(self, data: bytes, start: int, end: int) -> validators.SecretSpan | None:
        """The span of the secret in what the pattern matched, `[start, end)` of *data*; None if there is none."""
        check: Validator = getattr(validators, self.validator)
        return check(data, start, end)

    def masked(self, data: bytes) -> bytes:
        """*data* with zeros over what the rule must not match."""
        blank: Callable[[bytes], bytes] | None = getattr(validators, self.mask) if self.mask else None
        return blank(data) if blank else data


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `rules.toml`: the families of rules are looked for one after another, each together."""

    fragments: dict[str, str | list[str]]
    prefixed: list[Rule]
    shaped: list[Rule]
    discord: list[Rule]
    labelled: list[Rule]
    random: list[Rule]


@cache
def rule_families() -> tuple[tuple[Rule, ...], ...]:
    """
    The rules, by what an engine should look for together; read when they are first needed, in 5 ms.

    Raises:
        msgspec.ValidationError: The file has an unknown field, or names a function that there is not.
    """
    file = msgspec.convert(tomllib.loads(RULES_FILE.read_text("utf-8")), _File)
    families = (file.prefixed, file.shaped, file.discord, file.labelled, file.random)
    return tuple([tuple([_expanded(rule, file.fragments) for rule in family]) for family in families])


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in order of precedence."""
    return tuple([rule for family in rule_families() for rule in family])


def _expanded(rule: Rule, fragments: dict[str, str | list[str]]) -> Rule:
    """*rule* with the fragments that its pattern names."""
    pattern = rule.pattern.replace("{keywords}", "|".join(rule.keywords.split()))
    for name, fragment in fragments.items():
        text = fragment if isinstance(fragment, str) else f"(?:{'|'.join(fragment)})"
        pattern = pattern.replace("{" + name + "}", text)
    return msgspec.structs.replace(rule, pattern=pattern)


# --- engines -----------------------------------------------------------------------------------


class ReEngine:
    """
    The rules, compiled by Python's `re`: keywords preselect them.

    The bytes that an engine searches must begin and end with a character that is part of no secret.
    """

    def __init__(self) -> None:
        self._rules = rules()
        self._keywords = [[word.encode() for word in rule.keywords.split()] for rule in self._rules]
        self._patterns = [lazy_pattern(_between_ends(rule)) for rule in self._rules]
        self._core: Callable[[int], Any] = [lazy_pattern(_without_group(rule)) for rule in self._rules].__getitem__

    def compile_sets(self) -> None:
        """Compile now what the first long text would otherwise wait for."""

    def candidates(self, data: bytes) -> Iterator[int]:
        """The indexes into `rules()` of all rules that may match *data*, ascending."""
        lower = data.lower()
        for index, keywords in enumerate(self._keywords):
            if not keywords or any(keyword in lower for keyword in keywords):
                yield index

    def place(self, index: int, data: bytes, position: int) -> int | None:
        """Where rule *index* next begins to match *data* from *position* on, in any context; None if nowhere."""
        match = self._core(index).search(data, position)
        return match.start() if match else None

    def search(self, index: int, data: bytes, position: int) -> tuple[int, int] | None:
        """The next span that rule *index* matches in *data* at *position* or later; None if there is none."""
        match = self._patterns[index].search(data, position)
        return match.span(1) if match else None


class Re2Engine(ReEngine):
    """
    google-re2: one pass over the note for each family of rules finds the candidates.

    The sets of patterns for this are compiled once `SETS_PAY_BYTES` have been scanned, or by `compile_sets`. That takes
    16 ms, which the few texts of a first answer need not wait for: until then, keywords preselect the rules.
    """

    def __init__(self) -> None:
        import re2  # type: ignore[import-untyped]  # here, so that a platform without it can go on

        super().__init__()
        self._re2 = re2
        options = self._options()
        # Compiled when first used: most rules match in no note, and all of them take 10 ms.
        self._pattern: Callable[[int], Any] = cache(lambda at: re2.compile(_with_ends(self._rules[at]), options))
        self._core = cache(lambda at: re2.compile(_without_group(self._rules[at]), options))
        self._sets: list[Any] | None = None
        self._compiling = threading.Lock()
        self._scanned_bytes = 0

    def compile_sets(self) -> None:
        """Compile the sets of patterns, unless they are compiled already."""
        with self._compiling:
            if self._sets is None:
                self._sets = [self._family_set(family) for family in rule_families()]

    def candidates(self, data: bytes) -> Iterator[int]:
        """See `ReEngine`."""
        self._scanned_bytes += len(data)
        if self._sets is None and self._scanned_bytes < SETS_PAY_BYTES:
            yield from (index for index in super().candidates(data) if self._core(index).search(data))
            return
        self.compile_sets()
        assert self._sets is not None
        first = 0
        for family, patterns in zip(rule_families(), self._sets, strict=True):
            yield from sorted(first + index for index in patterns.Match(data) or ())
            first += len(family)

    def search(self, index: int, data: bytes, position: int) -> tuple[int, int] | None:
        """
        See `ReEngine`. RE2 has no lookaround, so the characters at both ends are matched too and removed here.

        A group would do as well, but RE2 leaves its automaton to fill a group: a second for a line of 1 MB.
        """
        rule = self._rules[index]
        match = self._pattern(index).search(data, position - 1 if position and rule.left else position)
        if match is None:
            return None
        if rule.lead or rule.trail:
            start, end = match.span(1)
        else:
            start, end = match.start() + bool(rule.left), match.end() - bool(rule.right)
        return start, end

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
def default_scrub_engine() -> ReEngine:
    """The fastest engine that is installed."""
    try:
        return Re2Engine()
    except ImportError:  # no wheel of google-re2 for this platform (musl)
        return ReEngine()

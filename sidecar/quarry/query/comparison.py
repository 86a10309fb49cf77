"""
Recognises a comparison by its form: `X vs Y`, `compare X with Y`, `difference between X and Y`, `should we use X or Y`.

The forms are those of `comparisons.toml`. What stands between and around the subjects says nothing of any note, so it
is neither ranked by nor missing.
"""

import re
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

MAX_WORDS = 24  # of a text that compares: a longer one tells of something
MAX_SUBJECT = 8  # words of a subject
SHORT_CHOICE = 8  # words of a choice that does not begin as a question: "traits or templates"
_CLAUSE = re.compile(r"[,;:?!¿¡]+|\.(?=\s|\Z)")
_SIGNS = "\"'`“”„«»()[]"


class _Forms(Struct, frozen=True, forbid_unknown_fields=True):
    """The forms of one language; each field is a list of expressions, separated by bars."""

    between: str
    opening: str
    joint: str
    lead: str
    either: str = ""


class _Patterns(Struct, frozen=True):
    between: re.Pattern[str]
    opening: re.Pattern[str]
    joint: re.Pattern[str]
    either: re.Pattern[str] | None
    lead: re.Pattern[str]


def read_comparison(text: str) -> tuple[str, str] | None:
    """The two subjects that *text* compares, as typed; None where it has no form of a comparison."""
    words = text.lower().split()
    if len(words) > MAX_WORDS or _telling_words().isdisjoint(words):
        return None
    for patterns in _patterns():
        for before, behind in _splits(text, patterns):
            first = _CLAUSE.split(before)[-1]
            second = next(filter(str.strip, _CLAUSE.split(behind)), "")
            subjects = _bare(first, patterns), _bare(second, patterns)
            if all(0 < len(subject.split()) <= MAX_SUBJECT for subject in subjects):
                return subjects
    return None


def _splits(text: str, patterns: _Patterns) -> list[tuple[str, str]]:
    """What stands before and behind the middle of each form that *text* has, the most certain form first."""
    found = [patterns.between.split(text, maxsplit=1)]
    if opened := patterns.opening.search(text):
        found.append(patterns.joint.split(text[opened.end() :], maxsplit=1))
    if patterns.either and (patterns.lead.match(text) or len(text.split()) <= SHORT_CHOICE):
        found.append(patterns.either.split(text, maxsplit=1))
    return [(parts[0], parts[1]) for parts in found if len(parts) == 2]


def _bare(subject: str, patterns: _Patterns) -> str:
    return patterns.lead.sub("", subject.strip()).strip().strip(_SIGNS).strip()


@cache
def _languages() -> dict[str, _Forms]:
    return msgspec.toml.decode(Path(__file__).with_name("comparisons.toml").read_bytes(), type=dict[str, _Forms])


@cache
def _telling_words() -> frozenset[str]:
    """The longest word of each form: without one of them, a text has none, which is seen in a microsecond."""
    every = [form for forms in _languages().values() for form in (forms.between, forms.opening, forms.either)]
    return frozenset(max(form.lower().split(), key=len) for each in every if each for form in each.split("|"))


@cache
def _patterns() -> tuple[_Patterns, ...]:
    return tuple(
        [
            _Patterns(
                between=_expression(forms.between, r"\s+{}\s+"),
                opening=_expression(forms.opening, r"(?<!\w){}\s+"),
                joint=_expression(forms.joint, r"\s+{}\s+"),
                either=re.compile(rf"\s+(?:{forms.either})\s+") if forms.either else None,  # `OR` is an operator
                lead=_expression(forms.lead, r"\A(?:{}(?=\W)\W*)+"),
            )
            for forms in _languages().values()
        ]
    )


def _expression(alternatives: str, around: str) -> re.Pattern[str]:
    longest_first = sorted(alternatives.split("|"), key=len, reverse=True)
    every = "|".join(map(re.escape, longest_first))
    return re.compile(around.format(f"(?:{every})"), re.IGNORECASE)

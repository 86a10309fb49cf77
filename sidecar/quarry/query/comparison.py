"""
Recognises a comparison by its form: `X vs Y`, `compare X with Y`, `difference between X and Y`, `should we use X or Y`.

The forms are those of `comparisons.toml`. What stands between and around the subjects says nothing of any note, so it
is neither ranked by nor missing.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

MAX_WORDS = 24  # of a text that compares: a longer one tells of something
MAX_SUBJECT = 8  # words of a subject
SHORT_CHOICE = 8  # words of a choice that does not begin as a question: "traits or templates"
_MIDDLE = r"\s+(?i:{})\s+"
_SHAPES = {"between": _MIDDLE, "joint": _MIDDLE, "either": r"\s+(?:{})\s+"}  # `OR` is an operator
_SHAPES |= {"opening": r"(?<!\w)(?i:{})\s+", "lead": r"\A(?:(?i:{})(?=\W)\W*)+"}
_CLAUSE = re.compile(r"[,;:?!¿¡]+|\.(?=\s|\Z)")
_SIGNS = " \"'`“”„«»()[]"


def read_comparison(text: str) -> tuple[str, str] | None:
    """The two subjects that *text* compares, with single spaces; None where it has no form of a comparison."""
    words = text.lower().split()
    text = " ".join(text.split())  # a pattern would try every part of a long run of spaces
    telling, languages = _forms()
    if len(words) > MAX_WORDS or telling.isdisjoint(words):
        return None
    for forms in languages:
        opened = forms["opening"].split(text, maxsplit=1)
        splits = [forms["between"].split(text, maxsplit=1), *[forms["joint"].split(behind, 1) for behind in opened[1:]]]
        if len(words) <= SHORT_CHOICE or forms["lead"].match(text):
            splits.append(forms["either"].split(text, maxsplit=1))
        for before, *behind in splits:
            sides = _CLAUSE.split(before)[-1], *[next(filter(str.strip, _CLAUSE.split(each)), "") for each in behind]
            subjects = [forms["lead"].sub("", side.strip()).strip(_SIGNS) for side in sides]
            if len(subjects) == 2 and all(0 < len(subject.split()) <= MAX_SUBJECT for subject in subjects):
                return subjects[0], subjects[1]
    return None


@cache
def _forms() -> tuple[frozenset[str], list[dict[str, re.Pattern[str]]]]:
    """The longest word of each form, without one of which a text has none; and the patterns of each language."""
    text = Path(__file__).with_name("comparisons.toml").read_bytes()
    declared = msgspec.toml.decode(text, type=dict[str, dict[str, list[str]]]).values()
    every = [form for forms in declared for name in ("between", "opening", "either") for form in forms[name]]
    return frozenset([max(form.lower().split(), key=len) for form in every]), [*map(_patterns, declared)]


def _patterns(forms: Mapping[str, list[str]]) -> dict[str, re.Pattern[str]]:
    longest_first = {name: sorted(forms[name], key=len, reverse=True) for name in _SHAPES}
    return {name: re.compile(_SHAPES[name].format("|".join(map(re.escape, of)))) for name, of in longest_first.items()}

"""
Plain words about time at an edge of a query: `notes from last month about reeds`, `updated in the last week`.

They are read as a filter, but only in forms that say so, which `times.toml` has by language: `what happened in March
1917` and `last week tonight` are about something else. The filter is written in the language of queries.
"""

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct, convert

from quarry.query.questions import is_question

MAX_CHARS = 1_000  # of a text that is read: every period in it is looked at, in every form

_Subject = Literal["modified", "created", "either", "recent"]
_RELATIVE, _MONTH, _UNCERTAIN, _YEAR = "\x01\x02\x03\x04"  # stand for a period in the text
_PLACES = {"P": f"[{_RELATIVE}{_MONTH}{_UNCERTAIN}]", "C": f"[{_RELATIVE}{_MONTH}]", "W": _RELATIVE, "Y": _YEAR}
_WRITTEN_YEAR = r"(?:199|20\d)\d"  # no file is older: an earlier year is what the query is about
_FILTERS: dict[str, str] = {
    "modified": "modified:{0}",
    "created": "created:{0}",
    "either": "(created:{0} OR modified:{0})",
    "recent": "modified:30d",
    "named": "(created:{0} OR modified:{0} OR file:{0})",
}


class SpokenTime(NamedTuple):
    """Plain words about time, and the filter that they are read as."""

    start: int  # code points into the text
    end: int
    written: str  # `modified:7d`


class _Language(Struct, frozen=True, forbid_unknown_fields=True):
    """A language of `times.toml`, which describes the fields."""

    cues: str
    numbers: str
    months: str
    ambiguous: str
    days: str
    month: str
    is_spaced: bool
    since: str
    periods: dict[str, str]
    parts: dict[str, str]
    forms: dict[_Subject, list[str]]


class _Period(NamedTuple):
    start: int
    end: int
    written: str
    place: str  # that stands for it in a form


def spoken_time(text: str, today: date) -> SpokenTime | None:
    """The plain words about time at an edge of *text*, words alone; None where nothing is certain."""
    lower = text.lower()
    if len(text) > MAX_CHARS or len(lower) != len(text):  # places would shift
        return None
    for name, cues in _cues().items():
        if not any(cue in lower for cue in cues):
            continue
        for period in (*_periods(lower, name, today), _Period(0, 0, "", "")):
            masked = lower[: period.start] + period.place + lower[period.end :]
            for subject, is_loose, form in _forms(name):
                if (subject == "recent") == (period.place == "") and (found := form.search(masked)):
                    if is_loose and is_question(text):
                        continue
                    start, end = found.span("said")
                    is_named = subject == "either" and period.written[:4].isdigit()  # daily notes are called so
                    filter_ = _FILTERS["named" if is_named else subject].format(period.written)
                    return SpokenTime(start, end + len(text) - len(masked), filter_)
    return None


@cache
def _languages() -> dict[str, _Language]:
    return convert(tomllib.loads(Path(__file__).with_name("times.toml").read_text("utf-8")), dict[str, _Language])


@cache
def _cues() -> dict[str, tuple[str, ...]]:
    """Words of which any query about time has at least one, in lower case, by language."""
    return {name: (*one.cues.split(), *re.split("[ |]", one.months)) for name, one in _languages().items()}


def _periods(text: str, name: str, today: date) -> Iterator[_Period]:
    """The periods that *text*, in lower case, names in a language."""
    language, (pattern, written) = _languages()[name], _period_pattern(name)
    for found in pattern.finditer(text):
        since = ">=" if found["since"] else ""
        said = found["said"]
        if found["month"]:
            month = next(n for n, names in enumerate(language.months.split(), 1) if found["month"] in names.split("|"))
            year = found["year"] or today.year - (month > today.month)
            is_certain = bool(found["year"]) or found["month"] not in language.ambiguous.split()
            yield _Period(*found.span(), f"{since}{year}-{month:02}", _MONTH if is_certain else _UNCERTAIN)
        elif found["alone"]:
            yield _Period(*found.span(), since + said, _YEAR)
        else:
            expression, period = next((one, to) for one, to in written if one.fullmatch(said))
            period = expression.sub(period, said)
            for number, names in enumerate(language.numbers.split(), 1):
                period = re.sub(rf"^(?:{names})(?=[dwmy]$)", str(number), period)
            is_relative = period[-1] in "dwmy" and period[0].isdigit()
            place = _UNCERTAIN if said in language.days.split() else _RELATIVE
            yield _Period(*found.span(), period if is_relative else since + period, place)


@cache
def _period_pattern(name: str) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]:
    """What finds a period in a language, and each kind with the period that it is."""
    language = _languages()[name]
    number = rf"(\d{{1,3}}|{language.numbers.replace(' ', '|')})"
    kinds = [expression.replace("N", number) for expression in language.periods]
    month = rf"(?P<month>{language.months.replace(' ', '|')})"
    dated = language.month.replace("Y", "(?P<year>YEAR)", 1).replace("M", month).replace("YEAR", _WRITTEN_YEAR)
    bound, end = (r"(?<!\w)", r"(?!\w)") if language.is_spaced else ("", "")
    since = f"(?:{language.since})" if language.since else "(?!)"
    every = "|".join(kinds).replace(number, number.replace("(", "(?:", 1))
    pattern = rf"{bound}(?P<since>{since})?(?P<said>{dated}|{every}|(?P<alone>{_WRITTEN_YEAR})){end}"
    return re.compile(pattern), [
        (re.compile(kind), to) for kind, to in zip(kinds, language.periods.values(), strict=True)
    ]


@cache
def _forms(name: str) -> list[tuple[_Subject, bool, re.Pattern[str]]]:
    """The forms of a language: what the time is about, whether a question is no such query, and what finds one."""
    language, found = _languages()[name], list[tuple[_Subject, bool, re.Pattern[str]]]()
    for subject, forms in language.forms.items():
        for form in forms:
            edge, _, said = form.partition(" ")
            for place, characters in _PLACES.items():
                said = said.replace(place, characters)
            for part, expression in language.parts.items():
                said = said.replace(f"{{{part}}}", expression)
            at_start, at_end = rf"\A(?P<said>{said})(?=\s|\Z)", rf"(?:(?<=\s)|\A)(?P<said>{said})\Z"
            patterns = {
                "start": [at_start],
                "end": [at_end],
                "both": [at_start, at_end],
                "whole": [rf"\A(?P<said>{said})\Z"],
            }
            found += [(subject, edge == "end" and subject == "either", re.compile(each)) for each in patterns[edge]]
    return found

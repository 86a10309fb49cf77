"""
Compares front matter properties with what a query wants, and finds when a note was created by its own account.

People write properties in many ways: `4` or `"4"`, `2026-03-05`, `2026-03-05T10:00+02:00` or `[[2026-03-05]]`, links
as values, times as milliseconds. Their meanings are compared, not their spellings.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache

from quarry.conditions import PropertyComparison
from quarry.dates import TIME, day_in, period_in
from quarry.index.keys import fold_marks
from quarry.lazy_pattern import lazy_pattern
from quarry.types import PropertyValue

_CREATED = ("created", "createdat", "createdon", "datecreated", "creationdate", "createddate", "date")
"""Names of properties that say when a note was created, without spaces and signs, the plainest first."""

_SIGNS = lazy_pattern(r"[\s_.-]+")
_LINK = lazy_pattern(r"\[\[([^\[\]|#]*)[^\[\]]*\]\]")
_STAMP = lazy_pattern(r"(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?")
_FIRST_MS = 10**11  # below it an epoch time counts seconds: in milliseconds it would lie in March 1973
_ORDER: dict[PropertyComparison, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def stands(value: PropertyValue, comparison: PropertyComparison, wanted: str) -> bool:
    """
    Whether *value*, or one entry of a list, compares with *wanted* in that way.

    `""` equals a property that is there and empty. Numbers are compared with numbers, days with days, months and years,
    texts with texts; never one kind with another.
    """
    if comparison == "exists":
        return True
    if isinstance(value, tuple):
        return any(_stands(entry, comparison, wanted) for entry in value) if value or wanted else comparison == "is"
    return _stands(value, comparison, wanted)


def created_ms(properties: Mapping[str, PropertyValue]) -> int | None:
    """
    When a note was created by its front matter, in milliseconds since 1970; None where it does not say.

    A time without a zone is local time; a day without a time begins at midnight.
    """
    named = {_SIGNS.sub("", name.lower()): value for name, value in reversed(list(properties.items()))}
    return next((moment for name in _CREATED if (moment := moment_ms(named.get(name))) is not None), None)


def moment_ms(value: PropertyValue | None) -> int | None:
    """The time that a property says, or the first of a list, in milliseconds since 1970; None where it says none."""
    first = value[0] if isinstance(value, tuple) and value else value
    return None if first is None or isinstance(first, tuple) else _moment(first)


def _stands(value: str | float | bool, comparison: PropertyComparison, wanted: str) -> bool:
    text = _text(value)
    if comparison == "is":
        return text == _text(wanted) or _is_number(text, wanted) or _is_in(text, wanted)
    numbers = _number(text), _number(_text(wanted))
    if None not in numbers:
        return _ORDER[comparison](*numbers)  # type: ignore[arg-type]  # neither is None
    day, period = day_in(text), period_in(_text(wanted))
    if day and period:
        return _is_before(day, comparison, period)
    is_text = numbers == (None, None) and not day and not period
    return is_text and bool(text) and _ORDER[comparison](text, _text(wanted))  # type: ignore[arg-type]


def _text(value: str | float | bool) -> str:
    """*value* as it is compared: case and accents folded, a link replaced by its target."""
    if isinstance(value, bool):
        return str(value).lower()
    return _folded(value) if isinstance(value, str) else str(value)


@lru_cache(maxsize=4096)  # the same few values stand in many notes
def _folded(value: str) -> str:
    text = value.strip()
    link = _LINK.fullmatch(text)
    return fold_marks(link[1].strip() if link else text)


def _is_number(text: str, wanted: str) -> bool:
    number = _number(text)
    return number is not None and number == _number(wanted)


def _is_in(text: str, wanted: str) -> bool:
    day, period = day_in(text), period_in(_text(wanted))
    return day is not None and period is not None and period[0] <= day < period[1]


def _is_before(day: date, comparison: PropertyComparison, period: tuple[date, date]) -> bool:
    first, behind = period
    return {"<": day < first, "<=": day < behind, ">": day >= behind, ">=": day >= first}.get(comparison, False)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number == number and abs(number) != float("inf") and "_" not in text else None


def _moment(value: str | float | bool) -> int | None:
    """Milliseconds since 1970 of a day, a time, a stamp (`20260305`, `202603051230`) or an epoch time."""
    if isinstance(value, bool):
        return None
    text = _text(value).upper()
    found = TIME.fullmatch(text)
    try:
        if found:
            return _milliseconds(found.groups()[:6], found[7])
        stamp = _STAMP.fullmatch(text)
        if stamp and 1900 <= int(stamp[1]) <= 2200 and int(stamp[2]) <= 12:
            return _milliseconds(stamp.groups(), None)
        number = _number(text)
        if number is None or not 10**8 <= number < 10**13:  # 1973 to 2286; less is a year or a count
            return None
        return int(number) if number >= _FIRST_MS else int(number * 1000)
    except (ValueError, OverflowError, OSError):  # no such day or hour; Windows knows no local time before 1970
        return None


def _milliseconds(parts: Sequence[str | None], zone: str | None) -> int:
    """Milliseconds since 1970 of year, month, day, hour, minute and second; the last three or four may be missing."""
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    offset = UTC if zone == "Z" else _offset(zone) if zone else None
    if offset:
        return round(datetime(year, month, day or 1, hour, minute, second, tzinfo=offset).timestamp() * 1000)
    return round(datetime(year, month, day or 1, hour, minute, second).astimezone().timestamp() * 1000)


def _offset(zone: str) -> timezone:
    """The time zone that `+02:00` or `-0130` names."""
    ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return timezone(-ahead if zone[0] == "-" else ahead)

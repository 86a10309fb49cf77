"""
Which stretch of time does a person mean by `2026-03`, `>=2026-01-01`, `7d` or `last week`?

Days begin at midnight where the person is, weeks on Monday. `last week` is the calendar week before this one; `7d` are
the last seven days with all of today. `<` and `>` leave the day, month or year itself out, `<=` and `>=` take it in,
and a range `2026-01..2026-03` takes in both ends.
"""

import re
from datetime import UTC, date, datetime, timedelta

from msgspec import Struct

from quarry.lazy_pattern import lazy_pattern

DATE_FORMATS = (
    "it takes a day (2026-01-31), a month (2026-01), a year (2026), a range (2026-01..2026-03), any of them behind"
    " >=, >, <= or <, and 7d, 2w, 3m, 1y, today, yesterday, last week, this month and the like"
)
FIRST_YEAR, LAST_YEAR = 1700, 2261  # what the index can hold, in nanoseconds around 1970

_NUMERIC = lazy_pattern(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_WEEK = lazy_pattern(r"(\d{4})-?[Ww](\d{1,2})")
_LAST_DAYS = lazy_pattern(r"(?:last |past )?(\d{1,4}) ?(d|w|m|y|days?|weeks?|months?|years?)")
_CALENDAR = lazy_pattern(r"(this|last|next) (week|month|year)")
_COMPARED = lazy_pattern(r"(>=|<=|>|<|=)?\s*(.*)", re.DOTALL)
_UNFINISHED_DATE = lazy_pattern(r"(?:>=?|<=?|=)?\s*(?:\d{1,3}|\d{4}-0?|\d{4}-\d{1,2}-0?|\d{4}-?[Ww]0?)?")
_UNFINISHED_RELATIVE = lazy_pattern(r"(?:last|past)(?: \d{1,4} ?[a-z]*)?")
_NAMES = ("today", "yesterday", "tomorrow", *(f"{a} {b}" for a in ("this", "last") for b in ("week", "month", "year")))


class DateRange(Struct, frozen=True):
    """From midnight to midnight: `first` is its first day, `behind` the first day after it; None: without end."""

    first: date | None
    end: date | None


def parse_date_range(written: str, today: date) -> DateRange | None:
    """
    What *written* means on the day *today*; None where it is no time that can be read.

    Case and further spaces do not matter.
    """
    text = " ".join(written.lower().split())
    if ".." in text:
        return _parse_range(text, today)
    compared = _COMPARED.fullmatch(text)
    assert compared is not None
    sign, text = compared[1] or "=", compared[2]
    within = _LAST_DAYS.fullmatch(text)
    try:
        if within:
            return DateRange(_days_ago(today, int(within[1]), within[2][0]), None) if sign == "=" else None
        period = _parse_period(text, today)
    except (ValueError, OverflowError):  # `2026-02-30`, week 60, 9999 years ago
        return None
    if period is None:
        return None
    first, behind = period
    return {
        "=": DateRange(first, behind),
        "<": DateRange(None, first),
        "<=": DateRange(None, behind),
        ">": DateRange(behind, None),
        ">=": DateRange(first, None),
    }[sign]


def is_unfinished_date(written: str) -> bool:
    """Whether *written* may be the beginning of a time: `20`, `>=`, `2026-`, `yest`, `last`."""
    text = " ".join(written.lower().split())
    text = text.rpartition("..")[2]
    name = text.lstrip("<>= ")
    if text.endswith("."):  # of a range
        return True
    return bool(_UNFINISHED_DATE.fullmatch(text) or _UNFINISHED_RELATIVE.fullmatch(name)) or any(
        n.startswith(name) for n in _NAMES
    )


def start_of_day_ms(day: date, now: datetime) -> int:
    """
    When *day* begins, in milliseconds since 1970, where *now* is: a time without a zone is this machine's.

    A zone that knows its summer time moves the midnights of the other half of the year as it should.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
    try:
        return round(midnight.timestamp() * 1000)
    except (OverflowError, OSError, ValueError):  # Windows knows no local time before 1970
        return round(midnight.replace(tzinfo=UTC).timestamp() * 1000)


def _parse_range(text: str, today: date) -> DateRange | None:
    """`a..b`, both taken in; either may be left out."""
    left, _, right = text.partition("..")
    from_ = parse_date_range(left, today) if left.strip() else DateRange(None, None)
    until = parse_date_range(right, today) if right.strip() else DateRange(None, None)
    if from_ is None or until is None or any(sign in text for sign in "<>="):
        return None
    return DateRange(from_.first, until.end)


def _parse_period(text: str, today: date) -> tuple[date, date] | None:
    """First day, and the first day after; None for what is no day, week, month or year."""
    day = {"today": today, "yesterday": today - timedelta(1), "tomorrow": today + timedelta(1)}.get(text)
    if day:
        return day, day + timedelta(1)
    if named := _CALENDAR.fullmatch(text):
        return _calendar(today, {"last": -1, "this": 0, "next": 1}[named[1]], named[2])
    if week := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        return monday, monday + timedelta(7)
    numeric = _NUMERIC.fullmatch(text)
    if numeric is None or not FIRST_YEAR <= int(numeric[1]) <= LAST_YEAR:
        return None
    year, month = int(numeric[1]), int(numeric[2] or 1)
    if numeric[3]:
        day = date(year, month, int(numeric[3]))
        return day, day + timedelta(1)
    first = date(year, month, 1)
    return first, _months_after(first, 1 if numeric[2] else 12)


def _calendar(today: date, offset: int, unit: str) -> tuple[date, date]:
    if unit == "week":
        first = today + timedelta(7 * offset - today.weekday())
        return first, first + timedelta(7)
    months = 12 if unit == "year" else 1
    first = today.replace(day=1, month=1) if unit == "year" else today.replace(day=1)
    first = _months_after(first, offset * months)
    return first, _months_after(first, months)


def _days_ago(today: date, count: int, unit: str) -> date:
    """The day *count* days, weeks, months or years before *today*."""
    if unit in "dw":
        return today - timedelta(count * (7 if unit == "w" else 1))
    return _months_after(today, -count * (12 if unit == "y" else 1))


def _months_after(day: date, count: int) -> date:
    """The same day *count* months later, or the last of that month: a month after 31 January is the end of February."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    for last in (day.day, 30, 29, 28):
        if last > day.day:
            continue
        try:
            return date(year, month + 1, last)
        except ValueError:  # no such day in that month
            continue
    raise ValueError(f"{count} months from {day} lie outside the calendar")

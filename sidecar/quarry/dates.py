"""
Days, months and years as people write them: in queries, in front matter and on the command line.

Days begin at local midnight, weeks on Monday. In a query, `last week` is the calendar week before this one; `7d` is
the last seven days and all of today. `<` and `>` leave the day, month or year itself out, `<=` and `>=` take it in,
and a range `2026-01..2026-03` takes in both ends.
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from msgspec import Struct

from quarry.errors import BadRequest
from quarry.lazy_pattern import lazy_pattern

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
    """Days from `first` up to, not including, `end`; None leaves that side open."""

    first: date | None
    end: date | None


def parse_date_range(written: str, today: date) -> DateRange | None:
    """
    Read *written* as of the day *today*; None if it is not a date, period or range.

    Case and repeated spaces do not matter.
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
    first, end = period
    return {
        "=": DateRange(first, end),
        "<": DateRange(None, first),
        "<=": DateRange(None, end),
        ">": DateRange(end, None),
        ">=": DateRange(first, None),
    }[sign]


def is_unfinished_date(written: str) -> bool:
    """Whether *written* may be the beginning of a date or period: `20`, `>=`, `2026-`, `yest`, `last`."""
    text = " ".join(written.lower().split())
    text = text.rpartition("..")[2]
    name = text.lstrip("<>= ")
    if text.endswith("."):  # of a range
        return True
    return bool(_UNFINISHED_DATE.fullmatch(text) or _UNFINISHED_RELATIVE.fullmatch(name)) or any(
        n.startswith(name) for n in _NAMES
    )


def _parse_range(text: str, today: date) -> DateRange | None:
    """Read `a..b`, which includes both ends; either may be missing."""
    left, _, right = text.partition("..")
    from_ = parse_date_range(left, today) if left.strip() else DateRange(None, None)
    until = parse_date_range(right, today) if right.strip() else DateRange(None, None)
    if from_ is None or until is None or any(sign in text for sign in "<>="):
        return None
    return DateRange(from_.first, until.end)


def _parse_period(text: str, today: date) -> tuple[date, date] | None:
    """First day, and the first day after the period; None if *text* is no day, week, month or year."""
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
    """*day* plus *count* months; the last of the month if that has no such day: 31 January + 1 is 28 or 29 February."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


# --- days and moments --------------------------------------------------------------------------

NO_DAY = "????-??-??"  # as long as a day, so that columns stay in line

PeriodKind = Literal["on", "in", "since", "before", "between", "always", "never"]
"""A day; a whole month or year; a range with one end or with both; all of time, none of it."""


class Period(Struct, frozen=True):
    """A range of local days in its shortest form. Days are ISO dates, months `2026-03`, years `2026`."""

    kind: PeriodKind
    first: str = ""  # the day, month or year; of a range, its first day, or the day that `before` ends at
    last: str = ""  # of `between`: its last day


def period_of(from_ms: int | None, until_ms: int | None) -> Period:
    """The days from *from_ms* up to, not including, *until_ms*; None leaves that side open."""
    first = None if from_ms is None else local_day(from_ms)
    behind = None if until_ms is None else local_day(until_ms)
    if first is None or behind is None:
        return Period("since", str(first)) if first else Period("before", str(behind)) if behind else Period("always")
    last = behind - timedelta(1)
    if first >= last:
        return Period("on", str(first)) if first == last else Period("never")
    if behind.day == first.day == 1:
        months = (behind.year - first.year) * 12 + behind.month - first.month
        if months == 1 or (months == 12 and first.month == 1):
            return Period("in", f"{first:%Y-%m}" if months == 1 else f"{first:%Y}")
    return Period("between", str(first), str(last))


def local_day(moment_ms: int) -> date:
    """The local day at *moment_ms*, in milliseconds since 1970."""
    return datetime.fromtimestamp(moment_ms / 1000, tz=UTC).astimezone().date()


def day_of(moment_ms: int) -> str:
    """`local_day` as text; a file may claim to be from the year 60000, and is listed all the same."""
    try:
        return str(local_day(moment_ms))
    except (ValueError, OverflowError, OSError):
        return NO_DAY


def start_of_day_ms(day: date, now: datetime | None = None) -> int:
    """
    The midnight at which *day* begins, in milliseconds since 1970, in the zone of *now*, or local time if it has none.

    The zone's offset on *day* counts, which daylight saving may make another one than that of *now*.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=now.tzinfo if now else None)
    try:
        return round(midnight.timestamp() * 1000)
    except (OverflowError, OSError, ValueError):  # Windows knows no local time before 1970
        return round(midnight.replace(tzinfo=UTC).timestamp() * 1000)


def parse_day_ms(text: str, name: str) -> int:
    """
    The moment at which the local day *text*, `YYYY-MM-DD`, begins, in milliseconds since 1970.

    Raises:
        BadRequest: It is no such day; the message names the parameter *name*.
    """
    try:
        return start_of_day_ms(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date())
    except (ValueError, OverflowError, OSError):
        raise BadRequest(f"{name} is {text!r}; it takes a day such as 2026-01-31") from None


# --- in notes ----------------------------------------------------------------------------------

TIME = lazy_pattern(
    r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?)?"
)
"""A month, day or time of a property, in upper case: year, month, day, hour, minute, second and zone."""


def day_in(text: str) -> date | None:
    """The day that the whole of *text* names, with or without a time."""
    found = TIME.fullmatch(text.upper())
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found and found[3] else None
    except ValueError:
        return None


def period_in(text: str) -> tuple[date, date] | None:
    """The first day of the day, month or year that the whole of *text* names, and the first day after it."""
    if day := day_in(text):
        return day, day + timedelta(1)
    found = TIME.fullmatch(text.upper())
    try:
        if found and not found[3]:
            first = date(int(found[1]), int(found[2]), 1)
            return first, _months_after(first, 1)
        if len(text) == 4 and text.isascii() and text.isdecimal():
            return date(int(text), 1, 1), date(int(text) + 1, 1, 1)
    except (ValueError, OverflowError):  # no such month; the year 9999
        return None
    return None

"""How is a range of time said in days: `on 2026-03-01`, `in 2026-03`, `since 2026-03-01`?"""

from datetime import UTC, date, datetime, timedelta
from typing import Literal

from msgspec import Struct

from quarry.conditions import InTimeRange

PeriodKind = Literal["on", "in", "since", "before", "between", "always", "never"]
"""A day; a whole month or year; a range with one end or with both; all of time, none of it."""


class Period(Struct, frozen=True):
    """A range of local days, as it is said shortest. Days are ISO dates, months `2026-03`, years `2026`."""

    kind: PeriodKind
    first: str = ""  # the day, month or year; of a range, its first day, or the day that `before` ends at
    last: str = ""  # of `between`: its last day


def period_of(condition: InTimeRange) -> Period:
    """The period of *condition*."""
    first, behind = _day(condition.from_ms), _day(condition.until_ms)
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


def _day(moment_ms: int | None) -> date | None:
    return None if moment_ms is None else datetime.fromtimestamp(moment_ms / 1000, tz=UTC).astimezone().date()

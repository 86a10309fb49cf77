"""Times as people write them, each a range of whole days."""

import time
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.dates import (
    NO_DAY,
    DateRange,
    day_of,
    is_unfinished_date,
    parse_date_range,
    parse_day_ms,
    start_of_day_ms,
)
from quarry.errors import BadRequest

TODAY = date(2026, 11, 21)  # a Saturday

DAY_MS = 86_400_000


def day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


@pytest.mark.parametrize(
    ("written", "first", "behind"),
    [
        ("today", "2026-11-21", "2026-11-22"),
        ("Yesterday", "2026-11-20", "2026-11-21"),
        ("tomorrow", "2026-11-22", "2026-11-23"),
        ("this week", "2026-11-16", "2026-11-23"),
        ("last  week", "2026-11-09", "2026-11-16"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("next month", "2026-12-01", "2027-01-01"),
        ("this year", "2026-01-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("7d", "2026-11-14", ""),
        ("last 7 days", "2026-11-14", ""),
        ("2w", "2026-11-07", ""),
        ("3m", "2026-08-21", ""),
        ("9m", "2026-02-21", ""),
        ("1y", "2025-11-21", ""),
        ("0d", "2026-11-21", ""),
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("2026-2-3", "2026-02-03", "2026-02-04"),
        ("2026-12-31", "2026-12-31", "2027-01-01"),
        ("2026-W01", "2025-12-29", "2026-01-05"),
        (">=2026-01-01", "2026-01-01", ""),
        (">2026-01-01", "2026-01-02", ""),
        (">2026", "2027-01-01", ""),
        ("<2026", "", "2026-01-01"),
        ("<= 2026-03", "", "2026-04-01"),
        ("=2026", "2026-01-01", "2027-01-01"),
        (">=last month", "2026-10-01", ""),
        ("2026-01..2026-03", "2026-01-01", "2026-04-01"),
        ("2026-01-05 .. today", "2026-01-05", "2026-11-22"),
        ("..2025", "", "2026-01-01"),
        ("2025..", "2025-01-01", ""),
    ],
)
def test_what_a_time_means(written: str, first: str, behind: str) -> None:
    assert parse_date_range(written, TODAY) == DateRange(day(first), day(behind))


@pytest.mark.parametrize(
    "written",
    [
        "",
        "2026-13-45",
        "2026-02-30",
        "1500",
        "9999",
        "26",
        "soon",
        ">7d",
        "9999y",
        "2026..>2025",
        "2026-W60",
        "last day",
    ],
)
def test_what_is_no_time_is_not_read(written: str) -> None:
    assert parse_date_range(written, TODAY) is None


def test_a_month_before_the_31st_is_the_last_of_the_shorter_month() -> None:
    assert parse_date_range("1m", date(2026, 3, 31)) == DateRange(date(2026, 2, 28), None)
    assert parse_date_range("1y", date(2024, 2, 29)) == DateRange(date(2023, 2, 28), None)


@pytest.mark.parametrize(
    "whole", ["today", "yesterday", "last week", "this month", "2026-03-05", "2026-01..2026-03", "7d", "last 7 days"]
)
def test_every_beginning_of_a_time_is_a_time_or_may_become_one(whole: str) -> None:
    for sign in ("", ">=") if whole[0] == "2" and ".." not in whole else ("",):
        for length in range(len(whole) + 1):
            written = sign + whole[:length]
            assert parse_date_range(written, TODAY) or is_unfinished_date(written), written


def test_midnight_is_that_of_the_persons_zone_in_winter_and_summer() -> None:
    berlin = datetime(2026, 11, 21, tzinfo=ZoneInfo("Europe/Berlin"))
    hour = timedelta(hours=1)

    winter = start_of_day_ms(date(2026, 1, 1), berlin)
    summer = start_of_day_ms(date(2026, 7, 1), berlin)

    assert winter == datetime(2025, 12, 31, 23, tzinfo=UTC).timestamp() * 1000
    assert summer == datetime(2026, 6, 30, 22, tzinfo=UTC).timestamp() * 1000
    assert start_of_day_ms(date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone(hour))) == winter


@given(st.text(alphabet="0123456789-.<>=dwmylastodekhr ", max_size=20), st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_any_text_is_read_or_not(written: str, today: date) -> None:
    dates = parse_date_range(written, today)

    assert dates is None or not (dates.first and dates.end and ".." not in written) or dates.first < dates.end
    is_unfinished_date(written)


# --- days and moments --------------------------------------------------------------------------


@pytest.fixture
def zone(monkeypatch):
    """Have this process live in a time zone."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system's zone cannot be changed for one process")

    def move(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def test_a_day_begins_at_midnight_here(zone):
    zone("Pacific/Kiritimati")
    east = parse_day_ms("2026-01-31", "--since")
    zone("UTC")
    greenwich = parse_day_ms("2026-01-31", "--since")

    assert greenwich == 1_769_817_600_000
    assert greenwich - east == 14 * 3_600_000


def test_a_day_on_which_the_clocks_change_is_shorter(zone):
    zone("Europe/Berlin")

    length_ms = parse_day_ms("2026-03-30", "x") - parse_day_ms("2026-03-29", "x")

    assert length_ms == DAY_MS - 3_600_000


@pytest.mark.parametrize("text", ["", "today", "2026-13-01", "2026-02-30", "31.1.2026", "2026-01-31T00:00", "\x00"])
def test_what_is_no_day_is_refused_with_an_example(text):
    with pytest.raises(BadRequest, match=r"--since is .*2026-01-31"):
        parse_day_ms(text, "--since")


def test_a_moment_has_its_day(zone):
    zone("UTC")

    assert day_of(1_769_817_600_000) == "2026-01-31"
    assert day_of(-DAY_MS) == "1969-12-31"


@pytest.mark.parametrize("moment_ms", [10**17, -(10**17), 2**63])
def test_a_moment_beyond_every_calendar_has_none(moment_ms):
    assert day_of(moment_ms) == NO_DAY


# --- dates in English ---------------------------------------------------------------------------

import time

import pytest

from quarry.client.days import NO_DAY, day_of, start_of_day_ms
from quarry.errors import BadRequest

DAY_MS = 86_400_000


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
    east = start_of_day_ms("2026-01-31", "--since")
    zone("UTC")
    greenwich = start_of_day_ms("2026-01-31", "--since")

    assert greenwich == 1_769_817_600_000
    assert greenwich - east == 14 * 3_600_000


def test_a_day_on_which_the_clocks_change_is_shorter(zone):
    zone("Europe/Berlin")

    length_ms = start_of_day_ms("2026-03-30", "x") - start_of_day_ms("2026-03-29", "x")

    assert length_ms == DAY_MS - 3_600_000


@pytest.mark.parametrize("text", ["", "today", "2026-13-01", "2026-02-30", "31.1.2026", "2026-01-31T00:00", "\x00"])
def test_what_is_no_day_is_refused_with_an_example(text):
    with pytest.raises(BadRequest, match=r"--since is .*2026-01-31"):
        start_of_day_ms(text, "--since")


def test_a_moment_has_its_day(zone):
    zone("UTC")

    assert day_of(1_769_817_600_000) == "2026-01-31"
    assert day_of(-DAY_MS) == "1969-12-31"


@pytest.mark.parametrize("moment_ms", [10**17, -(10**17), 2**63])
def test_a_moment_beyond_every_calendar_has_none(moment_ms):
    assert day_of(moment_ms) == NO_DAY

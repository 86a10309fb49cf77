"""State, progress and the one thing to say about it."""

import pytest

from quarry.indexing import activity as activity_module
from quarry.indexing.activity import Activity


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(activity_module.time, "monotonic", lambda: now[0])
    return now


def test_progress_tells_rate_and_time_left(clock: list[float]):
    activity = Activity()
    activity.plan(10)
    for _ in range(4):
        activity.advance(3)
    clock[0] += 2.0

    progress = activity.progress()

    assert progress is not None
    assert (progress.done_notes, progress.total_notes, progress.done_chunks) == (4, 10, 12)
    assert (progress.notes_per_second, progress.remaining_ms) == (2.0, 3000)
    assert activity.pending == 6


def test_before_the_first_note_the_time_left_is_not_known(clock: list[float]):
    activity = Activity()
    activity.plan(10)

    progress = activity.progress()

    assert progress is not None
    assert progress.remaining_ms is None


def test_without_a_plan_there_is_no_progress():
    assert Activity().progress() is None


def test_settling_ends_the_progress_and_says_since_when():
    activity = Activity()
    activity.enter("indexing")
    activity.plan(2)
    activity.advance(1)

    activity.settle()

    assert (activity.state, activity.progress(), activity.pending) == ("live", None, 0)
    assert activity.equal_since_ms is not None


def test_the_most_urgent_notice_is_the_message():
    activity = Activity()
    activity.set_notice("model", "another model")
    activity.set_notice("removals", "notes are gone")
    activity.set_notice("failure", "the disk is full")

    assert activity.message == "the disk is full"
    activity.clear_notice("failure")
    assert activity.message == "notes are gone"
    activity.clear_notice("removals")
    assert activity.message == "another model"
    activity.clear_notice("model")
    assert activity.message is None


def test_settling_takes_back_a_failure_and_nothing_else():
    activity = Activity()
    activity.set_notice("failure", "the disk is full")
    activity.set_notice("damage", "the index was damaged")

    activity.settle()

    assert activity.message == "the index was damaged"

"""State, progress and the one thing to say about it; what a run tells, and to whom."""

import pytest
from builders import quiet_activity

from quarry.indexing import status
from quarry.indexing.status import Activity, ShadowMonitor, Updated
from quarry.messages import message

DISK_FULL = message("status.index-unavailable", detail="the disk is full")
DAMAGED = message("status.index-recreated", detail="the index was damaged")
NOTES_GONE = message("status.notes-kept", count=40)
ANOTHER_MODEL = message("status.vectors-pending", model="x")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(status.time, "monotonic", lambda: now[0])
    return now


def test_progress_tells_rate_and_time_left(clock: list[float]):
    activity = quiet_activity()
    activity.planned(10)
    activity.advanced(1, 3)
    activity.advanced(3, 9)
    clock[0] += 2.0

    progress = activity.progress()

    assert progress is not None
    assert (progress.done_notes, progress.total_notes, progress.done_chunks) == (4, 10, 12)
    assert (progress.notes_per_second, progress.remaining_ms) == (2.0, 3000)
    assert activity.pending == 6


def test_before_the_first_note_the_time_left_is_not_known(clock: list[float]):
    activity = quiet_activity()
    activity.planned(10)

    progress = activity.progress()

    assert progress is not None
    assert progress.remaining_ms is None


def test_without_a_plan_there_is_no_progress():
    assert quiet_activity().progress() is None


def test_settling_ends_the_progress_and_says_since_when():
    activity = quiet_activity()
    activity.enter("indexing")
    activity.planned(2)
    activity.advanced(1, 1)

    activity.settle()

    assert (activity.state, activity.progress(), activity.pending) == ("live", None, 0)
    assert activity.equal_since_ms is not None


def test_the_most_urgent_notice_is_the_message():
    activity = quiet_activity()
    activity.set_notice("model", ANOTHER_MODEL)
    activity.set_notice("removals", NOTES_GONE)
    activity.set_notice("failure", DISK_FULL)

    assert activity.message == DISK_FULL
    activity.clear_notice("failure")
    assert activity.message == NOTES_GONE
    activity.clear_notice("removals")
    assert activity.message == ANOTHER_MODEL
    activity.clear_notice("model")
    assert activity.message is None


def test_settling_takes_back_a_failure_and_nothing_else():
    activity = quiet_activity()
    activity.set_notice("failure", DISK_FULL)
    activity.set_notice("damage", DAMAGED)

    activity.settle()

    assert activity.message == DAMAGED


# --- monitors ---------------------------------------------------------------------------------------


def test_a_commit_is_announced_and_the_work_in_hand_sets_state_and_count():
    seen: list[Updated | None] = []
    activity = Activity(seen.append, lambda *_: None)
    activity.planned(0)
    assert activity.state == "starting"

    activity.planned(2)
    activity.advanced(1, 5)
    activity.committed(["a.md"], ["b.md"])

    assert (activity.state, activity.pending) == ("indexing", 1)
    assert seen == [Updated(("a.md",), ("b.md",))]


def test_a_shadow_build_is_progress_only():
    seen: list[Updated | None] = []
    activity = Activity(seen.append, lambda *_: None)
    activity.enter("rebuilding")
    monitor = ShadowMonitor(activity, seen.append, lambda: None)
    monitor.planned(10)
    monitor.advanced(1, 3)
    monitor.committed(["a.md"], [])

    assert seen == [None]
    assert (activity.state, activity.pending) == ("rebuilding", 9)

"""State, progress and the one thing to say about it; what a run tells, and to whom."""

import pytest

from quarry.indexing import activity as activity_module
from quarry.indexing.activity import Activity, Reporter, RunKind, Updated
from quarry.messages import message

DISK_FULL = message("status.index-unavailable", detail="the disk is full")
DAMAGED = message("status.index-recreated", detail="the index was damaged")
NOTES_GONE = message("status.notes-kept", count=40)
ANOTHER_MODEL = message("status.vectors-pending", model="x")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(activity_module.time, "monotonic", lambda: now[0])
    return now


def test_progress_tells_rate_and_time_left(clock: list[float]):
    activity = Activity()
    activity.plan(10)
    activity.advance(1, 3)
    activity.advance(3, 9)
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
    activity.advance(1, 1)

    activity.settle()

    assert (activity.state, activity.progress(), activity.pending) == ("live", None, 0)
    assert activity.equal_since_ms is not None


def test_the_most_urgent_notice_is_the_message():
    activity = Activity()
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
    activity = Activity()
    activity.set_notice("failure", DISK_FULL)
    activity.set_notice("damage", DAMAGED)

    activity.settle()

    assert activity.message == DAMAGED


# --- reporters --------------------------------------------------------------------------------------


class Desk:
    """An activity, and reporters that share it."""

    def __init__(self) -> None:
        self.activity = Activity()
        self.told: list[Updated | None] = []
        self.yields = 0
        self.superseded: set[str] = set()
        self.told_of: set[str] = set()

    def reporter(self, kind: RunKind) -> Reporter:
        return Reporter(kind, self.activity, self.told.append, self._yield_point, self.superseded, self.told_of)

    def _yield_point(self) -> None:
        self.yields += 1


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_commit_is_told_once_before_others_may_overtake(desk: Desk):
    reporter = desk.reporter("main")
    reporter.indexed("a.md")
    reporter.removed("b.md")

    reporter.between_batches()
    reporter.between_batches()

    assert desk.told == [Updated(("a.md",), ("b.md",))]
    assert desk.yields == 2


def test_what_goes_into_an_index_beside_is_progress_only(desk: Desk):
    desk.activity.enter("rebuilding")
    reporter = desk.reporter("beside")
    reporter.planned(10)
    reporter.advanced(1, 3)
    reporter.indexed("a.md")

    reporter.between_batches()

    assert desk.told == [None]
    assert desk.activity.state == "rebuilding"
    assert desk.activity.pending == 9


def test_the_work_in_hand_sets_state_and_count(desk: Desk):
    reporter = desk.reporter("main")

    reporter.planned(0)
    assert desk.activity.state == "starting"

    reporter.planned(2)
    reporter.advanced(1, 5)
    assert desk.activity.state == "indexing"
    assert desk.activity.pending == 1


def test_an_urgent_run_leaves_state_and_count_alone(desk: Desk):
    desk.reporter("main").planned(10)
    reporter = desk.reporter("urgent")

    reporter.planned(1)
    reporter.advanced(1, 1)

    assert desk.activity.pending == 10


def test_the_work_in_hand_learns_which_of_its_plans_are_out_of_date(desk: Desk):
    main, urgent, beside = (desk.reporter(kind) for kind in ("main", "urgent", "beside"))

    urgent.indexed("a.md")

    assert main.is_superseded("a.md")
    assert not main.is_superseded("b.md")
    assert not urgent.is_superseded("a.md")
    assert not beside.is_superseded("a.md")  # what overtakes goes into the index that answers, not into the new one

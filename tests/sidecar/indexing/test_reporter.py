"""What a run tells, and to whom, depends on how it stands to the work in hand."""

import pytest

from quarry.indexing.activity import Activity
from quarry.indexing.reporter import Reporter, RunKind, Updated


class Desk:
    """An activity, and reporters that share it."""

    def __init__(self) -> None:
        self.activity = Activity()
        self.told: list[Updated | None] = []
        self.breaths = 0
        self.superseded: set[str] = set()
        self.told_of: set[str] = set()

    def reporter(self, kind: RunKind) -> Reporter:
        return Reporter(kind, self.activity, self.told.append, self._yield_point, self.superseded, self.told_of)

    def _yield_point(self) -> None:
        self.breaths += 1


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
    assert desk.breaths == 2


def test_what_goes_into_an_index_beside_is_progress_only(desk: Desk):
    desk.activity.enter("rebuilding")
    reporter = desk.reporter("beside")
    reporter.planned(10)
    reporter.advanced(3)
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
    reporter.advanced(5)
    assert desk.activity.state == "indexing"
    assert desk.activity.pending == 1


def test_what_overtakes_leaves_state_and_count_alone(desk: Desk):
    desk.reporter("main").planned(10)
    reporter = desk.reporter("urgent")

    reporter.planned(1)
    reporter.advanced(1)

    assert desk.activity.pending == 10


def test_the_work_in_hand_learns_which_of_its_plans_are_out_of_date(desk: Desk):
    main, overtaking, beside = (desk.reporter(kind) for kind in ("main", "urgent", "beside"))

    overtaking.indexed("a.md")

    assert main.is_superseded("a.md")
    assert not main.is_superseded("b.md")
    assert not overtaking.is_superseded("a.md")
    assert not beside.is_superseded("a.md")  # what overtakes goes into the index that answers, not into the new one

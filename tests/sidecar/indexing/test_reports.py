"""Which of the reported changes are carried out."""

import pytest

from quarry.indexing.reports import ReportedChanges
from quarry.types import VaultChange

A, B, C = (VaultChange("modified", f"{name}.md") for name in "abc")


@pytest.fixture
def reported() -> ReportedChanges:
    return ReportedChanges()


def test_nothing_is_outstanding_where_nothing_was_reported(reported: ReportedChanges):
    assert reported.last_until(None) == 0
    assert reported.is_carried_out(0)
    assert reported.outstanding == 0


def test_a_change_is_outstanding_until_its_batch_is_carried_out(reported: ReportedChanges):
    reported.add([A, B], at_ms=100)
    number = reported.last_until(None)

    waiting = (len(reported), reported.outstanding, reported.is_carried_out(number))
    batch = reported.take()
    in_hand = (len(reported), reported.outstanding, reported.is_carried_out(number))
    reported.carried_out(batch)

    assert batch.changes == (A, B)
    assert waiting == (2, 2, False)
    assert in_hand == (0, 2, False)
    assert (reported.outstanding, reported.is_carried_out(number)) == (0, True)


def test_what_overtakes_does_not_count_for_what_it_overtook(reported: ReportedChanges):
    reported.add([A], at_ms=100)
    first, slow = reported.last_until(None), reported.take()
    reported.add([B, C], at_ms=200)

    reported.carried_out(reported.take())

    assert not reported.is_carried_out(first)
    reported.carried_out(slow)
    assert reported.is_carried_out(reported.last_until(None))


def test_what_could_not_be_carried_out_waits_before_what_came_after_it(reported: ReportedChanges):
    reported.add([A, B], at_ms=100)
    batch = reported.take()
    reported.add([C], at_ms=200)

    reported.put_back(batch)

    assert reported.outstanding == 3
    again = reported.take()
    assert again.changes == (A, B, C)
    reported.carried_out(again)
    assert reported.outstanding == 0


def test_a_job_that_reads_the_whole_vault_carries_out_what_is_in_hand_and_not_what_waits(reported: ReportedChanges):
    reported.add([A], at_ms=100)
    reported.take()
    reported.add([B], at_ms=200)

    reported.all_carried_out()

    assert reported.is_carried_out(1)
    assert not reported.is_carried_out(2)


@pytest.mark.parametrize(("until_ms", "number"), [(99, 0), (100, 2), (199, 2), (200, 3), (10**15, 3)])
def test_the_last_change_up_to_a_time(reported: ReportedChanges, until_ms: int, number: int):
    reported.add([A, B], at_ms=100)
    reported.add([C], at_ms=200)

    assert reported.last_until(until_ms) == number


def test_what_is_carried_out_is_not_waited_for_whenever_it_was_reported(reported: ReportedChanges):
    reported.add([A], at_ms=100)
    reported.carried_out(reported.take())

    assert reported.is_carried_out(reported.last_until(100))


def test_a_report_of_nothing_is_none(reported: ReportedChanges):
    reported.add([], at_ms=100)
    reported.carried_out(reported.take())

    assert reported.last_until(100) == 0
    assert reported.outstanding == 0

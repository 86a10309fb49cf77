"""Which of the reported changes are in the index, and what the indexing thread is asked to do."""

import threading
from collections.abc import Callable, Sequence

import pytest

from quarry.errors import Cancelled, VaultMissing
from quarry.indexing.request_queue import MAX_WAITING, ChangeLog, RequestQueue
from quarry.types import VaultChange

A, B, C = (VaultChange("modified", f"{name}.md") for name in "abc")


@pytest.fixture
def log() -> ChangeLog:
    return ChangeLog()


def test_nothing_is_outstanding_where_nothing_was_log(log: ChangeLog):
    assert log.sequence_at(None) == 0
    assert log.acknowledged >= 0
    assert log.lag == 0


def test_a_change_is_outstanding_until_its_batch_is_carried_out(log: ChangeLog):
    log.add([A, B], at_ms=100)
    number = log.sequence_at(None)

    waiting = (len(log), log.lag, (number <= log.acknowledged))
    batch = log.take()
    in_hand = (len(log), log.lag, (number <= log.acknowledged))
    log.acknowledge(batch)

    assert batch.changes == (A, B)
    assert waiting == (2, 2, False)
    assert in_hand == (0, 2, False)
    assert (log.lag, (number <= log.acknowledged)) == (0, True)


def test_what_overtakes_does_not_count_for_what_it_overtook(log: ChangeLog):
    log.add([A], at_ms=100)
    first, slow = log.sequence_at(None), log.take()
    log.add([B, C], at_ms=200)

    log.acknowledge(log.take())

    assert not (first <= log.acknowledged)
    log.acknowledge(slow)
    assert log.acknowledged >= log.sequence_at(None)


def test_what_could_not_be_carried_out_waits_before_what_came_after_it(log: ChangeLog):
    log.add([A, B], at_ms=100)
    batch = log.take()
    log.add([C], at_ms=200)

    log.put_back(batch)

    assert log.lag == 3
    again = log.take()
    assert again.changes == (A, B, C)
    log.acknowledge(again)
    assert log.lag == 0


def test_what_could_not_be_carried_out_while_what_came_after_it_was_given_up_needs_a_read_of_the_whole_vault(
    log: ChangeLog,
):
    log.add([A, B], at_ms=100)
    batch = log.take()
    log.add([C], at_ms=200)
    log.give_up_waiting()

    log.put_back(batch)
    log.add([C], at_ms=300)
    log.acknowledge(log.take())

    assert (log.acknowledged, log.lag) == (0, 4)
    log.begin_whole_read()
    log.acknowledge_all()
    assert (log.acknowledged, log.lag) == (4, 0)


def test_a_job_that_reads_the_whole_vault_carries_out_what_is_in_hand_and_not_what_waits(log: ChangeLog):
    log.add([A], at_ms=100)
    log.take()
    log.add([B], at_ms=200)

    log.acknowledge_all()

    assert log.acknowledged >= 1
    assert not (log.acknowledged >= 2)


@pytest.mark.parametrize(("at_ms", "number"), [(99, 0), (100, 2), (199, 2), (200, 3), (10**15, 3)])
def test_the_last_change_up_to_a_time(log: ChangeLog, at_ms: int, number: int):
    log.add([A, B], at_ms=100)
    log.add([C], at_ms=200)

    assert log.sequence_at(at_ms) == number


def test_an_acknowledged_change_is_not_waited_for_whenever_it_was_reported(log: ChangeLog):
    log.add([A], at_ms=100)
    log.acknowledge(log.take())

    assert log.acknowledged >= log.sequence_at(100)


def test_a_report_of_nothing_is_none(log: ChangeLog):
    log.add([], at_ms=100)
    log.acknowledge(log.take())

    assert log.sequence_at(100) == 0
    assert log.lag == 0


# --- the queue of requests --------------------------------------------------------------------------


@pytest.fixture
def requests() -> RequestQueue:
    return RequestQueue()


def come_to(requests: RequestQueue, apply: Callable[[Sequence[VaultChange]], None] = lambda _: None) -> None:
    """Come to a checkpoint, and *apply* the changes that wait."""
    with requests.checkpoint(lambda: None, True) as changes:
        apply(changes)


def test_changes_are_taken_at_a_checkpoint_and_acknowledged_when_they_are_applied(requests: RequestQueue):
    requests.submit([A, B])
    with requests.checkpoint(lambda: None, True) as changes:
        assert (list(changes), requests.acknowledged) == ([A, B], 0)

    assert requests.acknowledged == 2
    assert requests.is_empty


def test_a_priority_run_takes_nothing(requests: RequestQueue):
    requests.submit([A])

    with requests.checkpoint(lambda: None, False) as changes:
        assert list(changes) == []

    assert (requests.change_count, requests.acknowledged) == (1, 0)


def test_changes_are_not_lost_where_applying_them_fails(requests: RequestQueue):
    def fail(_: Sequence[VaultChange]) -> None:
        requests.submit([B])
        raise VaultMissing("gone")

    requests.submit([A])

    with pytest.raises(VaultMissing):
        come_to(requests, fail)
    assert requests.take_changes().changes == (A, B)


def test_a_paused_job_flushes_and_waits_until_it_may_go_on(requests: RequestQueue):
    flushed = threading.Event()

    def come() -> None:
        with requests.checkpoint(flushed.set, True):
            pass

    requests.pause()
    waiting = threading.Thread(target=come)
    waiting.start()
    assert flushed.wait(10)
    assert waiting.is_alive()

    requests.resume()
    waiting.join(10)

    assert not waiting.is_alive()


def test_a_stopped_job_ends_at_its_checkpoint_paused_or_not(requests: RequestQueue):
    requests.pause()
    requests.stop()

    with pytest.raises(Cancelled):
        come_to(requests)


def test_a_request_waits_until_it_is_taken(requests: RequestQueue):
    requests.request("rebuild")
    requests.request("rebuild")
    requests.request("repair")
    requests.request("reconcile")
    assert not requests.is_empty

    taken = [requests.take("rebuild"), requests.take("rebuild"), requests.take("repair"), requests.take("reconcile")]

    assert taken == [True, False, True, True]
    assert requests.is_empty


def test_the_first_request_after_a_failure_is_remembered(requests: RequestQueue):
    requests.submit([A])
    requests.forget_requests()
    assert requests.first_request_s == float("inf")

    requests.submit([B])
    first_s = requests.first_request_s
    requests.request("reconcile")

    assert requests.first_request_s == first_s < float("inf")


def test_more_changes_than_may_wait_are_replaced_by_a_comparison_of_the_whole_vault():
    queue = RequestQueue()
    queue.submit([A])
    queue.submit([VaultChange("modified", f"{number}.md") for number in range(MAX_WAITING)])

    assert queue.change_count == 0
    assert queue.has("reconcile")
    last = queue.sequence_at()
    queue.acknowledge_all()  # of a job that was running: it did not read the whole vault
    assert queue.acknowledged < last
    assert queue.take("reconcile")
    queue.acknowledge_all()
    assert queue.acknowledged == last

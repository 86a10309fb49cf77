"""Which of the reported changes are in the index, and what the indexing thread is asked to do."""

import threading
from collections.abc import Callable, Sequence

import pytest

from quarry.errors import Cancelled, VaultMissing
from quarry.indexing.request_queue import MAX_WAITING, RequestQueue
from quarry.types import VaultChange

A, B, C = (VaultChange("modified", f"{name}.md") for name in "abc")


@pytest.fixture
def requests() -> RequestQueue:
    return RequestQueue()


def come_to(requests: RequestQueue, apply: Callable[[Sequence[VaultChange]], None] = lambda _: None) -> None:
    """Come to a checkpoint, and *apply* the changes that wait."""
    requests.checkpoint(lambda: None, apply)


def test_nothing_is_outstanding_where_nothing_was_reported(requests: RequestQueue):
    requests.submit([], at_ms=100)
    come_to(requests)

    assert (requests.sequence_at(), requests.sequence_at(100), requests.acknowledged, requests.lag) == (0, 0, 0, 0)


def test_a_change_is_outstanding_until_the_job_that_took_it_is_done(requests: RequestQueue):
    requests.submit([A, B], at_ms=100)

    waiting = (requests.change_count, requests.lag, requests.acknowledged)
    changes = requests.take_changes()
    in_hand = (requests.change_count, requests.lag, requests.acknowledged)
    requests.submit([C], at_ms=200)
    requests.acknowledge_all()

    assert changes == (A, B)
    assert (waiting, in_hand) == ((2, 2, 0), (0, 2, 0))
    assert (requests.lag, requests.acknowledged) == (1, 2)


def test_what_overtakes_does_not_count_for_what_it_overtook(requests: RequestQueue):
    requests.submit([A], at_ms=100)
    requests.take_changes()
    requests.submit([B, C], at_ms=200)

    come_to(requests)

    assert (requests.acknowledged, requests.lag) == (0, 3)
    requests.acknowledge_all()
    assert (requests.acknowledged, requests.lag) == (3, 0)


def test_what_could_not_be_carried_out_while_what_came_after_it_was_given_up_needs_a_read_of_the_whole_vault(
    requests: RequestQueue,
):
    def fail(_: Sequence[VaultChange]) -> None:
        requests.submit([C] * (MAX_WAITING + 1))
        raise VaultMissing("gone")

    requests.submit([A, B])
    with pytest.raises(VaultMissing):
        come_to(requests, fail)
    requests.submit([C])
    come_to(requests)

    assert (requests.acknowledged, requests.lag) == (0, MAX_WAITING + 4)
    assert requests.take("reconcile")
    requests.acknowledge_all()
    assert requests.lag == 0


@pytest.mark.parametrize(("at_ms", "number"), [(99, 0), (100, 2), (199, 2), (200, 3), (10**15, 3)])
def test_the_last_change_up_to_a_time(requests: RequestQueue, at_ms: int, number: int):
    requests.submit([A, B], at_ms=100)
    requests.submit([C], at_ms=200)

    assert requests.sequence_at(at_ms) == number


def test_an_acknowledged_change_is_not_waited_for_whenever_it_was_reported(requests: RequestQueue):
    requests.submit([A], at_ms=100)
    come_to(requests)

    assert requests.acknowledged >= requests.sequence_at(100)


def test_changes_are_taken_at_a_checkpoint_and_acknowledged_when_they_are_applied(requests: RequestQueue):
    seen: list[object] = []
    requests.submit([A, B])

    come_to(requests, lambda changes: seen.append((list(changes), requests.acknowledged)))

    assert (seen, requests.acknowledged) == ([([A, B], 0)], 2)
    assert requests.is_empty


def test_a_priority_run_takes_nothing(requests: RequestQueue):
    requests.submit([A])

    assert not requests.checkpoint(lambda: None, None)

    assert (requests.change_count, requests.acknowledged) == (1, 0)


def test_changes_are_not_lost_where_applying_them_fails(requests: RequestQueue):
    def fail(_: Sequence[VaultChange]) -> None:
        requests.submit([B])
        raise VaultMissing("gone")

    requests.submit([A])

    with pytest.raises(VaultMissing):
        come_to(requests, fail)
    assert (requests.take_changes(), requests.lag) == ((A, B), 2)


def test_a_paused_job_flushes_and_waits_until_it_may_go_on(requests: RequestQueue):
    flushed = threading.Event()

    requests.pause()
    waiting = threading.Thread(target=requests.checkpoint, args=(flushed.set, lambda _: None))
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

import threading

import pytest

from quarry.mcp.workers import Full, Workers


def test_a_slow_job_delays_no_other():
    workers, release, done = Workers(max_threads=2), threading.Event(), threading.Event()

    workers.submit(release.wait)
    workers.submit(done.set)

    assert done.wait(30)
    release.set()
    assert workers.drain(30)


def test_more_than_may_wait_are_refused():
    workers, release, begun = Workers(max_threads=1, max_waiting=1), threading.Event(), threading.Event()
    workers.submit(lambda: (begun.set(), release.wait()))
    assert begun.wait(30)
    workers.submit(lambda: None)

    with pytest.raises(Full):
        workers.submit(lambda: None)

    release.set()
    assert workers.drain(30)


def test_a_job_that_fails_ends_no_thread():
    workers, done = Workers(max_threads=1), threading.Event()

    workers.submit(lambda: 1 / 0)
    workers.submit(done.set)

    assert done.wait(30)
    assert workers.drain(30)


def test_waiting_for_the_end_of_jobs_is_bounded():
    workers, release = Workers(), threading.Event()
    workers.submit(release.wait)

    assert not workers.drain(0)
    release.set()
    assert workers.drain(30)

from quarry.indexing.limits import WorkerTiming


def test_each_wait_is_twice_the_one_before_up_to_a_bound():
    timing = WorkerTiming(retry_s=1.0, retry_max_s=5.0)

    assert timing.backoff_s(0.0) == 1.0
    assert timing.backoff_s(1.0) == 2.0
    assert timing.backoff_s(4.0) == 5.0

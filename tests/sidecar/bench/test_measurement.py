import os
import time
from pathlib import Path

import pytest

from quarry.bench.measurement import (
    PartFailed,
    each_ms,
    median,
    memory_mb,
    percentiles,
    process_tree,
    run_in_subprocess,
)
from quarry.bench.runner import size_of_name
from quarry.errors import BadRequest

HELD_BYTES = 200_000_000


def test_percentiles_are_values_of_the_series_that_so_many_do_not_exceed():
    series = [float(n) for n in range(100, 0, -1)]

    assert percentiles(series) == {"p50": 50.0, "p95": 95.0, "p99": 99.0}


def test_of_few_values_a_high_percentile_is_the_highest():
    assert percentiles([3.0, 1.0]) == {"p50": 1.0, "p95": 3.0, "p99": 3.0}
    assert percentiles([7.0], (50,)) == {"p50": 7.0}
    assert median([9.0, 1.0, 5.0]) == 5.0


def test_an_empty_series_has_no_percentiles():
    with pytest.raises(ValueError, match="empty"):
        percentiles([])


def test_each_item_is_measured_by_the_clock_given():
    ticks = iter([0, 3_000_000, 10_000_000, 15_500_000])

    assert each_ms(str, ["a", "b"], lambda: next(ticks)) == [3.0, 5.5]


def test_work_apart_gives_its_result_from_another_process():
    assert run_in_subprocess(os.getpid).result != os.getpid()
    assert run_in_subprocess(percentiles, [2.0, 3.0], (50,)).result == {"p50": 2.0}


@pytest.mark.slow
def test_work_apart_costs_its_own_cpu_and_memory():
    spent = run_in_subprocess(time.process_time)

    assert spent.cpu_s >= spent.result > 0
    assert run_in_subprocess(bytes, HELD_BYTES).peak_rss_mb >= HELD_BYTES / 1e6 > spent.peak_rss_mb


def test_what_work_apart_raises_is_raised_here():
    with pytest.raises(BadRequest, match="not a number of chunks"):
        run_in_subprocess(size_of_name, "many")


def test_a_process_that_ends_without_a_result_is_told_of():
    with pytest.raises(PartFailed, match="_exit ended with code 3"):
        run_in_subprocess(os._exit, 3)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="no /proc here")
def test_memory_tells_what_no_other_process_has():
    before = memory_mb()
    held = bytearray(os.urandom(1024)) * (HELD_BYTES // 1024)
    after = memory_mb()

    assert len(held) / 1e6 * 0.9 < after["private"] - before["private"] < len(held) / 1e6 * 1.5
    assert after["anonymous"] <= after["private"] <= after["resident"]
    assert process_tree(os.getpid())[0] == os.getpid()

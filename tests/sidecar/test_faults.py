"""A fault point kills the process at the call that was asked for, and is nothing otherwise."""

import os
import signal
import subprocess
import sys

import pytest

from quarry.faults import STAGES, fault_point

PASSES = """
from quarry.faults import fault_point
for number in range(1, 4):
    fault_point("scan")
    fault_point("commit")
    print(number, flush=True)
"""


def passed(fault: str) -> tuple[int, str]:
    """How a process with *fault* ended, and what it said before."""
    environment = {**os.environ, "QUARRY_FAULT_AT": fault}
    done = subprocess.run([sys.executable, "-c", PASSES], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, "".join(done.stdout.split())


def test_without_the_variable_no_stage_does_anything():
    for stage in STAGES:
        fault_point(stage)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_the_process_dies_at_that_stage_the_time_that_was_asked_for():
    assert passed("commit:2") == (-signal.SIGKILL, "1")
    assert passed("commit:4") == passed("swap:1") == (0, "123")

"""A process of our own ends when it should, and is never waited for in vain."""

import os
import signal
from contextlib import closing

import pytest

from quarry.indexing import worker_process
from quarry.indexing.worker_process import ProcessUnavailable, WorkerDied, WorkerProcess

ECHO = """
from quarry.indexing.parent import ParentConnection
parent = ParentConnection()
while True: parent.tell(parent.take())
"""

BUSY = """
import time
from quarry.indexing import parent, worker_process
parent.ALIVE_EVERY_S = 0.05
serving = parent.ParentConnection()
serving.tell(serving.take())
end_s = time.monotonic() + 2
while time.monotonic() < end_s: pass
serving.tell("done")
"""

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process says what it is told."""
    boot = worker_process._BOOT.partition("from importlib")[0]
    monkeypatch.setattr(worker_process, "_BOOT", boot + ECHO)


def said(process: WorkerProcess) -> object:
    """The next thing *process* says, however long that takes."""
    while (found := process.take()) is None:
        pass
    return found


def test_what_is_said_arrives_both_ways(echo: None):
    with closing(WorkerProcess("none", "first")) as process:
        process.give(b"x" * 1_000_000)

        assert said(process) == "first"
        assert said(process) == b"x" * 1_000_000


@needs_kill
def test_a_killed_process_is_told_by_its_signal(echo: None):
    with closing(WorkerProcess("none", "first")) as process:
        said(process)
        os.kill(process.pid, signal.SIGKILL)

        with pytest.raises(WorkerDied, match="signal 9"):
            said(process)


@needs_kill
def test_a_stopped_process_neither_blocks_who_tells_it_something_nor_is_waited_for_without_end(
    echo: None, monkeypatch: pytest.MonkeyPatch
):
    with closing(WorkerProcess("none", "first")) as process:
        said(process)
        os.kill(process.pid, signal.SIGSTOP)
        monkeypatch.setattr(worker_process, "SILENCE_S", 0.1)
        process.give(b"x" * 1_000_000)  # more than a pipe holds

        with pytest.raises(WorkerDied, match="said nothing"):
            said(process)


def test_a_process_that_is_busy_says_that_it_is_alive(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker_process, "_BOOT", worker_process._BOOT.partition("from importlib")[0] + BUSY)
    with closing(WorkerProcess("none", "first")) as process:
        assert said(process) == "first"
        monkeypatch.setattr(worker_process, "SILENCE_S", 1.0)

        assert said(process) == "done"


def test_what_cannot_be_sent_starts_no_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker_process.subprocess, "Popen", lambda *_, **__: 1 // 0)

    with pytest.raises(ProcessUnavailable, match="model"):
        WorkerProcess("none", lambda: None)

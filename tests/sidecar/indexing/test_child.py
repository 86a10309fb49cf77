"""A process of our own ends when it should, and is never waited for in vain."""

import os
import signal
from contextlib import closing

import pytest

from quarry.indexing import child
from quarry.indexing.child import Child, ChildDied, NoProcess

ECHO = """
from quarry.indexing.parent import Parent
parent = Parent()
while True: parent.tell(parent.take())
"""

BUSY = """
import time
from quarry.indexing import parent
parent.ALIVE_EVERY_S = 0.05
serving = parent.Parent()
serving.tell(serving.take())
end_s = time.monotonic() + 2
while time.monotonic() < end_s: pass
serving.tell("done")
"""

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process says what it is told."""
    boot = child._BOOT.partition("from importlib")[0]
    monkeypatch.setattr(child, "_BOOT", boot + ECHO)


def said(process: Child) -> object:
    """The next thing *process* says, however long that takes."""
    while (found := process.take()) is None:
        pass
    return found


def test_what_is_said_arrives_both_ways(echo: None):
    with closing(Child("none", "first")) as process:
        process.give(b"x" * 1_000_000)

        assert said(process) == "first"
        assert said(process) == b"x" * 1_000_000


@needs_kill
def test_a_killed_process_is_told_by_its_signal(echo: None):
    with closing(Child("none", "first")) as process:
        said(process)
        os.kill(process.pid, signal.SIGKILL)

        with pytest.raises(ChildDied, match="signal 9"):
            said(process)


@needs_kill
def test_a_stopped_process_neither_blocks_who_tells_it_something_nor_is_waited_for_without_end(
    echo: None, monkeypatch: pytest.MonkeyPatch
):
    with closing(Child("none", "first")) as process:
        said(process)
        os.kill(process.pid, signal.SIGSTOP)
        monkeypatch.setattr(child, "SILENCE_S", 0.1)
        process.give(b"x" * 1_000_000)  # more than a pipe holds

        with pytest.raises(ChildDied, match="said nothing"):
            said(process)


def test_a_process_that_is_busy_says_that_it_is_alive(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child, "_BOOT", child._BOOT.partition("from importlib")[0] + BUSY)
    with closing(Child("none", "first")) as process:
        assert said(process) == "first"
        monkeypatch.setattr(child, "SILENCE_S", 1.0)

        assert said(process) == "done"


def test_what_cannot_be_sent_starts_no_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child.subprocess, "Popen", lambda *_, **__: 1 // 0)

    with pytest.raises(NoProcess, match="model"):
        Child("none", lambda: None)

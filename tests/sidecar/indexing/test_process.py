"""A process of our own ends when it should, and is never waited for in vain."""

import logging
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest
from builders import EQUAL
from msgspec.structs import replace

from quarry.errors import Cancelled, VaultMissing
from quarry.indexing.process import ChildProcess, Finished, ProcessDied, ProcessLimits, ProcessUnavailable

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
slow = pytest.mark.slow  # it starts a process


def echoing(limits: ProcessLimits = EQUAL) -> ChildProcess:
    """A process that says what it is told, and has said that it is ready."""
    process = ChildProcess("echo_process", "first", limits)
    assert process.receive() == "first"
    return process


@pytest.fixture
def echo() -> Iterator[ChildProcess]:
    with closing(echoing()) as process:
        yield process


@slow
def test_what_is_said_arrives_both_ways(echo: ChildProcess):
    echo.send(b"x" * 1_000_000)

    assert echo.receive() == b"x" * 1_000_000


@slow
@needs_kill
def test_a_killed_process_is_told_by_its_signal(echo: ChildProcess):
    os.kill(echo.pid, signal.SIGKILL)

    with pytest.raises(ProcessDied, match="signal 9"):
        echo.receive()


@slow
@needs_kill
def test_a_stopped_process_neither_blocks_who_tells_it_something_nor_is_waited_for_without_end():
    with closing(echoing(replace(EQUAL, silence_s=2.0))) as process:
        os.kill(process.pid, signal.SIGSTOP)
        process.send(b"x" * 1_000_000)  # more than a pipe holds

        with pytest.raises(ProcessDied, match="said nothing for 2 s"):
            process.receive()


@slow
def test_the_exit_code_says_that_the_work_is_done_and_the_log_goes_on_here(
    echo: ChildProcess, caplog: pytest.LogCaptureFixture
):
    echo.send("work")

    assert echo.receive() == Finished()
    assert ("quarry.echo", logging.WARNING, "working") in caplog.record_tuples


@slow
@needs_kill
def test_a_process_that_sends_nothing_for_too_long_is_killed(echo: ChildProcess):
    with closing(echoing(replace(EQUAL, silence_s=0.5))) as process:
        process.send("hang")

        with pytest.raises(ProcessDied, match=r"said nothing for 0\.5 s"):
            process.receive()


@slow
def test_who_waits_is_asked_meanwhile_and_may_stop(echo: ChildProcess):
    asked: list[None] = []

    def stop() -> None:
        asked.append(None)
        if len(asked) == 3:
            raise Cancelled("the test said so")

    echo.send("hang")

    with pytest.raises(Cancelled):
        echo.receive(stop)


@slow
def test_an_error_is_raised_here_as_it_was_there(echo: ChildProcess):
    echo.send("fail")

    with pytest.raises(VaultMissing, match="it is gone"):
        echo.receive()


@slow
def test_a_defect_is_logged_and_ends_the_process(echo: ChildProcess, caplog: pytest.LogCaptureFixture):
    echo.send("crash")

    with pytest.raises(ProcessDied, match="exit code 1"):
        echo.receive()
    assert "a defect" in caplog.text


def test_what_cannot_be_sent_starts_no_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: 1 // 0)

    with pytest.raises(ProcessUnavailable, match="model"):
        ChildProcess("none", lambda: None)

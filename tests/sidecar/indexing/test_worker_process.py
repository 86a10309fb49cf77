"""A process of our own ends when it should, and is never waited for in vain."""

import io
import logging
import os
import pickle
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest
from builders import EQUAL
from echo_process import BUSY_S
from msgspec.structs import replace

from quarry.errors import VaultMissing
from quarry.indexing.limits import ProcessLimits
from quarry.indexing.worker_process import (
    Finished,
    ProcessUnavailable,
    WorkerDied,
    WorkerProcess,
    encode_frame,
    read_frame,
)

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
slow = pytest.mark.slow  # it starts a process


def echoing(limits: ProcessLimits = EQUAL) -> WorkerProcess:
    """A process that says what it is told, and has said that it is ready."""
    process = WorkerProcess("echo_process", "first", limits)
    assert received(process) == "first"
    return process


@pytest.fixture
def echo() -> Iterator[WorkerProcess]:
    with closing(echoing()) as process:
        yield process


def received(process: WorkerProcess) -> object:
    """The next thing *process* says, however long that takes."""
    while (found := process.receive()) is None:
        pass
    return found


@slow
def test_what_is_said_arrives_both_ways(echo: WorkerProcess):
    echo.send(b"x" * 1_000_000)

    assert received(echo) == b"x" * 1_000_000


@slow
@needs_kill
def test_a_killed_process_is_told_by_its_signal(echo: WorkerProcess):
    os.kill(echo.pid, signal.SIGKILL)

    with pytest.raises(WorkerDied, match="signal 9"):
        received(echo)


@slow
@needs_kill
def test_a_stopped_process_neither_blocks_who_tells_it_something_nor_is_waited_for_without_end():
    with closing(echoing(replace(EQUAL, silence_s=2.0))) as process:
        os.kill(process.pid, signal.SIGSTOP)
        process.send(b"x" * 1_000_000)  # more than a pipe holds

        with pytest.raises(WorkerDied, match="said nothing for 2 s"):
            received(process)


@pytest.mark.slow
@slow
def test_a_process_that_is_busy_says_that_it_is_alive_and_its_exit_code_that_it_is_done(
    caplog: pytest.LogCaptureFixture,
):
    with closing(echoing(replace(EQUAL, silence_s=BUSY_S / 2, alive_every_s=0.05))) as process:
        process.send("work")

        assert received(process) == Finished()
    assert ("quarry.echo", logging.WARNING, "working") in caplog.record_tuples


@slow
def test_an_error_is_raised_here_as_it_was_there(echo: WorkerProcess):
    echo.send("fail")

    with pytest.raises(VaultMissing, match="it is gone"):
        received(echo)


@slow
def test_a_defect_is_logged_and_ends_the_process(echo: WorkerProcess, caplog: pytest.LogCaptureFixture):
    echo.send("crash")

    with pytest.raises(WorkerDied, match="exit code 1"):
        received(echo)
    assert "a defect" in caplog.text


def test_what_cannot_be_sent_starts_no_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: 1 // 0)

    with pytest.raises(ProcessUnavailable, match="model"):
        WorkerProcess("none", lambda: None)


# --- frames -----------------------------------------------------------------------------------------


def test_values_arrive_in_order():
    sent = [("prepare", ("a.md", None)), b"x", Finished()]
    pipe = io.BytesIO(b"".join(map(encode_frame, sent)))

    assert [read_frame(pipe) for _ in sent] == sent
    assert read_frame(pipe) is None


def test_a_frame_that_was_cut_short_is_the_end():
    whole = encode_frame(b"x" * 100)

    assert all(read_frame(io.BytesIO(whole[:cut])) is None for cut in range(len(whole)))


def test_what_cannot_be_pickled_is_refused_before_anything_is_sent():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        encode_frame(lambda: None)

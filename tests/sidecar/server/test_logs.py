"""The log: bounded, private, and silent about everything that people wrote."""

import asyncio
import contextlib
import logging
import os
import stat
import sys
import threading

import pytest

from quarry.server import logs
from quarry.server.logs import log_loop, log_path, log_to_file

CANARY = "the canary of a private note"


@pytest.fixture
def log(vault, monkeypatch):
    """The log file of this test; the process's logging is as before afterwards."""
    logger = logging.getLogger("quarry")
    before = (logger.level, logger.propagate, list(logger.handlers), threading.excepthook)
    log_to_file(vault)
    yield log_path(vault)
    for handler in [handler for handler in logger.handlers if handler not in before[2]]:
        logger.removeHandler(handler)
        handler.close()
    logger.level, logger.propagate, threading.excepthook = before[0], before[1], before[3]


def fail():
    raise KeyError(CANARY)


def test_an_exception_is_logged_by_its_class_and_place_without_its_words(log):
    with contextlib.suppress(KeyError):
        try:
            fail()
        except KeyError:
            logging.getLogger("quarry.x").exception("it failed")
            raise

    text = log.read_text(encoding="utf-8")
    assert "KeyError" in text
    assert "test_logs.py" in text
    assert "fail" in text
    assert CANARY not in text


def test_a_cause_is_not_quoted_either(log):
    try:
        try:
            fail()
        except KeyError as error:
            raise ValueError(CANARY) from error
    except ValueError:
        logging.getLogger("quarry.x").exception("it failed")

    assert CANARY not in log.read_text(encoding="utf-8")


def test_what_a_thread_dies_of_is_logged_and_not_printed(log, capfd):
    thread = threading.Thread(target=fail, name="quarry-x")
    thread.start()
    thread.join()

    text = log.read_text(encoding="utf-8")
    assert "thread quarry-x ended by KeyError" in text
    assert CANARY not in text + "".join(capfd.readouterr())


def test_what_the_event_loop_meets_is_logged_and_not_printed(log, capfd):
    async def main():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(log_loop)
        loop.call_soon(fail)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(main())

    text = log.read_text(encoding="utf-8")
    assert "unhandled KeyError on the event loop" in text
    assert CANARY not in text + "".join(capfd.readouterr())


def test_it_holds_no_more_than_two_files_of_its_size(log, monkeypatch):
    handler = next(h for h in logging.getLogger("quarry").handlers if h.baseFilename == str(log))
    monkeypatch.setattr(handler, "maxBytes", 10_000)

    for number in range(2_000):
        logging.getLogger("quarry.x").info("message %d of many", number)

    files = sorted(log.parent.glob(f"{log.name}*"))
    assert [file.name for file in files] == [log.name, f"{log.name}.1"]
    assert all(file.stat().st_size <= 10_000 for file in files)
    assert logs.MAX_BYTES <= 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
def test_it_is_private_whatever_the_umask_also_after_turning_over(log, monkeypatch):
    handler = next(h for h in logging.getLogger("quarry").handlers if h.baseFilename == str(log))
    monkeypatch.setattr(handler, "maxBytes", 100)
    before = os.umask(0)
    try:
        for number in range(10):
            logging.getLogger("quarry.x").info("message %d of many", number)
    finally:
        os.umask(before)

    assert {stat.S_IMODE(file.stat().st_mode) for file in log.parent.glob(f"{log.name}*")} == {0o600}


def test_each_vault_has_a_log_of_its_own(vault, tmp_path):
    assert log_path(vault) != log_path(tmp_path)
    assert log_path(vault).name.startswith("vault-")

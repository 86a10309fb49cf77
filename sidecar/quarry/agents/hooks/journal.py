"""The log of hooks: one line an event, which says what came of it, and nothing that anybody wrote."""

import os
import time
from pathlib import Path

from quarry.config import log_dir

NAME = "hooks.log"
MAX_BYTES = 256 * 1024  # 3,000 events; one file more is kept


def note(client: str, event: str, reason: str, begun_s: float) -> None:
    """
    Add a line: when, *client*, *event*, the *reason* of silence or `context`, and milliseconds since *begun_s*.

    The words are ours: names of clients and events that are known, and reasons of `outcome.REASONS`.
    """
    try:
        file = log_dir() / NAME
        _rotate(file)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        took_ms = (time.monotonic() - begun_s) * 1000
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(file, flags, 0o600)
        try:
            os.write(descriptor, f"{at} {client} {event} {reason} {took_ms:.0f} ms\n".encode())
        finally:
            os.close(descriptor)
    except Exception:  # noqa: S110 - a log that cannot be written is no reason to disturb an agent
        pass


def _rotate(file: Path) -> None:
    try:
        if file.stat().st_size > MAX_BYTES:
            file.replace(file.with_suffix(".log.1"))
    except OSError:  # not there yet
        pass

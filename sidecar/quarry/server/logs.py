"""
The log: what happened and where, never what was written or asked.

Messages are made of counts, names of rules, error types and process ids. Note text, queries and tokens are never
passed to a logger; a test plants canaries and looks for them.
"""

import io
import logging
import logging.handlers
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarry.config import log_dir
from quarry.vault.paths import vault_id

if TYPE_CHECKING:
    import asyncio

MAX_BYTES = 1_000_000  # two files of this size a vault: a bad day fits, a disk does not fill
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"

_log = logging.getLogger(__name__)


def log_path(vault: Path, only: Sequence[str] = ()) -> Path:
    """Where the log of *vault*, or of its part in the folders *only*, is written."""
    return log_dir() / f"{vault_id(vault, only)}.log"


def log_to_file(vault: Path, only: Sequence[str] = ()) -> None:
    """Write log records of this process to the vault's log file from now on, and what no thread of ours caught."""
    handler = _PrivateFile(log_path(vault, only), maxBytes=MAX_BYTES, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(_NoTraceback(_FORMAT))
    logger = logging.getLogger("quarry")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    logger.propagate = False
    logging.raiseExceptions = False  # a full disk: the notes matter, the log does not
    threading.excepthook = _log_thread


def log_loop(_: "asyncio.AbstractEventLoop", context: dict[str, Any]) -> None:
    """Log an uncaught exception of the event loop; asyncio would print its message, which may quote a note."""
    error = context.get("exception")
    _log.error("unhandled %s on the event loop", type(error).__name__, exc_info=error)


def _log_thread(what: threading.ExceptHookArgs) -> None:
    error = what.exc_value
    name = what.thread.name if what.thread else "a thread"
    _log.error("thread %s ended by %s", name, what.exc_type.__name__, exc_info=error)


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A log that only this user can read from its first byte on, whatever the umask."""

    def _open(self) -> io.TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT, 0o600))
        return super()._open()


class _NoTraceback(logging.Formatter):
    """Says where an exception came from, without its message, which may quote a note."""

    def formatException(self, exc_info: Any) -> str:  # noqa: N802 - logging's name
        kind, _, trace = exc_info
        lines = []
        while trace:
            code = trace.tb_frame.f_code
            lines.append(f"    {Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        return "\n".join([f"  {kind.__name__ if kind else 'error'} at", *lines])

"""
`quarry hook CLIENT [--vault DIR] [--home DIR]`: an event on standard input, one JSON object or nothing on the output.

An agent waits for the hook, and takes an exit code for a verdict. So the code is always 0, whatever happens; the output
is written at once and complete; and `DEADLINE_MS` after the start a second thread ends the process without output,
wherever the first may hang: in an input that never ends, a drive, a suspended sidecar. On a slow machine,
QUARRY_HOOK_DEADLINE_MS sets a later deadline.
"""

import _thread
import contextlib
import json
import os
import time
from collections.abc import Sequence

from quarry.agents.hooks.events import CLIENTS, MAX_BYTES, HookOutcome, NoContext, parse_event
from quarry.config import log_dir

DEADLINE_MS = 400  # a person feels half a second at each prompt
MAX_DEADLINE_MS = 60_000
LOG_NAME = "hooks.log"
MAX_LOG_BYTES = 256 * 1024  # 3,000 events; one file more is kept
LOG_S = 0.1  # for a line in the log, which takes a millisecond
_STDIN, _STDOUT = 0, 1
_READ_BYTES = 64 * 1024


class Run:
    """One run of the hook: its event, once it is known, and the lock that decides which thread ends the process."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.begun_s = time.monotonic()
        self.client, self.vault = _options(arguments)
        self.event = "-"
        self._last_word = _thread.allocate_lock()  # the thread that takes it ends the process, and never releases it

    def watch(self) -> None:
        """End the process at the deadline unless the answer is being written."""
        _thread.start_new_thread(self._end_at_deadline, ())

    def answer(self, document: bytes) -> HookOutcome:
        """Answer the event in *document*, the JSON that the client sent."""
        named, self.client = self.client, self.client if self.client in CLIENTS else "-"
        try:
            event = parse_event(named, document)
            self.client, self.event = event.client, event.name
            from quarry.agents.hooks.respond import HookSession  # here: the deadline counts from before

            return HookSession(event, self.vault).respond()
        except NoContext as silence:
            return HookOutcome(None, silence.reason, {})

    def finish(self, outcome: HookOutcome) -> None:
        """Write the output, and log the outcome."""
        unwritten = json.dumps(outcome.output).encode() if outcome.output is not None else b""
        self._last_word.acquire()
        while unwritten:
            unwritten = unwritten[os.write(_STDOUT, unwritten) :]
        self._note(outcome.reason or "context")

    def fail(self, error: Exception) -> None:
        """Log that it failed, and the class of the error: its message may quote anything."""
        self._note(f"failed:{type(error).__name__}")

    def _end_at_deadline(self) -> None:
        time.sleep(max(0.0, self.begun_s + _deadline_s() - time.monotonic()))
        self._last_word.acquire()
        self._note("deadline")
        os._exit(0)

    def _note(self, reason: str) -> None:
        """Add a line to the log, which may be on a drive that hangs: the process ends without it."""
        _thread.start_new_thread(_end_after, (LOG_S,))
        log_event(self.client, self.event, reason, self.begun_s)


def main(arguments: Sequence[str]) -> None:
    """Answer, and end the process with 0."""
    try:
        run = Run(arguments)
        run.watch()
        try:
            run.finish(run.answer(_read()))
        except Exception as error:
            run.fail(error)
    finally:  # after KeyboardInterrupt and SystemExit as well; nothing is left to clean up
        os._exit(0)


def log_event(client: str, event: str, reason: str, begun_s: float) -> None:
    """
    Add a line to the log: the time, *client*, *event*, the *reason* or `context`, and milliseconds since *begun_s*.

    It contains only known names of clients and events, and reasons of `NoContext`; no text of prompts or notes.
    """
    try:
        file = log_dir() / LOG_NAME
        with contextlib.suppress(OSError):  # not there yet
            if file.stat().st_size > MAX_LOG_BYTES:
                file.replace(file.with_suffix(".log.1"))
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        took_ms = (time.monotonic() - begun_s) * 1000
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(file, flags, 0o600), "wb") as opened:
            opened.write(f"{at} {client} {event} {reason} {took_ms:.0f} ms\n".encode())
    except Exception:  # noqa: S110 - a log that cannot be written is no reason to disturb an agent
        pass


def _end_after(wait_s: float) -> None:
    time.sleep(wait_s)
    os._exit(0)


def _read() -> bytes:
    """The first megabyte of standard input and a little more; the rest is read so that its writer can end."""
    document = bytearray()
    while more := os.read(_STDIN, _READ_BYTES):
        if len(document) <= MAX_BYTES:
            document += more
    return bytes(document)


def _deadline_s() -> float:
    given = os.environ.get("QUARRY_HOOK_DEADLINE_MS", "")
    is_number = given.isascii() and given.isdigit() and len(given) <= len(str(MAX_DEADLINE_MS))
    return (min(int(given), MAX_DEADLINE_MS) if is_number else DEADLINE_MS) / 1000


def _options(arguments: Sequence[str]) -> tuple[str, str | None]:
    """The client and the named vault; `--home` sets QUARRY_HOME, which agents do not pass on."""
    client, vault = "", None
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "--vault":
            vault = next(remaining, None)
        elif argument.startswith("--vault="):
            vault = argument.removeprefix("--vault=")
        elif argument == "--home":
            os.environ["QUARRY_HOME"] = next(remaining, "")
        elif not argument.startswith("-") and not client:
            client = argument
    return client, vault

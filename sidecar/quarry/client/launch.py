"""
Starts a sidecar from a tool, and defines the status line that a started sidecar prints.

    {"ready":true,"discovery":"/run/user/1000/quarry/notes-3f….json","port":40123,"version":"0.1.0","protocol":1}
    {"ready":false,"discovery":"…","holder":{"pid":4711}}      another one serves this vault; the exit code is 3

The line carries no token: the discovery file does.
"""

import contextlib
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quarry import errors
from quarry.client.detached import detached_options, serve_command, sidecar_environment
from quarry.config import runtime_dir

START_TIMEOUT_S = 30.0  # a cold disk and a slow machine; usual is half a second
LEAVE_TIMEOUT_S = 5.0  # from its last output to its end
MAX_WORDS_BYTES = 64 * 1024  # of its error messages

_KINDS: dict[int, type[errors.QuarryError]] = {4: errors.VaultMissing, 5: errors.SchemaTooNew}
"""Exit code of a sidecar -> the error that it means; see `cli/main.py`."""


class LockHolder(msgspec.Struct, frozen=True):
    """The process that serves the vault already; `pid` is 0 if it has not written its discovery file yet."""

    pid: int


class ReadyLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The line that a sidecar prints once, when it is ready or has found the vault locked."""

    ready: bool
    discovery: str
    port: int | None = None
    version: str | None = None
    protocol: int | None = None
    holder: LockHolder | None = None


_ready_line_decoder = msgspec.json.Decoder(ReadyLine)  # here, as threads may not make it at once: see `codec.py`


def start_sidecar(root: Path, only: Sequence[str] = ()) -> ReadyLine:
    """
    Start a sidecar for the vault at *root* that outlives this process, and wait until it can answer.

    Args:
        only: The folders of the part of the vault to serve; empty: all of it.

    Returns:
        Its status line: ready, or another process holds the vault's lock, which was quicker or is about to exit.

    Raises:
        VaultMissing, SchemaTooNew, ProtocolMismatch, ConnectionFailed: It did not come up; the message says why.
    """
    process = subprocess.Popen(  # noqa: S603 - our own program with a fixed argument list, no shell
        serve_command(root, only),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=runtime_dir(),  # it always exists, and is not a vault
        env=sidecar_environment(),
        **detached_options(),
    )
    try:
        return _ready_line_decoder.decode(_first_line(process))
    except msgspec.DecodeError:
        raise _failure(process, root) from None
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        _release(process)


def _first_line(process: "subprocess.Popen[bytes]") -> bytes:
    """The sidecar's first line; after `START_TIMEOUT_S` the sidecar is killed, and the line may be incomplete."""
    assert process.stdout is not None
    watchdog = threading.Timer(START_TIMEOUT_S, process.kill)
    watchdog.start()
    try:
        return process.stdout.readline()
    finally:
        watchdog.cancel()


def _failure(process: "subprocess.Popen[bytes]", root: Path) -> errors.QuarryError:
    """The error that a sidecar printed before it exited."""
    assert process.stderr is not None
    try:
        process.wait(LEAVE_TIMEOUT_S)
    except subprocess.TimeoutExpired:  # it printed something else and keeps running
        process.kill()
        process.wait()
    said = process.stderr.read(MAX_WORDS_BYTES).decode(errors="replace").splitlines()
    messages = [line.removeprefix("quarry: ") for line in said if line.startswith("quarry: ")]
    kind = _KINDS.get(process.returncode, errors.ConnectionFailed)
    if messages:  # the next step follows on another line
        return kind(messages[0])
    last_words = said[-1] if said else "no output"
    return kind(f"the sidecar of {root} did not start: it exited with code {process.returncode} ({last_words})")


def _release(process: "subprocess.Popen[bytes]") -> None:
    """Close this side of the sidecar's pipes, and reap the process if it ends before this one."""
    for pipe in (process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
    threading.Thread(target=process.wait, name="quarry-sidecar", daemon=True).start()

"""
Whole outputs of commands that an agent was shown a part of: kept scrubbed, for a day, on this machine alone.

One file each, 0600, in a folder of our data. Its name is a hash of what it holds, so that the same output has the same
name each time, and is kept once.
"""

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import NamedTuple

from quarry.config import data_dir, private_folder

KEPT_S = 24 * 3600
MAX_FILES = 200
MAX_TOTAL_BYTES = 20 * 1024 * 1024
SUFFIX = ".txt"
_ID_BYTES = 5  # of 200 files, two share an id once in five billion times


class KeptOutput(NamedTuple):
    """An output that is kept: its id, the command, the size and the time."""

    id: str
    command: str
    size_bytes: int
    at_s: float


def outputs_folder() -> Path:
    """The folder of the outputs; created, private, if it is missing."""
    return private_folder(data_dir() / "outputs")


def keep(command: str, stdout: str, stderr: str) -> str:
    """
    Keep an output, scrubbed, and return its id.

    Raises:
        OSError: It cannot be written.
    """
    from quarry.redaction.scrub import scrub_text  # here: only what is shortened needs its rules

    streams = f"{stdout.rstrip()}\n" + (f"\n[stderr]\n{stderr.rstrip()}\n" if stderr.strip() else "")
    data = scrub_text(f"$ {' '.join(command.split())}\n{streams}").encode("utf-8", "replace")
    output_id = hashlib.blake2b(data, digest_size=_ID_BYTES).hexdigest()
    folder = outputs_folder()
    _write(folder / f"{output_id}{SUFFIX}", data)
    tidy(folder)
    return output_id


def read(output_id: str) -> str | None:
    """The output with that id; None where none is kept."""
    if not (output_id.isascii() and output_id.isalnum()):
        return None
    file = outputs_folder() / f"{output_id.lower()}{SUFFIX}"
    try:
        if not _is_current(file.stat().st_mtime):
            return None
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def kept_outputs() -> list[KeptOutput]:
    """The outputs that are kept, the newest first."""
    found: list[KeptOutput] = []
    for at_s, size_bytes, file in _files(outputs_folder()):
        if _is_current(at_s):
            with contextlib.suppress(OSError), file.open(encoding="utf-8", errors="replace") as opened:
                command = opened.readline(4096).removeprefix("$ ").rstrip("\n")
                found.append(KeptOutput(file.stem, command, size_bytes, at_s))
    return found


def tidy(folder: Path) -> None:
    """Delete outputs that are older than a day, and the oldest ones where there are too many or too large ones."""
    total = 0
    for index, (at_s, size_bytes, file) in enumerate(_files(folder)):
        total += size_bytes
        if not _is_current(at_s) or index >= MAX_FILES or total > MAX_TOTAL_BYTES:
            with contextlib.suppress(OSError):
                file.unlink()


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """Time, size and path of each file, the newest first; also of those that a killed process left half written."""
    found = []
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            seen = file.lstat()
            if file.suffix in (SUFFIX, ".new"):
                found.append((seen.st_mtime, seen.st_size, file))
    return sorted(found, reverse=True)


def _is_current(at_s: float) -> bool:
    """Whether a file of that time is kept; one from times to come, by a clock that was wrong, is not."""
    return -60 < time.time() - at_s < KEPT_S


def _write(file: Path, data: bytes) -> None:
    temporary = file.with_suffix(f".{os.getpid()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as opened:
        opened.write(data)
    temporary.replace(file)

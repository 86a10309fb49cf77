"""
What is kept of the conversations of AI agents: small files in the runtime folder, 0600, none used after twelve hours.

Each has the name `<vault id>.<conversation>.<kind>`. The conversation is a hash, so that no name tells whose it is, and
no id that a client makes up leads out of the folder. The kinds:

    lease    the sidecar stays, though nobody asks (`leases.py`)
    seen     hashes of the passages that were shown (`ledger.py`, which only the sidecar writes)
    prompt   the words of the last prompt, as far as they can be no credential (`hooks/`)
    given    its tool call has been answered
    blocks   the context blocks have been loaded
    started  by the vault: a sidecar was started, and is given time

Hooks of one conversation run at the same time, in processes that may end at any moment: a file is put in its place
whole, or made by the one process that makes it first.
"""

import contextlib
import hashlib
import os
import time
from pathlib import Path

from quarry.config import runtime_dir
from quarry.private_files import NEW_FILE_FLAGS, private_folder, read_private, write_atomically

KEPT_S = 12 * 3600  # a conversation of a day's work; what a client left behind when it was killed goes after that
MAX_FILES = 500  # a hundred conversations at a time
MAX_FILE_BYTES = 64 * 1024  # the largest, a ledger, has 33 bytes a passage
_KEY_BYTES = 12


def conversations_folder() -> Path:
    """The folder of these files; created, private, if it is missing."""
    return private_folder(runtime_dir() / "conversations")


class Conversation:
    """The files of one conversation about one vault."""

    def __init__(self, folder: Path, vault: str, name: str, *, may_write: bool = True) -> None:
        """
        The conversation that its client calls *name*, about the vault with the id *vault*.

        Args:
            may_write: False looks only: what would change a file does nothing.
        """
        self.key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).hexdigest()
        self._folder = folder
        self._vault = vault
        self._may_write = may_write

    def file(self, kind: str) -> Path:
        """Where the file of *kind* lies, whether or not it is there."""
        return self._folder / f"{self._vault}.{self.key}.{kind}"

    def has(self, kind: str) -> bool:
        """Whether there is a file of *kind* that still counts."""
        return _is_current(self.file(kind), time.time())

    def read(self, kind: str) -> str | None:
        """The text of the file of *kind*; None where there is none that still counts."""
        return read_text(self.file(kind)) if self.has(kind) else None

    def write(self, kind: str, text: str) -> None:
        """Put *text* in the place of the file of *kind*, whole. Raises `OSError`."""
        if not self._may_write:
            return
        write_atomically(self.file(kind), text.encode("utf-8", "replace"))

    def claim(self, kind: str) -> bool:
        """Make the file of *kind*; false where another process has. Raises `OSError`."""
        if not self._may_write:
            return not self.has(kind)
        if self._created(kind):  # first of all: what another process made meanwhile must not be taken for an old one
            return True
        if self.has(kind):
            return False
        with contextlib.suppress(FileNotFoundError):
            self.file(kind).unlink()  # too old to count
        return self._created(kind)

    def _created(self, kind: str) -> bool:
        try:
            os.close(os.open(self.file(kind), NEW_FILE_FLAGS, 0o600))
        except FileExistsError:
            return False
        return True

    def drop(self, *kinds: str) -> None:
        """Take the files of *kinds* away."""
        for kind in kinds if self._may_write else ():
            with contextlib.suppress(OSError):  # not there
                self.file(kind).unlink()


def read_text(file: Path) -> str | None:
    """The text of *file*, of which the first `MAX_FILE_BYTES` count; None if it is not a file of ours."""
    content = read_private(file, MAX_FILE_BYTES)
    return None if content is None else content.decode("utf-8", "replace")


def tidy(folder: Path) -> None:
    """Take away what no longer counts, and the oldest of what is too much."""
    now_s = time.time()
    aged = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                aged.append((now_s - entry.stat(follow_symlinks=False).st_mtime, entry.path))
    aged.sort()
    for number, (age_s, path) in enumerate(aged):
        if number >= MAX_FILES or abs(age_s) > KEPT_S:
            with contextlib.suppress(OSError):
                Path(path).unlink()


def _is_current(file: Path, now_s: float) -> bool:
    """Whether *file* was written in the last `KEPT_S`; a time far ahead comes of a clock that was set back."""
    try:
        return abs(now_s - file.lstat().st_mtime) <= KEPT_S
    except OSError:
        return False

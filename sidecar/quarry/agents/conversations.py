"""
Files about the conversations of AI agents: small, private, in the runtime folder, and ignored after twelve hours.

Each has the name `<vault id>.<conversation>.<kind>`. The conversation is a hash, so that no name reveals it, and no id
that a client makes up leads out of the folder. The kinds:

    lease              the sidecar keeps running although it gets no requests
    seen               hashes of the sentences that were shown, and their tokens; only the sidecar writes it
    prompt             the words of the last prompt, except those that may be credentials (`hooks/`)
    tool-context-sent  its tool call has been answered
    blocks             the context blocks have been loaded
    started            by the vault: a sidecar was started, and is given time

Hooks of one conversation run at the same time, in processes that may end at any moment: a file is replaced as a whole,
or made by the one process that is first. A lease is a file, not a request: a hook takes it before there is a sidecar,
the successor of a sidecar finds it, and no connection has to be held. It expires if its client was killed.
"""

import _thread
import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quarry.config import runtime_dir
from quarry.errors import IndexUnavailable
from quarry.private_files import NEW_FILE_FLAGS, delete_old, private_folder, read_private, write_atomically

KEPT_S = 12 * 3600  # a conversation of a day's work; files of a client that was killed expire, too
MAX_FILES = 500  # a hundred conversations at a time
MAX_FILE_BYTES = 64 * 1024  # the largest, a ledger, has 33 bytes per sentence
LOOK_S = 5.0  # between two looks for leases: a sidecar may exit so much later
MAX_ENTRIES = 1_000  # sentences in a ledger; 8,000 tokens are about 400
KEPT_ENTRIES = 500  # the newest, once there are too many
LEASE, SEEN = "lease", "seen"
_SPENT = "+"  # begins the line of a ledger that has the tokens
_KEY_BYTES = 12
_HASH_BYTES = 16


def conversations_folder() -> Path:
    """The folder of these files; created, private, if it is missing."""
    return private_folder(runtime_dir() / "conversations")


class Conversation:
    """The files of one conversation about one vault."""

    def __init__(self, folder: Path, vault: str, name: str, *, may_write: bool = True) -> None:
        """
        The conversation that its client calls *name*, about the vault with the id *vault*.

        Args:
            may_write: False only reads: whatever would change a file does nothing.
        """
        self.key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).hexdigest()
        self._folder = folder
        self._vault = vault
        self._may_write = may_write

    def file(self, kind: str) -> Path:
        """The path of the file of *kind*, which may not exist."""
        return self._folder / f"{self._vault}.{self.key}.{kind}"

    def has(self, kind: str) -> bool:
        """Whether there is a file of *kind* that has not expired."""
        return _is_current(self.file(kind), time.time())

    def read(self, kind: str) -> str | None:
        """The text of the file of *kind*; None if there is none or it has expired."""
        content = read_private(self.file(kind), MAX_FILE_BYTES) if self.has(kind) else None
        return None if content is None else content.decode("utf-8", "replace")

    def write(self, kind: str, text: str) -> None:
        """Replace the file of *kind*. Raises `OSError`."""
        if not self._may_write:
            return
        write_atomically(self.file(kind), text.encode("utf-8", "replace"))

    def claim(self, kind: str) -> bool:
        """Make the file of *kind*; false if another process has. Raises `OSError`."""
        if not self._may_write:
            return not self.has(kind)
        if self._created(kind):  # first: a file that another process makes meanwhile must not be taken for an old one
            return True
        if self.has(kind):
            return False
        with contextlib.suppress(FileNotFoundError):
            self.file(kind).unlink()  # it has expired
        return self._created(kind)

    def _created(self, kind: str) -> bool:
        try:
            os.close(os.open(self.file(kind), NEW_FILE_FLAGS, 0o600))
        except FileExistsError:
            return False
        return True

    def drop(self, *kinds: str) -> None:
        """Delete the files of *kinds*."""
        for kind in kinds if self._may_write else ():
            with contextlib.suppress(OSError):  # not there
                self.file(kind).unlink()


def tidy(folder: Path) -> None:
    """Delete files that have expired, and the oldest if there are too many."""
    delete_old(folder, max_age_s=KEPT_S, max_files=MAX_FILES)


def _is_current(file: Path, now_s: float) -> bool:
    """Whether *file* was written in the last `KEPT_S`; a time far ahead comes of a clock that was set back."""
    try:
        return abs(now_s - file.lstat().st_mtime) <= KEPT_S
    except OSError:
        return False


# --- leases ----------------------------------------------------------------------------------------


class Leases:
    """The leases of one vault, for its sidecar."""

    def __init__(self, folder: Path, vault: str, look_s: float = LOOK_S) -> None:
        self._folder = folder
        self._prefix = f"{vault}."
        self._look_s = look_s
        self._looked_s = -look_s
        self._is_held = False

    def is_any_held(self) -> bool:
        """Whether a conversation with the vault is open, as of at most `look_s` ago."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= self._look_s:
            self._looked_s, self._is_held = now_s, self._look()
        return self._is_held

    def _look(self) -> bool:
        now_s = time.time()
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:  # no folder: none was ever taken
            return any(
                entry.name.startswith(self._prefix)
                and entry.name.endswith(f".{LEASE}")
                and _is_current(Path(entry.path), now_s)
                for entry in entries
            )
        return False


# --- ledgers ---------------------------------------------------------------------------------------


class ShownPassages:
    """
    The sentences that one conversation was shown, as hashes in a file that outlives the sidecar, and their tokens.

    A hash is keyed by the conversation, so that two ledgers have nothing in common, and made of path and text, so that
    an edited sentence may be shown again. The file is read for each answer: deleting it makes the sidecar forget it.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._key = bytes.fromhex(conversation.key)
        lines = (conversation.read(SEEN) or "").split()
        # What is neither was written by something else; `int` refuses thousands of digits.
        self._hashes = [line for line in lines if len(line) == 2 * _HASH_BYTES]
        spent = [line[1:] for line in lines if line.startswith(_SPENT) and len(line) < _HASH_BYTES]
        self._spent = sum([int(tokens) for tokens in spent if tokens.isdecimal()])
        self._known = set(self._hashes)
        self._added: list[str] = []

    def left(self, total: int) -> int:
        """The tokens that may still be shown, of *total* for the whole conversation."""
        return max(0, total - self._spent)

    def spend(self, tokens: int) -> None:
        """Count so many *tokens* as shown, once `save` is called."""
        self._spent += tokens

    def has(self, path: str, text: str) -> bool:
        """Whether the sentence *text* of the note at *path* was shown."""
        return self._hash(path, text) in self._known

    def add(self, path: str, text: str) -> None:
        """Count the sentence as shown, once `save` is called."""
        self._added.append(self._hash(path, text))

    def save(self) -> None:
        """
        Write what was added.

        Raises:
            IndexUnavailable: It cannot be written.
        """
        if not self._added:
            return
        hashes = [*self._hashes, *self._added]
        kept = hashes if len(hashes) <= MAX_ENTRIES else hashes[-KEPT_ENTRIES:]
        try:
            if not self._hashes:  # a new ledger: expired ones go
                tidy(self._conversation.file(SEEN).parent)
            spent = [f"{_SPENT}{self._spent}"] if self._spent else []
            self._conversation.write(SEEN, "".join(f"{line}\n" for line in (*kept, *spent)))
        except OSError as error:
            raise IndexUnavailable(
                f"the passages quoted in the conversation cannot be stored: {error.strerror}"
            ) from error

    def _hash(self, path: str, text: str) -> str:
        passage = f"{path}\0{text}".encode("utf-8", "replace")
        return hashlib.blake2b(passage, digest_size=_HASH_BYTES, key=self._key).hexdigest()


class Ledgers:
    """The ledgers of one vault. Only its sidecar writes them, one answer at a time."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._lock = _thread.allocate_lock()  # `threading` costs a hook a millisecond

    @contextmanager
    def of(self, name: str) -> Iterator[ShownPassages]:
        """The passages shown in the conversation *name*, for one answer; no other answer is chosen meanwhile."""
        with self._lock:
            yield ShownPassages(Conversation(conversations_folder(), self._vault, name))

"""
Which passages has a conversation been shown? Hashes in a file that outlives the sidecar.

A hash is keyed by the conversation, so two ledgers tell nothing of each other, and made of path and text, so a passage
that was edited since may be shown again. The file is read for each answer: deleting it makes the sidecar forget it.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from quarry.agents.conversations import Conversation, conversations_folder, tidy
from quarry.errors import IndexUnavailable

KIND = "seen"
MAX_ENTRIES = 1_000  # a hook shows three a prompt
KEPT_ENTRIES = 500  # the newest, once there are too many
_HASH_BYTES = 16


class ShownPassages:
    """The passages of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._key = bytes.fromhex(conversation.key)
        self._hashes = (conversation.read(KIND) or "").split()
        self._known = set(self._hashes)
        self._added: list[str] = []

    def has(self, path: str, text: str) -> bool:
        """Whether the passage *text* of the note at *path* was shown."""
        return self._hash(path, text) in self._known

    def add(self, path: str, text: str) -> None:
        """Count the passage as shown, once `save` is called."""
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
            if not self._hashes:  # one more ledger: those that no longer count go
                tidy(self._conversation.file(KIND).parent)
            self._conversation.write(KIND, "".join(f"{found}\n" for found in kept))
        except OSError as error:
            raise IndexUnavailable(f"what is quoted in the conversation cannot be kept: {error.strerror}") from error

    def _hash(self, path: str, text: str) -> str:
        passage = f"{path}\0{text}".encode("utf-8", "replace")
        return hashlib.blake2b(passage, digest_size=_HASH_BYTES, key=self._key).hexdigest()


class Ledgers:
    """The ledgers of one vault. Only its sidecar writes them, one answer at a time."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._lock = threading.Lock()

    @contextmanager
    def of(self, name: str) -> Iterator[ShownPassages]:
        """The passages shown in the conversation *name*, for one answer; no other answer is chosen meanwhile."""
        with self._lock:
            yield ShownPassages(Conversation(conversations_folder(), self._vault, name))

"""
What was made of the hits of a query, kept for this vault on this machine alone.

A file of JSON lines beside the index, 0600: a salt first, then one entry a line with the time, the kind, and hashes of
the query and the path. Nothing in it can be read back: neither what was asked nor what a note is called, so a note that
is deleted leaves no name behind. Deleting the file forgets everything; it is begun again with another salt.
"""

import contextlib
import hashlib
import json
import secrets
import threading
from pathlib import Path
from typing import Literal
from unicodedata import normalize

from msgspec import Struct

from quarry.errors import IndexUnavailable
from quarry.private_files import write_atomically

FeedbackKind = Literal["opened", "dismissed", "restored", "copied", "inserted", "used"]

MAX_ENTRIES = 10_000  # 1 MB; years of one person's searches
KEPT_ENTRIES = 5_000  # the newest, once there are too many
HASH_BYTES = 12
SALT_BYTES = 16


class Feedback(Struct, frozen=True):
    """One entry: *query* and *path* are hashes, as `FeedbackLog.query_hash` and `path_hash` give them."""

    at_ms: int
    kind: FeedbackKind
    query: str
    path: str


class FeedbackLog:
    """The file at *path*, which need not exist. Any thread may use it; one process does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._salt = ""  # of the file that was read last, which has `_count` entries
        self._count = 0

    def add(self, query: str, path: str, kind: FeedbackKind, at_ms: int) -> None:
        """
        Keep that the hit at *path* of *query* was *kind* at *at_ms*, milliseconds since 1970.

        Raises:
            IndexUnavailable: The file cannot be written.
        """
        try:
            with self._lock:
                is_new = not self._look()
                entry = Feedback(at_ms, kind, self._hash(_query_key(query)), self._hash(_path_key(path)))
                if is_new or self._count >= MAX_ENTRIES:
                    self._rewrite([*self._read()[1][-KEPT_ENTRIES + 1 :], entry])
                else:
                    with self._path.open("a", encoding="utf-8") as file:
                        file.write(_line(entry))
                    self._count += 1
        except OSError as error:
            raise IndexUnavailable(f"feedback cannot be kept in {self._path}: {error.strerror}") from error

    def entries(self) -> list[Feedback]:
        """All that is kept, oldest first."""
        with self._lock:
            return self._read()[1]

    def query_hash(self, query: str) -> str:
        """How *query* is written in the entries."""
        with self._lock:
            self._look()
            return self._hash(_query_key(query))

    def path_hash(self, path: str) -> str:
        """How *path* is written in the entries."""
        with self._lock:
            self._look()
            return self._hash(_path_key(path))

    def _look(self) -> bool:
        """Learn the salt and the number of entries; returns whether there is a file to add to."""
        if not self._path.exists():  # perhaps deleted, so that all of it is forgotten
            self._salt, self._count = secrets.token_hex(SALT_BYTES), 0
            return False
        if not self._salt:
            salt, entries = self._read()
            self._salt, self._count = salt or secrets.token_hex(SALT_BYTES), len(entries)
            return bool(salt)
        return True

    def _read(self) -> tuple[str, list[Feedback]]:
        """The salt and the entries; a line that makes no sense is left out, without a salt all of them."""
        try:
            first, *lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
            salt = str(json.loads(first)["salt"])
            if len(bytes.fromhex(salt)) != SALT_BYTES:
                return "", []
        except (OSError, ValueError, KeyError, TypeError):
            return "", []
        entries = []
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                found = json.loads(line)
                entries.append(Feedback(found["atMs"], found["kind"], found["query"], found["path"]))
        return salt, entries

    def _rewrite(self, entries: list[Feedback]) -> None:
        lines = [json.dumps({"salt": self._salt}) + "\n", *map(_line, entries)]
        write_atomically(self._path, "".join(lines).encode())
        self._count = len(entries)

    def _hash(self, text: str) -> str:
        salt = bytes.fromhex(self._salt)
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=HASH_BYTES, salt=salt).hexdigest()


def _query_key(query: str) -> str:
    """*query* as it is compared: without regard to case and space."""
    return normalize("NFC", " ".join(query.casefold().split()))


def _path_key(path: str) -> str:
    return normalize("NFC", path)


def _line(entry: Feedback) -> str:
    found = {"atMs": entry.at_ms, "kind": entry.kind, "query": entry.query, "path": entry.path}
    return json.dumps(found, separators=(",", ":")) + "\n"

"""
Records what a person did with the hits of a query, stored for this vault on this machine alone.

A file of JSON lines beside the index, 0600: a salt first, then one entry per line with the time, the kind, and hashes
of the query and the path. No query and no name can be read back, so a deleted note leaves no name behind. Deleting the
file forgets everything; a new one gets another salt.
"""

import hashlib
import json
import secrets
import threading
from pathlib import Path
from unicodedata import normalize

import msgspec

from quarry.errors import IndexUnavailable
from quarry.private_files import write_atomically
from quarry.protocol import FeedbackKind

MAX_ENTRIES = 10_000  # 1 MB; years of one person's searches
KEPT_ENTRIES = 5_000  # the newest, once there are too many
HASH_BYTES = 12
SALT_BYTES = 16


class Feedback(msgspec.Struct, frozen=True, rename="camel"):
    """One entry; *query* and *path* are hashes, as `FeedbackLog.hash_of` gives them."""

    at_ms: int
    kind: FeedbackKind
    query: str
    path: str


class FeedbackLog:
    """The file at *path*, which need not exist. Any thread may use it; one process does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._salt = b""  # of the file that was read last, which has `_count` entries
        self._count = 0

    def add(self, query: str, path: str, kind: FeedbackKind, at_ms: int) -> None:
        """
        Store that the hit at *path* of *query* was *kind* at *at_ms*, milliseconds since 1970.

        Raises:
            IndexUnavailable: The file cannot be written.
        """
        try:
            with self._lock:
                is_new = not self._refresh()
                entry = Feedback(at_ms, kind, self._hash(query_key(query)), self._hash(path))
                if is_new or self._count >= MAX_ENTRIES:
                    self._rewrite([*self._read()[1][-KEPT_ENTRIES + 1 :], entry])
                else:
                    with self._path.open("ab") as file:
                        file.write(_line(entry))
                    self._count += 1
        except OSError as error:
            raise IndexUnavailable(f"feedback cannot be stored in {self._path}: {error.strerror}") from error

    def entries(self) -> list[Feedback]:
        """All entries, oldest first."""
        with self._lock:
            return self._read()[1]

    def hash_of(self, text: str) -> str:
        """The hash of a path, or of the `query_key` of a query, in the entries."""
        with self._lock:
            self._refresh()
            return self._hash(text)

    def _refresh(self) -> bool:
        """Read the salt and the number of entries unless they are known; false if there is no file to append to."""
        if not self._path.exists():  # perhaps deleted, to forget everything
            self._salt, self._count = secrets.token_bytes(SALT_BYTES), 0
            return False
        if not self._salt:
            salt, entries = self._read()
            self._salt, self._count = salt or secrets.token_bytes(SALT_BYTES), len(entries)
            return bool(salt)
        return True

    def _read(self) -> tuple[bytes, list[Feedback]]:
        """The salt and the entries; a damaged line is left out, without a salt all of them."""
        try:
            first, *lines = self._path.read_bytes().splitlines()
            salt = bytes.fromhex(json.loads(first)["salt"])
        except (OSError, ValueError, KeyError, TypeError):
            return b"", []
        return (salt, [*_entries(lines)]) if len(salt) == SALT_BYTES else (b"", [])

    def _rewrite(self, entries: list[Feedback]) -> None:
        salt = msgspec.json.encode({"salt": self._salt.hex()}) + b"\n"
        write_atomically(self._path, salt + b"".join(map(_line, entries)))
        self._count = len(entries)

    def _hash(self, text: str) -> str:
        key = normalize("NFC", text).encode("utf-8", "replace")
        return hashlib.blake2b(key, digest_size=HASH_BYTES, salt=self._salt).hexdigest()


def query_key(query: str) -> str:
    """*query* as it is compared: without regard to case and space."""
    return " ".join(query.casefold().split())


def _entries(lines: list[bytes]) -> list[Feedback]:
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Feedback))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return found


def _line(entry: Feedback) -> bytes:
    return msgspec.json.encode(entry) + b"\n"

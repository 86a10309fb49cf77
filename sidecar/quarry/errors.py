"""
The errors of the sidecar. Every message says what happened, with which values, and the way out.

    QuarryError
    ├── BadQuery              the query cannot be read; carries the position
    ├── BadRequest            a parameter is missing, unknown or out of range
    │   ├── BadSettings       `.quarry.toml` or a setting's value cannot be used
    │   └── BadConfiguration  the configuration of an AI client cannot be read or changed
    ├── Unauthorized          the token is not this vault's
    ├── NoteNotFound          no such note in the index, or its path may not be read
    ├── UnreadableDocument    a canvas or a PDF file is not what its extension says
    ├── NoteNotWritten        the system refuses to write a new note
    ├── VaultMissing          the vault folder is gone, unreadable or suspiciously empty
    ├── ModelMissing          no usable embedding model; search goes on by keyword
    │   ├── ModelDamaged      its files are there but not what they should be
    │   ├── ModelUnreachable  another program runs it, which does not answer now
    │   └── NotConfirmed      only the vault's file asks for it, not yet the user of this device
    ├── IndexUnavailable      the index cannot be opened or written
    │   ├── IndexDamaged      it is not an intact database of Quarry: it is set aside and rebuilt
    │   │   └── IndexMisplaced  it is whole, but another than the one that belongs there
    │   └── SchemaTooNew      a newer version wrote it; it is left alone
    ├── IndexBehind           reported changes were not indexed in time
    ├── VaultLocked           another sidecar serves this vault
    ├── DeadlineExceeded      a query cost more than it may
    ├── Cancelled             the asker no longer wants the answer
    ├── ExtraMissing          an optional part of the installation is needed and not there
    ├── TeamUnavailable       the database of a team's index cannot be reached or used
    └── ConnectionFailed      a client could not reach or keep its sidecar
        ├── SidecarBusy       it serves as many clients as it can
        └── ProtocolMismatch  the two sides speak different versions
"""

from __future__ import annotations

from collections.abc import Sequence

TYPE_CHECKING = False  # as that of `typing`, which takes longer to import than `quarry --version`
if TYPE_CHECKING:
    from quarry.messages import Message

MAX_QUOTED = 2_000  # characters of a message about a model, whose files may have any names in them
MAX_NAMED = 3  # notes that a message offers instead of one that is not there


class QuarryError(Exception):
    """Base of the family; catching it at a door catches everything we raise on purpose."""


class BadQuery(QuarryError):
    """The query cannot be read. `position` counts code points from 0 into what was typed."""

    def __init__(self, message: Message | str, position: int) -> None:
        super().__init__(str(message))
        self.message = message
        self.position = position


class BadRequest(QuarryError):
    """A parameter is missing, unknown or out of range."""


class BadSettings(BadRequest):
    """`.quarry.toml` or the value of a setting cannot be used."""


class BadConfiguration(BadRequest):
    """The configuration of an AI client cannot be read or changed; it is left as it was."""


class Unauthorized(QuarryError):
    """The token is not the one of this vault's sidecar."""


class NoteNotFound(QuarryError):
    """No such note in the index, or its path leads where notes may not be read."""

    @classmethod
    def not_indexed(cls, path: str, similar: Sequence[str] = ()) -> NoteNotFound:
        """The error for a *path* that the index does not hold; *similar*: paths that were probably meant."""
        offer = f": did you mean {_either(similar)}?" if similar else ""
        return cls(f"there is no note {path!r} in the index{offer}")

    @classmethod
    def ambiguous(cls, name: str, paths: Sequence[str]) -> NoteNotFound:
        """The error for a *name* that several notes have, those at *paths*."""
        return cls(f"{len(paths)} notes are called {name!r}: do you mean {_either(paths[:MAX_NAMED])}?")


class UnreadableDocument(QuarryError):
    """A file is not of the kind that its extension says, or damaged."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


class NoteNotWritten(QuarryError):
    """A new note cannot be written: no permission, no room, no drive. Nothing was."""


class VaultMissing(QuarryError):
    """The vault folder is gone, unreadable, or empty where it was full."""


class ModelMissing(QuarryError):
    """No usable embedding model; search continues by keyword. The message may quote its files, and is cut."""

    def __init__(self, message: str) -> None:
        half = MAX_QUOTED // 2
        super().__init__(message if len(message) <= MAX_QUOTED else f"{message[:half]} … {message[-half:]}")


class ModelDamaged(ModelMissing):
    """The model's files are there but are not what they should be."""


class ModelUnreachable(ModelMissing):
    """The program that runs the model is gone, busy or too slow; it is asked again later."""


class NotConfirmed(ModelMissing):
    """The vault's settings ask for a model that the user of this device has not confirmed."""


class IndexUnavailable(QuarryError):
    """The index cannot be opened or written."""


class IndexDamaged(IndexUnavailable):
    """The file is not an intact database of Quarry; the caller sets it aside and rebuilds."""


class IndexMisplaced(IndexDamaged):
    """A file that is another vault's index, or was put in the place of the one in use. Set aside like a damaged one."""


class SchemaTooNew(IndexUnavailable):
    """A newer version of Quarry wrote this index; it is left alone."""


class IndexBehind(QuarryError):
    """Changes that an answer was to wait for were not indexed in time."""


class VaultLocked(QuarryError):
    """Another sidecar serves this vault."""


class DeadlineExceeded(QuarryError):
    """A query cost more than it may."""


class Cancelled(QuarryError):
    """The asker no longer wants the answer."""


class TeamUnavailable(QuarryError):
    """The database of a team's index cannot be reached or used."""


class ExtraMissing(QuarryError):
    """An optional part is needed and not there; `extra` is that of this package it comes with, if any."""

    def __init__(self, message: str, extra: str | None = None) -> None:
        super().__init__(message)
        self.extra = extra


class ConnectionFailed(QuarryError):
    """A client could not reach its sidecar, or lost it."""


class SidecarBusy(ConnectionFailed):
    """The sidecar serves as many clients as it can."""


class ProtocolMismatch(ConnectionFailed):
    """The two sides speak different versions of the wire."""


def _either(paths: Sequence[str]) -> str:
    """*paths* in quotes, the last one after "or"."""
    *others, last = map(repr, paths)
    return f"{', '.join(others)} or {last}" if others else last

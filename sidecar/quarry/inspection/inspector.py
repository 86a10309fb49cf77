"""
Answers which notes are in the index, by folder, and why one is not. Any thread may ask, but none that must not wait:
the vault is walked over.

A walk is kept for a while, so that a page that follows the index takes a small share of the machine's time.
"""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from quarry.conditions import all_of
from quarry.errors import NoteNotFound, VaultMissing
from quarry.index import Deadline, Reader
from quarry.indexing.diff import MANY_PROBLEMS
from quarry.indexing.sync import Synchronizer
from quarry.inspection.coverage import Coverage, CoveredFolder, CoveredNote, NoteState, coverage
from quarry.inspection.note_report import NoteReport, file_seen_at, report_indexed
from quarry.messages import Message
from quarry.options import Scope
from quarry.vault.paths import nfc
from quarry.vault.rules import Rules
from quarry.vault.scan import scan_vault

TIMEOUT_S = 60.0  # of the condition on the status: this only bounds a disk that hangs
LEAST_AGE_S = 2.0  # changes that nothing reported are seen that late
MAX_SHARE = 0.05  # of a thread's time that walks take while nothing changes
MAX_SHARE_OF_CHANGES = 0.25  # while notes are indexed


class FolderPage(Struct, frozen=True):
    """A folder, and some of those directly in it."""

    folder: CoveredFolder
    refusal: Message | None  # what leaves out all notes below it
    folders: tuple[tuple[CoveredFolder, Message | None], ...]
    total: int  # of the folders


class NoteStates(Struct, frozen=True):
    """Some notes, and the number of all that were asked for."""

    notes: tuple[CoveredNote, ...]
    total: int


class _Kept(Struct, frozen=True):
    made_of: tuple[object, ...]
    coverage: Coverage
    at_s: float
    took_s: float


class Inspector:
    """Looks at the vault at *root* and the index that *sync* keeps."""

    def __init__(
        self,
        root: Path,
        sync: Synchronizer,
        reader: Callable[[], AbstractContextManager[Reader]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._sync = sync
        self._reader = reader
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: _Kept | None = None

    def folders(self, folder: str, state: NoteState | None, offset: int, limit: int) -> FolderPage:
        """
        The folder *folder* ("" is the vault) and those directly in it that have notes in *state*, by name.

        Raises:
            VaultMissing: The vault folder is not there.
            BadSettings: What says which notes are indexed cannot be read.
            IndexUnavailable, IndexDamaged: The index cannot be read.
        """
        rules, found, folder = self._sync.policy.rules, self._coverage(), nfc(folder).strip("/")
        inner = found.folders_in(folder, state)
        page = inner[offset : offset + limit]
        return FolderPage(
            folder=found.folder(folder),
            refusal=rules.refusal_of_folder(folder) if folder else None,
            folders=tuple((each, rules.refusal_of_folder(each.path)) for each in page),
            total=len(inner),
        )

    def notes(self, folder: str, state: NoteState | None, offset: int, limit: int, *, below: bool) -> NoteStates:
        """The notes in *folder* in *state*, by path; *below*: also in the folders below it. Raises as `folders`."""
        notes = list(self._coverage().notes_in(nfc(folder).strip("/"), state, below=below))
        return NoteStates(tuple(islice(notes, offset, offset + limit)), len(notes))

    def note(self, path: str) -> NoteReport:
        """
        Why the note at *path* is found, or not. Only its own file is looked at. Raises as `folders`.

        If there is no such file, *path* may also be the target of a link, a title or an alias; see `Reader.find_note`.
        """
        policy = self._sync.policy
        seen = file_seen_at(self._root, path)
        with self._reader() as reader:
            if seen is None:
                with suppress(NoteNotFound):
                    path = reader.find_note(path).path
            if found := report_indexed(self._root, path, reader, policy.rules, policy.settings):
                return found
        state, reason = self._sync.absence_of(path)
        return NoteReport(
            path=path,
            state="waiting" if state == "pending" else state,
            reasons=(reason,),
            indexed=None,
            modified_ms=seen.mtime_ns // 1_000_000 if seen else None,
            size_bytes=seen.size_bytes if seen else None,
        )

    def _coverage(self) -> Coverage:
        with self._lock:  # requests that arrive meanwhile are answered from the same walk
            policy = self._sync.policy
            with self._reader() as reader:
                made_of = (reader.generation, policy.rules, policy.settings)
                if self._kept and self._is_recent(self._kept, made_of):
                    return self._kept.coverage
                began_s = self._clock()
                found = self._look(reader, policy.rules)
            took_s = self._clock() - began_s
            self._kept = _Kept(made_of, found, self._clock(), took_s)
            return found

    def _is_recent(self, kept: _Kept, made_of: tuple[object, ...]) -> bool:
        age_s = self._clock() - kept.at_s
        if kept.made_of == made_of:
            return age_s < max(LEAST_AGE_S, kept.took_s / MAX_SHARE)
        return age_s < kept.took_s / MAX_SHARE_OF_CHANGES

    def _look(self, reader: Reader, rules: Rules) -> Coverage:
        scan = scan_vault(self._root, rules)
        if scan.root_missing:
            raise VaultMissing(f"the vault folder {self._root} is not there; the index is kept until it is back")
        hiding = Scope(not_status=self._sync.policy.settings.exclude_status)
        deadline = Deadline.after(TIMEOUT_S)
        shown = (
            reader.matching_notes(all_of(hiding.status_conditions), deadline=deadline) if hiding.not_status else None
        )
        return coverage(
            scan,
            reader.indexed_files(),
            shown=None if shown is None else frozenset(shown.tolist()),
            without_vectors=reader.notes_without_vectors(),
            problems=reader.problems(MANY_PROBLEMS),
            excluded=self._sync.excluded_files,
        )

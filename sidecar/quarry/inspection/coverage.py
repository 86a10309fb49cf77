"""
The state of every note of a vault, counted by folder. Pure: from one walk over the vault and one snapshot of its index.

Paths are in NFC, as they are sent.
"""

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import astuple

from quarry.index import IndexedFile, Problem
from quarry.indexing.preparation import ExcludedFile
from quarry.indexing.reasons import CHANGED, NEW
from quarry.messages import Message, message
from quarry.vault.paths import nfc
from quarry.vault.scan import Scan

NoteState = Literal["indexed", "partial", "hidden", "waiting", "excluded", "failed"]

STATUS = message("reason.any-status")


class StateCounts(Struct):
    """How many notes are in each state."""

    indexed: int = 0
    partial: int = 0
    hidden: int = 0
    waiting: int = 0
    excluded: int = 0
    failed: int = 0
    without_vectors: int = 0  # of those indexed, partly or hidden

    def add(self, other: "StateCounts") -> None:
        """Add *other* to this."""
        for name, count in zip(self.__struct_fields__, astuple(other), strict=True):
            setattr(self, name, getattr(self, name) + count)

    def of(self, state: NoteState | None) -> int:
        """The notes in *state*; None: all."""
        if state is not None:
            return int(getattr(self, state))
        return self.indexed + self.partial + self.hidden + self.waiting + self.excluded + self.failed


class CoveredNote(Struct, frozen=True):
    """The state of one note; without a reason it is found."""

    path: str
    state: NoteState
    reason: Message | None


class CoveredFolder(Struct, frozen=True):
    """A folder with what lies below it."""

    path: str
    counts: StateCounts
    folder_count: int  # directly in it


class Coverage(Struct, frozen=True):
    """The state of every note of a vault."""

    notes: tuple[CoveredNote, ...]  # by path
    counts: Mapping[str, StateCounts]  # of each folder that has notes, with all below it; "" is the vault
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # folder -> those directly in it, by name

    def folder(self, path: str) -> CoveredFolder:
        """The folder at *path*; one without notes has no counts."""
        return CoveredFolder(path, self.counts.get(path) or StateCounts(), len(self.children.get(path, ())))

    def folders_in(self, path: str, state: NoteState | None) -> list[CoveredFolder]:
        """The folders directly in *path* that have notes in *state*, by name."""
        folders = map(self.folder, self.children.get(path, ()))
        return [folder for folder in folders if folder.counts.of(state)]

    def notes_in(self, folder: str, state: NoteState | None, *, below: bool) -> Iterator[CoveredNote]:
        """The notes in *folder* in *state*, by path; *below*: those in the folders below it too."""
        prefix = f"{folder}/" if folder else ""
        begin = bisect_left(self.notes, prefix, key=_path)
        for at in range(begin, len(self.notes)):
            note = self.notes[at]
            if not note.path.startswith(prefix):
                return
            if (state is None or note.state == state) and (below or "/" not in note.path[len(prefix) :]):
                yield note


def coverage(
    scan: Scan,
    indexed: Sequence[IndexedFile],
    *,
    shown: Container[int] | None,
    without_vectors: Container[int],
    problems: Sequence[Problem],
    excluded: Mapping[str, ExcludedFile],
) -> Coverage:
    """
    The state of every note that *scan* met.

    Args:
        indexed: Every note of the index.
        shown: The notes that the settings do not leave out of answers by their status; None: all.
        without_vectors: The notes with a passage that waits for a vector.
        problems: Those of the index.
        excluded: The files excluded for their front matter so far.
    """
    known = {file.path: file for file in indexed}
    told = {problem.path: problem for problem in problems}
    found: dict[str, CoveredNote] = {}
    vectorless: set[str] = set()

    def add(path: str, state: NoteState, reason: Message | None) -> None:
        found.setdefault(nfc(path), CoveredNote(nfc(path), state, reason))

    for path, refusal in scan.excluded.items():
        add(path, "excluded", refusal)
    for path, why in scan.skipped.items():
        add(path, "failed", why)
    for path, seen in scan.files.items():
        file, problem = known.get(path), told.get(path)
        if file is None:
            if (left_out := excluded.get(path)) and left_out.seen == seen:
                add(path, "excluded", left_out.reason)
            elif problem and problem.skipped:
                add(path, "failed", problem.reason)
            else:
                add(path, "waiting", NEW)
            continue
        if file.note_id in without_vectors:
            vectorless.add(nfc(path))
        if (seen.size_bytes, seen.mtime_ns, seen.ctime_ns) != (file.size_bytes, file.mtime_ns, file.ctime_ns):
            add(path, "waiting", CHANGED)
        elif shown is not None and file.note_id not in shown:
            add(path, "hidden", STATUS)
        elif problem:
            add(path, "partial", problem.reason)
        else:
            add(path, "indexed", None)
    notes = tuple(sorted(found.values(), key=_path))
    counts, children = _by_folder(notes, vectorless)
    return Coverage(notes, counts, children)


def _by_folder(
    notes: Sequence[CoveredNote], vectorless: Container[str]
) -> tuple[dict[str, StateCounts], dict[str, tuple[str, ...]]]:
    """The counts of each folder with all below it, and the folders directly in each."""
    counts: dict[str, StateCounts] = {"": StateCounts()}
    for note in notes:
        folder = note.path.rpartition("/")[0]
        mine = counts.get(folder) or counts.setdefault(folder, StateCounts())
        setattr(mine, note.state, getattr(mine, note.state) + 1)
        mine.without_vectors += note.path in vectorless
    for folder in list(counts):
        while folder and (folder := folder.rpartition("/")[0]) not in counts:
            counts[folder] = StateCounts()
    children: dict[str, list[str]] = {}
    for folder in sorted(filter(None, counts), key=_depth, reverse=True):  # what is added to a folder above is whole
        above = folder.rpartition("/")[0]
        counts[above].add(counts[folder])
        children.setdefault(above, []).append(folder)
    return counts, {folder: tuple(sorted(inner, key=_by_name)) for folder, inner in children.items()}


def _path(note: CoveredNote) -> str:
    return note.path


def _depth(folder: str) -> int:
    return folder.count("/")


def _by_name(folder: str) -> tuple[str, str]:
    return folder.casefold(), folder

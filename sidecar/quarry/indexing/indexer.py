"""
Files become rows: read, scrub, cut, embed, store.

An `Indexer` does what a plan says, on the thread that calls it, and reports through a `RunMonitor`. It owns no thread,
no queue and no clock; `worker.py` does.
"""

import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol, Self

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.config import MAX_NOTE_BYTES, MAX_NOTE_CHUNKS
from quarry.documents.reading_rules import ReadingRules
from quarry.embedding.encoder import Encoder
from quarry.index import Index
from quarry.indexing.diff import (
    MASS_REMOVAL_LEAST,
    SyncPlan,
    VaultDiff,
    diff_listing,
    diff_vault,
    is_mass_removal,
    plan_sync,
    record_skipped,
    with_everything,
)
from quarry.indexing.disk_state import DiskState
from quarry.indexing.executor import PreparationExecutor, ProgressMonitor, batches
from quarry.indexing.limits import PlanLimits
from quarry.indexing.metadata import poison_notes, set_poison_notes
from quarry.indexing.pool import WorkerOptions
from quarry.indexing.prepare import FailedNote, Ready, ReadyNote, embedded_text
from quarry.indexing.read_files import DrawingFile, FoundFile, MissedFile, Move, NoteFile
from quarry.redaction.scrub import scrub_text
from quarry.settings import Settings
from quarry.types import FileSeen, FileStamp, VaultChange
from quarry.vault.paths import nfc
from quarry.vault.rules import Rules

_log = logging.getLogger(__name__)
PENDING_TEXTS = 1024  # embedded at a time: a tenth of a second, shared out among the processes where there are some


class RunMonitor(ProgressMonitor, Protocol):
    """Receives the progress of a run, and may hold it up where stopping is safe."""

    def scanned(self, excluded: int) -> None:
        """A scan is done; *excluded* notes were left out by a rule."""

    def planned(self, total: int) -> None:
        """Work on *total* notes begins."""

    def advanced(self, note_count: int, chunk_count: int) -> None:
        """*note_count* more of the planned notes are done."""

    def indexed(self, path: str) -> None:
        """A note can be found."""

    def removed(self, path: str) -> None:
        """A note can no longer be found."""

    def is_superseded(self, path: str) -> bool:
        """Whether an urgent run has made *path* current, so that the plan for it is out of date."""


class RunOutcome(Struct, frozen=True):
    """Counts of what a run changed."""

    upserted: int = 0
    renamed: int = 0
    removed: int = 0
    held_back: int = 0  # removals not carried out because too many notes vanished at once

    @property
    def changed_notes(self) -> int:
        """For how many notes an open query may have other answers now."""
        return self.upserted + self.renamed + self.removed

    @property
    def changed_anything(self) -> bool:
        """Whether an open query may have other answers now."""
        return self.changed_notes > 0


class _Run(Struct):
    """One run over an index: what it began with and what it has done."""

    index: Index
    known: Mapping[str, FileStamp]  # what the index held when the run began, where the run may change it
    total: int | None = None  # of notes in the index then; None: not counted yet
    done: RunOutcome = field(default_factory=RunOutcome)
    in_memory: dict[str, FoundFile] = field(default_factory=dict)  # files that were read to be hashed, by path
    vanished: list[str] = field(default_factory=list)  # notes whose files were gone when they were to be read

    @classmethod
    def at(cls, index: Index, named: set[str]) -> Self:
        """A run over the notes that are, or lie below, one of the *named* paths, which are NFC."""
        return cls(index, index.stamps_at(named))

    def loses_too_many(self, removed: int) -> bool:
        """Whether *removed* notes at once are too many to be believed; see `is_mass_removal`."""
        if removed < MASS_REMOVAL_LEAST:
            return False
        if self.total is None:
            with self.index.reader() as reader:
                self.total = reader.counts().notes
        return is_mass_removal(removed, self.total)

    def count(self, *, upserted: int = 0, renamed: int = 0, removed: int = 0, held_back: int = 0) -> None:
        """Add to what was done."""
        done = self.done
        self.done = RunOutcome(
            done.upserted + upserted, done.renamed + renamed, done.removed + removed, done.held_back + held_back
        )


class Indexer:
    """
    Makes an index equal the vault below *root*.

    Args:
        encoder: Asked when a note is to be prepared; None where there is no model: notes are then stored without
            vectors, which are filled in later.
        options: What processes need that prepare large plans; None: everything is done on the calling thread.
        limits: From which size on a plan is large.
        drawings: Every drawing seen so far, by path; kept up to date, so that none is opened again without need.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        rules: Rules,
        monitor: RunMonitor,
        encoder: Callable[[], Encoder | None],
        drawings: MutableMapping[str, FileSeen] | None = None,
        options: WorkerOptions | None = None,
        limits: PlanLimits = PlanLimits(),  # noqa: B008  a frozen value
    ) -> None:
        self._rules = rules
        self._monitor = monitor
        self._limits = limits
        self._drawings = {} if drawings is None else drawings
        self._disk = DiskState(root, rules, self._drawings)
        reading = ReadingRules(settings.skip_sections, MAX_NOTE_BYTES, MAX_NOTE_CHUNKS, settings.stemming)
        self._executor = PreparationExecutor(root, reading, encoder, monitor, options, limits)

    def reconcile(
        self, index: Index, found: VaultDiff | None = None, *, thorough: bool = False, everything: bool = False
    ) -> RunOutcome:
        """
        Compare the whole vault with *index* and carry out the difference.

        Args:
            found: The difference, where the caller has just determined it.
            thorough: Hash every file, also where size and time say that nothing changed.
            everything: Read every note anew, also where its bytes did not change: the rules of reading did.

        Raises:
            VaultMissing: The vault folder is not there; the index is left as it is.
            Cancelled: The monitor asked to stop; what was committed stays.
        """
        found = found or diff_vault(self._disk, index, with_drawings=thorough)
        scan, listing = found.scan, found.listing
        self._monitor.scanned(len(scan.excluded))
        run = _Run(index, found.known, len(found.known))
        in_doubt = listing.touched + (listing.new if listing.gone else ())
        with self._executor:
            read = self._read_stamps(run, in_doubt + (listing.same if thorough and not everything else ()))
            work = plan_sync(listing, read, run.known)
            if everything:
                work = with_everything(work, listing)
            excluded = [path for path in work.remove if path in scan.excluded or self._is_left_out(path)]
            return self._carry_out(run, work, read, scan.files, certain_removals=excluded)

    def apply(self, index: Index, changes: Sequence[VaultChange]) -> RunOutcome:
        """
        Make the notes that *changes* name equal the disk; what happened in between does not matter.

        Raises:
            VaultMissing, Cancelled: As for `reconcile`.
        """
        sighting = self._disk.at_changes(changes)
        if sighting.scan:
            record_skipped(sighting.scan, index)
        run = _Run.at(index, sighting.named)
        listing = diff_listing(sighting.files, run.known, sighting.may_still_exist)
        with self._executor:
            read = self._read_stamps(run, listing.new + listing.touched + listing.same)
            work = plan_sync(listing, read, run.known)
            excluded = [path for path in work.remove if self._is_left_out(path)]
            return self._carry_out(run, work, read, sighting.files, certain_removals=excluded)

    def refresh(self, index: Index, paths: Sequence[str]) -> RunOutcome:
        """Read these notes anew whatever their stamps say: their rows turned out to be damaged."""
        with self._executor:
            return self._carry_out(_Run.at(index, set(map(nfc, paths))), SyncPlan(upsert=tuple(paths)), {}, {})

    def embed_pending(self, index: Index) -> None:
        """Fill in missing vectors, a batch a transaction."""
        with self._executor:
            while batch := index.pending_vectors(PENDING_TEXTS):
                vectors = self._executor.vectors([embedded_text(pending.chunk) for pending in batch])
                index.set_vectors([(p.chunk_id, p.content_hash, v) for p, v in zip(batch, vectors, strict=True)])
                self._monitor.between_batches()
            while untitled := index.pending_titles(PENDING_TEXTS):
                vectors = self._executor.vectors([pending.title for pending in untitled])
                index.set_vectors((), [(p.note_id, p.title, v) for p, v in zip(untitled, vectors, strict=True)])
                self._monitor.between_batches()

    def warm_up(self) -> None:
        """Make the first saved note as quick as the next; nothing is read or written."""
        self._executor.warm_up()

    def _is_left_out(self, path: str) -> bool:
        """Whether the settings or a rule leave *path* out: a note there is removed for certain."""
        return not (self._rules.is_note(path) and self._rules.admits(path))

    # --- looking -------------------------------------------------------------------------------

    def _read_stamps(self, run: _Run, paths: Sequence[str]) -> dict[str, FileStamp]:
        """The stamp of each file that can be read."""
        stamps: dict[str, FileStamp] = {}
        for files in self._executor.stamps(paths, run.in_memory):
            for file in files:
                if isinstance(file, NoteFile):
                    stamps[file.path] = file.stamp
                elif isinstance(file, DrawingFile):  # like no note's stamp, so that it is looked at again and left out
                    stamps[file.path] = FileStamp(file.seen.size_bytes, file.seen.mtime_ns, b"", 0)
            self._report_problems(run, files)
            self._monitor.between_batches()
        return stamps

    def _report_problems(self, run: _Run, files: Sequence[FoundFile]) -> None:
        """Put on record which *files* could not be read, and take off those that could not once."""
        readable = [file.path for file in files if not isinstance(file, MissedFile)]
        over = run.index.recorded_problems(readable)
        if not over and len(readable) == len(files):
            return
        with run.index.batch():
            for file in files:
                if isinstance(file, MissedFile):
                    self._miss(run, file)
            for path in over:
                run.index.clear_problem(path)

    # --- doing ---------------------------------------------------------------------------------

    def _carry_out(
        self,
        run: _Run,
        work: SyncPlan,
        read: Mapping[str, FileStamp],
        disk: Mapping[str, FileSeen],
        certain_removals: Sequence[str] = (),
    ) -> RunOutcome:
        """
        Do *work*.

        Where more than half of all notes vanish at once without a rule that excludes them, a lost drive is likelier
        than a clean-up: then only the *certain_removals* are carried out.
        """
        doubtful = len(work.remove) - len(certain_removals)
        if run.loses_too_many(doubtful):
            run.count(held_back=doubtful)
            work = replace(work, remove=tuple(certain_removals))
        self._monitor.planned(len(work.upsert) + len(work.rename) + len(work.remove))
        for paths in batches(work.remove, self._limits.batch_notes):
            self._remove(run, paths)
        if work.restamp:
            self._restamp(run, work.restamp, read)
        moves: list[Move] = [(new, old) for old, new in work.rename]
        moves += [(path, None) for path in work.upsert]
        if moves:
            size_bytes = sum([disk[path].size_bytes for path, _ in moves if path in disk])
            poison = poison_notes(run.index)
            with run.index.bulk() if len(moves) >= self._limits.many_notes else nullcontext():
                for group in self._executor.notes(run.index, moves, size_bytes, poison, run.in_memory):
                    self._store(run, group)
                    poison = _remember_poison(run.index, poison, group)
                    self._monitor.between_batches()
        if run.vanished:
            self._remove_vanished(run)
        return run.done

    def _restamp(self, run: _Run, paths: Sequence[str], read: Mapping[str, FileStamp]) -> None:
        with run.index.batch():
            for path in paths:
                if not self._monitor.is_superseded(path):
                    run.index.restamp(path, read[path])

    def _remove(self, run: _Run, paths: Sequence[str]) -> None:
        removable = [path for path in paths if not self._monitor.is_superseded(path)]
        with run.index.batch():
            for path in removable:
                run.index.remove(path)
        for path in removable:
            self._monitor.removed(path)
        self._monitor.advanced(len(removable), 0)
        run.count(removed=len(removable))
        self._monitor.between_batches()

    def _remove_vanished(self, run: _Run) -> None:
        """
        Remove the notes whose files went while this ran and did not come back, unless they are too many to believe it.

        Only now, as a drive that is lost in the middle of a run makes every file after it look deleted.
        """
        missed = [path for path in dict.fromkeys(run.vanished) if path in run.known]
        vanished = [path for path in missed if self._disk.is_gone(path)]
        if vanished and run.loses_too_many(len(vanished) + run.done.removed):
            run.count(held_back=len(vanished))
            return
        for paths in batches(vanished, self._limits.batch_notes):
            self._remove(run, paths)

    def _store(self, run: _Run, group: Sequence[Ready]) -> None:
        """Store notes that are prepared, or put on record why they are not."""
        stored: list[ReadyNote] = []
        with run.index.batch():
            for found, old_path in group:
                if old_path and self._monitor.is_superseded(old_path):
                    old_path = None
                match found:
                    case MissedFile():
                        self._miss(run, found, old_path)
                    case DrawingFile():
                        self._leave_out(run, found, old_path)
                    case FailedNote():
                        run.index.record_problem(found.path, found.reason, skipped=found.path not in run.known)
                    case ReadyNote():
                        try:
                            run.index.upsert_prepared(found.rows, old_path=old_path)
                        except ValueError as error:
                            run.index.record_problem(found.path, str(error), skipped=found.path not in run.known)
                            continue
                        stored.append(found)
                        self._drawings.pop(found.path, None)
                        if old_path:
                            self._monitor.removed(old_path)
                        run.count(renamed=int(old_path is not None), upserted=int(old_path is None))
        for ready in stored:
            self._monitor.indexed(ready.path)
            if ready.redactions:
                _log.info("blanked in %s: %s", scrub_text(ready.path), _counted(ready.redactions))
        chunk_count = sum([found.chunk_count for found, _ in group if isinstance(found, ReadyNote)])
        self._monitor.advanced(len(group), chunk_count)

    def _miss(self, run: _Run, missed: MissedFile, old_path: str | None = None) -> None:
        """A file that could not be read: gone means gone, anything else leaves its note as it was."""
        if missed.is_gone:
            run.vanished += filter(None, (missed.path, old_path))
        else:
            run.index.record_problem(missed.path, str(missed.reason), skipped=missed.path not in run.known)

    def _leave_out(self, run: _Run, drawing: DrawingFile, old_path: str | None) -> None:
        self._drawings[drawing.path] = drawing.seen
        for path in filter(None, (drawing.path, old_path)):
            if path in run.known:
                run.index.remove(path)
                self._monitor.removed(path)
                run.count(removed=1)


def _remember_poison(index: Index, known: frozenset[str], group: Sequence[Ready]) -> frozenset[str]:
    """Have *index* remember which notes end processes, as *group* tells; returns all of them."""
    found = known - {found.path for found, _ in group if isinstance(found, ReadyNote)} if known else known
    found |= {found.path for found, _ in group if isinstance(found, FailedNote) and found.is_poison}
    if found != known:
        set_poison_notes(index, found)
    return found


def _counted(redactions: Mapping[str, int]) -> str:
    """Which rules fired and how often; never on what."""
    return ", ".join(f"{name} {count}" for name, count in sorted(redactions.items()))

"""
Makes an index equal the vault: compares, reads, prepares, stores.

An `Indexer` carries a plan out on the thread that calls it, and reports to a `RunMonitor`. Between two batches it comes
to a checkpoint: changes that were reported meanwhile are applied there, in a priority run. What the interrupted plan
says of the paths that these changes name is stale from then on, and left out.
"""

import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.config import MAX_NOTE_BYTES, MAX_NOTE_CHUNKS
from quarry.documents.note import ParserSettings
from quarry.embedding.encoder import Encoder
from quarry.index import Index
from quarry.indexing.current_index import poison_notes, set_poison_notes
from quarry.indexing.diff import (
    MASS_REMOVAL_LEAST,
    DiskState,
    SyncPlan,
    VaultDiff,
    diff_listing,
    diff_vault,
    is_below,
    is_mass_removal,
    named_by,
    plan_sync,
    record_skipped,
    with_everything,
)
from quarry.indexing.preparation import (
    ExcludedFile,
    FailedNote,
    FoundFile,
    MissedFile,
    Move,
    NoteFile,
    Ready,
    ReadyNote,
)
from quarry.indexing.process import PlanLimits
from quarry.indexing.status import RunMonitor
from quarry.indexing.vector_model import WorkerOptions, embedded_text
from quarry.indexing.workforce import Workforce, batches
from quarry.messages import message, sentence
from quarry.redaction.scrub import scrub_text
from quarry.settings import Settings
from quarry.types import FileSeen, FileStamp, VaultChange
from quarry.vault.paths import nfc
from quarry.vault.rules import Rules

_log = logging.getLogger(__name__)
PENDING_TEXTS = 1024  # embedded at a time: a tenth of a second, shared out among the processes where there are some


class RunOutcome(Struct):
    """Counts of what a run changed."""

    upserted: int = 0
    renamed: int = 0
    removed: int = 0
    held_back: int = 0  # removals not carried out because too many notes vanished at once

    @property
    def changed_notes(self) -> int:
        """For how many notes an open query may have other answers now."""
        return self.upserted + self.renamed + self.removed


class _Run(Struct):
    """One run over an index: what it began with and what it has done."""

    index: Index
    workforce: Workforce
    known: Mapping[str, FileStamp]  # what the index held when the run began, where the run may change it
    total: int | None = None  # of notes in the index then; None: not counted yet
    done: RunOutcome = field(default_factory=RunOutcome)
    in_memory: dict[str, FoundFile] = field(default_factory=dict)  # files that were read to be hashed, by path
    vanished: list[str] = field(default_factory=list)  # notes whose files were gone when they were to be read

    def loses_too_many(self, removed: int) -> bool:
        """Whether *removed* notes at once are too many to be believed; see `is_mass_removal`."""
        if removed < MASS_REMOVAL_LEAST:
            return False
        if self.total is None:
            with self.index.reader() as reader:
                self.total = reader.counts().notes
        return is_mass_removal(removed, self.total)


class Indexer:
    """
    Makes an index equal the vault below *root*.

    Args:
        encoder: Asked when a note is to be prepared, with whether that is for a priority run; None where there is no
            model: notes are then stored without vectors, which are filled in later.
        excluded: Files excluded for their front matter, by path; kept up to date, so that none is opened without need.
        options: What processes need that prepare large plans; None: everything is done on the calling thread.
        limits: From which size on a plan is large.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        rules: Rules,
        monitor: RunMonitor,
        encoder: Callable[[bool], Encoder | None],
        excluded: MutableMapping[str, ExcludedFile] | None = None,
        options: WorkerOptions | None = None,
        limits: PlanLimits = PlanLimits(),  # noqa: B008  a frozen value
    ) -> None:
        self._root = root
        self._rules = rules
        self._monitor = monitor
        self._encoder = encoder
        self._excluded = {} if excluded is None else excluded
        self._options = options
        self._limits = limits
        self._disk = DiskState(root, rules, self._excluded)
        self._reading = ParserSettings(settings.skip_sections, MAX_NOTE_BYTES, MAX_NOTE_CHUNKS, settings.stemming)
        self._is_priority_run = False
        self._stale: set[str] = set()  # paths (NFC) that priority runs made current since the run began

    def reconcile(
        self, index: Index, found: VaultDiff | None = None, *, thorough: bool = False, everything: bool = False
    ) -> RunOutcome:
        """
        Compare the whole vault with *index* and carry out the difference.

        Args:
            found: The difference, where the caller has just determined it.
            thorough: Hash every file, also where size and time say that nothing changed.
            everything: Read every note anew, also where its bytes did not change: the parser did.

        Raises:
            VaultMissing: The vault folder is not there; the index is left as it is.
            Cancelled: The monitor asked to stop; what was committed stays.
        """
        self._stale.clear()
        found = found or diff_vault(self._disk, index, with_excluded=thorough)
        scan, listing = found.scan, found.listing
        self._monitor.scanned(len(scan.excluded))
        in_doubt = listing.touched + (listing.new if listing.gone else ())
        with closing(self._new_workforce(index)) as workforce:
            run = _Run(index, workforce, found.known, len(found.known))
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
        if not self._is_priority_run:
            self._stale.clear()
        sighting = self._disk.at_changes(changes)
        if sighting.scan:
            record_skipped(sighting.scan, index)
        with closing(self._new_workforce(index)) as workforce:
            run = _Run(index, workforce, index.stamps_at(sighting.named))
            listing = diff_listing(sighting.files, run.known, sighting.may_still_exist)
            read = self._read_stamps(run, listing.new + listing.touched + listing.same)
            work = plan_sync(listing, read, run.known)
            excluded = [path for path in work.remove if self._is_left_out(path)]
            return self._carry_out(run, work, read, sighting.files, certain_removals=excluded)

    def refresh(self, index: Index, paths: Sequence[str]) -> RunOutcome:
        """Read these notes anew whatever their stamps say: their rows turned out to be damaged."""
        self._stale.clear()
        with closing(self._new_workforce(index)) as workforce:
            run = _Run(index, workforce, index.stamps_at(set(map(nfc, paths))))
            return self._carry_out(run, SyncPlan(upsert=tuple(paths)), {}, {})

    def embed_pending(self, index: Index) -> None:
        """Fill in missing vectors, a batch a transaction."""
        with closing(self._new_workforce(index)) as workforce:
            while batch := index.static.pending_chunks(PENDING_TEXTS):
                vectors = workforce.vectors([embedded_text(pending.chunk) for pending in batch])
                index.static.fill_in([(p.chunk_id, p.content_hash, v) for p, v in zip(batch, vectors, strict=True)])
                self.checkpoint(index)
            while untitled := index.static.pending_titles(PENDING_TEXTS):
                vectors = workforce.vectors([pending.title for pending in untitled])
                index.static.fill_in((), [(p.note_id, p.title, v) for p, v in zip(untitled, vectors, strict=True)])
                self.checkpoint(index)

    def checkpoint(self, index: Index) -> None:
        """
        Let saved notes in where a run, or other work on *index*, can be interrupted. May wait while paused.

        Raises:
            Cancelled: The monitor asked to stop.
        """
        self._monitor.checkpoint(index.flush, None if self._is_priority_run else partial(self._apply_at_once, index))

    def _apply_at_once(self, index: Index, changes: Sequence[VaultChange]) -> None:
        self._is_priority_run = True  # it is not interrupted itself, or a stream of saves would nest without end
        try:
            self.apply(index, changes)
        finally:
            self._is_priority_run = False
        self._stale |= named_by(changes)
        index.flush()

    def _new_workforce(self, index: Index) -> Workforce:
        encoder = partial(self._encoder, self._is_priority_run)
        on_wait, report = partial(self.checkpoint, index), self._monitor.degraded
        return Workforce(self._root, self._reading, encoder, on_wait, report, self._options, self._limits)

    def _is_left_out(self, path: str) -> bool:
        """Whether the settings or a rule leave *path* out: a note there is removed for certain."""
        return not (self._rules.is_note(path) and self._rules.admits(path))

    def _is_stale(self, path: str) -> bool:
        """Whether a priority run made *path* current, so that the plan for it is stale."""
        return bool(self._stale) and not self._is_priority_run and is_below(path, self._stale)

    # --- reading -------------------------------------------------------------------------------

    def _read_stamps(self, run: _Run, paths: Sequence[str]) -> dict[str, FileStamp]:
        """The stamp of each file that can be read."""
        stamps: dict[str, FileStamp] = {}
        for files in run.workforce.stamps(paths, run.in_memory):
            for file in files:
                if isinstance(file, NoteFile):
                    stamps[file.path] = file.stamp
                elif isinstance(file, ExcludedFile):  # like no note's stamp, so that it is read again and excluded
                    stamps[file.path] = FileStamp(file.seen.size_bytes, file.seen.mtime_ns, b"", 0)
            self._record_problems(run, files)
            self.checkpoint(run.index)
        return stamps

    def _record_problems(self, run: _Run, files: Sequence[FoundFile]) -> None:
        """Record which *files* could not be read, and forget the problems of those that can be read again."""
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

    # --- writing -------------------------------------------------------------------------------

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
            run.done.held_back += doubtful
            work = replace(work, remove=tuple(certain_removals))
        if not self._is_priority_run:  # the work in hand is what people wait for, and its numbers are what they see
            self._monitor.planned(len(work.upsert) + len(work.rename) + len(work.remove))
        for paths in batches(work.remove, self._limits.batch_notes):
            self._remove(run, paths)
        if work.restamp:
            with run.index.batch():
                for path in work.restamp:
                    if not self._is_stale(path):
                        run.index.restamp(path, read[path])
        moves: list[Move] = [(new, old) for old, new in work.rename]
        # Newest first: a first index answers while it is made, and what was written last is asked about most.
        moves += [(path, None) for path in sorted(work.upsert, key=lambda at: -disk[at].mtime_ns if at in disk else 0)]
        if moves:
            sizes = {path: stamp.size_bytes for path, stamp in run.known.items()}
            sizes |= {path: seen.size_bytes for path, seen in disk.items()}
            poison = poison_notes(run.index)
            with run.index.bulk() if len(moves) >= self._limits.many_notes else nullcontext():
                for group in run.workforce.notes(run.index, moves, sizes, poison, run.in_memory):
                    self._store(run, group)
                    poison = _remember_poison(run.index, poison, group)
                    self.checkpoint(run.index)
        if run.vanished:
            self._remove_vanished(run)
        if run.done.held_back:
            self._monitor.held_back(run.done.held_back)
        return run.done

    def _remove(self, run: _Run, paths: Sequence[str]) -> None:
        removable = [path for path in paths if not self._is_stale(path)]
        with run.index.batch():
            for path in removable:
                run.index.remove(path)
        run.done.removed += len(removable)
        self._committed((), removable, 0, len(removable))
        self.checkpoint(run.index)

    def _remove_vanished(self, run: _Run) -> None:
        """
        Remove the notes whose files went while this ran and did not come back, unless they are too many to believe it.

        Only now, as a drive that is lost in the middle of a run makes every file after it look deleted.
        """
        missed = [path for path in dict.fromkeys(run.vanished) if path in run.known]
        vanished = [path for path in missed if self._disk.is_gone(path)]
        if vanished and run.loses_too_many(len(vanished) + run.done.removed):
            run.done.held_back += len(vanished)
            return
        for paths in batches(vanished, self._limits.batch_notes):
            self._remove(run, paths)

    def _store(self, run: _Run, group: Sequence[Ready]) -> None:
        """Store notes that are prepared, or record why they are not."""
        stored: list[ReadyNote] = []
        removed: list[str] = []
        with run.index.batch():
            for found, old_path in group:
                if self._is_stale(found.path):
                    continue
                if old_path and self._is_stale(old_path):
                    old_path = None
                match found:
                    case MissedFile():
                        self._miss(run, found, old_path)
                    case ExcludedFile():
                        removed += self._exclude(run, found, old_path)
                    case FailedNote():
                        run.index.record_problem(found.path, found.reason, skipped=found.path not in run.known)
                    case ReadyNote():
                        try:
                            run.index.upsert(found.rows, old_path=old_path)
                        except ValueError as error:
                            reason = message("reason.other", detail=sentence(str(error)))
                            run.index.record_problem(found.path, reason, skipped=found.path not in run.known)
                            continue
                        stored.append(found)
                        self._excluded.pop(found.path, None)
                        if old_path:
                            removed.append(old_path)
                            run.done.renamed += 1
                        else:
                            run.done.upserted += 1
        for ready in stored:
            if ready.redactions:
                _log.info("blanked in %s: %s", scrub_text(ready.path), _counted(ready.redactions))
        chunk_count = sum([found.chunk_count for found, _ in group if isinstance(found, ReadyNote)])
        self._committed([ready.path for ready in stored], removed, chunk_count, len(group))

    def _committed(self, indexed: Sequence[str], removed: Sequence[str], chunk_count: int, done_count: int) -> None:
        if not self._is_priority_run:
            self._monitor.advanced(done_count, chunk_count)
        if indexed or removed:
            self._monitor.committed(indexed, removed)

    def _miss(self, run: _Run, missed: MissedFile, old_path: str | None = None) -> None:
        """A file that could not be read: gone means gone, anything else leaves its note as it was."""
        if missed.is_gone:
            run.vanished += filter(None, (missed.path, old_path))
        else:
            run.index.record_problem(missed.path, missed.reason, skipped=missed.path not in run.known)

    def _exclude(self, run: _Run, file: ExcludedFile, old_path: str | None) -> list[str]:
        """Remember that *file* is excluded; returns the notes that are removed for it."""
        self._excluded[file.path] = file
        removed = [path for path in (file.path, old_path) if path and path in run.known]
        for path in removed:
            run.index.remove(path)
        run.done.removed += len(removed)
        return removed


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

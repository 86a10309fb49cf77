"""
Files become rows: read, scrub, cut, embed, store.

An `Indexer` does what a plan says, on the thread that calls it, and reports through a `Monitor`. It owns no thread,
no queue and no clock; `worker.py` does.
"""

import logging
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self, TypeVar

from quarry.config import MAX_NOTE_BYTES, MAX_NOTE_CHUNKS, READ_BATCH_NOTES
from quarry.embedding.encoder import Encoder
from quarry.faults import fault_point
from quarry.index import Index, content_hash, quantise, title_hash
from quarry.indexing.reading import DrawingFile, FoundFile, MissedFile, Move, NoteFile, read_groups, read_one
from quarry.indexing.reconcile import Plan, compare, is_mass_removal, plan, with_everything, with_silent_changes
from quarry.indexing.survey import Survey, is_below
from quarry.settings import Settings
from quarry.text.note import ReadingRules, read_note
from quarry.text.scrub import scrub_text
from quarry.types import Chunk, FileSeen, FileStamp, Note, VaultChange
from quarry.vault.rules import Rules

_log = logging.getLogger(__name__)
MANY_PROBLEMS = 10_000  # looked through for those that are over; with more, some are shown until the file changes


class Monitor(Protocol):
    """Who is told how the work goes, and may hold it up where stopping is safe."""

    def scanned(self, excluded: int) -> None:
        """A scan is done; *excluded* notes were left out by a rule."""

    def planned(self, total: int) -> None:
        """Work on *total* notes begins."""

    def advanced(self, chunk_count: int) -> None:
        """One more of the planned notes is done."""

    def indexed(self, path: str) -> None:
        """A note can be found."""

    def removed(self, path: str) -> None:
        """A note can no longer be found."""

    def between_batches(self) -> None:
        """Nothing is half done now. May wait while paused; raises `Cancelled` to stop."""

    def is_current(self, path: str) -> bool:
        """Whether a saved note that overtook this run made *path* current, so that the plan for it is out of date."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did."""

    upserted: int = 0
    renamed: int = 0
    removed: int = 0
    held_back: int = 0  # removals not carried out because too many notes vanished at once

    @property
    def changed_anything(self) -> bool:
        """Whether an open query may have other answers now."""
        return bool(self.upserted or self.renamed or self.removed)


@dataclass(slots=True)
class _Run:
    """One run over an index: what it began with and what it has done."""

    index: Index
    known: Mapping[str, FileStamp]  # what the index held when the run began
    done: Outcome = field(default_factory=Outcome)
    vanished: list[str] = field(default_factory=list)  # notes whose files were gone when they were to be read

    @classmethod
    def over(cls, index: Index) -> Self:
        """A run that begins with what *index* holds now."""
        with index.reader() as reader:
            return cls(index, reader.stamps())

    def count(self, *, upserted: int = 0, renamed: int = 0, removed: int = 0, held_back: int = 0) -> None:
        """Add to what was done."""
        done = self.done
        self.done = Outcome(
            done.upserted + upserted, done.renamed + renamed, done.removed + removed, done.held_back + held_back
        )


class Indexer:
    """
    Makes an index equal the vault below *root*.

    Args:
        encoder: None where there is no model: notes are stored without vectors, which are filled in later.
        drawings: Every drawing seen so far, by path; kept up to date, so that none is opened again without need.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        rules: Rules,
        monitor: Monitor,
        encoder: Encoder | None,
        drawings: MutableMapping[str, FileSeen] | None = None,
    ) -> None:
        self._root = root
        self._rules = rules
        self._monitor = monitor
        self._encoder = encoder
        self._drawings = {} if drawings is None else drawings
        self._survey = Survey(root, rules, self._drawings)
        self._reading = ReadingRules(settings.skip_sections, MAX_NOTE_BYTES, MAX_NOTE_CHUNKS)

    def reconcile(self, index: Index, *, thorough: bool = False, everything: bool = False) -> Outcome:
        """
        Compare the whole vault with *index* and carry out the difference.

        Args:
            thorough: Hash every file, also where size and time say that nothing changed.
            everything: Read every note anew, also where its bytes did not change: the rules of reading did.

        Raises:
            VaultMissing: The vault folder is not there; the index is left as it is.
            Cancelled: The monitor asked to stop; what was committed stays.
        """
        scan = self._survey.everything()
        self._monitor.scanned(len(scan.excluded))
        run = _Run.over(index)
        index.replace_skipped(scan.skipped)
        drawings = set() if thorough else self._survey.known_drawings(scan) - run.known.keys()
        comparison = compare({p: seen for p, seen in scan.files.items() if p not in drawings}, run.known)
        in_doubt = comparison.touched + (comparison.new if comparison.gone else ())
        read = self._read_stamps(run, in_doubt + (comparison.same if thorough and not everything else ()))
        work = with_silent_changes(plan(comparison, read, run.known), comparison, read, run.known)
        if everything:
            work = with_everything(work, comparison)
        certain = [path for path in work.remove if not scan.may_still_exist(path)]
        excluded = [path for path in certain if path in scan.excluded]
        return self._carry_out(run, replace(work, remove=tuple(certain)), read, certain_removals=excluded)

    def apply(self, index: Index, changes: Sequence[VaultChange]) -> Outcome:
        """
        Make the notes that *changes* name equal the disk; what happened in between does not matter.

        Raises:
            VaultMissing, Cancelled: As for `reconcile`.
        """
        run = _Run.over(index)
        disk, named = self._survey.where_changed(changes)
        known = {path: stamp for path, stamp in run.known.items() if is_below(path, named)}
        comparison = compare(disk, known)
        read = self._read_stamps(run, comparison.new + comparison.touched + comparison.same)
        work = with_silent_changes(plan(comparison, read, known), comparison, read, known)
        excluded = [path for path in work.remove if not self._rules.admits(path)]
        return self._carry_out(run, work, read, certain_removals=excluded)

    def refresh(self, index: Index, paths: Sequence[str]) -> Outcome:
        """Read these notes anew whatever their stamps say: their rows turned out to be damaged."""
        return self._carry_out(_Run.over(index), Plan(upsert=tuple(paths)), {})

    def embed_pending(self, index: Index) -> None:
        """Fill in missing vectors, a batch a transaction."""
        assert self._encoder is not None, "only asked for when a model is there"
        while batch := index.pending_vectors(READ_BATCH_NOTES * 4):
            fault_point("embed")
            vectors = quantise(self._encoder.encode([embedded_text(pending.chunk) for pending in batch]))
            index.set_vectors([(p.chunk_id, p.content_hash, v) for p, v in zip(batch, vectors, strict=True)])
            self._monitor.between_batches()
        while untitled := index.pending_titles(READ_BATCH_NOTES * 4):
            fault_point("embed")
            vectors = quantise(self._encoder.encode([pending.title for pending in untitled]))
            index.set_vectors((), [(p.note_id, p.title, v) for p, v in zip(untitled, vectors, strict=True)])
            self._monitor.between_batches()

    # --- looking -------------------------------------------------------------------------------

    def _read_stamps(self, run: _Run, paths: Sequence[str]) -> dict[str, FileStamp]:
        """The stamp of each file that can be read; the bytes are read again when they are wanted."""
        stamps: dict[str, FileStamp] = {}
        for batch in _batches(paths):
            files = [read_one(self._root, path) for path in batch]
            stamps |= {file.path: file.stamp for file in files if isinstance(file, NoteFile)}
            # A drawing's stamp is like no note's, so that it is looked at again and left out.
            drawings = [file for file in files if isinstance(file, DrawingFile)]
            stamps |= {file.path: FileStamp(file.seen.size_bytes, file.seen.mtime_ns, b"") for file in drawings}
            self._report_problems(run, files)
            self._monitor.between_batches()
        return stamps

    def _report_problems(self, run: _Run, files: Sequence[FoundFile]) -> None:
        """Put on record which *files* could not be read, and take off those that could not once."""
        with run.index.reader() as reader:
            reported = {problem.path for problem in reader.problems(MANY_PROBLEMS)}
        with run.index.batch():
            for file in files:
                if isinstance(file, MissedFile):
                    self._miss(run, file)
                elif file.path in reported:
                    run.index.clear_problem(file.path)

    # --- doing ---------------------------------------------------------------------------------

    def _carry_out(
        self, run: _Run, work: Plan, read: Mapping[str, FileStamp], certain_removals: Sequence[str] = ()
    ) -> Outcome:
        """
        Do *work*.

        Where more than half of all notes vanish at once without a rule that excludes them, a lost drive is likelier
        than a clean-up: then only the *certain_removals* are carried out.
        """
        doubtful = len(work.remove) - len(certain_removals)
        if is_mass_removal(doubtful, len(run.known)):
            run.count(held_back=doubtful)
            work = replace(work, remove=tuple(certain_removals))
        self._monitor.planned(len(work.upsert) + len(work.rename) + len(work.remove))
        for paths in _batches(work.remove):
            self._remove(run, paths)
        for renames in _batches(work.rename):
            self._store(run, [(new, old) for old, new in renames])
        with run.index.batch():
            for path in work.restamp:
                if not self._monitor.is_current(path):
                    run.index.restamp(path, read[path])
        for paths in _batches(work.upsert):
            self._store(run, [(path, None) for path in paths])
        self._remove_vanished(run)
        return run.done

    def _remove(self, run: _Run, paths: Sequence[str]) -> None:
        removable = [path for path in paths if not self._monitor.is_current(path)]
        with run.index.batch():
            for path in removable:
                run.index.remove(path)
        for path in removable:
            self._monitor.removed(path)
            self._monitor.advanced(0)
        run.count(removed=len(removable))
        self._monitor.between_batches()

    def _remove_vanished(self, run: _Run) -> None:
        """
        Remove the notes whose files went while this ran, unless they are too many to believe it.

        Only now, as a drive that is lost in the middle of a run makes every file after it look deleted.
        """
        vanished = [path for path in dict.fromkeys(run.vanished) if path in run.known]
        if is_mass_removal(len(vanished) + run.done.removed, len(run.known)):
            run.count(held_back=len(vanished))
            return
        for paths in _batches(vanished):
            self._remove(run, paths)

    def _store(self, run: _Run, moves: Sequence[Move]) -> None:
        """Read and store notes."""
        for group in read_groups(self._root, moves):
            self._store_group(run, group)
            self._monitor.between_batches()

    def _store_group(self, run: _Run, group: Sequence[tuple[FoundFile, str | None]]) -> None:
        notes = {file.path: self._note_of(run, file) for file, _ in group if isinstance(file, NoteFile)}
        vectors = self._vectors(run.index, [note for note in notes.values() if note])
        stored: list[Note] = []
        with run.index.batch():
            for file, planned_old_path in group:
                old_path = None if planned_old_path and self._monitor.is_current(planned_old_path) else planned_old_path
                match file:
                    case MissedFile():
                        self._miss(run, file, old_path)
                    case DrawingFile():
                        self._leave_out(run, file, old_path)
                    case NoteFile():
                        note = notes[file.path]
                        if note and self._upsert(run, file, note, old_path, vectors):
                            stored.append(note)
        for note in stored:
            self._monitor.indexed(note.path)
            if note.redactions:
                _log.info("blanked in %s: %s", scrub_text(note.path), _counted(note.redactions))
        for file, _ in group:
            found = notes.get(file.path)
            self._monitor.advanced(len(found.chunks) if found else 0)

    def _note_of(self, run: _Run, file: NoteFile) -> Note | None:
        """What stands in *file*; None, and a problem on record, where reading it fails: the other notes go on."""
        try:
            return read_note(file.path, file.data, self._reading)
        except Exception as error:  # a defect of ours, met by one note: it must not end indexing for all of them
            _log.warning("a note could not be read: %s", type(error).__name__)  # no trace: it may quote the note
            reason = f"it could not be read, which is a defect of Quarry ({type(error).__name__})"
            run.index.record_problem(file.path, reason, skipped=file.path not in run.known)
            return None

    def _upsert(
        self, run: _Run, file: NoteFile, note: Note, old_path: str | None, vectors: Mapping[bytes, bytes]
    ) -> bool:
        """Store *note*; returns whether it is in the index now."""
        rows = [vectors.get(content_hash(chunk)) for chunk in note.chunks]
        try:
            title_vector = vectors.get(title_hash(note.title))
            run.index.upsert(note, file.stamp, rows, title_vector=title_vector, old_path=old_path)
        except ValueError as error:
            run.index.record_problem(file.path, str(error), skipped=file.path not in run.known)
            return False
        self._drawings.pop(file.path, None)
        if old_path:
            self._monitor.removed(old_path)
        run.count(renamed=int(old_path is not None), upserted=int(old_path is None))
        return True

    def _vectors(self, index: Index, notes: Sequence[Note]) -> dict[bytes, bytes]:
        """
        Stored vectors for the chunks and titles of *notes*: those the index knows, and the rest fresh from the model.

        Returns:
            By `content_hash` and `title_hash`.
        """
        texts = {content_hash(chunk): embedded_text(chunk) for note in notes for chunk in note.chunks}
        texts |= {title_hash(note.title): note.title for note in notes}
        known = index.known_vectors(list(texts))
        missing = [key for key in texts if key not in known]
        if self._encoder is None or not missing:
            return known
        fault_point("embed")
        fresh = quantise(self._encoder.encode([texts[key] for key in missing]))
        return known | dict(zip(missing, fresh, strict=True))

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


def _counted(redactions: Mapping[str, int]) -> str:
    """Which rules fired and how often; never on what."""
    return ", ".join(f"{name} {count}" for name, count in sorted(redactions.items()))


def embedded_text(chunk: Chunk) -> str:
    """What the encoder sees of *chunk*: what it is about, where it stands, what it says."""
    return "\n".join(part for part in (chunk.context, chunk.section, chunk.text) if part)


T = TypeVar("T")


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + READ_BATCH_NOTES] for start in range(0, len(items), READ_BATCH_NOTES))

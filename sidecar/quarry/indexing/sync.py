"""
Keeping the index equal to the vault: what the worker's jobs do, and what they leave behind for others to see.

Holds the one index, the model and the policy in use, and changes them only on the worker's thread; everyone else
reads the references.
"""

import gc
import logging
import math
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from quarry.embedding import Encoder
from quarry.errors import BadSettings, IndexDamaged, IndexUnavailable, QuarryError, VaultMissing
from quarry.index import Deadline, Index, Reader, discard, rebuild_path
from quarry.index.postings.postings_cache import FEW_NOTES
from quarry.indexing.absence import Absence, absence_of
from quarry.indexing.activity import Activity, Listeners, Reporter, RunKind, Updated
from quarry.indexing.current_index import CurrentIndex
from quarry.indexing.deepening import Deepening
from quarry.indexing.diff import diff_vault
from quarry.indexing.disk_state import DiskState, named_by
from quarry.indexing.heap import give_back_free_memory
from quarry.indexing.limits import IndexingLimits
from quarry.indexing.maintenance import IdleSchedule, compact, repair, restore_postings
from quarry.indexing.metadata import FILLED, READING, reading_key, rebuild_metadata
from quarry.indexing.policy import Policy
from quarry.indexing.reasons import Reason
from quarry.indexing.vector_model import LoadContextual, VectorModel
from quarry.indexing.worker import RequestQueue
from quarry.messages import Sentence, StatusCode, message
from quarry.options import Retriever
from quarry.types import FileSeen, VaultChange

if TYPE_CHECKING:
    from quarry.indexing.indexer import Indexer, RunOutcome
    from quarry.indexing.pool import WorkerOptions
    from quarry.indexing.rebuild import RebuildSpec

__all__ = ["Synchronizer", "Updated"]

_log = logging.getLogger(__name__)
REBUILD_PROCESSES = 1  # that prepare for the one that writes; a second is 140 MB, and nobody waits


class Synchronizer:
    """The worker's jobs (`worker.Jobs`)."""

    def __init__(
        self,
        root: Path,
        index_path: Path,
        load_encoder: Callable[[str], Encoder],
        load_contextual: LoadContextual,
        *,
        without: frozenset[str],
        requests: RequestQueue,
        listeners: Listeners,
        limits: IndexingLimits,
    ) -> None:
        """
        Open, or make, the index at *index_path* for the vault at *root*.

        Args:
            without: Parts to do without, for tests: "sqlite-vec", "fts5".
            requests: What interrupts a job, and what holds it up.
            listeners: Told what a commit changed, or None when there is progress to look at.

        Raises:
            SchemaTooNew: A newer version wrote the index.
            IndexUnavailable: It cannot be opened or made at all. A damaged one is set aside and rebuilt.
        """
        self.activity = Activity()
        self.policy = Policy(root)
        self._root = root
        self._limits = limits
        self._requests = requests
        self._notify = listeners.notify
        self._drawings: dict[str, FileSeen] = {}
        self._superseded: set[str] = set()  # paths that saved notes made current since the work in hand began
        self._changed_meanwhile: set[str] = set()  # paths reported as changed since then
        self._changes_while_rebuilding: list[VaultChange] | None = None  # None: no rebuild is under way
        self._idle_schedule = IdleSchedule()
        self._recreated_for: IndexDamaged | None = None  # the damage that the present index was rebuilt for
        self._current = CurrentIndex(index_path, root, without)
        self._report_loss()
        self.model = VectorModel(
            self.policy.settings.model,
            load_encoder,
            load_contextual,
            self.activity,
            limits.head_start_s,
            limits.model_wait_s,
        )
        self.deepening = Deepening(requests.request_deepening)
        self._current.read_ahead(self.model.slot.await_due)  # with the model, without which nobody asks for vectors
        self._is_warm = False
        self._was_searched = False  # since free memory was given back
        self._is_reconciling = False  # a run in which all vectors that are missing are made in the end
        self._indexers: dict[RunKind, tuple[tuple[object, ...], Indexer]] = {}
        self._reporters = {kind: self._new_reporter(kind) for kind in get_args(RunKind)}

    def close(self) -> None:
        """Let go of the index; the worker has ended."""
        self.deepening.stop()
        self._current.close()

    # --- what serves now -----------------------------------------------------------------------

    @property
    def index(self) -> Index:
        """The index in use."""
        return self._current.index

    def reader(self) -> AbstractContextManager[Reader]:
        """
        One moment of the index in use, for any thread.

        Raises:
            IndexUnavailable, IndexDamaged: On entering, or out of any question.
        """
        return self._current.reader()

    def note_search(self) -> None:
        """A search was answered, which leaves free memory behind. Any thread may say so."""
        self._was_searched = True

    def missing(self, encoder: Encoder | None) -> dict[Retriever, Sentence]:
        """Each retriever that cannot serve with *encoder*, with the reason and what to do, in one sentence."""
        missing: dict[Retriever, Sentence] = dict(self.index.missing)
        if "dense" not in missing and encoder is None:
            missing["dense"] = self.model.why_no_vectors
        return missing

    def absence_of(self, path: str) -> tuple[Absence, Reason]:
        """Why the index does not hold the note at *path*; see `absence.py`."""
        with self.reader() as reader:
            problems = reader.problems_of(path)
            similar = reader.similar_notes(path)
        return absence_of(self._root, path, self.policy.rules, self._drawings, problems, similar)

    @property
    def drawings(self) -> Mapping[str, FileSeen]:
        """Every drawing and board found so far, with what it looked like, as of now."""
        return self._drawings.copy()

    @property
    def excluded(self) -> int:
        """Notes that were left out, by a rule or because they are drawings or boards."""
        return self.activity.ruled_out + len(self._drawings)

    # --- the worker's jobs ---------------------------------------------------------------------

    def initial_sync(self) -> None:
        """Make the index equal the vault. Where nothing changed, that needs no model, which comes in meanwhile."""
        try:
            self.reconcile()
        except (QuarryError, OSError):
            raise
        except Exception:  # a defect of ours, or a page that is not what it was: then it is set aside
            self.index.check_pages(self._is_interrupted)
            raise
        self.index.check_pages(self._is_interrupted)  # which opening did not wait for
        self.model.await_first()
        if self.model.adopt(self.index):
            self._embed_pending()
            self._settle()
        else:
            self._notify(None)  # the model is there, which nothing else says where nothing changed
        self._idle_schedule.changed(time.monotonic())  # what an earlier run left undone

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Make the reported notes equal the disk, as the work in hand."""
        self._current.check_in_place()
        if self._policy_changed():
            self.reconcile()
        outcome = self._indexer("main").apply(self.index, changes)
        self._note_outcome(outcome)
        if outcome.changed_notes > FEW_NOTES:  # more than a search brings itself up to date with
            self._compact()
        self._settle()

    def reconcile(self, *, thorough: bool = False) -> None:
        """Make the index equal the whole vault; *thorough*: hash every note, also where size and times are equal."""
        self._current.check_in_place()
        self._policy_changed()
        self.model.adopt(self.index)
        self.activity.enter("scanning")
        self._notify(None)
        with self.reader() as reader:
            is_empty = reader.counts().notes == 0
        if is_empty:  # said now, so that a first run that is cut short goes on where it stopped
            self.index.meta_set(READING, self._reading_key)
        everything = self.index.meta_get(READING) != self._reading_key
        disk = DiskState(self._root, self.policy.rules, self._drawings)
        difference = diff_vault(disk, self.index, with_drawings=thorough)
        if difference.is_empty and not (thorough or everything):
            self._reporter("main").scanned(len(difference.scan.excluded))
            self.activity.clear_notice("removals")
            self._embed_pending()
            self._note_filled()
            self._settle()
            return
        self._is_reconciling = True
        try:
            outcome = self._indexer("main").reconcile(self.index, difference, thorough=thorough, everything=everything)
        finally:
            self._is_reconciling = False
        if everything:
            self.index.meta_set(READING, self._reading_key)
        if not outcome.held_back:
            self.activity.clear_notice("removals")
        self._note_outcome(outcome)
        self._embed_pending()
        if outcome.changed_anything:
            self._compact()
        self._note_filled()
        self._settle()

    def rebuild(self) -> None:
        """Have the index built anew beside the old one, which answers until then, and put it in its place."""
        from quarry.indexing import rebuild

        try:
            self._current.check_in_place()
        except IndexDamaged as damage:  # nothing answers that a new one could be built beside
            self.recreate(damage)
            return
        beside = rebuild_path(self._current.path)
        discard(beside)
        self._policy_changed()
        self.activity.enter("rebuilding")
        self._changes_while_rebuilding = []
        try:
            encoder = self.model.slot.encoder
            spec = self._rebuild_spec(beside, encoder)
            rebuild.run_rebuild(spec, self._reporter("beside"), lambda: encoder)
            rebuild.carry_over(spec, self.index, self._yield_point)
            rebuild.catch_up(spec, self._new_indexer(self._reporter("beside"), lambda: encoder), self._take_changes)
            self.index.replace_with(beside)
            changes = self._take_changes()
        except BaseException:
            discard(beside)
            raise
        finally:
            self._changes_while_rebuilding = None
        self.model.index_replaced(self.index)
        self.activity.clear_notice("damage")
        self.reconcile()
        if changes:
            self.apply(changes)

    def poll(self) -> None:
        """Look for changes that are not reported: of settings and ignore files, of the model, of the index file."""
        self._current.check_in_place()
        if self._policy_changed() or self.model.adopt(self.index) or self.activity.state == "failed":
            self.reconcile()
        if not self._is_warm:
            self._is_warm = True
            self._indexer("main").warm_up()
            self.index.release_cache()
            gc.freeze()  # what was made by now stays: no save waits 20 ms for a collection to look through it
        if self._was_searched:
            self._was_searched = False
            give_back_free_memory()
        if self._idle_schedule.is_due(time.monotonic()):
            self._compact()
        elif self.index.lacks_postings:  # no later search is to wait until it is quiet
            restore_postings(self.index, Deadline(math.inf, self._is_interrupted))
        if self.model.contextual_encoder is not self.deepening.encoder:
            self._requests.request_deepening()

    def deep_check(self) -> None:
        """Hash every note, check every row, compact the index: work for idle time."""
        self.reconcile(thorough=True)
        self.repair()
        self._compact()

    def repair(self) -> None:
        """Check the whole index; notes with damaged rows are read anew. Raises as `maintenance.repair`."""
        self._current.check_in_place()
        refresh = partial(self._indexer("main").refresh, self.index)
        repair(self.index, refresh, self._yield_point, self._is_interrupted)
        self._settle()

    def deepen(self) -> None:
        """Store the contextual vectors that are made, and have the next ones made; see `deepening.py`."""
        self._current.check_in_place()
        model = self.index.contextual.model
        answers_change = self.deepening.advance(self.index, self.model.adopt_contextual(self.index))
        if answers_change or model not in (None, self.index.contextual.model):
            self._idle_schedule.changed(time.monotonic())
            self._notify(Updated((), ()))
        else:
            self._notify(None)

    def recreate(self, error: IndexDamaged) -> None:
        """Set the damaged index aside and fill a new one; called again with the same *error*, only go on filling."""
        if error is not self._recreated_for:
            self._current.replace(error)
            self._report_loss()
            self.model.index_replaced(self.index)
            self._recreated_for = error
            self._notify(None)
        self.initial_sync()

    def failed(self, error: Exception) -> None:
        """Say why the index does not follow the vault at the moment."""
        is_ours = isinstance(error, QuarryError)
        english = str(error) if is_ours else f"indexing failed ({type(error).__name__}); see the log"
        self.activity.set_notice("failure", Sentence(english, message(_failure_code(error))))
        self.activity.enter("failed")
        self._notify(None)

    # --- steps ---------------------------------------------------------------------------------

    def _yield_point(self) -> None:
        """Called where a job can be interrupted: waits while paused, applies urgent changes, may raise `Cancelled`."""
        self._requests.yield_point(self.index.flush, self._apply_urgent)

    def _is_interrupted(self) -> bool:
        return self._requests.interrupts_idle_work

    def _compact(self) -> None:
        """Compact the index, unless there is other work to do."""
        begun_s = time.monotonic()
        is_done = compact(self.index, Deadline(math.inf, self._is_interrupted))
        self.index.release_cache()
        self._idle_schedule.compacted(begun_s, time.monotonic(), is_done=is_done)

    def _apply_urgent(self, changes: Sequence[VaultChange]) -> None:
        """Make the reported notes equal the disk, in the middle of other work."""
        if self._changes_while_rebuilding is not None:
            self._changes_while_rebuilding += changes
        self._changed_meanwhile |= named_by(changes)
        self._note_outcome(self._indexer("urgent").apply(self.index, changes))
        self.index.flush()

    def _report_loss(self) -> None:
        if self._current.loss:
            english = f"{self._current.loss}; a new one is made from the notes"
            told = message("index-recreated", file=self._current.kept_as or "")
            self.activity.set_notice("damage", Sentence(english, told))

    def _new_reporter(self, kind: RunKind) -> Reporter:
        return Reporter(kind, self.activity, self._notify, self._yield_point, self._superseded, self._changed_meanwhile)

    def _reporter(self, kind: RunKind) -> Reporter:
        """The monitor of a run of *kind* that begins now."""
        if kind != "urgent":
            self._superseded.clear()
            self._changed_meanwhile.clear()
        return self._reporters[kind]

    def _indexer(self, kind: RunKind) -> "Indexer":
        """The indexer for a run of *kind* that begins now; kept while settings, rules and model stay the same."""
        monitor, policy = self._reporter(kind), self.policy
        made_for = (policy.settings, policy.rules, self.model.slot.name)
        kept = self._indexers.get(kind)
        if kept and all(map(operator.is_, kept[0], made_for)):
            return kept[1]
        made = self._new_indexer(monitor, self._encoder_for_run if kind == "main" else lambda: self.model.encoder)
        self._indexers[kind] = made_for, made
        return made

    def _new_indexer(self, monitor: Reporter, encoder: Callable[[], Encoder | None]) -> "Indexer":
        from quarry.indexing.indexer import Indexer  # a start that finds nothing to do is spared a fifth of our code

        policy, options, limits = self.policy, self._worker_options(), self._limits.plan
        return Indexer(self._root, policy.settings, policy.rules, monitor, encoder, self._drawings, options, limits)

    def _worker_options(self, max_processes: int | None = None) -> "WorkerOptions":
        from quarry.indexing.pool import MAX_PROCESSES, WorkerOptions

        model, limits = self.model, self._limits.process
        return WorkerOptions(model.load, model.slot.name, max_processes or MAX_PROCESSES, limits)

    def _encoder_for_run(self) -> Encoder | None:
        """The encoder for the work in hand; a reconciliation waits for the first one, as it makes missing vectors."""
        if self._is_reconciling:
            self.model.await_first()
            self.model.adopt(self.index)
        return self.model.encoder

    def _embed_pending(self) -> None:
        if self.model.encoder is None:
            return
        if self.index.has_pending_vectors():
            self.activity.enter("embedding")
            self._indexer("main").embed_pending(self.index)
        self.activity.clear_notice("model")

    def _rebuild_spec(self, beside: Path, encoder: Encoder | None) -> "RebuildSpec":
        """The specification of a new index at *beside*, with vectors of *encoder*."""
        from quarry.indexing.rebuild import RebuildSpec

        policy, fingerprint = self.policy, encoder.fingerprint if encoder else None
        return RebuildSpec(
            path=beside,
            root=self._root,
            settings=policy.settings,
            rules=policy.rules,
            options=self._worker_options(REBUILD_PROCESSES),
            fingerprint=fingerprint,
            facts=rebuild_metadata(self.index, self._reading_key, fingerprint),
            without=self._current.without,
            limits=self._limits.plan,
        )

    def _take_changes(self) -> list[VaultChange]:
        """Changes reported since the rebuild began, or since the last call."""
        taken, self._changes_while_rebuilding = self._changes_while_rebuilding or [], []
        return taken

    def _note_outcome(self, outcome: "RunOutcome") -> None:
        if outcome.changed_anything:
            self._idle_schedule.changed(time.monotonic())
        if outcome.held_back:
            english = (
                f"{outcome.held_back} notes are gone at once and were kept in the index: is the drive there, "
                "has sync finished? If they were meant to go, rebuild the index"
            )
            self.activity.set_notice("removals", Sentence(english, message("notes-kept", count=outcome.held_back)))

    def _note_filled(self) -> None:
        """Remember that the index has held the whole vault, for answers at the next start."""
        if self.index.meta_get(FILLED) is None:
            self.index.meta_set(FILLED, "1")

    def _settle(self) -> None:
        """Mark the index as equal to the vault, let the model load, and notify."""
        self.activity.settle()
        self.model.slot.start_loading()
        if self.model.contextual_slot or self.index.contextual.model is not None:
            self._requests.request_deepening()
        self._notify(None)

    # --- model and rules -----------------------------------------------------------------------

    def _policy_changed(self) -> bool:
        """Whether a settings or ignore file is another than before; takes the new ones, and their model, into use."""
        changed = self.policy.refresh()
        self.model.select(self.policy.settings.model)
        return changed

    @property
    def _reading_key(self) -> str:
        return reading_key(self.policy.settings)


def _failure_code(error: Exception) -> StatusCode:
    match error:
        case VaultMissing():
            return "vault-missing"
        case IndexUnavailable():
            return "index-unavailable"
        case BadSettings():
            return "settings-unreadable"
        case _:
            return "indexing-failed"

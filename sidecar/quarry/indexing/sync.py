"""
The worker's jobs: they keep the index equal to the vault.

Has the one index, the model and the policy in use, and changes them only on the worker's thread; every other thread
reads the references.
"""

import gc
import logging
import math
import operator
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from quarry.documents.note import ParserSettings
from quarry.embedding import Encoder
from quarry.errors import IndexDamaged, QuarryError
from quarry.index import Deadline, Index, Reader, discard, rebuild_path
from quarry.index.postings.cache import FEW_NOTES
from quarry.indexing import rebuild
from quarry.indexing.backfill import ContextualBackfill
from quarry.indexing.current_index import (
    INITIAL_SYNC_DONE,
    PARSER,
    CurrentIndex,
    IdleSchedule,
    compact,
    fingerprint_of,
    give_back_free_memory,
    parser_fingerprint,
    rebuild_metadata,
    repair,
    restore_postings,
)
from quarry.indexing.diff import DiskState, diff_vault
from quarry.indexing.indexer import Indexer
from quarry.indexing.policy import Policy
from quarry.indexing.preparation import ExcludedFile, NotePreparer
from quarry.indexing.process import IndexingLimits
from quarry.indexing.reasons import SENSITIVITY, Absence, absence_of, unknown
from quarry.indexing.request_queue import Apply, RequestQueue
from quarry.indexing.status import Activity, Listeners, RunMonitor, ShadowMonitor, Updated
from quarry.indexing.vector_model import MAX_PROCESSES, LoadContextual, VectorModel, WorkerOptions
from quarry.messages import Message, message
from quarry.options import Retriever
from quarry.types import VaultChange

_log = logging.getLogger(__name__)
REBUILD_PROCESSES = 1  # that prepare for the one that writes; a second is 140 MB, and no person waits for it


class Synchronizer:
    """
    The worker's jobs; each runs on its thread, and may raise `Cancelled` to stop early.
    """

    def __init__(
        self,
        root: Path,
        index_path: Path,
        load_encoder: Callable[[str], Encoder],
        load_contextual: LoadContextual,
        *,
        without: frozenset[str],
        only: tuple[str, ...],
        requests: RequestQueue,
        listeners: Listeners,
        limits: IndexingLimits,
    ) -> None:
        """
        Open, or make, the index at *index_path* for the vault at *root*.

        Args:
            without: Parts to do without, for tests: "sqlite-vec", "fts5".
            only: The folders of the part of the vault that is served; empty: the whole vault.
            requests: Interrupts a job, and holds it up.
            listeners: Receive what a commit changed, or None when progress changed.

        Raises:
            SchemaTooNew: A newer version wrote the index.
            IndexUnavailable: It cannot be opened or made at all. A damaged one is set aside and rebuilt.
        """
        self.activity = Activity(self._notify, self._checkpoint)
        self.policy = Policy(root, only)
        self._root = root
        self._limits = limits
        self._requests = requests
        self._listeners = listeners
        self._excluded: dict[str, ExcludedFile] = {}
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
        self.contextual_backfill = ContextualBackfill(partial(requests.request, "backfill"))
        self._current.read_ahead(self.model.slot.await_due)  # with the model, without which nobody asks for vectors
        self._forgotten: deque[str] = (
            deque()
        )  # models whose vectors are to be deleted, by the hash of their fingerprints
        self._is_warm = False
        self._was_searched = False  # since free memory was given back
        self._is_reconciling = False  # a run in which all vectors that are missing are made in the end
        self._shadow_monitor = ShadowMonitor(self.activity, self._notify, self._yield)
        self._kept_indexer: tuple[tuple[object, ...], Indexer] | None = None

    def close(self) -> None:
        """Let go of the index; the worker has ended."""
        self.contextual_backfill.stop()
        self._current.close()

    # --- what serves now -----------------------------------------------------------------------

    @property
    def index(self) -> Index:
        """The index in use."""
        return self._current.index

    def reader(self) -> AbstractContextManager[Reader]:
        """
        A snapshot of the index in use, for any thread.

        Raises:
            IndexUnavailable, IndexDamaged: On entering, or out of any question.
        """
        return self._current.reader()

    def note_search(self) -> None:
        """A search was answered, which leaves free memory behind. Any thread may say so."""
        self._was_searched = True

    def missing(self, encoder: Encoder | None) -> dict[Retriever, Message]:
        """Each retriever that cannot serve with *encoder*, with the reason and what to do, in one sentence."""
        missing: dict[Retriever, Message] = dict(self.index.missing)
        if "dense" not in missing and encoder is None:
            missing["dense"] = self.model.why_no_vectors
        return missing

    def absence_of(self, path: str, *, for_owner: bool = True) -> tuple[Absence, Message]:
        """
        Why the note at *path* is not in the index; see `reasons.absence_of`.

        Only the owner learns of a note that its data class keeps out; for others there is no such note.
        """
        with self.reader() as reader:
            problems = reader.problems_of(path)
            similar = reader.similar_notes(path)
        excluded = {path: file.reason for path, file in self._excluded.items()}
        state, reason = absence_of(self._root, path, self.policy.rules, excluded, problems, similar)
        is_secret = reason.code == SENSITIVITY and not for_owner
        return ("unknown", unknown(path, similar)) if is_secret else (state, reason)

    @property
    def excluded_files(self) -> Mapping[str, ExcludedFile]:
        """The files excluded for their front matter so far, by path."""
        return self._excluded.copy()

    @property
    def excluded(self) -> int:
        """Notes that were left out, by a rule or for their front matter."""
        return self.activity.ruled_out + len(self._excluded)

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
        if self._refresh_policy():
            self.reconcile()
        outcome = self._indexer().apply(self.index, changes)
        if outcome.changed_notes > FEW_NOTES:  # more than a search brings itself up to date with
            self._compact()
        self._settle()

    def reconcile(self, *, thorough: bool = False) -> None:
        """Make the index equal the whole vault; *thorough*: hash every note, also where size and times are equal."""
        self._current.check_in_place()
        self._refresh_policy()
        self.model.adopt(self.index)
        self.activity.enter("scanning")
        self._notify(None)
        parser = parser_fingerprint(self.policy.settings)
        with self.reader() as reader:
            is_empty = reader.counts().notes == 0
        if is_empty:  # said now, so that a first run that is cut short goes on where it stopped
            self.index.meta_set(PARSER, parser)
        everything = self.index.meta_get(PARSER) != parser
        difference = diff_vault(
            DiskState(self._root, self.policy.rules, self._excluded), self.index, with_excluded=thorough
        )
        if difference.is_empty and not (thorough or everything):
            self.activity.scanned(len(difference.scan.excluded))
            self.activity.clear_notice("removals")
            changed_notes = 0
        else:
            self._is_reconciling = True
            try:
                outcome = self._indexer().reconcile(self.index, difference, thorough=thorough, everything=everything)
            finally:
                self._is_reconciling = False
            if everything:
                self.index.meta_set(PARSER, parser)
            if not outcome.held_back:
                self.activity.clear_notice("removals")
            changed_notes = outcome.changed_notes
        self._embed_pending()
        if changed_notes:
            self._compact()
        if self.index.meta_get(INITIAL_SYNC_DONE) is None:
            self.index.meta_set(INITIAL_SYNC_DONE, "1")
        self._settle()

    def rebuild(self) -> None:
        """Have the index built anew beside the old one, which answers until then, and put it in its place."""
        try:
            self._current.check_in_place()
        except IndexDamaged as damage:  # nothing answers that a new one could be built beside
            self.recreate(damage)
            return
        shadow = rebuild_path(self._current.path)
        discard(shadow)
        self._refresh_policy()
        self.activity.enter("rebuilding")
        self._changes_while_rebuilding = []
        try:
            encoder = self.model.slot.encoder
            fingerprint = encoder.fingerprint if encoder else None
            spec = rebuild.RebuildSpec(
                path=shadow,
                root=self._root,
                settings=self.policy.settings,
                rules=self.policy.rules,
                options=self._worker_options(REBUILD_PROCESSES),
                fingerprint=fingerprint,
                metadata=rebuild_metadata(self.index, parser_fingerprint(self.policy.settings), fingerprint),
                without=self._current.without,
                limits=self._limits.plan,
            )
            rebuild.run_rebuild(spec, self._shadow_monitor, lambda _: encoder)
            rebuild.carry_over(spec, self.index, self._yield)
            rebuild.catch_up(spec, self._new_indexer(self._shadow_monitor, lambda _: encoder), self._take_changes)
            self.index.replace_with(shadow)
            changes = self._take_changes()
        except BaseException:
            discard(shadow)
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
        if self._refresh_policy() or self.model.adopt(self.index) or self.activity.state == "failed":
            self.reconcile()
        if not self._is_warm:
            self._is_warm = True
            NotePreparer(ParserSettings(), None).warm_up()
            self.index.release_cache()
            gc.freeze()  # what was made by now stays: no save waits 20 ms for a collection to look through it
        if self._was_searched:
            self._was_searched = False
            give_back_free_memory()
        if self._idle_schedule.is_due(time.monotonic()):
            self._compact()
        elif self.index.lacks_postings:  # no later search is to wait until it is quiet
            restore_postings(self.index, Deadline(math.inf, self._is_interrupted))
        backfill = self.contextual_backfill
        if backfill.is_waiting or self.model.contextual_encoder is not backfill.encoder:
            self._requests.request("backfill")

    def deep_check(self) -> None:
        """Hash every note, check every row, compact the index: work for idle time."""
        self.reconcile(thorough=True)
        self.repair()
        self._compact()

    def repair(self) -> None:
        """Check the whole index; notes with damaged rows are read anew. Raises as `current_index.repair`."""
        self._current.check_in_place()
        repair(self.index, partial(self._indexer().refresh, self.index), self._yield, self._is_interrupted)
        self._settle()

    def forget_model(self, weights_sha256: str) -> None:
        """Have the vectors deleted that are kept of a model, by the hash of its fingerprint; on any thread."""
        self._forgotten.append(weights_sha256)
        self._requests.request("backfill")

    def backfill(self) -> None:
        """Store the contextual vectors that are made, and have the next ones made; see `backfill.py`."""
        self._current.check_in_place()
        while self._forgotten:
            self._forget(self._forgotten.popleft())
        model = self.index.contextual.model
        answers_change = self.contextual_backfill.advance(self.index, self.model.adopt_contextual(self.index))
        if answers_change or model not in (None, self.index.contextual.model):
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
        self.activity.fail(error)
        self._notify(None)

    # --- steps ---------------------------------------------------------------------------------

    def _notify(self, updated: Updated | None) -> None:
        if updated:
            self._idle_schedule.changed(time.monotonic())
        self._listeners.notify(updated)

    def _yield(self) -> None:
        """Come to a checkpoint outside a run; may raise `Cancelled`."""
        self._indexer().checkpoint(self.index)

    def _is_interrupted(self) -> bool:
        return self._requests.interrupts_idle_work

    def _checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:
        """The checkpoint of the index in use; what goes into it during a rebuild is kept for the new one."""
        changes = self._requests.checkpoint(flush, apply)
        if self._changes_while_rebuilding is not None:
            self._changes_while_rebuilding += changes

    def _forget(self, weights_sha256: str) -> None:
        with self.index.reader() as reader:
            stored = reader.stored_models
        for each in stored:
            if fingerprint_of(each.model).weights_sha256 == weights_sha256:
                self.index.forget_model(each.model)

    def _compact(self) -> None:
        """Compact the index, unless there is other work to do."""
        begun_s = time.monotonic()
        is_done = compact(self.index, Deadline(math.inf, self._is_interrupted))
        self.index.release_cache()
        self._idle_schedule.compacted(begun_s, time.monotonic(), is_done=is_done)

    def _report_loss(self) -> None:
        if self._current.loss:
            loss = self._current.loss
            self.activity.set_notice("damage", message("status.index-recreated", detail=loss[:1].upper() + loss[1:]))

    def _indexer(self) -> Indexer:
        """The indexer of the index in use; kept while settings, rules and model stay the same."""
        policy = self.policy
        made_for = (policy.settings, policy.rules, self.model.slot.loaded_name)
        if self._kept_indexer and all(map(operator.is_, self._kept_indexer[0], made_for)):
            return self._kept_indexer[1]
        made = self._new_indexer(self.activity, self._encoder_for_run)
        self._kept_indexer = made_for, made
        return made

    def _new_indexer(self, monitor: RunMonitor, encoder: Callable[[bool], Encoder | None]) -> Indexer:
        policy, options = self.policy, self._worker_options(MAX_PROCESSES)
        return Indexer(
            self._root, policy.settings, policy.rules, monitor, encoder, self._excluded, options, self._limits.plan
        )

    def _worker_options(self, max_processes: int) -> WorkerOptions:
        return WorkerOptions(self.model.load, self.model.slot.loaded_name, max_processes, self._limits.process)

    def _encoder_for_run(self, is_priority: bool) -> Encoder | None:
        """The encoder for a run; a reconciliation waits for the first one, as it makes missing vectors."""
        if self._is_reconciling and not is_priority:
            self.model.await_first()
            self.model.adopt(self.index)
        return self.model.encoder

    def _embed_pending(self) -> None:
        if self.model.encoder is None:
            return
        if self.index.static.has_pending():
            self.activity.enter("embedding")
            self._indexer().embed_pending(self.index)
        self.activity.clear_notice("model")

    def _take_changes(self) -> list[VaultChange]:
        """Changes reported since the rebuild began, or since the last call."""
        taken, self._changes_while_rebuilding = self._changes_while_rebuilding or [], []
        return taken

    def _settle(self) -> None:
        """Mark the index as equal to the vault, let the model load, and notify."""
        self.activity.settle()
        self.model.slot.start_loading()
        if self.model.contextual_slot or self.index.contextual.model is not None:
            self._requests.request("backfill")
        self._notify(None)

    def _refresh_policy(self) -> bool:
        """Reload settings and ignore files, and select the model they name; returns whether any file changed."""
        changed = self.policy.refresh()
        self.model.select(self.policy.settings.model)
        return changed

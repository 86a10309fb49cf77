"""
Keeping the index equal to the vault: what the worker's jobs do, and what they leave behind for others to see.

Holds the one index, the model and the policy in use, and changes them only on the worker's thread; everyone else
reads the references.
"""

import logging
import math
import operator
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from quarry.embedding import Encoder, Fingerprint
from quarry.errors import IndexDamaged, QuarryError
from quarry.index import Deadline, Index, Reader, discard, rebuild_path
from quarry.index.keyword.postings_cache import FEW_NOTES
from quarry.indexing.absence import Absence, explain_absence
from quarry.indexing.activity import Activity, Listeners, Reporter, RunKind, Updated
from quarry.indexing.current_index import CurrentIndex
from quarry.indexing.diff import diff_vault
from quarry.indexing.disk_state import DiskState, named_by
from quarry.indexing.maintenance import IdleSchedule, compact, repair
from quarry.indexing.messages import WorkerOptions
from quarry.indexing.metadata import (
    FINGERPRINT,
    READING,
    fingerprint_text,
    reading_key,
    rebuild_metadata,
    stored_fingerprint,
)
from quarry.indexing.policy import Policy
from quarry.indexing.requests import RequestQueue
from quarry.model import ModelSlot
from quarry.types import FileSeen, Retriever, VaultChange

if TYPE_CHECKING:
    from quarry.indexing.indexer import Indexer, Outcome
    from quarry.indexing.rebuild import RebuildSpec

__all__ = ["Synchronizer", "Updated"]

_log = logging.getLogger(__name__)
MODEL_WAIT_S = 5.0  # a model on disk is in before that; one that is being downloaded is not worth waiting for
REBUILD_PROCESSES = 1  # that prepare for the one that writes; a second is 140 MB, and nobody waits


class Synchronizer:
    """The worker's jobs (`worker.Jobs`)."""

    def __init__(
        self,
        root: Path,
        index_path: Path,
        load_encoder: Callable[[str], Encoder],
        *,
        without: frozenset[str],
        requests: RequestQueue,
        listeners: Listeners,
        head_start_s: float = 0.0,
        model_wait_s: float = MODEL_WAIT_S,
    ) -> None:
        """
        Open, or make, the index at *index_path* for the vault at *root*.

        Args:
            without: Parts to do without, for tests: "sqlite-vec", "fts5".
            requests: What interrupts a job, and what holds it up.
            listeners: Told what a commit changed, or None when there is progress to look at.
            head_start_s: Of everything else before the first model is loaded; see `ModelSlot`.
            model_wait_s: How long the first run waits for the model.

        Raises:
            SchemaTooNew: A newer version wrote the index.
            IndexUnavailable: It cannot be opened or made at all. A damaged one is set aside and made anew.
        """
        self.activity = Activity()
        self.policy = Policy(root)
        self._root = root
        self._load_encoder = load_encoder
        self._requests = requests
        self._notify = listeners.notify
        self._drawings: dict[str, FileSeen] = {}
        self._superseded: set[str] = set()  # paths that saved notes made current since the work in hand began
        self._changed_meanwhile: set[str] = set()  # paths that someone saw change since then
        self._seen_while_rebuilding: list[VaultChange] | None = None  # None: no rebuild is under way
        self._idle_schedule = IdleSchedule()
        self._recreated_for: IndexDamaged | None = None  # the damage that the present index was made anew for
        self._current = CurrentIndex(index_path, root, without)
        self._report_loss()
        self._current.read_ahead()
        self.model = ModelSlot(self.policy.settings.model, load_encoder, head_start_s)
        self._adopted: Fingerprint | None = None
        self._model_wait_s = model_wait_s
        self._is_warm = False
        self._is_reconciling = False  # a run in which all vectors that are missing are made in the end
        self._indexers: dict[RunKind, tuple[tuple[object, ...], Indexer]] = {}
        self._reporters = {kind: self._new_reporter(kind) for kind in get_args(RunKind)}

    def close(self) -> None:
        """Let go of the index; the worker has ended."""
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

    def encoder_for(self, reader: Reader) -> Encoder | None:
        """The encoder that made the vectors *reader*, which says whose they are, sees; None while there is none."""
        encoder = self.model.encoder
        return encoder if encoder and reader.meta_get(FINGERPRINT) == fingerprint_text(encoder.fingerprint) else None

    def missing(self, encoder: Encoder | None) -> dict[Retriever, str]:
        """Each retriever that cannot serve with *encoder*, with the reason and what to do, in one sentence."""
        missing: dict[Retriever, str] = dict(self.index.missing)
        if "dense" not in missing and encoder is None:
            missing["dense"] = self._why_no_meaning()
        return missing

    def _why_no_meaning(self) -> str:
        match self.model.state:
            case "loading":
                return "the embedding model is still loading; meaning joins in a moment"
            case "missing":
                return self.model.message or f"the embedding model {self.model.name!r} is missing"
            case "ready":
                return f"vectors are being made anew for the model {self.model.name!r}; meaning joins when they are"

    @property
    def awaits_model(self) -> bool:
        """Whether a model is on its way that will have vectors to make."""
        return self.model.state == "loading" or (self.model.state == "ready" and self._encoder is None)

    def explain_absence(self, path: str) -> tuple[Absence, str]:
        """Why the index does not hold the note at *path*; see `absence.py`."""
        with self.reader() as reader:
            problems = reader.problems_of(path)
        return explain_absence(self._root, path, self.policy.rules, self._drawings, problems)

    @property
    def excluded(self) -> int:
        """Notes that were left out, by a rule or because they are drawings or boards."""
        return self.activity.ruled_out + len(self._drawings)

    # --- the worker's jobs ---------------------------------------------------------------------

    def initial_sync(self) -> None:
        """Make the index equal the vault. Where nothing changed, that needs no model, which comes in meanwhile."""
        try:
            self._reconcile()
        except (QuarryError, OSError):
            raise
        except Exception:  # a defect of ours, or a page that is not what it was: then it is set aside
            self.index.check_pages(self._is_interrupted)
            raise
        self.index.check_pages(self._is_interrupted)  # which opening did not wait for
        self._await_model()
        if self._adopt_model():
            self._embed_pending()
            self._settle()
        self._idle_schedule.changed(time.monotonic())  # what an earlier run left undone

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw, as the work in hand."""
        self._current.check_in_place()
        if self._policy_changed():
            self._reconcile()
        self._apply(changes, "main")
        self._settle()

    def reconcile(self) -> None:
        """Compare the whole vault with the index."""
        self._reconcile()

    def rebuild(self) -> None:
        """Have the index built anew beside the old one, which answers until then, and put it in its place."""
        from quarry.indexing import rebuild

        self._current.check_in_place()  # else it is made anew anyway
        beside = rebuild_path(self._current.path)
        discard(beside)
        self._policy_changed()
        self.activity.enter("rebuilding")
        self._seen_while_rebuilding = []
        try:
            encoder = self.model.encoder
            spec = self._rebuild_spec(beside, encoder)
            rebuild.run_rebuild(spec, self._reporter("beside"), lambda: encoder)
            rebuild.catch_up(spec, self._indexer_beside(encoder), self._take_seen)
            self.index.replace_with(beside)
            changes = self._take_seen()
        except BaseException:
            discard(beside)
            raise
        finally:
            self._seen_while_rebuilding = None
        self._adopted = stored_fingerprint(self.index)
        self.activity.clear_notice("damage")
        self._reconcile()
        if changes:
            self.apply(changes)

    def poll(self) -> None:
        """What nobody tells of: files of rules that changed, a model that came in, an index file that went."""
        self._current.check_in_place()
        if self._policy_changed() or self._adopt_model() or self.activity.state == "failed":
            self._reconcile()
        if not self._is_warm:
            self._is_warm = True
            self._indexer("main").warm_up()
        if self._idle_schedule.is_due(time.monotonic()):
            self._idle()

    def deep_check(self) -> None:
        """What idle time is for: hash every note, check every row, give room back."""
        self._reconcile(thorough=True)
        self.repair()
        self._idle()

    def _idle(self) -> None:
        """What makes the index smaller and quicker and changes no answer; nobody waits for it."""
        begun_s = time.monotonic()
        is_done = compact(self.index, Deadline(math.inf, self._is_interrupted))
        self._idle_schedule.taken(begun_s, time.monotonic(), is_done=is_done)

    def repair(self) -> None:
        """Check the whole index; notes with damaged rows are read anew. Raises as `mending.mend`."""
        self._current.check_in_place()
        refresh = partial(self._indexer("main").refresh, self.index)
        repair(self.index, refresh, self._yield_point, self._is_interrupted)
        self._settle()

    def recreate(self, error: IndexDamaged) -> None:
        """Set the damaged index aside and fill a new one; called again with the same *error*, only go on filling."""
        if error is not self._recreated_for:
            self._current.replace(error)
            self._report_loss()
            self._adopted = None
            self._recreated_for = error
            self._notify(None)
        self.initial_sync()

    def failed(self, error: Exception) -> None:
        """Say why the index does not follow the vault at the moment."""
        is_ours = isinstance(error, QuarryError)
        self.activity.set_notice(
            "failure", str(error) if is_ours else f"indexing failed ({type(error).__name__}); see the log"
        )
        self.activity.enter("failed")
        self._notify(None)

    # --- steps ---------------------------------------------------------------------------------

    def _yield_point(self) -> None:
        """Where a job can be interrupted: waits while paused, carries urgent changes out, may raise `Cancelled`."""
        self._requests.yield_point(self.index.flush, self._apply_urgent)

    def _is_interrupted(self) -> bool:
        return self._requests.interrupts_idle_work

    def _apply_urgent(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw, in the middle of other work."""
        if self._seen_while_rebuilding is not None:
            self._seen_while_rebuilding += changes
        self._changed_meanwhile |= named_by(changes)
        self._apply(changes, "urgent")
        self.index.flush()

    def _report_loss(self) -> None:
        if self._current.loss:
            self.activity.set_notice("damage", f"{self._current.loss}; a new one is made from the notes")

    @property
    def _encoder(self) -> Encoder | None:
        """The encoder whose vectors the index holds; None while there is none."""
        encoder = self.model.encoder
        return encoder if encoder and encoder.fingerprint == self._adopted else None

    def _new_reporter(self, kind: RunKind) -> Reporter:
        return Reporter(kind, self.activity, self._notify, self._yield_point, self._superseded, self._changed_meanwhile)

    def _reporter(self, kind: RunKind) -> Reporter:
        """The monitor of a run of *kind* that begins now."""
        if kind != "urgent":
            self._superseded.clear()
            self._changed_meanwhile.clear()
        return self._reporters[kind]

    def _indexer(self, kind: RunKind) -> "Indexer":
        """What carries out a run of *kind* that begins now; kept for as long as settings, rules and model are those."""
        monitor, policy = self._reporter(kind), self.policy
        made_for = (policy.settings, policy.rules, self.model.name)
        kept = self._indexers.get(kind)
        if kept and all(map(operator.is_, kept[0], made_for)):
            return kept[1]
        from quarry.indexing.indexer import Indexer  # a start that finds nothing to do is spared a fifth of our code

        options = WorkerOptions(self._load_encoder, self.model.name)
        encoder = self._main_encoder if kind == "main" else self._urgent_encoder
        made = Indexer(self._root, policy.settings, policy.rules, monitor, encoder, self._drawings, options)
        self._indexers[kind] = made_for, made
        return made

    def _indexer_beside(self, encoder: Encoder | None) -> "Indexer":
        """What brings an index that is being rebuilt up to date, with the *encoder* of the rebuild."""
        from quarry.indexing.indexer import Indexer

        policy, options = self.policy, WorkerOptions(self._load_encoder, self.model.name)
        monitor = self._reporter("beside")
        return Indexer(self._root, policy.settings, policy.rules, monitor, lambda: encoder, self._drawings, options)

    def _main_encoder(self) -> Encoder | None:
        return self._awaited_encoder() if self._is_reconciling else self._encoder

    def _urgent_encoder(self) -> Encoder | None:
        return self._encoder

    def _apply(self, changes: Sequence[VaultChange], kind: RunKind) -> None:
        outcome = self._indexer(kind).apply(self.index, changes)
        self._note_outcome(outcome)
        if kind == "main" and outcome.changed_notes > FEW_NOTES:  # more than a search brings itself up to date with
            self._idle()

    def _await_model(self) -> None:
        """Wait for the first model, once: everyone is better off with it, unless it is being downloaded."""
        self.model.wait(self._model_wait_s)
        self._model_wait_s = 0.0

    def _awaited_encoder(self) -> Encoder | None:
        """The encoder for a run that makes all vectors that are wanting in its end."""
        self._await_model()
        self._adopt_model()
        return self._encoder

    def _reconcile(self, *, thorough: bool = False) -> None:
        self._current.check_in_place()
        self._policy_changed()
        self._adopt_model()
        self.activity.enter("scanning")
        self._notify(None)
        with self.reader() as reader:
            is_empty = reader.counts().notes == 0
        if is_empty:  # said now, so that a first run that is cut short goes on where it stopped
            self.index.meta_set(READING, self._reading_key)
        everything = self.index.meta_get(READING) != self._reading_key
        survey = DiskState(self._root, self.policy.rules, self._drawings)
        difference = diff_vault(survey, self.index, with_drawings=thorough)
        if difference.is_empty and not (thorough or everything):
            self._reporter("main").scanned(len(difference.scan.excluded))
            self.activity.clear_notice("removals")
            self._embed_pending()
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
            self._idle()
        self._settle()

    def _embed_pending(self) -> None:
        if self._encoder is None:
            return
        if self.index.has_pending_vectors():
            self.activity.enter("embedding")
            self._indexer("main").embed_pending(self.index)
        self.activity.clear_notice("model")

    def _rebuild_spec(self, beside: Path, encoder: Encoder | None) -> "RebuildSpec":
        """Of a whole index at *beside*, but for what is saved meanwhile."""
        from quarry.indexing.rebuild import RebuildSpec

        policy, options = self.policy, WorkerOptions(self._load_encoder, self.model.name, REBUILD_PROCESSES)
        fingerprint, without = encoder.fingerprint if encoder else None, self._current.without
        facts = rebuild_metadata(self.index, self._reading_key, fingerprint)
        return RebuildSpec(beside, self._root, policy.settings, policy.rules, options, fingerprint, facts, without)

    def _take_seen(self) -> list[VaultChange]:
        """What was saved since a rebuild began, or since this was asked."""
        taken, self._seen_while_rebuilding = self._seen_while_rebuilding or [], []
        return taken

    def _note_outcome(self, outcome: "Outcome") -> None:
        if outcome.changed_anything:
            self._idle_schedule.changed(time.monotonic())
        if outcome.held_back:
            self.activity.set_notice(
                "removals",
                f"{outcome.held_back} notes are gone at once and were kept in the index: is the drive there, "
                "has sync finished? If they were meant to go, rebuild the index",
            )

    def _settle(self) -> None:
        """Equal to the vault again."""
        self.activity.settle()
        self.model.start_loading()
        self._notify(None)

    # --- model and rules -----------------------------------------------------------------------

    def _policy_changed(self) -> bool:
        """Whether a settings or ignore file is another than before; takes the new ones, and their model, into use."""
        changed = self.policy.refresh()
        if self.policy.settings.model != self.model.name:
            self.model = ModelSlot(self.policy.settings.model, self._load_encoder)
        return changed

    def _adopt_model(self) -> bool:
        """Take a model that has come in into use. Returns whether vectors have to be made with it."""
        encoder = self.model.encoder
        if encoder is None or encoder.fingerprint == self._adopted:
            return False
        stored = stored_fingerprint(self.index)
        if stored != encoder.fingerprint:
            if stored is not None:
                _log.info("another model: vectors are made anew")
                self.activity.set_notice(
                    "model", f"the model is now {encoder.fingerprint.name!r}; its vectors are being made"
                )
            self.index.drop_vectors()  # before the new fingerprint: no snapshot may see it with old vectors
            self.index.meta_set(FINGERPRINT, fingerprint_text(encoder.fingerprint))
        self._adopted = encoder.fingerprint
        return self.index.has_pending_vectors()

    @property
    def _reading_key(self) -> str:
        return reading_key(self.policy.settings.skip_sections)

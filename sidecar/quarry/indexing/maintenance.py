"""
Keeping the index equal to the vault: what the worker's jobs do, and what they leave behind for others to see.

Holds the one index, the model and the policy in use, and changes them only on the worker's thread; everyone else
reads the references.
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quarry.embedding import Encoder, Fingerprint
from quarry.errors import IndexDamaged, QuarryError
from quarry.index import Deadline, Index, Reader, discard, rebuild_path
from quarry.index.postings.cache import FEW_NOTES
from quarry.indexing.activity import Activity
from quarry.indexing.care import Care, tidy_up
from quarry.indexing.comparing import look
from quarry.indexing.holding import IndexHolder
from quarry.indexing.mending import mend
from quarry.indexing.origins import FINGERPRINT, READING, facts_for, fingerprint_text, reading_key, stored_fingerprint
from quarry.indexing.policy import Policy
from quarry.indexing.reporting import RunKind, RunReporter, Updated
from quarry.indexing.staffing import Staffing
from quarry.indexing.survey import Survey, named_by
from quarry.indexing.whereabouts import Absence, whereabouts
from quarry.model import ModelSlot
from quarry.types import FileSeen, Retriever, VaultChange

if TYPE_CHECKING:
    from quarry.indexing.indexer import Indexer, Outcome
    from quarry.indexing.rebuilding import Blueprint

__all__ = ["Maintenance", "Updated"]

_log = logging.getLogger(__name__)
MODEL_WAIT_S = 5.0  # a model on disk is in before that; one that is being downloaded is not worth waiting for
REBUILD_PROCESSES = 1  # that prepare for the one that writes; a second is 140 MB, and nobody waits


class Maintenance:
    """The worker's jobs (`worker.Jobs`)."""

    def __init__(
        self,
        root: Path,
        index_path: Path,
        load_encoder: Callable[[str], Encoder],
        *,
        without: frozenset[str],
        breathe: Callable[[], None],
        is_wanted: Callable[[], bool] = lambda: False,
        tell: Callable[[Updated | None], None],
        head_start_s: float = 0.0,
    ) -> None:
        """
        Open, or make, the index at *index_path* for the vault at *root*.

        Args:
            without: Parts to do without, for tests: "sqlite-vec", "fts5".
            breathe: Called where stopping is safe; may wait, or raise `Cancelled`.
            is_wanted: Whether something more urgent than tidying up has come.
            tell: Called with what a commit changed, or None when there is progress to look at.
            head_start_s: Of everything else before the first model is loaded; see `ModelSlot`.

        Raises:
            SchemaTooNew: A newer version wrote the index.
            IndexUnavailable: It cannot be opened or made at all. A damaged one is set aside and made anew.
        """
        self.activity = Activity()
        self.policy = Policy(root)
        self._root = root
        self._load_encoder = load_encoder
        self._breathe = breathe
        self._is_wanted = is_wanted
        self._tell = tell
        self._drawings: dict[str, FileSeen] = {}
        self._overtaken: set[str] = set()  # paths that saved notes made current since the work in hand began
        self._told: set[str] = set()  # paths that someone saw change since then
        self._seen_while_rebuilding: list[VaultChange] | None = None  # None: no rebuild is under way
        self._care = Care()
        self._mended: IndexDamaged | None = None  # the damage that the present index was made anew for
        self._holder = IndexHolder(index_path, root, without)
        self._tell_loss()
        self._holder.read_ahead()
        self.model = ModelSlot(self.policy.settings.model, load_encoder, head_start_s)
        self._adopted: Fingerprint | None = None
        self._patience_s = MODEL_WAIT_S
        self._is_rehearsed = False

    def close(self) -> None:
        """Let go of the index; the worker has ended."""
        self._holder.close()

    # --- what serves now -----------------------------------------------------------------------

    @property
    def index(self) -> Index:
        """The index in use."""
        return self._holder.index

    def reader(self) -> AbstractContextManager[Reader]:
        """
        One moment of the index in use, for any thread.

        Raises:
            IndexUnavailable, IndexDamaged: On entering, or out of any question.
        """
        return self._holder.reader()

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

    def whereabouts(self, path: str) -> tuple[Absence, str]:
        """Why the index does not hold the note at *path*; see `whereabouts.py`."""
        with self.reader() as reader:
            problems = reader.problems_of(path)
        return whereabouts(self._root, path, self.policy.rules, self._drawings, problems)

    @property
    def excluded(self) -> int:
        """Notes that were left out, by a rule or because they are drawings or boards."""
        return self.activity.ruled_out + len(self._drawings)

    # --- the worker's jobs ---------------------------------------------------------------------

    def begin(self) -> None:
        """Make the index equal the vault. Where nothing changed, that needs no model, which comes in meanwhile."""
        try:
            self._reconcile()
        except (QuarryError, OSError):
            raise
        except Exception:  # a defect of ours, or a page that is not what it was: then it is set aside
            self.index.check_pages(self._is_wanted)
            raise
        self.index.check_pages(self._is_wanted)  # which opening did not wait for
        self._await_model()
        if self._adopt_model():
            self._embed_pending()
            self._settle()
        self._care.changed(time.monotonic())  # what an earlier run left undone

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw, as the work in hand."""
        self._holder.check_in_place()
        if self._policy_changed():
            self._reconcile()
        self._apply(changes, "main")
        self._settle()

    def overtake(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw, in the middle of other work."""
        if self._seen_while_rebuilding is not None:
            self._seen_while_rebuilding += changes
        self._told |= named_by(changes)
        self._apply(changes, "overtaking")
        self.index.flush()

    def hold(self) -> None:
        """The work in hand is held up: what it did so far is to be found."""
        self.index.flush()

    def reconcile(self) -> None:
        """Compare the whole vault with the index."""
        self._reconcile()

    def rebuild(self) -> None:
        """Have the index built anew beside the old one, which answers until then, and put it in its place."""
        from quarry.indexing import rebuilding

        self._holder.check_in_place()  # else it is made anew anyway
        beside = rebuild_path(self._holder.path)
        discard(beside)
        self._policy_changed()
        self.activity.enter("rebuilding")
        self._seen_while_rebuilding = []
        try:
            encoder = self.model.encoder
            blueprint = self._blueprint(beside, encoder)
            rebuilding.build_anew(blueprint, self._reporter("beside"), lambda: encoder)
            rebuilding.bring_up_to_date(blueprint, self._indexer("beside", lambda: encoder), self._take_seen)
            self.index.replace_with(beside)
            changes = self._take_seen()
        except BaseException:
            discard(beside)
            raise
        finally:
            self._seen_while_rebuilding = None
        self._adopted = stored_fingerprint(self.index)
        self.activity.take_back("damage")
        self._reconcile()
        if changes:
            self.apply(changes)

    def look(self) -> None:
        """What nobody tells of: files of rules that changed, a model that came in, an index file that went."""
        self._holder.check_in_place()
        if self._policy_changed() or self._adopt_model() or self.activity.state == "failed":
            self._reconcile()
        if not self._is_rehearsed:
            self._is_rehearsed = True
            self._indexer("main").rehearse()
        if self._care.is_due(time.monotonic()):
            self._idle()

    def tend(self) -> None:
        """What idle time is for: hash every note, check every row, give room back."""
        self._reconcile(thorough=True)
        self.mend()
        self._idle()

    def _idle(self) -> None:
        """What makes the index smaller and quicker and changes no answer; nobody waits for it."""
        begun_s = time.monotonic()
        is_done = tidy_up(self.index, Deadline(math.inf, self._is_wanted))
        self._care.taken(begun_s, time.monotonic(), is_done=is_done)

    def mend(self) -> None:
        """Check the whole index; notes with damaged rows are read anew. Raises as `mending.mend`."""
        self._holder.check_in_place()
        refresh = partial(self._indexer("main").refresh, self.index)
        mend(self.index, refresh, self._breathe, self._is_wanted)
        self._settle()

    def recover(self, error: IndexDamaged) -> None:
        """Set the damaged index aside and fill a new one; called again with the same *error*, only go on filling."""
        if error is not self._mended:
            self._holder.replace(error)
            self._tell_loss()
            self._adopted = None
            self._mended = error
            self._tell(None)
        self.begin()

    def failed(self, error: Exception) -> None:
        """Say why the index does not follow the vault at the moment."""
        is_ours = isinstance(error, QuarryError)
        self.activity.say(
            "failure", str(error) if is_ours else f"indexing failed ({type(error).__name__}); see the log"
        )
        self.activity.enter("failed")
        self._tell(None)

    # --- steps ---------------------------------------------------------------------------------

    def _tell_loss(self) -> None:
        if self._holder.loss:
            self.activity.say("damage", f"{self._holder.loss}; a new one is made from the notes")

    @property
    def _encoder(self) -> Encoder | None:
        """The encoder whose vectors the index holds; None while there is none."""
        encoder = self.model.encoder
        return encoder if encoder and encoder.fingerprint == self._adopted else None

    def _reporter(self, kind: RunKind) -> RunReporter:
        if kind != "overtaking":
            self._overtaken, self._told = set(), set()
        return RunReporter(kind, self.activity, self._tell, self._breathe, self._overtaken, self._told)

    def _indexer(self, kind: RunKind, encoder: Callable[[], Encoder | None] | None = None) -> "Indexer":
        """What carries changes out. A start without any does without the import: a fifth of a sidecar's own code."""
        from quarry.indexing.indexer import Indexer

        policy, staffing = self.policy, Staffing(self._load_encoder, self.model.name)
        encoder = encoder or (lambda: self._encoder)
        reporter = self._reporter(kind)
        return Indexer(self._root, policy.settings, policy.rules, reporter, encoder, self._drawings, staffing)

    def _apply(self, changes: Sequence[VaultChange], kind: RunKind) -> None:
        outcome = self._indexer(kind).apply(self.index, changes)
        self._note_outcome(outcome)
        if kind == "main" and outcome.changed_notes > FEW_NOTES:  # more than a search brings itself up to date with
            self._idle()

    def _await_model(self) -> None:
        """Wait for the first model, once: everyone is better off with it, unless it is being downloaded."""
        self.model.wait(self._patience_s)
        self._patience_s = 0.0

    def _awaited_encoder(self) -> Encoder | None:
        """The encoder for a run that makes all vectors that are wanting in its end."""
        self._await_model()
        self._adopt_model()
        return self._encoder

    def _reconcile(self, *, thorough: bool = False) -> None:
        self._holder.check_in_place()
        self._policy_changed()
        self._adopt_model()
        self.activity.enter("scanning")
        self._tell(None)
        with self.reader() as reader:
            is_empty = reader.counts().notes == 0
        if is_empty:  # said now, so that a first run that is cut short goes on where it stopped
            self.index.meta_set(READING, self._reading_key)
        everything = self.index.meta_get(READING) != self._reading_key
        survey = Survey(self._root, self.policy.rules, self._drawings)
        difference = look(survey, self.index, with_drawings=thorough)
        if difference.is_none and not (thorough or everything):
            self._reporter("main").scanned(len(difference.scan.excluded))
            self.activity.take_back("removals")
            self._embed_pending()
            self._settle()
            return
        indexer = self._indexer("main", self._awaited_encoder)
        outcome = indexer.reconcile(self.index, difference, thorough=thorough, everything=everything)
        if everything:
            self.index.meta_set(READING, self._reading_key)
        if not outcome.held_back:
            self.activity.take_back("removals")
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
        self.activity.take_back("model")

    def _blueprint(self, beside: Path, encoder: Encoder | None) -> "Blueprint":
        """Of a whole index at *beside*, but for what is saved meanwhile."""
        from quarry.indexing.rebuilding import Blueprint

        policy, staffing = self.policy, Staffing(self._load_encoder, self.model.name, REBUILD_PROCESSES)
        fingerprint, without = encoder.fingerprint if encoder else None, self._holder.without
        facts = facts_for(self.index, self._reading_key, fingerprint)
        return Blueprint(beside, self._root, policy.settings, policy.rules, staffing, fingerprint, facts, without)

    def _take_seen(self) -> list[VaultChange]:
        """What was saved since a rebuild began, or since this was asked."""
        taken, self._seen_while_rebuilding = self._seen_while_rebuilding or [], []
        return taken

    def _note_outcome(self, outcome: "Outcome") -> None:
        if outcome.changed_anything:
            self._care.changed(time.monotonic())
        if outcome.held_back:
            self.activity.say(
                "removals",
                f"{outcome.held_back} notes are gone at once and were kept in the index: is the drive there, "
                "has sync finished? If they were meant to go, rebuild the index",
            )

    def _settle(self) -> None:
        """Equal to the vault again."""
        self.activity.settle()
        self.model.hurry()
        self._tell(None)

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
                self.activity.say("model", f"the model is now {encoder.fingerprint.name!r}; its vectors are being made")
            self.index.drop_vectors()  # before the new fingerprint: no snapshot may see it with old vectors
            self.index.meta_set(FINGERPRINT, fingerprint_text(encoder.fingerprint))
        self._adopted = encoder.fingerprint
        return self.index.has_pending_vectors()

    @property
    def _reading_key(self) -> str:
        return reading_key(self.policy.settings.skip_sections)

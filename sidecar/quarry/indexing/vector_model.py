"""
The model in the settings, the one that made the vectors of the index, and the text that both see.

A model is loaded off the search path, in a `ModelSlot`: it is `loading`, then `ready` or `missing` for good; another
model is another slot. The bundled model is loaded in the place of a static one that is missing. Searches look and go on
by keyword when there is nothing yet; only the indexing thread waits.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from quarry import consent
from quarry.embedding import BUNDLED_NAME, ContextualEncoder, Encoder, Fingerprint
from quarry.errors import ModelMissing, ModelUnreachable, QuarryError
from quarry.index import FINGERPRINT, Index, Reader
from quarry.indexing.current_index import fingerprint_text, stored_fingerprint
from quarry.indexing.process import ProcessLimits, ProcessUnavailable
from quarry.indexing.status import Activity
from quarry.messages import Message, message
from quarry.types import Chunk

_log = logging.getLogger(__name__)

MAX_PROCESSES = 2  # one writer is kept busy by two

RETRY_S = 60.0  # before a program that runs the model and does not answer is looked for again
ANSWER_S = 0.005  # from the end of a search to its answer on the wire, which would take as long again beside loading

LoadContextual: TypeAlias = Callable[[str], ContextualEncoder | None]
ModelState: TypeAlias = Literal["loading", "ready", "missing"]
AnyEncoder = TypeVar("AnyEncoder", Encoder, ContextualEncoder)


class ModelSlot(Generic[AnyEncoder]):
    """One model by *name*, loading in a thread of its own from the moment the slot is made."""

    def __init__(
        self,
        name: str,
        load: Callable[[str], AnyEncoder | None],
        head_start_s: float = 0.0,
        after: "ModelSlot[Encoder] | None" = None,
        substitute: str | None = None,
    ) -> None:
        """
        Begin to load the model called *name*.

        Args:
            load: May give None: there is no model of this kind by that name.
            head_start_s: Of everything else: loading keeps the interpreter busy for 20 ms on end, so it begins so much
                later, or as soon as `start_loading` or `wait` is called.
            after: Loaded first.
            substitute: The name of the model to load in its place where it is missing.
        """
        self.name = name
        self.loaded_name = name  # or that of the substitute
        self.message: str | None = None  # why it is missing and what to do
        self._is_unreachable = False
        self._begun_s = time.monotonic()
        self._encoder: AnyEncoder | None = None
        self._settled = threading.Event()
        self._is_due = threading.Event()
        self._head_start_s = head_start_s
        self._after = after
        self._substitute = substitute
        threading.Thread(target=self._load, args=(load,), name="quarry-model", daemon=True).start()

    @property
    def state(self) -> ModelState:
        """The state of the model now."""
        if not self._settled.is_set():
            return "loading"
        return "ready" if self._encoder else "missing"

    @property
    def encoder(self) -> AnyEncoder | None:
        """The encoder if it is ready; never waits."""
        return self._encoder

    @property
    def is_of_another_kind(self) -> bool:
        """Whether it turned out that the model of that name is of another kind."""
        return self.state == "missing" and self.message is None

    @property
    def why_not(self) -> str | None:
        """Why it cannot be used now."""
        return self.message or getattr(self._encoder, "trouble", None)

    @property
    def may_recover(self) -> bool:
        """Whether loading the model again may help: it is replaced, or its program did not answer, for a while."""
        is_in_trouble = self._is_unreachable or self.loaded_name != self.name or (self._encoder and self.why_not)
        return bool(is_in_trouble) and time.monotonic() > self._begun_s + RETRY_S

    def wait(self, timeout_s: float) -> AnyEncoder | None:
        """The encoder, waiting at most *timeout_s* seconds for it to load."""
        self.start_loading()
        self._settled.wait(timeout_s)
        return self._encoder

    def start_loading(self) -> None:
        """Load it now, if it is not loaded yet: a search ended, whose answer is all that it could hold up."""
        self._is_due.set()

    def await_due(self) -> None:
        """Return when the head start is over: loading begins."""
        if self._is_due.wait(self._head_start_s):
            time.sleep(ANSWER_S)

    def _load(self, load: Callable[[str], AnyEncoder | None]) -> None:
        self.await_due()
        if self._after:
            self._after._settled.wait()
        try:
            self._encoder = load(self.name)
        except ModelMissing as error:
            self.message = str(error)
            self._is_unreachable = isinstance(error, ModelUnreachable)
            _log.warning("model %s: %s", self.name, type(error).__name__)
            if self._substitute not in (None, self.name):
                self._load_substitute(self._substitute, load)
        except Exception:  # a broken library must cost the dense retriever only, and the user must learn of it
            self.message = f"the model {self.name!r} could not be loaded; run `quarry doctor` to see why"
            _log.exception("model %s failed to load", self.name)
        finally:
            self._settled.set()

    def _load_substitute(self, name: str, load: Callable[[str], AnyEncoder | None]) -> None:
        with suppress(ModelMissing):  # why the model itself is missing is what counts
            self._encoder = load(name)
            self.loaded_name = name
            self.message = f"{self.message}; until then, the model {name!r} answers"


class VectorModel:
    """
    The model in the settings, as it loads, and the one whose vectors the index has; in the end they are the same.

    A contextual model is loaded beside a static one, which answers until every chunk has a contextual vector. Changed
    on the indexing thread only.

    Args:
        load: Loads the static model of a name: the bundled one where the name is that of a contextual model.
        load_contextual: Loads the contextual model of a name; gives None where the name is that of a static model.
        activity: Told that vectors are made with another model.
        head_start_s: Of everything else before the first model is loaded; see `ModelSlot`.
        wait_s: How long `await_first` waits at most.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[str], Encoder],
        load_contextual: LoadContextual,
        activity: Activity,
        head_start_s: float,
        wait_s: float,
    ) -> None:
        self.load = load
        self.load_contextual = load_contextual
        self.slot = ModelSlot(name, load, head_start_s, substitute=BUNDLED_NAME)
        self._next_slot: ModelSlot[Encoder] | None = None  # the model that is missing, loading again
        self.contextual_slot = self._contextual_slot(name)  # None: the name is not that of a contextual model
        self._activity = activity
        self._wait_s = wait_s
        self._adopted: Fingerprint | None = None
        self._consent = _consent_for(name)  # when the models were loaded

    @property
    def encoder(self) -> Encoder | None:
        """The encoder whose vectors the index has; None while there is none."""
        encoder = self.slot.encoder
        return encoder if encoder and encoder.fingerprint == self._adopted else None

    def encoder_for(self, reader: Reader) -> Encoder | None:
        """The encoder that made the vectors *reader*, which says whose they are, sees; None while there is none."""
        encoder = self.slot.encoder
        return encoder if encoder and reader.meta_get(FINGERPRINT) == fingerprint_text(encoder.fingerprint) else None

    @property
    def contextual_encoder(self) -> ContextualEncoder | None:
        """The contextual encoder that the index is to be backfilled with; None while there is none."""
        return self.contextual_slot.encoder if self.contextual_slot else None

    def contextual_encoder_for(self, reader: Reader) -> ContextualEncoder | None:
        """The encoder whose contextual vectors answer in the snapshot of *reader*; None where the static ones do."""
        encoder = self.contextual_encoder
        return encoder if encoder and reader.contextual_model == fingerprint_text(encoder.fingerprint) else None

    @property
    def why_no_vectors(self) -> Message:
        """Why searches cannot go by meaning while `encoder_for` gives None, in a sentence."""
        name = self.slot.loaded_name
        match self.slot.state:
            case "loading":
                return message("status.model-loading")
            case "missing":
                return message("status.model-missing", model=name, detail=self.slot.message or "it is missing")
            case "ready":
                return message("status.vectors-pending", model=name)

    @property
    def fallback(self) -> Message | None:
        """Which model answers in place of the chosen one, in a sentence; None where that one answers or is coming."""
        slot, contextual = self.slot, self.contextual_slot
        is_contextual_gone = contextual is not None and contextual.why_not is not None
        if slot.encoder is None or (slot.loaded_name == slot.name and not is_contextual_gone):
            return None
        return message("freshness.fallback", chosen=slot.name, used=BUNDLED_NAME)

    @property
    def is_awaited(self) -> bool:
        """Whether a model is on its way that will have vectors to make."""
        return self.slot.state == "loading" or (self.slot.state == "ready" and self.encoder is None)

    def select(self, name: str) -> None:
        """
        Load the model called *name*, unless it is the one in use; again, after a while, where it is missing or the
        program that runs it is in trouble. It is loaded anew when the user of this device has confirmed something
        since.
        """
        version = _consent_for(name)
        if name != self.slot.name or version != self._consent:
            self.slot, self._next_slot = ModelSlot(name, self.load, substitute=BUNDLED_NAME), None
            self.contextual_slot = self._contextual_slot(name)
        elif self._next_slot:
            self._take_next()
        elif self.slot.may_recover:  # what answers now is kept until it is known whether the model is there
            self._next_slot = ModelSlot(name, self.load, substitute=BUNDLED_NAME)
        elif self.contextual_slot and self.contextual_slot.may_recover:
            self.contextual_slot = self._contextual_slot(name)
        self._consent = version

    def _take_next(self) -> None:
        if self._next_slot and self._next_slot.state != "loading":
            self.slot, self._next_slot = self._next_slot, None
            if self.slot.message is None:
                self.contextual_slot = self._contextual_slot(self.slot.name)

    def await_first(self) -> None:
        """Wait for the first model, once and for a bounded time: a download is not waited for."""
        self.slot.wait(self._wait_s)
        self._wait_s = 0.0

    def adopt(self, index: Index) -> bool:
        """Use a model that has come in for *index*. Returns whether vectors have to be made with it."""
        encoder = self.slot.encoder
        if encoder is None or encoder.fingerprint == self._adopted:
            return False
        before, model = index.static.model, fingerprint_text(encoder.fingerprint)
        index.static.choose(model)
        if before not in (None, model) and index.static.has_pending():
            _log.info("another model: vectors are computed again")
            self._activity.set_notice("model", message("status.vectors-pending", model=encoder.fingerprint.name))
        self._adopted = encoder.fingerprint
        return index.static.has_pending()

    def adopt_contextual(self, index: Index) -> ContextualEncoder | None:
        """
        Make room in *index* for contextual vectors of the model in use; returns its encoder, None without one.

        While that model is loading or missing, those of the model before stay.
        """
        slot = self.contextual_slot
        if slot is None or slot.is_of_another_kind:
            index.contextual.choose(None)
            return None
        if slot.encoder:
            index.contextual.choose(fingerprint_text(slot.encoder.fingerprint))
        return slot.encoder

    def index_replaced(self, index: Index) -> None:
        """Adopt the model that another *index*, now in use, has vectors of; None if it has none."""
        self._adopted = stored_fingerprint(index)

    def _contextual_slot(self, name: str) -> ModelSlot[ContextualEncoder] | None:
        return None if name == BUNDLED_NAME else ModelSlot(name, self.load_contextual, after=self.slot)


def _consent_for(name: str) -> int:
    """The version of what is confirmed, for a model that needs it."""
    return 0 if name == BUNDLED_NAME else consent.version()


class WorkerOptions(Struct, frozen=True):
    """How worker processes load the model of the serving one, and how many may run."""

    load: Callable[[str], Encoder]  # pickled by name: at the top of a module, or no process can load it
    model_name: str
    max_processes: int = MAX_PROCESSES  # at once
    limits: ProcessLimits = ProcessLimits()

    def encoder(self, fingerprint: Fingerprint) -> Encoder:
        """
        The model of that *fingerprint*.

        Raises:
            ProcessUnavailable: It is not there, or is another by now: the serving process has it in memory.
        """
        try:
            encoder = self.load(self.model_name)
        except QuarryError as error:
            raise ProcessUnavailable(str(error)) from error
        if encoder.fingerprint != fingerprint:
            raise ProcessUnavailable(f"the files of the model {self.model_name!r} changed; restart Quarry to use them")
        return encoder


def embedded_text(chunk: Chunk) -> str:
    """The text of *chunk* as the encoder sees it: context, section, text."""
    return "\n".join(filter(None, (chunk.context, chunk.section, chunk.text)))

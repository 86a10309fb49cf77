"""
An embedding model while it comes and goes: loaded off the search path, missing without harm.

A slot is `loading`, then `ready` or `missing` for good; another model is another slot. Searches look and go on by
keyword when there is nothing yet; only the indexing thread waits.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, Literal, TypeAlias, TypeVar

from quarry.embedding.encoder import ContextualEncoder, Encoder
from quarry.errors import ModelMissing

_log = logging.getLogger(__name__)

ANSWER_S = 0.005  # from the end of a search to its answer on the wire, which would take as long again beside loading

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
    ) -> None:
        """
        Begin to load the model called *name*.

        Args:
            load: May give None: there is no model of this kind by that name.
            head_start_s: Of everything else: loading keeps the interpreter busy for 20 ms on end, so it begins so much
                later, or as soon as `start_loading` or `wait` is called.
            after: Loaded first.
        """
        self.name = name
        self.message: str | None = None  # why it is missing and what to do
        self._encoder: AnyEncoder | None = None
        self._settled = threading.Event()
        self._is_due = threading.Event()
        self._head_start_s = head_start_s
        self._after = after
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
            _log.warning("model %s: %s", self.name, type(error).__name__)
        except Exception:  # a broken library must cost the dense retriever only, and the user must learn of it
            self.message = f"the model {self.name!r} could not be loaded; run `quarry doctor` to see why"
            _log.exception("model %s failed to load", self.name)
        finally:
            self._settled.set()

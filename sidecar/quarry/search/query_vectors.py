"""
The vectors that a query is compared by: contextual ones where they answer, else static ones.

A contextual network takes 5 to 50 ms for a query, and longer while it embeds notes on the same processor. A search
waits `WAIT_S` at most; a vector that comes later is cached for the same query asked again. A confidence goes by static
cosines either way, as it was fitted to them: a note is as probable an answer with a contextual model as without.
"""

import logging
import threading
from collections import OrderedDict

from msgspec import Struct

from quarry.embedding import ContextualEncoder, FloatVector
from quarry.errors import ModelUnreachable
from quarry.index import DenseQuery, Reader

_log = logging.getLogger(__name__)
WAIT_S = 0.12  # an answer within .15 s still feels immediate, and ranking takes the rest
KEPT = 256  # queries, half a megabyte: a word as it is typed leaves ten
MAX_WAITING = 4  # queries that wait for the encoder; of more, the oldest are answered without it


class ContextualVector(Struct, frozen=True):
    """A query by a contextual model."""

    vector: FloatVector  # shape (dim,), of unit length
    model: str  # its name: of Hugging Face, or of a folder

    @property
    def short_name(self) -> str:
        """The name of the model without that of its makers."""
        return self.model.rpartition("/")[2].rpartition("#")[2]


class ContextualQueries:
    """Embeds queries with *encoder*, on a thread of its own, until it is closed."""

    def __init__(self, encoder: ContextualEncoder, wait_s: float = WAIT_S) -> None:
        self.encoder = encoder
        self._wait_s = wait_s
        self._changed = threading.Condition()
        self._kept: OrderedDict[str, ContextualVector | None] = OrderedDict()  # None: there is nothing to compare
        self._waiting: list[str] = []  # the newest last, which is embedded first
        self._at_work: str | None = None
        self._is_late = False  # the query at work has taken longer than a search waits
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Let go of the encoder: no query is embedded any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def vector(self, text: str) -> ContextualVector | None:
        """The vector of *text*; None where it is near nothing, or cannot be had in time: static vectors then answer."""
        with self._changed:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
            if self._is_closed:
                return None
            if text != self._at_work and text not in self._waiting:
                self._waiting = [*self._waiting, text][-MAX_WAITING:]
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="quarry-query", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            if not self._is_late and not self._changed.wait_for(lambda: self._is_settled(text), self._wait_s):
                self._is_late = True
            return self._kept.get(text)

    def _is_settled(self, text: str) -> bool:
        """Whether waiting for *text* is over: it is embedded, or newer queries took its place."""
        return self._is_closed or text in self._kept or not (text == self._at_work or text in self._waiting)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or bool(self._waiting))
                if self._is_closed:
                    return
                text = self._at_work = self._waiting.pop()
            found = self._embed(text)
            with self._changed:
                self._is_late, self._at_work = False, None
                self._kept.update(found)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
                self._changed.notify_all()

    def _embed(self, text: str) -> dict[str, ContextualVector | None]:
        """What to keep for *text*: nothing where it could not be embedded, as that may pass."""
        try:
            vector = self.encoder.encode_query(text)
        except ModelUnreachable as error:  # which the status says
            _log.warning("a query could not be embedded: %s", type(error).__name__)
            return {}
        except Exception:  # whatever a network's library raises: static vectors answer
            _log.exception("a query could not be embedded by the contextual model")
            return {}
        return {text: ContextualVector(vector, self.encoder.fingerprint.name) if vector.any() else None}


class QueryEncoder:
    """The `ContextualQueries` of the contextual encoder in use; those of another are closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries: ContextualQueries | None = None

    def serving(
        self, encoder: ContextualEncoder | None, of_snapshot: ContextualEncoder | None
    ) -> ContextualQueries | None:
        """
        The queries of *encoder*, the one in use; None if a snapshot answers with static vectors.

        Args:
            of_snapshot: The encoder that made the contextual vectors of the snapshot, if they answer.
        """
        with self._lock:
            if self._queries and self._queries.encoder is not encoder:
                self._queries.close()
                self._queries = None
            if of_snapshot is None or of_snapshot is not encoder:  # chosen a moment ago
                return None
            self._queries = self._queries or ContextualQueries(encoder)
            return self._queries

    def close(self) -> None:
        """Let go of the encoder."""
        if self._queries:
            self._queries.close()


class DenseQueries(Struct, frozen=True):
    """One query by meaning, bound to one snapshot; None where there is nothing to compare."""

    ranking: DenseQuery | None = None  # proposes and ranks
    static: DenseQuery | None = None  # what a confidence goes by

    @classmethod
    def bind(cls, reader: Reader, vector: FloatVector | None, contextual: ContextualVector | None) -> "DenseQueries":
        """The query whose static vector is *vector*; with a *contextual* one, `contextual_model` must say whose."""
        static = reader.dense_query(vector) if vector is not None else None
        ranking = reader.contextual_query(contextual.vector, static) if contextual else None
        return cls(ranking or static, static)

    @property
    def is_contextual(self) -> bool:
        """Whether other vectors rank than those that a confidence goes by."""
        return self.ranking is not self.static

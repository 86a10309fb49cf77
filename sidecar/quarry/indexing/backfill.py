"""
The contextual backfill: every chunk and title gets a contextual vector, in idle time.

The network takes a second for what the rest of indexing does in a millisecond, so that it runs on a thread of its own.
The indexing thread only fetches the next batch and stores the one that is made, in milliseconds each: a saved note
never waits for the network. What is stored stays; what waits is what has no vector, the newest notes first, so that a
backfill that was cut short goes on where it stopped.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from quarry.embedding import ContextualEncoder, remote_origin
from quarry.errors import Cancelled, ModelUnreachable, QuarryError
from quarry.index import Index, PendingChunk, PendingTitle, quantize
from quarry.indexing.vector_model import ModelSlot, embedded_text

_log = logging.getLogger(__name__)
BATCH_CHUNKS = 64  # one or two seconds of a small model on one core: what a kill costs at most
BATCH_TITLES = 256  # of a few words each
END_S = 10.0  # a thread that is told to end is in the middle of a few texts
NICENESS = 10


BackfillState = Literal["loading", "missing", "running", "complete"]
"""
The contextual model is being loaded; it is not there or fails, and a message says why; vectors are being made with it;
every chunk and title has one.
"""


class BackfillStatus(Struct, frozen=True):
    """The state of the contextual model and its vectors, as a person is told it."""

    model: str
    state: BackfillState
    message: str | None  # why there are no vectors, or no more, and what to do
    done_chunks: int = 0
    total_chunks: int = 0
    remaining_ms: int | None = None  # None until the rate is known, and when it is complete
    sent_to: str | None = None  # where texts are sent, if that is another machine


NOTHING_KNOWN = BackfillStatus("", "running", None)


class _Batch(Struct, frozen=True):
    """Texts that are encoded together: chunks or titles, never both."""

    encoder: ContextualEncoder
    chunks: Sequence[PendingChunk] = ()
    titles: Sequence[PendingTitle] = ()

    @property
    def texts(self) -> list[str]:
        """The texts as the encoder sees them."""
        return [embedded_text(pending.chunk) for pending in self.chunks] or [title.title for title in self.titles]


class ContextualBackfill:
    """
    Backfills one index at a time; `advance` is called on the indexing thread until nothing waits.

    Args:
        request: Asks for `advance` to be called; on another thread.
    """

    def __init__(self, request: Callable[[], None]) -> None:
        self._request = request
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._batch: _Batch | None = None  # at work
        self._vectors: list[bytes] | None = None  # of the batch; None: they are being made
        self._is_stopping = False
        self._encoded_chunks, self._encoded_s = 0, 0.0
        self.encoder: ContextualEncoder | None = None  # of the last `advance`
        self.failure: str | None = None  # why it cannot go on, and what to do
        self.is_waiting = False  # for a program that runs the network to answer again: `advance` is to be called
        self._progress = NOTHING_KNOWN

    def advance(self, index: Index, encoder: ContextualEncoder | None) -> bool:
        """
        Store the batch that is made, if one is, and begin the next; None ends the backfill.

        Returns:
            Whether contextual vectors answer from now on, which did not before.

        Raises:
            IndexUnavailable, IndexDamaged: The index could not be written.
        """
        if encoder is not self.encoder:
            self.encoder, self.failure, self._progress = encoder, None, NOTHING_KNOWN
            self._encoded_chunks, self._encoded_s = 0, 0.0
        is_first_complete = self._store(index)
        if encoder is None:
            self._progress = NOTHING_KNOWN
        elif self._batch is None and self.failure is None and encoder.trouble is None:
            self.is_waiting = False
            self._begin(self._next_batch(index, encoder))
        if encoder is not None:
            self._measure(index)
        return is_first_complete

    def status(self, slot: ModelSlot[ContextualEncoder] | None) -> BackfillStatus | None:
        """The status of the backfill with the model of *slot*; None where no contextual model is chosen."""
        if slot is None or slot.is_of_another_kind:
            return None
        sent_to = remote_origin(slot.name) if slot.encoder else None
        trouble = slot.why_not or self.failure
        if slot.state != "ready" or trouble:
            state: BackfillState = "loading" if slot.state == "loading" else "missing"
            return BackfillStatus(slot.name, state, trouble, sent_to=sent_to)
        return replace(self._progress, model=slot.name, sent_to=sent_to)

    def stop(self) -> None:
        """End the thread; the batch at work is given up."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if self._thread:
            self._thread.join(END_S)

    # --- on the indexing thread ----------------------------------------------------------------

    def _store(self, index: Index) -> bool:
        """Store the vectors that are made, if they are of the model that is in use."""
        with self._changed:
            batch, vectors = self._batch, self._vectors
            if batch is None or vectors is None:
                return False
            self._batch = self._vectors = None
        if batch.encoder is not self.encoder or not vectors:
            return False
        return index.contextual.fill_in(
            [(p.chunk_id, p.content_hash, vector) for p, vector in zip(batch.chunks, vectors, strict=False)],
            [(p.note_id, p.title, vector) for p, vector in zip(batch.titles, vectors, strict=False)],
        )

    def _next_batch(self, index: Index, encoder: ContextualEncoder) -> _Batch | None:
        if chunks := index.contextual.pending_chunks(BATCH_CHUNKS):
            return _Batch(encoder, chunks=chunks)
        titles = index.contextual.pending_titles(BATCH_TITLES) if index.contextual.has_pending() else ()
        return _Batch(encoder, titles=titles) if titles else None

    def _begin(self, batch: _Batch | None) -> None:
        with self._changed:
            self._batch = batch
            self._changed.notify_all()
        if batch and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="quarry-backfill", daemon=True)
            self._thread.start()

    def _measure(self, index: Index) -> None:
        waiting = index.contextual.waiting_chunks()
        with index.reader() as reader:
            total = reader.chunk_count
        is_complete = self._batch is None and not index.contextual.has_pending()
        remaining_ms = None
        if self._encoded_chunks and not is_complete:
            remaining_ms = round(1000 * waiting * self._encoded_s / self._encoded_chunks)
        state: BackfillState = "complete" if is_complete else "running"
        self._progress = BackfillStatus("", state, None, total - waiting, total, remaining_ms)

    # --- on a thread of its own ----------------------------------------------------------------

    def _run(self) -> None:
        _be_nice()
        while batch := self._await_batch():
            begun_s = time.monotonic()
            try:
                vectors = self._encode(batch)
            except Cancelled:
                return
            except ModelUnreachable:  # the encoder says why
                self.is_waiting, vectors = True, []
            except Exception as error:  # searches go on by static vectors
                reason = str(error) if isinstance(error, QuarryError) else type(error).__name__
                self.failure = f"the model {batch.encoder.fingerprint.name!r} cannot embed the notes: {reason}"
                vectors = []
            if batch.chunks:
                self._encoded_chunks += len(batch.chunks)
                self._encoded_s += time.monotonic() - begun_s
            with self._changed:
                self._vectors = vectors
            self._request()

    def _encode(self, batch: _Batch) -> list[bytes]:
        """
        The vectors of *batch*; where a text makes the network fail, an empty one.

        Raises:
            Cancelled: It is time to end.
            ModelUnreachable: The program that runs the network is gone, not a text the cause.
            Exception: Whatever a network's library raises; it fails on every text.
        """
        try:
            return quantize(batch.encoder.encode_passages(batch.texts, self._check))
        except (Cancelled, ModelUnreachable):
            raise
        except Exception as error:
            _log.exception("the contextual backfill failed on a batch; its texts are tried one by one")
            failure = error
        vectors: list[bytes | None] = []
        for text in batch.texts:
            try:
                vectors += quantize(batch.encoder.encode_passages([text], self._check))
            except (Cancelled, ModelUnreachable):
                raise
            except Exception:
                vectors.append(None)
        if all(vector is None for vector in vectors):
            raise failure
        return [vector or b"" for vector in vectors]

    def _await_batch(self) -> _Batch | None:
        """The next batch to encode; None: it is time to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopping or (self._batch and self._vectors is None))
            return None if self._is_stopping else self._batch

    def _check(self) -> None:
        if self._is_stopping:
            raise Cancelled("the contextual backfill was asked to stop")


def _be_nice() -> None:
    """Have this thread stand behind everything else; only on Linux a thread has a niceness of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

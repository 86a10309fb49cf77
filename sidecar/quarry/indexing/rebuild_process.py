"""
The process that builds an index anew beside the one that answers: it alone writes that file, and ends with the parent.

It opens no socket, no lock and no other index. What it learns and logs is told to the serving process, which may hold
it up between two batches.
"""

import logging
import time
from collections.abc import Sequence
from functools import cached_property

from quarry.embedding.encoder import Encoder, Fingerprint, FloatMatrix
from quarry.errors import QuarryError
from quarry.indexing.messages import WorkerOptions
from quarry.indexing.parent import ParentConnection
from quarry.indexing.rebuild import Built, Continue, Failed, Logged, Progressed, RebuildSpec, build
from quarry.indexing.worker_process import ProcessUnavailable

TELL_EVERY_S = 0.1  # while there is nothing to tell, it is asked this often whether to go on


def main() -> None:
    """Build what the first message says."""
    parent = ParentConnection()
    spec = parent.take()
    assert isinstance(spec, RebuildSpec)
    logging.basicConfig(level=logging.INFO, handlers=[_ToParent(parent)])
    fingerprint = spec.fingerprint
    model: Encoder | None = _Model(spec.options, fingerprint) if fingerprint else None
    try:
        build(spec, _Remote(parent), lambda: model)
    except (QuarryError, OSError) as error:
        parent.tell(Failed(error))
    except Exception:
        logging.getLogger(__name__).exception("the index could not be rebuilt")
        raise
    else:
        parent.tell(Built())


class _Model:
    """The encoder, loaded when something is to be embedded here, which is rare: others do it that have it anyway."""

    def __init__(self, options: WorkerOptions, fingerprint: Fingerprint) -> None:
        self._options = options
        self.fingerprint = fingerprint
        self.dim = fingerprint.dim

    @cached_property
    def _loaded(self) -> Encoder:
        try:
            return self._options.encoder(self.fingerprint)
        except QuarryError as error:  # the serving process has it in memory
            raise ProcessUnavailable(str(error)) from error

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        return self._loaded.encode(texts)

    def vocabulary_coverage(self, text: str) -> float:
        return self._loaded.vocabulary_coverage(text)

    def is_word(self, word: str) -> bool:
        return self._loaded.is_word(word)


class _Remote:
    """The indexer's monitor (`indexer.RunMonitor`), in the serving process."""

    def __init__(self, parent: ParentConnection) -> None:
        self._parent = parent
        self._calls: list[tuple[str, tuple[object, ...]]] = []
        self._told_s = 0.0

    def scanned(self, excluded: int) -> None:
        self._calls.append(("scanned", (excluded,)))

    def planned(self, total: int) -> None:
        self._calls.append(("planned", (total,)))

    def advanced(self, chunk_count: int) -> None:
        self._calls.append(("advanced", (chunk_count,)))

    def indexed(self, path: str) -> None:
        self._calls.append(("indexed", (path,)))

    def removed(self, path: str) -> None:
        self._calls.append(("removed", (path,)))

    def report_degraded(self, message: str) -> None:
        self._calls.append(("report_degraded", (message,)))

    def is_superseded(self, path: str) -> bool:  # noqa: ARG002
        return False

    def changed_meanwhile(self, path: str) -> bool:  # noqa: ARG002
        return False  # the serving process brings the new index up to date with what was saved meanwhile

    def between_batches(self) -> None:
        if not self._calls and time.monotonic() < self._told_s + TELL_EVERY_S:
            return
        self._parent.tell(Progressed(tuple(self._calls)))
        self._calls.clear()
        assert isinstance(self._parent.take(), Continue)
        self._told_s = time.monotonic()


class _ToParent(logging.Handler):
    def __init__(self, parent: ParentConnection) -> None:
        super().__init__()
        self._parent = parent

    def emit(self, record: logging.LogRecord) -> None:
        self._parent.tell(Logged(record.name, record.levelno, self.format(record)))

"""What does the engine find? Indexes a vault and asks its queries, all in this process."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from quarry.engine import Engine, Status
from quarry.errors import BadQuery, DeadlineExceeded, IndexUnavailable
from quarry.evaluation.collections import JudgedQuery
from quarry.evaluation.measures import Run
from quarry.evaluation.systems import System
from quarry.vault.paths import nfc

LOOK_EVERY_S = 0.02  # at the indexing; small next to the second that the smallest vault takes


class Asked(Struct, frozen=True):
    """What came of asking."""

    run: Run
    refusals: tuple[str, ...]  # a sentence for each query that got no answer; it counts as one that found nothing
    seconds: float


@contextmanager
def indexed(vault: Path, index_path: Path, watch: Callable[[Status], None] = lambda _: None) -> Iterator[Engine]:
    """
    An engine whose index equals *vault*; *watch* is shown how far it is.

    Raises:
        IndexUnavailable: The vault cannot be indexed, or a retriever cannot serve: what would be judged then is not
            what its name says.
    """
    engine = Engine.open(vault, index_path)
    try:
        while engine.is_working:
            watch(engine.status())
            time.sleep(LOOK_EVERY_S)
        status = engine.status()
        watch(status)
        if status.state == "failed":
            raise IndexUnavailable(f"{vault} cannot be indexed: {status.message}")
        for leg, reason in status.missing.items():
            raise IndexUnavailable(f"the {leg} leg cannot serve, so nothing can be judged: {reason}")
        yield engine
    finally:
        engine.close()


def ask(
    engine: Engine, queries: Sequence[JudgedQuery], system: System, limit: int, ids: Mapping[str, str] | None = None
) -> Asked:
    """
    Ask *queries* one after another, each as typed.

    Args:
        ids: Path of a note in NFC -> id of its document; None: the path is the id.
    """
    run: dict[str, Sequence[str]] = {}
    refusals: list[str] = []
    started_s = time.perf_counter()
    for query in queries:
        try:
            answer = engine.search(system.request(query.text, limit))
        except (BadQuery, DeadlineExceeded) as error:
            refusals.append(f"{query.text!r}: {error}")
            continue
        paths = (nfc(hit.path) for hit in answer.hits)
        run[query.id] = tuple(paths if ids is None else (ids[path] for path in paths))
    return Asked(run, tuple(refusals), time.perf_counter() - started_s)

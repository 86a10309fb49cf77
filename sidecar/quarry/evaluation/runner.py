"""
How good is each system on each collection? The whole path: corpus, vault, index, runs, measures.

A collection is evaluated by indexing its vault with the real engine and asking its queries, one after another.
"""

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct

from quarry.engine import Engine, Status
from quarry.errors import BadQuery, DeadlineExceeded, IndexUnavailable, QuarryError
from quarry.evaluation.collections import Collection, JudgedQuery
from quarry.evaluation.corpus_cache import CachedCorpus, prepare
from quarry.evaluation.measures import Run, Values, measure
from quarry.evaluation.systems import SYSTEMS, System
from quarry.vault.paths import nfc

POLL_EVERY_S = 0.02  # of the indexing; little beside the second that the smallest vault takes
SHOWN_REFUSALS = 3

Show = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


class EvaluationTask(Struct, frozen=True):
    """A collection, the systems to evaluate on it, and where its files go."""

    collection: Collection
    systems: tuple[str, ...]
    limit: int  # hits a query
    folder: Path  # for vaults and indexes
    keep: bool


class SystemRun(Struct, frozen=True):
    """The answers of one system to the queries of one collection."""

    run: Run
    refusals: tuple[str, ...]  # a sentence for each query without an answer; it counts as one that found nothing
    seconds: float


class Evaluation(Struct, frozen=True):
    """The runs and measures of all systems on one collection."""

    name: str
    queries: tuple[JudgedQuery, ...]
    runs: Mapping[str, Run]  # by system
    values: Mapping[str, Mapping[str, Values]]  # by system and query id
    remarks: tuple[str, ...]  # what is odd about the collection, and what failed
    seconds: float  # spent searching


def evaluate(task: EvaluationTask, show: Show = lambda *_: None) -> Evaluation:
    """
    Evaluate the systems of *task* on its collection.

    Raises:
        BadCollection: A document cannot be read.
        IndexUnavailable: The vault cannot be indexed, or a retriever is not available.
        ExtraMissing: The library of measures is not installed.
    """
    collection = task.collection
    show(f"{collection.name}: writing", 0, 0)
    corpus = prepare(collection, task.folder, keep=task.keep)

    def watch(status: Status) -> None:
        if status.progress:
            show(f"{collection.name}: indexing", status.progress.done_notes, status.progress.total_notes)

    with indexed(corpus.vault, corpus.index_path, watch) as engine:
        remarks = _remarks(collection, corpus, engine)
        runs: dict[str, Run] = {}
        seconds = 0.0
        for number, system in enumerate(task.systems):
            show(f"{collection.name}: searching", number, len(task.systems))
            answered = ask(engine, collection.queries, SYSTEMS[system], task.limit, corpus.ids)
            runs[system] = answered.run
            seconds += answered.seconds
            if answered.refusals:
                shown = "; ".join(answered.refusals[:SHOWN_REFUSALS])
                remarks.append(f"{system}: {len(answered.refusals)} queries got no answer, which counts as 0: {shown}")
    values = {system: measure(collection.queries, run) for system, run in runs.items()}
    return Evaluation(collection.name, collection.queries, runs, values, tuple(remarks), seconds)


def evaluate_all(tasks: Sequence[EvaluationTask], workers: int, show: Show = lambda *_: None) -> Iterator[Evaluation]:
    """
    Evaluate collections in *workers* processes; results come in the order of *tasks*. Raises as `evaluate`.

    Processes are spawned, not forked: the engine has threads.
    """
    if min(workers, len(tasks)) < 2:
        for task in tasks:
            yield evaluate(task, show)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _end_on_interrupt) as pool:
        # Started largest first, so that a large one does not come last and alone.
        started = {id(task): pool.submit(evaluate, task) for task in sorted(tasks, key=_size, reverse=True)}
        try:
            for number, task in enumerate(tasks):
                show("collections", number, len(tasks))
                yield started[id(task)].result()
        except BaseException:  # also when the caller closes this generator: what has not started need not
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def indexed(vault: Path, index_path: Path, watch: Callable[[Status], None] = lambda _: None) -> Iterator[Engine]:
    """
    Open an engine whose index equals *vault*; *watch* is called with its status meanwhile.

    Raises:
        IndexUnavailable: The vault cannot be indexed, or a retriever is not available, so that the system evaluated
            would not be the one named.
    """
    engine = Engine.open(vault, index_path)
    try:
        while engine.is_working:
            watch(engine.status())
            time.sleep(POLL_EVERY_S)
        status = engine.status()
        watch(status)
        if status.state == "failed":
            raise IndexUnavailable(f"{vault} cannot be indexed: {status.message}")
        for retriever, reason in status.missing.items():
            raise IndexUnavailable(f"the {retriever} retriever is not available, so nothing can be evaluated: {reason}")
        yield engine
    finally:
        engine.close()


def ask(
    engine: Engine, queries: Sequence[JudgedQuery], system: System, limit: int, ids: Mapping[str, str] | None = None
) -> SystemRun:
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
        except QuarryError:
            raise
        except Exception as error:  # a defect of ours costs one query, not the hours of all
            refusals.append(f"{query.text!r}: the search failed ({type(error).__name__}: {error})")
            continue
        paths = (nfc(hit.path) for hit in answer.hits)
        run[query.id] = tuple(paths if ids is None else (ids[path] for path in paths))
    return SystemRun(run, tuple(refusals), time.perf_counter() - started_s)


# --- steps -------------------------------------------------------------------------------------


def _end_on_interrupt() -> None:
    """Have Ctrl-C, which every process of a terminal gets, end a worker without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _size(task: EvaluationTask) -> int:
    return len(task.collection.queries) * len(task.systems)


def _remarks(collection: Collection, corpus: CachedCorpus, engine: Engine) -> list[str]:
    status = engine.status()
    remarks = []
    if collection.unjudged:
        remarks.append(f"{collection.unjudged} queries are left out: nothing is judged relevant to them")
    if collection.orphan_qrels:
        remarks.append(f"{collection.orphan_qrels} judgments are of queries that are not there")
    if unknown := _unknown_documents(collection, corpus):
        remarks.append(f"{unknown} judgments name documents that are not there; they count as never found")
    if corpus.ids is not None and status.notes < len(corpus.ids):
        remarks.append(f"{len(corpus.ids) - status.notes} of {len(corpus.ids)} documents are not indexed")
    if status.problem_count:
        first = status.problems[0]
        remarks.append(f"{status.problem_count} problems while indexing, the first: {first.path}: {first.reason}")
    return remarks


def _unknown_documents(collection: Collection, corpus: CachedCorpus) -> int:
    judged = [document for query in collection.queries for document in query.grades]
    if corpus.ids is None:
        known = {nfc(file.relative_to(corpus.vault).as_posix()) for file in corpus.vault.rglob("*")}
    else:
        known = set(corpus.ids.values())
    return sum(document not in known for document in judged)

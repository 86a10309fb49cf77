"""
Runs of judged queries by the real engine, and their measures.

The measures are those of trec_eval, by `ir_measures`. nDCG has gain = grade and discount log2(rank + 1) (Järvelin and
Kekäläinen 2002); the binary measures count a grade of 1 as relevant. A judged document that the corpus lacks is missed.
"""

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded, ExtraMissing, IndexUnavailable, QuarryError
from quarry.evaluation.collections import Collection, JudgedQuery
from quarry.evaluation.corpus import Corpus, prepare
from quarry.inspection.index_status import Status
from quarry.options import Fusion, Mode, SearchOptions
from quarry.vault.paths import nfc

if TYPE_CHECKING:
    from ir_measures.measures import Measure

NO_TOKEN_LIMIT = 10**9  # no answer is cut
NO_SNIPPETS = 0  # characters; quoting would cost twenty times what ranking does
POLL_EVERY_S = 0.02  # of the indexing; little beside the second that the smallest vault takes
SHOWN_REFUSALS = 3

Show = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

Run = Mapping[str, Sequence[str]]
"""Query id -> ids of the documents found, best first, none twice."""

Values = Mapping[str, float]
"""Measure -> value, from 0 to 1."""

MEASURES = ("nDCG@5", "nDCG@10", "R@10", "R@100", "MRR", "Hit@1")
MAIN = "nDCG@10"
DEPTH = 100  # of a run; no measure looks further down


class System(Struct, frozen=True):
    """A mode and a fusion method of the engine."""

    mode: Mode
    fusion: Fusion

    def request(self, query: str, limit: int) -> SearchOptions:
        """The request for *query* as typed: *limit* hits, without snippets."""
        return SearchOptions(
            query=query,
            limit=limit,
            mode=self.mode,
            fusion=self.fusion,
            snippet_width=NO_SNIPPETS,
            max_tokens=NO_TOKEN_LIMIT,
            expand_small_results=False,
        )


SYSTEMS: Mapping[str, System] = {
    "keyword": System("keyword", "rrf"),  # the published keyword retriever: the baseline that never changes
    "semantic": System("semantic", "rrf"),
    "rrf": System("hybrid", "rrf"),  # the published fusion
    "six-signals": System("hybrid", "six-signals"),  # another published system
    "six-signals-keyword": System("keyword", "six-signals"),  # its weights without vectors
    "default": System("hybrid", "convex"),
    "default-keyword": System("keyword", "convex"),
    "default-semantic": System("semantic", "convex"),
}
CONFIDENT = ("default", "default-keyword", "default-semantic")  # each has weights of its own for confidence
USUAL = ("keyword", "semantic", "rrf", "default")


class EvaluationTask(Struct, frozen=True):
    """A collection, the systems to evaluate on it, and where its files go."""

    collection: Collection
    systems: tuple[str, ...]
    limit: int  # hits per query
    folder: Path  # for vaults and indexes


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
    corpus = prepare(collection, task.folder)

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


def measure(queries: Sequence[JudgedQuery], run: Run) -> dict[str, Values]:
    """
    Query id -> its values, for every one of *queries*; all 0 where the run has nothing for it.

    Raises:
        ExtraMissing: `ir_measures` is not installed.
    """
    name_of = {measure: name for name, measure in measures().items()}
    values = {query.id: dict.fromkeys(MEASURES, 0.0) for query in queries}
    qrels = {query.id: dict(query.grades) for query in queries}
    # trec_eval ranks by score and breaks ties by name: scores that are ranks leave the order as it is.
    scored = {
        query.id: {document: float(-rank) for rank, document in enumerate(run.get(query.id, ())[:DEPTH])}
        for query in queries
    }
    import ir_measures

    for found in ir_measures.iter_calc(list(name_of), qrels, scored):
        values[found.query_id][name_of[found.measure]] = float(found.value)
    return dict(values)


def means(values: Iterable[Values]) -> dict[str, float]:
    """The mean of each measure over the queries; zeros for no query at all."""
    rows = list(values)
    return {name: sum(row[name] for row in rows) / max(len(rows), 1) for name in MEASURES}


def measures() -> dict[str, "Measure"]:
    """
    The measures of `ir_measures` by name.

    Raises:
        ExtraMissing: `ir_measures` is not installed.
    """
    try:
        from ir_measures import RR, R, Success, nDCG
    except ImportError as error:
        raise ExtraMissing("measuring needs ir-measures, which comes with the extra `eval`", "eval") from error
    return dict(zip(MEASURES, (nDCG @ 5, nDCG @ 10, R @ 10, R @ 100, RR, Success @ 1), strict=True))


# --- steps -------------------------------------------------------------------------------------


def _end_on_interrupt() -> None:
    """Have Ctrl-C, which every process of a terminal gets, end a worker without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _size(task: EvaluationTask) -> int:
    return len(task.collection.queries) * len(task.systems)


def _remarks(collection: Collection, corpus: Corpus, engine: Engine) -> list[str]:
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


def _unknown_documents(collection: Collection, corpus: Corpus) -> int:
    judged = [document for query in collection.queries for document in query.grades]
    if corpus.ids is None:
        known = {nfc(file.relative_to(corpus.vault).as_posix()) for file in corpus.vault.rglob("*")}
    else:
        known = set(corpus.ids.values())
    return sum(document not in known for document in judged)

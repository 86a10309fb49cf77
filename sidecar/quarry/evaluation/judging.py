"""How good is each system on each collection? The whole way: corpus, vault, index, runs, values."""

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct

from quarry.engine import Engine, Status
from quarry.evaluation.collections import Collection, JudgedQuery
from quarry.evaluation.keeping import Prepared, prepare
from quarry.evaluation.measures import Run, Values, measure
from quarry.evaluation.running import ask, indexed
from quarry.evaluation.systems import SYSTEMS
from quarry.vault.paths import nfc

Show = Callable[[str, int, int], None]
"""Told what is being done, and how much of how much of it is."""

SHOWN_REFUSALS = 3


class Task(Struct, frozen=True):
    """What to judge, and how."""

    collection: Collection
    systems: tuple[str, ...]
    limit: int  # hits a query
    folder: Path  # for vaults and indexes
    keep: bool


class Judged(Struct, frozen=True):
    """What came out for one collection."""

    name: str
    queries: tuple[JudgedQuery, ...]
    runs: Mapping[str, Run]  # by system
    values: Mapping[str, Mapping[str, Values]]  # by system and query id
    remarks: tuple[str, ...]  # what is odd about the collection or went wrong, in words
    seconds: float  # spent searching


def judge(task: Task, show: Show = lambda *_: None) -> Judged:
    """
    Judge one collection.

    Raises:
        BadCollection: A document cannot be read.
        IndexUnavailable: The vault cannot be indexed, or a retriever cannot serve.
        ExtraMissing: There is nothing to measure with.
    """
    collection = task.collection
    show(f"{collection.name}: writing", 0, 0)
    prepared = prepare(collection, task.folder, keep=task.keep)

    def watch(status: Status) -> None:
        if status.progress:
            show(f"{collection.name}: indexing", status.progress.done_notes, status.progress.total_notes)

    with indexed(prepared.vault, prepared.index_path, watch) as engine:
        remarks = _remarks(collection, prepared, engine)
        runs: dict[str, Run] = {}
        seconds = 0.0
        for number, system in enumerate(task.systems):
            show(f"{collection.name}: searching", number, len(task.systems))
            asked = ask(engine, collection.queries, SYSTEMS[system], task.limit, prepared.ids)
            runs[system] = asked.run
            seconds += asked.seconds
            if asked.refusals:
                shown = "; ".join(asked.refusals[:SHOWN_REFUSALS])
                remarks.append(f"{system}: {len(asked.refusals)} queries got no answer, which counts as 0: {shown}")
    values = {system: measure(collection.queries, run) for system, run in runs.items()}
    return Judged(collection.name, collection.queries, runs, values, tuple(remarks), seconds)


def judge_all(tasks: Sequence[Task], workers: int, show: Show = lambda *_: None) -> Iterator[Judged]:
    """
    Judge collections in *workers* processes, in the order of *tasks*; as `judge`.

    A process is spawned, not forked: the engine has threads.
    """
    if min(workers, len(tasks)) < 2:
        for task in tasks:
            yield judge(task, show)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_at_once) as pool:
        # Started in order of size, so that a large one does not come last and alone.
        started = {id(task): pool.submit(judge, task) for task in sorted(tasks, key=_size, reverse=True)}
        try:
            for number, task in enumerate(tasks):
                show("collections", number, len(tasks))
                yield started[id(task)].result()
        except BaseException:  # also when whoever listens has had enough: what is waiting need not begin
            pool.shutdown(cancel_futures=True)
            raise


def _leave_at_once() -> None:
    """Have Ctrl-C, which every process of a terminal gets, end a worker without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _size(task: Task) -> int:
    return len(task.collection.queries) * len(task.systems)


def _remarks(collection: Collection, prepared: Prepared, engine: Engine) -> list[str]:
    status = engine.status()
    remarks = []
    if collection.unjudged:
        remarks.append(f"{collection.unjudged} queries are left out: nothing is judged relevant to them")
    if collection.strays:
        remarks.append(f"{collection.strays} judgments are of queries that are not there")
    if unknown := _unknown(collection, prepared):
        remarks.append(f"{unknown} judgments name documents that are not there; they count as never found")
    if prepared.ids is not None and status.notes < len(prepared.ids):
        remarks.append(f"{len(prepared.ids) - status.notes} of {len(prepared.ids)} documents are not indexed")
    if status.problem_count:
        first = status.problems[0]
        remarks.append(f"{status.problem_count} problems while indexing, the first: {first.path}: {first.reason}")
    return remarks


def _unknown(collection: Collection, prepared: Prepared) -> int:
    judged = [document for query in collection.queries for document in query.grades]
    if prepared.ids is None:
        known = {nfc(file.relative_to(prepared.vault).as_posix()) for file in prepared.vault.rglob("*")}
    else:
        known = set(prepared.ids.values())
    return sum(document not in known for document in judged)

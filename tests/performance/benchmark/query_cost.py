"""
What does a query cost? The retrievers alone, the whole query, and prefixes of words as they are typed.

Runs in a process of its own (`measurement.run_in_subprocess`). CPU time is that of the asking thread, so that what the
engine does when idle is not counted; `process_cpu_ms` is the mean of the whole process, threads of libraries included.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec.structs import replace

from benchmark.measurement import Percentiles, median, memory_mb, named_percentiles, percentiles
from quarry.embedding import Encoder, load_encoder
from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded
from quarry.evaluation.runner import indexed
from quarry.index import CHUNK_WEIGHTS, Deadline, Index, KeywordQuery, Reader
from quarry.options import Retriever, Scope, SearchOptions
from quarry.query.parse import parse_query
from quarry.search.rrf import DEPTH, fuse

WARM_UP = 20  # queries before the warm figures; the first of them are the cold ones
COLD = 5
COUNTED = 50  # queries whose Python calls are counted
TIMEOUT_S = 60.0
WEIGHTS: Mapping[Retriever, float] = {"keyword": 1.0, "dense": 1.0}
LIMIT = 10
REQUEST = SearchOptions(query="", limit=LIMIT, detail="full", snippet_width=120)
PREFIX_LENGTHS = (3, 4, 5, 6)  # letters typed of a word


def measure_queries(vault: Path, index_path: Path, texts: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """The figures of one size: those of `results.QUERY_KEYS`, and further ones."""
    with indexed(vault, index_path) as engine:
        begun_s, cpu_begun_s = time.perf_counter(), time.process_time()
        whole = _time_queries(engine, [replace(REQUEST, query=text) for text in texts])
        process_cpu_ms = (time.process_time() - cpu_begun_s) * 1000 / max(1, whole.asked)
        seconds = time.perf_counter() - begun_s
        one_word = _time_queries(engine, [replace(REQUEST, query=word) for word in words])
        typed = [replace(REQUEST, query=prefix, typing=True) for prefix in prefixes(words)]
        typing = _time_queries(engine, typed)
        status = engine.status()
        memory = memory_mb()
        answered = [text for text in texts if _is_query(text)][:COUNTED]
        calls = count_python_calls(lambda text: engine.search(replace(REQUEST, query=text)), answered)
    retrievers = measure_retrievers(index_path, list(filter(_is_query, texts)))  # last: an index and a model of its own
    return {
        "legs_cpu_ms": retrievers.pop("whole"),
        "engine_cpu_ms": percentiles(whole.cpu_ms),
        "socket_wall_ms": None,
        "prefix_cpu_ms": percentiles(one_word.cpu_ms + typing.cpu_ms),
        "rss_mb": memory.get("private"),
        "python_calls": calls,
        "memory_mb": memory,
        "files": status.notes,
        "chunks": status.chunks,
        "stages_cpu_ms": retrievers,
        "engine_wall_ms": percentiles(whole.wall_ms),
        "engine_cold_cpu_ms": [round(taken, 3) for taken in whole.cold_cpu_ms],
        "process_cpu_ms": round(process_cpu_ms, 4),
        "queries_a_second": round(whole.asked / seconds, 1),
        "one_word_cpu_ms": percentiles(one_word.cpu_ms),
        "typing_cpu_ms": percentiles(typing.cpu_ms),
        "queries": whole.asked,
        "refused": whole.refused + one_word.refused + typing.refused,
    }


def measure_retrievers(index_path: Path, texts: Sequence[str]) -> dict[str, Percentiles]:
    """CPU of parsing and embedding a query, both retrievers and fusion: of the `whole`, and of each step."""
    encoder = load_encoder()
    index = Index.open(index_path)
    taken: dict[str, list[float]] = {name: [] for name in ("whole", "read", "encode", "keyword", "dense", "fuse")}
    try:
        for text in texts[:WARM_UP]:
            with index.reader() as reader:
                _clock_retrievers(reader, encoder, text)
        for text in texts:
            with index.reader() as reader:
                marks = _clock_retrievers(reader, encoder, text)
            for name, begun, ended in zip(list(taken)[1:], marks[:-1], marks[1:], strict=True):
                taken[name].append((ended - begun) / 1e6)
            taken["whole"].append((marks[-1] - marks[0]) / 1e6)
    finally:
        index.close()
    return named_percentiles(taken)


def count_python_calls(work: Callable[[str], object], items: Sequence[str]) -> dict[str, float] | None:
    """
    The `mean` and the median (`p50`) number of Python calls that *work* makes on this thread for one of *items*.

    A call of a function counts, and so does each resumption of a generator; calls of C functions do not. Nothing is
    timed meanwhile, as being counted slows every call. None where there are no items.
    """
    if not items:
        return None
    calls = 0
    counts: list[int] = []

    def profile(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        for item in items:
            calls = 0
            work(item)
            counts.append(calls)
    finally:
        sys.setprofile(before)
    return {"mean": round(sum(counts) / len(counts), 1), "p50": median(counts)}


def prefixes(words: Sequence[str]) -> list[str]:
    """Prefixes of *words*, as they stand in the search box while words are typed."""
    cut = [word[:letters] for word in words for letters in PREFIX_LENGTHS if letters < len(word)]
    return list(dict.fromkeys(cut))[: 2 * len(words)]


class _QueryTimes:
    """CPU and wall time of each query once warm, and of the first ones, cold."""

    def __init__(self) -> None:
        self.cold_cpu_ms: list[float] = []
        self.cpu_ms: list[float] = []
        self.wall_ms: list[float] = []
        self.asked = 0
        self.refused = 0


def _time_queries(engine: Engine, requests: Sequence[SearchOptions]) -> _QueryTimes:
    asked = _QueryTimes()
    for number, request in enumerate([*requests[:WARM_UP], *requests]):
        cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
        try:
            engine.search(request)
        except (
            BadQuery,
            DeadlineExceeded,
        ):  # some texts cannot be parsed; a slow query counts as the time until its deadline
            asked.refused += 1
        cpu_ms, wall_ms = (time.thread_time_ns() - cpu) / 1e6, (time.perf_counter_ns() - wall) / 1e6
        asked.asked += 1
        if number < COLD:
            asked.cold_cpu_ms.append(cpu_ms)
        if number >= min(WARM_UP, len(requests)):
            asked.cpu_ms.append(cpu_ms)
            asked.wall_ms.append(wall_ms)
    return asked


def _is_query(text: str) -> bool:
    """Whether *text* can be parsed; one that holds an operator by chance may not."""
    try:
        parse_query(text, Scope(), now=_now())
    except BadQuery:
        return False
    return True


def _now() -> datetime:
    return datetime.now()  # noqa: DTZ005 - as the engine does


def _clock_retrievers(
    reader: Reader, encoder: Encoder, text: str, clock: Callable[[], int] = time.thread_time_ns
) -> list[int]:
    """Ask both retrievers; the clock before the first step and after each."""
    deadline = Deadline.after(TIMEOUT_S)
    marks = [clock()]
    query = parse_query(text, Scope(), now=_now())
    lexical_query = KeywordQuery.of(query.words)
    marks.append(clock())
    vector = encoder.encode([query.text])[0]
    marks.append(clock())
    words = reader.keywords.query(lexical_query, deadline=deadline).top_chunks(None, DEPTH, CHUNK_WEIGHTS)
    keyword = reader.candidates(words)
    marks.append(clock())
    dense = reader.dense(vector, None, DEPTH, deadline=deadline)
    marks.append(clock())
    fuse(keyword, dense, WEIGHTS)
    marks.append(clock())
    return marks

"""
What does a query cost? The legs alone, the whole query, and what is typed before it is one.

Runs in a process of its own (`measuring.apart`). CPU time is of the asking thread, so that what the engine does beside
it when idle is not counted; `process_cpu_ms` has the mean of everything, threads of libraries included.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from quarry.bench.indexing import wait_until_whole
from quarry.bench.measuring import Spread, memory_mb, merged, spread
from quarry.embedding import Encoder, load_encoder
from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded
from quarry.index import Deadline, Index, LexicalQuery, Reader
from quarry.ranking.fusion import DEPTH, fuse
from quarry.text.query import parse_query
from quarry.types import Retriever, Scope, SearchRequest

WARM_UP = 20  # queries before the warm figures; the first of them are the cold ones
COLD = 5
TIMEOUT_S = 60.0
WEIGHTS: Mapping[Retriever, float] = {"lexical": 1.0, "dense": 1.0}
LIMIT = 10
BEGINNINGS = (3, 4, 5, 6)  # letters typed of a word


def measure_queries(vault: Path, index_path: Path, texts: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """The figures of one size: those that the document names, and more beside them."""
    legs = measure_legs(index_path, list(filter(_is_query, texts)))
    engine = Engine.open(vault, index_path)
    try:
        wait_until_whole(engine)
        begun_s, cpu_begun_s = time.perf_counter(), time.process_time()
        whole = _asked(engine, [SearchRequest(text, limit=LIMIT) for text in texts])
        process_cpu_ms = (time.process_time() - cpu_begun_s) * 1000 / max(1, whole.asked)
        seconds = time.perf_counter() - begun_s
        one_word = _asked(engine, [SearchRequest(word, limit=LIMIT) for word in words])
        typed = [SearchRequest(beginning, limit=LIMIT, typing=True) for beginning in beginnings(words)]
        beginning = _asked(engine, typed)
        status = engine.status()
        memory = memory_mb()
    finally:
        engine.close()
    return {
        "legs_cpu_ms": legs.pop("whole"),
        "engine_cpu_ms": spread(whole.cpu_ms),
        "socket_wall_ms": None,
        "prefix_cpu_ms": spread(one_word.cpu_ms + beginning.cpu_ms),
        "rss_mb": memory.get("private"),
        "memory_mb": memory,
        "files": status.notes,
        "chunks": status.chunks,
        "stages_cpu_ms": legs,
        "engine_wall_ms": spread(whole.wall_ms),
        "engine_cold_cpu_ms": [round(taken, 3) for taken in whole.cold_cpu_ms],
        "process_cpu_ms": round(process_cpu_ms, 4),
        "queries_a_second": round(whole.asked / seconds, 1),
        "one_word_cpu_ms": spread(one_word.cpu_ms),
        "typing_cpu_ms": spread(beginning.cpu_ms),
        "queries": whole.asked,
        "refused": whole.refused + one_word.refused + beginning.refused,
    }


def measure_legs(index_path: Path, texts: Sequence[str]) -> dict[str, Spread]:
    """CPU of both retrievers and their fusion, a query read and embedded included: `whole`, and each step."""
    encoder = load_encoder()
    index = Index.open(index_path)
    taken: dict[str, list[float]] = {name: [] for name in ("whole", "read", "encode", "lexical", "dense", "fuse")}
    try:
        for text in texts[:WARM_UP]:
            with index.reader() as reader:
                _legs(reader, encoder, text)
        for text in texts:
            with index.reader() as reader:
                marks = _legs(reader, encoder, text)
            for name, begun, ended in zip(list(taken)[1:], marks[:-1], marks[1:], strict=True):
                taken[name].append((ended - begun) / 1e6)
            taken["whole"].append((marks[-1] - marks[0]) / 1e6)
    finally:
        index.close()
    return merged(taken)


def beginnings(words: Sequence[str]) -> list[str]:
    """What stands in the box while *words* are typed."""
    cut = [word[:letters] for word in words for letters in BEGINNINGS if letters < len(word)]
    return list(dict.fromkeys(cut))[: 2 * len(words)]


class _Asked:
    """What came of asking: CPU and wall of each query that was answered, warm; and of the first ones, cold."""

    def __init__(self) -> None:
        self.cold_cpu_ms: list[float] = []
        self.cpu_ms: list[float] = []
        self.wall_ms: list[float] = []
        self.asked = 0
        self.refused = 0


def _asked(engine: Engine, requests: Sequence[SearchRequest]) -> _Asked:
    asked = _Asked()
    for number, request in enumerate([*requests[:WARM_UP], *requests]):
        cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
        try:
            engine.search(request)
        except (BadQuery, DeadlineExceeded):  # some texts are no query; a slow one counts as what it took
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
    """Whether *text* can be read; a question with an operator in it by chance may not."""
    try:
        parse_query(text, Scope(), now=_now())
    except BadQuery:
        return False
    return True


def _now() -> datetime:
    return datetime.now()  # noqa: DTZ005 - as the engine does


def _legs(reader: Reader, encoder: Encoder, text: str, clock: Callable[[], int] = time.thread_time_ns) -> list[int]:
    """Ask both retrievers; the clock before and after each step."""
    deadline = Deadline.after(TIMEOUT_S)
    marks = [clock()]
    query = parse_query(text, Scope(), now=_now())
    lexical_query = LexicalQuery.of(query.words)
    marks.append(clock())
    vector = encoder.encode([query.text])[0]
    marks.append(clock())
    lexical = reader.lexical(lexical_query, None, DEPTH, deadline=deadline) if not lexical_query.is_empty else ()
    marks.append(clock())
    dense = reader.dense(vector, None, DEPTH, deadline=deadline)
    marks.append(clock())
    fuse(lexical, dense, WEIGHTS)
    marks.append(clock())
    return marks

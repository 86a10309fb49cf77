"""
The cost of the published design, for each figure that `npm run bench` measures.

Each function runs in a process of its own, as its counterpart for ours does.
"""

import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmark.corpora import find_notes
from benchmark.index_cost import SAVE_PERCENTILES, discard_index
from benchmark.measurement import each_ms, memory_mb, percentiles
from benchmark.query_cost import COUNTED, LIMIT, WARM_UP, count_python_calls, prefixes
from published import PublishedIndex, load_model


def index_whole(vault: Path, index_path: Path, limit: int | None = None) -> dict[str, int]:
    """Index *vault* anew, up to *limit* chunks."""
    discard_index(index_path)
    with closing(PublishedIndex(index_path, load_model())) as index:
        paths = find_notes(vault)
        return {"files": len(paths), "chunks": index.index(vault, paths, limit)}


def measure_queries(index_path: Path, texts: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """As `querying.measure_queries`. Nothing was published of a socket, so there is no figure of one."""
    clock = time.thread_time_ns
    with closing(PublishedIndex(index_path, load_model())) as index:
        for text in texts[:WARM_UP]:
            index.search(text)
        legs = each_ms(index.legs, texts, clock)
        whole = each_ms(lambda text: index.search(text, LIMIT), texts, clock)
        one_word = each_ms(lambda word: index.search(word, LIMIT), words, clock)
        typed = each_ms(lambda word: index.search(word, LIMIT, typing=True), prefixes(words), clock)
        memory = memory_mb()
        calls = count_python_calls(lambda text: index.search(text, LIMIT), texts[:COUNTED])
        return {
            "legs_cpu_ms": percentiles(legs),
            "engine_cpu_ms": percentiles(whole),
            "socket_wall_ms": None,
            "prefix_cpu_ms": percentiles(one_word + typed),
            "rss_mb": memory.get("private"),
            "python_calls": calls,
            "memory_mb": memory,
            "chunks": index.chunk_count,
            "one_word_cpu_ms": percentiles(one_word),
            "typing_cpu_ms": percentiles(typed),
        }


def save_notes(vault: Path, index_path: Path, count: int) -> dict[str, Any]:
    """As `indexing.save_notes`; the files stay as they are, which makes no difference to it."""
    with closing(PublishedIndex(index_path, load_model())) as index:
        paths = find_notes(vault)
        chosen = [paths[number * len(paths) // count] for number in range(count)]
        return {
            "wall": percentiles(
                each_ms(lambda path: index.save(vault, path), chosen, time.perf_counter_ns), SAVE_PERCENTILES
            )
        }


def unchanged_ms(vault: Path, index_path: Path) -> float:
    """From opening to knowing that nothing changed; wall."""
    begun_s = time.perf_counter()
    with closing(PublishedIndex(index_path, None)) as index:
        index.is_unchanged(vault, find_notes(vault))
        return (time.perf_counter() - begun_s) * 1000


def first_answers_ms(index_path: Path, text: str) -> dict[str, float]:
    """From the start of the process, its imports included, to the first answer: by keyword, and by both."""
    since_start_s = _age_s()
    begun_s = time.perf_counter()
    with closing(PublishedIndex(index_path, None)) as index:
        index.search(text)
        keyword_s = time.perf_counter() - begun_s
        index.model = load_model()
        index.search(text)
        hybrid_s = time.perf_counter() - begun_s
    return {"keyword": (since_start_s + keyword_s) * 1000, "hybrid": (since_start_s + hybrid_s) * 1000}


def search_while_indexing(
    vault: Path, index_path: Path, other_path: Path, texts: Sequence[str], pause_s: float
) -> dict[str, float]:
    """Wall times of one who searches while a thread of the same process indexes everything anew."""
    index = PublishedIndex(index_path, load_model())
    thread = threading.Thread(target=index_whole, args=(vault, other_path), daemon=True)
    taken: list[float] = []
    try:
        thread.start()
        while thread.is_alive():
            taken += each_ms(index.search, [texts[len(taken) % len(texts)]], time.perf_counter_ns)
            time.sleep(pause_s)
        return percentiles(taken, SAVE_PERCENTILES)
    finally:
        thread.join()
        index.close()
        discard_index(other_path)


def _age_s() -> float:
    """How long this process has lived, where /proc tells; else its CPU time, which is less."""
    try:
        started_ticks = int(Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19])
        up_s = float(Path("/proc/uptime").read_text("ascii").split()[0])
    except OSError:
        return time.process_time()
    import os

    return up_s - started_ticks / os.sysconf("SC_CLK_TCK")

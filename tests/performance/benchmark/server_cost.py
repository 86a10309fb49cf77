"""
How long does a person wait? `quarry serve` runs in a process of its own and is asked over its socket.

Times are wall times, from before a request is written to after its answer was read.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmark.measurement import PartFailed, Percentiles, each_ms, median, memory_mb, percentiles, process_tree
from quarry.cli.index import BUSY
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed

QUARRY_SERVE = ("-P", "-m", "quarry", "serve")
CLIENTS = (1, 4, 16)
WARM_UP = 20
PAUSE_S = 0.02  # between an answer and the next query of a client that searches during a rebuild
ASK_STATUS_EVERY = 10  # searches; a status is a question, too
TIMEOUT_S = 60.0
LEAVE_TIMEOUT_S = 20.0


def connected(vault: Path) -> SidecarClient:
    """A connection to the running sidecar of *vault*, by the client that every tool uses."""
    return SidecarClient(vault, "bench", may_start=False, as_owner=True)


def search(client: SidecarClient, text: str, *, by_word_only: bool = False) -> Sequence[str]:
    """Ask for ten hits; the retrievers that answered, none if the query failed."""
    try:
        found = client.ask("search", {"query": text, "mode": "keyword" if by_word_only else "hybrid"})
    except RequestFailed:  # not a query, or too slow; it counts as the time it took
        return ()
    retrievers: list[str] = found.retrievers
    return retrievers


def measure_socket(vault: Path, texts: Sequence[str]) -> dict[str, Any]:
    """Wall time of queries over the socket, for each number of concurrent clients; and the memory of the sidecar."""
    with serving(vault) as process, connected(vault) as client:
        _settle(client)
        for text in texts[:WARM_UP]:
            search(client, text)
        clients = {str(count): _ask_together(vault, texts, count) for count in CLIENTS}
        held = [memory_mb(pid) for pid in process_tree(process.pid)]
    together = {name: round(sum(one[name] for one in held if one), 1) for name in (held[0] if held else {})}
    return {"socket_wall_ms": clients["1"]["wall_ms"], "clients": clients, "memory_mb": together}


def measure_while_indexing(vault: Path, texts: Sequence[str]) -> dict[str, float]:
    """Wall time of one client's queries, from requesting a full rebuild until the new index serves."""
    taken: list[float] = []
    with serving(vault), connected(vault) as client:
        _settle(client)
        for text in texts[:WARM_UP]:
            search(client, text)
        before = client.status().indexed_ms
        begun_s = time.perf_counter()
        client.ask("index/rebuild")
        for number, text in enumerate(cycle(texts)):
            taken += each_ms(partial(search, client), [text], time.perf_counter_ns)
            if number % ASK_STATUS_EVERY == ASK_STATUS_EVERY - 1:
                status = client.status()
                if status.state not in BUSY and status.indexed_ms != before:
                    break
            time.sleep(PAUSE_S)
        rebuild_s = time.perf_counter() - begun_s
    return {**percentiles(taken), "max": round(max(taken), 3), "queries": len(taken), "rebuild_s": round(rebuild_s, 2)}


def measure_start(vault: Path, text: str, times: int) -> dict[str, float]:
    """From starting the process to its first keyword answer, and to its first hybrid one; medians, files in cache."""
    keyword, hybrid = [], []
    for _ in range(times):
        begun_s = time.perf_counter()
        with serving(vault), connected(vault) as client:
            keyword.append(_ms_until("keyword", lambda: search(client, text, by_word_only=True), begun_s))
            hybrid.append(_ms_until("dense", lambda: search(client, text), begun_s))
            _settle(client)
    return {"keyword": median(keyword), "hybrid": median(hybrid)}


@contextlib.contextmanager
def serving(vault: Path, program: Sequence[str] = QUARRY_SERVE) -> "Iterator[subprocess.Popen[bytes]]":
    """
    Start a sidecar of *vault* that is ready to answer; it is ended on exit. *program* is what Python is to run as one.

    Raises:
        PartFailed: It did not start.
    """
    command = [sys.executable, *program, "--vault", str(vault), "--lifeline"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if b'"ready":true' not in process.stdout.readline():
            raise PartFailed(f"no sidecar started for {vault}; its error output is above")
        yield process
    finally:
        process.stdin.close()  # its lifeline
        try:
            process.wait(LEAVE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _ms_until(retriever: str, ask: Callable[[], Sequence[str]], begun_s: float) -> float:
    """Milliseconds from *begun_s* to the first answer in which *retriever* took part."""
    while retriever not in ask():
        if time.perf_counter() - begun_s > TIMEOUT_S:
            raise PartFailed(f"the {retriever} retriever gave no answer within {TIMEOUT_S:.0f} s; see `quarry doctor`")
    return (time.perf_counter() - begun_s) * 1000


def _settle(client: SidecarClient) -> None:
    while client.status().state in BUSY:
        time.sleep(PAUSE_S)


def _ask_together(vault: Path, texts: Sequence[str], count: int) -> dict[str, Any]:
    """Ask *texts* by *count* concurrent clients, each with a connection and a thread of its own."""
    taken: list[list[float]] = [[] for _ in range(count)]
    unanswered: list[str] = []
    failures: list[BaseException] = []
    start = threading.Barrier(count)
    share = max(1, len(texts) // count)

    def ask(number: int) -> None:
        def one(text: str) -> None:
            if not search(client, text):
                unanswered.append(text)

        try:
            with connected(vault) as client:
                start.wait(TIMEOUT_S)
                mine = list(islice(cycle(texts), number * share, (number + 1) * share))
                taken[number] = each_ms(one, mine, time.perf_counter_ns)
        except BaseException as error:  # raised below, in the thread that waits
            failures.append(error)
            start.abort()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
    begun_s = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall_s = time.perf_counter() - begun_s
    if failures:
        raise failures[0]
    all_taken = [ms for series in taken for ms in series]
    wall: Percentiles = percentiles(all_taken)
    a_second = round(len(all_taken) / wall_s, 1)
    return {"wall_ms": wall, "queries_a_second": a_second, "queries": len(all_taken), "unanswered": len(unanswered)}

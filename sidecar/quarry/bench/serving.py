"""
What does a person wait for? `quarry serve` in a process of its own, asked over its socket.

How the socket is spoken to is not known here: whoever runs this says how to reach the sidecar of a vault (`Connect`).
Times are of the wall, from before a request is written to after its answer was read.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Protocol

from quarry.bench.measuring import PartFailed, Spread, each_ms, family, median, memory_mb, spread

CLIENTS = (1, 4, 16)
WARM_UP = 20
PAUSE_S = 0.02  # between an answer and the next question of one who searches while everything is indexed anew
ASK_STATUS_EVERY = 10  # searches; a status is a question, too
PATIENCE_S = 60.0
LEAVE_TIMEOUT_S = 20.0


class Session(Protocol):
    """A connection to the sidecar of a vault."""

    def search(self, text: str, *, by_word_only: bool = False) -> Sequence[str]:
        """Ask for ten hits; the retrievers that served, none where there was no answer."""
        ...

    def is_working(self) -> bool:
        """Whether there is indexing to finish."""
        ...

    def whole_since_ms(self) -> int | None:
        """When the index last became equal to the vault."""
        ...

    def rebuild(self) -> None:
        """Have everything indexed anew beside the index."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


Connect = Callable[[Path], Session]
"""Attach to the sidecar that serves a vault; starts none."""


def measure_socket(vault: Path, connect: Connect, texts: Sequence[str]) -> dict[str, Any]:
    """Wall of whole queries over the socket, by the number of clients that ask at once; and what serving holds."""
    with serving(vault) as process, contextlib.closing(connect(vault)) as session:
        _settle(session)
        for text in texts[:WARM_UP]:
            session.search(text)
        clients = {str(count): _ask_together(vault, connect, texts, count) for count in CLIENTS}
        held = [memory_mb(pid) for pid in family(process.pid)]
    together = {name: round(sum(one[name] for one in held if one), 1) for name in (held[0] if held else {})}
    return {"socket_wall_ms": clients["1"]["wall_ms"], "clients": clients, "memory_mb": together}


def measure_while_indexing(vault: Path, connect: Connect, texts: Sequence[str]) -> dict[str, float]:
    """Wall of the queries of one client from asking for a full rebuild until the new index serves."""
    taken: list[float] = []
    with serving(vault), contextlib.closing(connect(vault)) as session:
        _settle(session)
        for text in texts[:WARM_UP]:
            session.search(text)
        before = session.whole_since_ms()
        begun_s = time.perf_counter()
        session.rebuild()
        for number, text in enumerate(cycle(texts)):
            taken += each_ms(session.search, [text], time.perf_counter_ns)
            is_time = number % ASK_STATUS_EVERY == ASK_STATUS_EVERY - 1
            if is_time and not session.is_working() and session.whole_since_ms() != before:
                break
            time.sleep(PAUSE_S)
        rebuild_s = time.perf_counter() - begun_s
    return {**spread(taken), "max": round(max(taken), 3), "queries": len(taken), "rebuild_s": round(rebuild_s, 2)}


def measure_start(vault: Path, connect: Connect, text: str, times: int) -> dict[str, float]:
    """From starting the process to its first answer by keyword, and to its first by both; medians, files in cache."""
    keyword, hybrid = [], []
    for _ in range(times):
        begun_s = time.perf_counter()
        with serving(vault), contextlib.closing(connect(vault)) as session:
            keyword.append(_until("lexical", lambda: session.search(text, by_word_only=True), begun_s))
            hybrid.append(_until("dense", lambda: session.search(text), begun_s))
            _settle(session)
    return {"keyword": median(keyword), "hybrid": median(hybrid)}


@contextlib.contextmanager
def serving(vault: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """
    A sidecar of *vault*, ready to answer, which leaves in the end.

    Raises:
        PartFailed: It did not come up.
    """
    command = [sys.executable, "-P", "-m", "quarry", "serve", "--vault", str(vault), "--lifeline"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ourselves
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if b'"ready":true' not in process.stdout.readline():
            raise PartFailed(f"no sidecar came up for {vault}; what it said is above")
        yield process
    finally:
        process.stdin.close()  # its lifeline
        try:
            process.wait(LEAVE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _until(leg: str, ask: Callable[[], Sequence[str]], begun_s: float) -> float:
    """Milliseconds from *begun_s* to the first answer in which *leg* had a say."""
    while leg not in ask():
        if time.perf_counter() - begun_s > PATIENCE_S:
            raise PartFailed(f"the {leg} leg gave no answer within {PATIENCE_S:.0f} s; see `quarry doctor`")
    return (time.perf_counter() - begun_s) * 1000


def _settle(session: Session) -> None:
    while session.is_working():
        time.sleep(PAUSE_S)


def _ask_together(vault: Path, connect: Connect, texts: Sequence[str], count: int) -> dict[str, Any]:
    """*count* clients ask at once, each on a connection and a thread of its own, *texts* shared out between them."""
    taken: list[list[float]] = [[] for _ in range(count)]
    unanswered: list[str] = []
    failures: list[BaseException] = []
    everyone = threading.Barrier(count)
    share = max(1, len(texts) // count)

    def ask(number: int) -> None:
        def one(text: str) -> None:
            if not session.search(text):
                unanswered.append(text)

        try:
            with contextlib.closing(connect(vault)) as session:
                everyone.wait(PATIENCE_S)
                mine = list(islice(cycle(texts), number * share, (number + 1) * share))
                taken[number] = each_ms(one, mine, time.perf_counter_ns)
        except BaseException as error:  # told below; a thread's end is nobody's to see
            failures.append(error)
            everyone.abort()

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
    wall: Spread = spread(all_taken)
    a_second = round(len(all_taken) / wall_s, 1)
    return {"wall_ms": wall, "queries_a_second": a_second, "queries": len(all_taken), "unanswered": len(unanswered)}

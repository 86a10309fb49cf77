"""
What several vaults cost, searched at once: `python tests/performance/tiers.py VAULT [VAULT ...]`.

Four vaults of 5,000 notes are made of the given ones and served by four sidecars. The same queries are asked in turns:
of each sidecar by itself with `search`, and of the first one with `tiers/search`. Printed are the CPU time of a query
in the four processes and in the one that asks, as a ratio, and how long an answer from all takes. Needs Linux.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from benchmark.corpora import create_corpus, questions
from benchmark.measurement import percentiles, work_folder

from quarry.client.client import SidecarClient
from quarry.tiers.connected import connect

TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
ROUNDS = 7
TIERS = ("vault", "agent", "project", "team")  # the first is the home vault


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "vaults", nargs="+", type=Path, metavar="VAULT", help="what the four vaults are made of, in turn"
    )
    parser.add_argument("--notes", type=int, default=5_000, help="of each vault (default 5000)")
    parser.add_argument("--questions", type=int, default=40, help="queries of a round, of all vaults (default 40)")
    parser.add_argument("--work", type=Path, help="keep vaults and indexes here for the next run")
    options = parser.parse_args()
    with work_folder(options.work) as work, ExitStack() as serving:
        os.environ["QUARRY_HOME"] = str(work / "home")
        sources = [options.vaults[place % len(options.vaults)] for place in range(len(TIERS))]
        roots = [
            create_corpus(source, work / kind, notes=options.notes).vault
            for kind, source in zip(TIERS, sources, strict=True)
        ]
        clients, pids = zip(*[serving.enter_context(served(root)) for root in roots], strict=True)
        for root, kind in list(zip(roots, TIERS, strict=True))[1:]:
            connect(str(root), kind, name=f"{kind}s")
        texts = [text for root in roots for text in questions(root, options.questions // len(roots))]
        report(clients, pids, texts, options.notes)


@contextmanager
def served(root: Path) -> Iterator[tuple[SidecarClient, int]]:
    """A sidecar for *root*, its notes indexed, and a client of it."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "quarry", "serve", "--vault", str(root)], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        with SidecarClient(root, "bench", as_owner=True) as client:
            next(status for status in client.statuses() if status.state == "live" and not status.pending)
            yield client, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def report(clients: Sequence[SidecarClient], pids: Sequence[int], texts: Sequence[str], notes: int) -> None:
    """Ask in turns, and print."""
    home = clients[0]
    walls_ms: list[float] = []

    def apart() -> None:
        for text in texts:
            for client in clients:
                client.ask("search", {"query": text})

    def together() -> None:
        for text in texts:
            begun_s = time.perf_counter()
            result = home.ask("tiers/search", {"query": text, "deadlineMs": 10_000})
            walls_ms.append(1000 * (time.perf_counter() - begun_s))
            late = [tier for tier in result.absent if tier.message.code != "absent.indexing"]
            assert not late, late

    for warm_up in (apart, together):
        warm_up()
    walls_ms.clear()
    rounds = [(cpu_s(pids, apart), cpu_s(pids, together)) for _ in range(ROUNDS)]
    ratios = [tiers / sum_apart for sum_apart, tiers in rounds]
    each_ms = [1000 * median(column) / len(texts) for column in zip(*rounds, strict=True)]
    wall = percentiles(walls_ms)
    print(f"{len(pids)} vaults of {notes:,} notes, {len(texts)} queries, {ROUNDS} rounds in turns")
    print(f"CPU for a query: apart {each_ms[0]:.1f} ms, together {each_ms[1]:.1f} ms")
    print(f"ratio: {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
    print(f"wall, all tiers: {wall}")


def cpu_s(pids: Sequence[int], work: Callable[[], None]) -> float:
    """The CPU time that the processes and this one take while *work* is done."""
    before = sum(map(_used_s, pids)) + time.process_time()
    work()
    return sum(map(_used_s, pids)) + time.process_time() - before


def _used_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICKS_S  # user and system


if __name__ == "__main__":
    main()

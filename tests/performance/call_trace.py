"""
How far does a query travel through the code, and how far does a save?

    call_trace.py [VAULT] [--query TEXT ...] [--json]

Runs the engine in this process on a copy of VAULT (default: the sample vault), traces each query when it is asked for
the first time and when it is asked again, and the second save of a note, by `sys.setprofile`. For each it prints what
was entered of the package `quarry`:

    files, functions   distinct ones entered
    calls of quarry    Python calls into it
    Python calls       those, and the calls into every other Python module, such as numpy's
    depth              frames of quarry on the stack at the deepest moment, and the chain itself

A query is traced on the thread that asks. A save is traced on all threads, from telling the engine to its telling of
the commit; most of it happens on the indexing thread. Processes that the engine starts are not traced. Resuming a
generator counts as a call. Only the public interface of `quarry.engine` is used, so that older and newer versions are
traced alike:

    PYTHONPATH=OTHER_CHECKOUT/sidecar sidecar/.venv/bin/python tests/performance/call_trace.py
"""

import argparse
import json
import multiprocessing
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import quarry
from quarry.engine import Engine
from quarry.options import SearchOptions
from quarry.types import VaultChange

PACKAGE = str(Path(quarry.__file__).parent)
SAMPLE_VAULT = Path(__file__).parent.parent / "retrieval" / "vault"
QUERY = "how do I tune the reeds of an old bandoneon"
WARM_UP = "what is in this vault"  # asked before anything is traced: imports what queries import, and compiles patterns
LOOK_EVERY_S = 0.01
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Trace:
    """What one piece of work entered."""

    what: str
    files: int
    functions: int
    quarry_calls: int
    python_calls: int
    depth: int
    threads: tuple[str, ...]  # that entered the package
    deepest: tuple[str, ...]  # outermost first
    calls_by_folder: dict[str, int]


class Tracer:
    """Records Python calls of all threads begun after `install`, between `start` and `stop`."""

    def __init__(self) -> None:
        self._is_on = False
        self._only_thread: int | None = None
        self._functions: Counter[CodeType] = Counter()
        self._python_calls = 0
        self._deepest: list[CodeType] = []
        self._threads: set[str] = set()

    def install(self) -> None:
        """Watch this thread and every one begun from now on."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def uninstall(self) -> None:
        """Watch threads begun from now on no more, nor this one."""
        threading.setprofile(None)
        sys.setprofile(None)

    def start(self, only_thread: int | None = None) -> None:
        """Forget what was recorded, and record: all threads, or *only_thread*."""
        self._functions.clear()
        self._threads.clear()
        self._deepest, self._python_calls = [], 0
        self._only_thread = only_thread
        self._is_on = True

    def stop(self, what: str) -> Trace:
        """Record no more; what was recorded."""
        self._is_on = False
        folders = Counter[str]()
        for code, count in self._functions.items():
            folders[_folder_of(code)] += count
        return Trace(
            what=what,
            files=len({code.co_filename for code in self._functions}),
            functions=len(self._functions),
            quarry_calls=self._functions.total(),
            python_calls=self._python_calls,
            depth=len(self._deepest),
            threads=tuple(sorted(self._threads)),
            deepest=tuple(map(_name_of, self._deepest)),
            calls_by_folder=dict(folders.most_common()),
        )

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if not self._is_on or event != "call" or frame.f_code.co_filename == __file__:
            return
        if self._only_thread is not None and threading.get_ident() != self._only_thread:
            return
        self._python_calls += 1
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return
        self._functions[frame.f_code] += 1
        self._threads.add(threading.current_thread().name)
        chain = [code for code in _stack_of(frame) if code.co_filename.startswith(PACKAGE)]
        if len(chain) > len(self._deepest):
            self._deepest = chain[::-1]


def main() -> None:
    """Index, ask, save, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", nargs="?", type=Path, default=SAMPLE_VAULT)
    parser.add_argument("--query", nargs="+", default=[QUERY], metavar="TEXT", help="queries to trace")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        vault = Path(temporary, "vault")
        shutil.copytree(arguments.vault, vault)
        traces, remarks = trace_vault(vault, Path(temporary, "index.db"), arguments.query)
    if arguments.json:
        print(json.dumps({"package": PACKAGE, "traces": [asdict(one) for one in traces], "remarks": remarks}, indent=2))
    else:
        print(as_text(traces, remarks))


def trace_vault(vault: Path, index_path: Path, queries: Sequence[str]) -> tuple[list[Trace], list[str]]:
    """The traces of *queries* and of saving one note of *vault*, which is changed; and what should be known of them."""
    engine = Engine.open(vault, index_path)
    wait_until_idle(engine)
    engine.close()  # what is measured is a vault that was indexed earlier, as on every start but the first
    tracer = Tracer()
    tracer.install()
    engine = Engine.open(vault, index_path)
    try:
        wait_until_idle(engine)
        status = engine.status()
        remarks = [f"{status.notes} notes, {status.chunks} chunks, {vault.name}"]
        remarks += [f"the {leg} retriever did not serve: {reason}" for leg, reason in status.missing.items()]
        engine.search(SearchOptions(query=WARM_UP))
        traces = [trace for text in queries for trace in trace_query(engine, tracer, text)]
        traces.append(trace_save(engine, tracer, vault))
        if children := multiprocessing.active_children():
            remarks.append(f"{len(children)} processes of the engine were not traced")
        return traces, remarks
    finally:
        tracer.uninstall()
        engine.close()


def trace_query(engine: Engine, tracer: Tracer, text: str) -> list[Trace]:
    """Ask *text* for the first time, and again."""
    traces = []
    for when in ("first", "again"):
        wait_until_idle(engine)
        tracer.start(only_thread=threading.get_ident())
        engine.search(SearchOptions(query=text, limit=10, detail="full", snippet_width=120))
        traces.append(tracer.stop(f"query, {when}: {text}"))
    return traces


def trace_save(engine: Engine, tracer: Tracer, vault: Path) -> Trace:
    """Save one note twice, the second time traced, from telling the engine to its telling of the commit."""
    note = max(vault.rglob("*.md"), key=lambda file: (file.stat().st_size < 4_000, file.stat().st_size, file.name))
    path = note.relative_to(vault).as_posix()
    recorded: list[Trace] = []
    committed = threading.Event()
    is_traced = False

    def listen(updated: Any) -> None:
        if updated and path in updated.indexed:
            if is_traced:
                recorded.append(tracer.stop(f"save: {path}"))
            committed.set()

    def save(line: str, begin: Callable[[], None]) -> None:
        committed.clear()
        with note.open("a", encoding="utf-8") as file:
            file.write(f"\n\n{line}\n")
        begin()
        engine.vault_changed([VaultChange("modified", path)])
        if not committed.wait(TIMEOUT_S):
            raise SystemExit(f"the engine told of no change of {path}")
        wait_until_idle(engine)

    engine.listen(listen)
    save("A first line was added.", lambda: None)
    is_traced = True
    save("Another line was added.", tracer.start)
    return recorded[0]


def wait_until_idle(engine: Engine) -> None:
    """Return when nothing is left to index, and the threads have come to rest."""
    while engine.is_working:
        time.sleep(LOOK_EVERY_S)
    time.sleep(LOOK_EVERY_S * 10)


def as_text(traces: Sequence[Trace], remarks: Sequence[str]) -> str:
    """A table of the traces, then each one's deepest chain."""
    lines = [f"# {PACKAGE}", *remarks, ""]
    lines += ["| work | files | functions | calls of quarry | Python calls | depth |", "|---|--:|--:|--:|--:|--:|"]
    for one in traces:
        figures = (one.files, one.functions, one.quarry_calls, one.python_calls, one.depth)
        lines.append(f"| {one.what} | {' | '.join(f'{figure:,}' for figure in figures)} |")
    for one in traces:
        folders = ", ".join(f"{name} {count:,}" for name, count in one.calls_by_folder.items())
        lines += ["", f"{one.what} ({', '.join(one.threads)})", f"  calls: {folders}"]
        lines += [f"  {depth:2} {name}" for depth, name in enumerate(one.deepest, start=1)]
    return "\n".join(lines)


def _stack_of(frame: FrameType | None) -> list[CodeType]:
    codes = []
    while frame is not None:
        codes.append(frame.f_code)
        frame = frame.f_back
    return codes


def _name_of(code: CodeType) -> str:
    name = getattr(code, "co_qualname", code.co_name)
    return f"{Path(code.co_filename).relative_to(PACKAGE).as_posix()}:{code.co_firstlineno} {name}"


def _folder_of(code: CodeType) -> str:
    parts = Path(code.co_filename).relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")


if __name__ == "__main__":
    main()

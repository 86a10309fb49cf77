"""
Killed at any moment of indexing, the next start finds a sound index and makes it equal the vault.

The oracle is the strongest there is: the index is derived, so it must answer like one built afresh.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from shutil import copytree

import pytest
from builders import PATIENCE_S, Vault, everything_found, open_with_contextual_model, settle_deeply

from quarry.faults import STAGES
from quarry.index import Index
from quarry.search.query_vectors import ContextualQueries

CHILD = Path(__file__).with_name("killed_indexer.py")
QUERIES = [
    *("walnut", "cherry2 oak", "quince", "title", "note 04", "nothing like it", "first", "one two", "日本", "links"),
    *('"walnut cherry1"', '"quince and medlar"', "walnut -cherry2", "tag:tag0", "tag:tag2 -cherry0", "path:06 walnut"),
    *("folder:moved", "folder:f0 walnut", "folder:new OR folder:f2", "folder:f3"),
]
WAYS = (("hybrid", "convex"), ("hybrid", "six-signals"), ("keyword", "rrf"), ("semantic", "convex"))  # all that is read
COUNTS = (1, 2, 3, *(3**power for power in range(2, 8)))  # the first moments one by one, then in larger steps

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL to be hit by in the middle of a write"),
]


@pytest.fixture(autouse=True)
def patient_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches wait for a query's contextual vector however busy the machine is: without it they rank otherwise."""
    monkeypatch.setattr("quarry.search.query_vectors.ContextualQueries", partial(ContextualQueries, wait_s=PATIENCE_S))


@pytest.fixture(scope="module")
def outset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault, and an index of it by an older version, so that every run begins with a migration."""
    folder = tmp_path_factory.mktemp("outset")
    vault = Vault(folder / "vault")
    for n in range(16):
        text = (
            f"---\ntags: [tag{n % 3}]\n---\n# Title {n:02}\nwalnut cherry{n % 4} oak{n}\n\n## ResultBatch\n"
            + f"pear 日本語 [[{n}]] " * 5
        )
        vault.write(f"f{n % 4}/{n:02}.md", text)
    vault.write("Board.md", "---\nkanban-plugin: board\n---\nwalnut")
    vault.write(".quarry.toml", '[embedding]\nmodel = "contextual"\n')
    engine = open_with_contextual_model(vault.root, folder / "index.db")
    settle_deeply(engine)
    engine.close()
    with (folder / "index.db").open("r+b") as file:
        file.seek(60)  # the schema's version, in the header of every SQLite file
        file.write(bytes(4))
    return folder


class Indexer:
    """What is run, and killed, in processes of its own: one at a time."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-I", str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, folder: Path, fault: str = "", after_s: float = 0) -> None:
        """Begin with what is in *folder*, to die at *fault* or *after_s*."""
        request = [str(folder / "vault"), str(folder / "index.db"), fault, after_s]
        print(json.dumps(request), file=self._server.stdin, flush=True)

    def came_through(self) -> bool:
        """Wait for the end or the death; says which it was."""
        assert self._server.stdout
        code = int(self._server.stdout.readline())
        assert code in (0, -signal.SIGKILL, -signal.SIGALRM)
        return code == 0

    def end(self) -> None:
        self._server.communicate()


@pytest.fixture(scope="module")
def indexer() -> Iterator[Indexer]:
    indexer = Indexer()
    yield indexer
    indexer.end()


def all_answers(root: Path, path: Path) -> tuple[str, tuple[int, int, int], str | None]:
    """Make the index at *path* equal the vault at *root*: all that it answers then, its counts, and what is amiss."""
    engine = open_with_contextual_model(root, path)
    settle_deeply(engine)
    answers = everything_found(engine, QUERIES, WAYS)
    status = engine.status()
    engine.close()
    return answers, (status.notes, status.chunks, status.excluded), status.message


_fresh_answers: dict[str, tuple[str, tuple[int, int, int], str | None]] = {}


def fresh_answers(root: Path, path: Path) -> tuple[str, tuple[int, int, int], str | None]:
    """
    What an index of *root* that is built afresh at *path* says, remembered by all that it is derived from.

    Wherever a process was killed, the vault is one of the few that its changes lead through.
    """
    files = sorted(file for file in root.rglob("*") if file.is_file())
    of_files = [(file.relative_to(root).as_posix(), file.stat().st_mtime_ns, file.read_bytes()) for file in files]
    key = repr((date.today(), of_files))  # noqa: DTZ011  one of the rankings counts the days since a note was changed
    if key not in _fresh_answers:
        _fresh_answers[key] = all_answers(root, path)
        for file in path.parent.glob(f"{path.stem}.*"):
            file.unlink()
    return _fresh_answers[key]


def check(folder: Path) -> None:
    """The index left behind opens, is sound, is made equal the vault, and answers like a fresh one."""
    root, path = folder / "vault", folder / "index.db"
    followed, counts, message = all_answers(root, path)
    index = Index.open(path)
    damaged, _ = index.verify(None, 1000)
    index.check()
    index.close()
    left = sorted(file.name for file in folder.iterdir() if file.suffix != ".postings")  # there may be one of them

    assert message is None
    assert damaged == []
    assert left == ["index.db", "vault"]
    assert (followed, counts) == fresh_answers(root, folder / "fresh.db")[:2]


def test_undisturbed_it_comes_through(outset: Path, tmp_path: Path, indexer: Indexer):
    indexer.start(copytree(outset, tmp_path / "at_work"))

    assert indexer.came_through()
    check(tmp_path / "at_work")


@pytest.mark.parametrize("stage", STAGES)
def test_killed_at_any_stage_the_next_start_repairs_the_rest(
    outset: Path, tmp_path: Path, indexer: Indexer, stage: str
):
    folders = {count: tmp_path / str(count) for count in COUNTS}
    indexer.start(copytree(outset, folders[1]), f"{stage}:1")
    for count, following in pairwise(COUNTS):
        is_clean = indexer.came_through()
        if not is_clean:  # while this one is looked at, the next one dies
            indexer.start(copytree(outset, folders[following]), f"{stage}:{following}")
        assert not (is_clean and count == 1), f"nothing ever reaches the stage {stage!r}"
        check(folders[count])
        if is_clean:
            return
    pytest.fail(f"{stage} is reached more than {COUNTS[-2]} times")


@pytest.fixture(scope="module")
def undisturbed_s(outset: Path, tmp_path_factory: pytest.TempPathFactory, indexer: Indexer) -> float:
    """How long it takes to come through."""
    folder = copytree(outset, tmp_path_factory.mktemp("undisturbed") / "at_work")
    begun_s = time.monotonic()
    indexer.start(folder)
    assert indexer.came_through()
    return time.monotonic() - begun_s


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_the_next_start_repairs_the_rest(
    outset: Path, tmp_path: Path, indexer: Indexer, undisturbed_s: float, seed: int
):
    moments = random.Random(seed)
    killed = 0
    for attempt in range(4):
        folder = copytree(outset, tmp_path / str(attempt))
        indexer.start(folder, after_s=(attempt + moments.random()) / 4 * undisturbed_s)
        killed += not indexer.came_through()
        check(folder)

    assert killed


@pytest.mark.parametrize(
    ("first", "second"), [("commit:2", "insert:2"), ("rename:1", "read:3"), ("swap:1", "checkpoint:1")]
)
def test_the_start_that_repairs_may_be_killed_as_well(
    outset: Path, tmp_path: Path, indexer: Indexer, first: str, second: str
):
    folder = copytree(outset, tmp_path / "at_work")
    for fault in (first, second):
        indexer.start(folder, fault)
        assert not indexer.came_through()

    check(folder)

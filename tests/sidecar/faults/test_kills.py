"""
Killed at any moment of indexing, the next start finds a sound index and makes it equal the vault.

The oracle is the strongest there is: the index is derived, so it must answer like one built afresh.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from builders import PATIENCE_S, Vault, everything_found, open_with_contextual_model, settle_deeply

from quarry.faults import STAGES
from quarry.index import Index
from quarry.search.query_vectors import ContextualQueries

CHILD = Path(__file__).with_name("killed_indexer.py")
QUERIES = [
    *("walnut", "cherry1", "cherry2 oak", "quince", "medlar plum", "title", "note 04", "pear", "nothing like it"),
    *('"walnut cherry1"', '"quince and medlar"', "walnut -cherry2", "walnut -pear", "oak3 oak5", "first", "one two"),
    *("tag:tag0", "tag:tag1 walnut", "folder:moved", "folder:f0 walnut", "folder:new", "path:first", "path:06 walnut"),
    *("folder:f3", "tag:tag2 -cherry0", "walnut folder:f2", "日本語", "日本", "links", "cherry0 cherry3"),
]
WAYS = (("hybrid", "convex"), ("hybrid", "six-signals"), ("keyword", "rrf"), ("semantic", "convex"))  # all that is read
COUNTS = (1, 2, 3, *(3**power for power in range(2, 8)))  # the first moments one by one, then in larger steps
KILLED = -9

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


def start(outset: Path, folder: Path, fault: str = "") -> subprocess.Popen[str]:
    """Begin from the outset in a *folder* of its own, to die at *fault*."""
    shutil.copytree(outset, folder)
    return start_again(folder, fault)


def start_again(folder: Path, fault: str = "") -> subprocess.Popen[str]:
    """Begin with what is in *folder*."""
    command = [sys.executable, "-I", str(CHILD), str(folder / "vault"), str(folder / "index.db")]
    environment = os.environ | {"QUARRY_FAULT_AT": fault}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def came_through(process: subprocess.Popen[str]) -> bool:
    """Wait for the end or the death; says which it was."""
    output, errors = process.communicate(timeout=60)
    assert process.returncode in (0, KILLED), errors
    assert (process.returncode == 0) == ("clean" in output)
    return process.returncode == 0


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


def test_undisturbed_it_comes_through(outset: Path, tmp_path: Path):
    assert came_through(start(outset, tmp_path / "at_work"))

    check(tmp_path / "at_work")


@pytest.mark.parametrize("stage", STAGES)
def test_killed_at_any_stage_the_next_start_repairs_the_rest(outset: Path, tmp_path: Path, stage: str):
    folders = {count: tmp_path / str(count) for count in COUNTS}
    process = start(outset, folders[1], f"{stage}:1")
    for count, following in pairwise(COUNTS):
        is_clean = came_through(process)
        if not is_clean:  # while this one is looked at, the next one dies
            process = start(outset, folders[following], f"{stage}:{following}")
        assert not (is_clean and count == 1), f"nothing ever reaches the stage {stage!r}"
        check(folders[count])
        if is_clean:
            return
    pytest.fail(f"{stage} is reached more than {COUNTS[-2]} times")


@pytest.fixture(scope="module")
def undisturbed_s(outset: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long it takes to come through."""
    begun_s = time.monotonic()
    assert came_through(start(outset, tmp_path_factory.mktemp("undisturbed") / "at_work"))
    return time.monotonic() - begun_s


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_random_the_next_start_repairs_the_rest(
    outset: Path, tmp_path: Path, undisturbed_s: float, seed: int
):
    moments = random.Random(seed)
    killed = 0
    for attempt in range(4):
        process = start(outset, tmp_path / str(attempt))
        try:
            process.wait((attempt + 1 + moments.random()) / 5 * undisturbed_s)
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        check(tmp_path / str(attempt))

    assert killed


@pytest.mark.parametrize(
    ("first", "second"), [("commit:2", "insert:2"), ("rename:1", "read:3"), ("swap:1", "checkpoint:1")]
)
def test_the_start_that_repairs_may_be_killed_as_well(outset: Path, tmp_path: Path, first: str, second: str):
    assert not came_through(start(outset, tmp_path / "at_work", first))
    assert not came_through(start_again(tmp_path / "at_work", second))

    check(tmp_path / "at_work")

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.errors import IndexUnavailable
from quarry.index import Index, files, quarantine

KEEP_OR_REPLACE = """
import sys
from pathlib import Path
from quarry.index import Index, prepare
from quarry.types import Chunk, FileStamp, Note

def store(index, path):
    chunk = Chunk(0, (), "apples", 0, 6, 0, 0, "")
    index.upsert(prepare(Note(path, path, (), (), {}, (), (chunk,)), FileStamp(1, 1, b""), [None]))

path = Path(sys.argv[1])
index = Index.open(path)
store(index, "old.md")
rebuilt = Index.open(Path(f"{path}.rebuild"))
store(rebuilt, "new.md")
rebuilt.close()
print("ready", flush=True)
index.replace_with(Path(f"{path}.rebuild"))
index.checkpoint()
"""


def stored(path):
    index = Index.open(path)
    with index.reader() as reader:
        paths = list(reader.stamps())
    index.check()
    index.close()
    return paths


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself with SIGKILL")
@pytest.mark.parametrize(
    ("moment", "survivor"), [("swap:1", "old.md"), ("swap:2", "new.md"), ("checkpoint:1", "new.md")]
)
def test_killed_while_it_is_replaced_an_index_is_the_old_or_the_new_one_whole(tmp_path, moment, survivor):
    path = tmp_path / "i.db"
    environment = {**os.environ, "QUARRY_FAULT_AT": moment}

    run = subprocess.run(
        [sys.executable, "-c", KEEP_OR_REPLACE, str(path)], env=environment, capture_output=True, text=True, check=False
    )

    assert (run.returncode, run.stdout) == (-9, "ready\n"), run.stderr
    assert stored(path) == [survivor]
    assert [file.name for file in tmp_path.iterdir()] == ["i.db"]


def make_set(path, data):
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).write_text(data + suffix)


def test_a_damaged_index_is_set_aside_with_its_wal_and_another_begins(tmp_path):
    path = tmp_path / "i.db"
    make_set(path, "broken")

    aside = quarantine(path)

    assert aside == tmp_path / "i.db.damaged-1"
    assert (tmp_path / "i.db.damaged-1-wal").read_text() == "broken-wal"
    assert stored(path) == []


def test_of_damaged_indexes_two_are_kept(tmp_path):
    path = tmp_path / "i.db"
    for number in range(1, 5):
        make_set(path, f"broken {number}")
        quarantine(path)

    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"i.db.damaged-{number}{suffix}" for number in (3, 4) for suffix in ("", "-shm", "-wal")
    ]
    assert (tmp_path / "i.db.damaged-4").read_text() == "broken 4"


def test_what_cannot_be_set_aside_is_said(tmp_path, monkeypatch):
    path = tmp_path / "i.db"
    make_set(path, "broken")

    def refuse(self, target):
        raise PermissionError("in use")

    monkeypatch.setattr(type(path), "replace", refuse)

    with pytest.raises(IndexUnavailable, match="in use"):
        quarantine(path)


def test_a_database_with_a_wal_is_not_moved(tmp_path):
    make_set(tmp_path / "new.db", "x")
    make_set(tmp_path / "old.db", "y")

    with pytest.raises(IndexUnavailable, match=r"new\.db is open"):
        files.install(tmp_path / "new.db", tmp_path / "old.db")
    assert (tmp_path / "old.db").read_text() == "y"


def test_discarding_takes_the_companions_and_is_no_error_twice(tmp_path):
    make_set(tmp_path / "i.db", "x")

    files.discard(tmp_path / "i.db")
    files.discard(tmp_path / "i.db")

    assert list(tmp_path.iterdir()) == []


def test_an_index_takes_what_all_its_files_take_of_which_any_may_be_gone(tmp_path):
    path = tmp_path / "index.db"
    sizes = []
    for suffix, data in (("", b"x"), ("-wal", b"xx"), (".postings", b"xxx"), ("-other", b"xxxx")):
        sizes.append(files.size_bytes(path))
        (tmp_path / f"index.db{suffix}").write_bytes(data)

    assert [*sizes, files.size_bytes(path)] == [0, 1, 3, 6, 6]


def test_a_file_that_goes_while_it_is_looked_at_counts_for_nothing(tmp_path, monkeypatch):
    path, wal = tmp_path / "index.db", tmp_path / "index.db-wal"
    path.write_bytes(b"x")
    wal.write_bytes(b"xx")
    monkeypatch.setattr(Path, "exists", lambda _: True)
    wal.unlink()

    assert files.size_bytes(path) == 1

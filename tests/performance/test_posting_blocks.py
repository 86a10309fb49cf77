from contextlib import closing
from pathlib import Path

from posting_blocks import measure

from quarry.index import Index
from quarry.types import Chunk, FileStamp, Note


def write_index(path: Path, count: int) -> None:
    with closing(Index.open(path)) as index, index.batch():
        for number in range(count):
            text = " ".join(f"word{number * at % 97}" for at in range(40))
            chunk = Chunk(0, (), text, 0, len(text), 0, 0, "")
            note = Note(f"{number:03}.md", f"Note {number}", (), (), {}, (), (chunk,))
            index.upsert(note, FileStamp(1, 1, bytes(32)), [None])


def test_both_ways_are_measured_on_copies_of_an_index(tmp_path: Path) -> None:
    write_index(tmp_path / "index.db", 260)
    before = (tmp_path / "index.db").read_bytes()

    file, table = measure(tmp_path / "index.db", saves=3)

    assert (file.way, table.way) == ("file", "table")
    assert file.wal_mb == 0 < table.wal_mb
    assert file.old_blocks == table.old_blocks > 0
    assert (file.old_blocks_after_care, table.old_blocks_after_care) == (0, 0)
    assert (tmp_path / "index.db").read_bytes() == before

import os
from contextlib import closing
from functools import partial

import pytest

from quarry.errors import IndexUnavailable
from quarry.index import Index, meta
from quarry.index.keyword import postings_cache, segment_file
from quarry.index.keyword.build_from_database import _CHUNKS, _NAMES
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.postings_cache import PostingsCache

NOTES = postings_cache.FEW_NOTES + 8


@pytest.fixture
def many(index, store, make_note):
    with index.batch():
        for number in range(NOTES):
            store(index, make_note(f"{number:02}.md", f"apple w{number}"))
    return index


def words_of(index):
    with index.reader() as reader:
        return reader._keywords._words


def test_many_notes_without_a_side_file_are_fts5s(many):
    assert words_of(many) is None
    assert many.flush_postings()
    assert words_of(many) is not None
    assert not many.flush_postings()


def test_a_side_file_is_used_when_the_index_is_opened_again_and_folded_when_notes_changed(many, store, make_note):
    many.flush_postings()
    many.close()
    again = Index.open(many.path)
    assert words_of(again).chunks.added_count == 0

    store(again, make_note("new.md", "plum"))
    assert words_of(again).chunks.added_count == 1
    assert again.flush_postings()
    words = words_of(again)
    assert (words.chunks.added_count, words.frequency("plum")) == (0, 1)
    again.close()


def test_folding_gives_the_bytes_that_reading_everything_gives(many, store, make_note):
    many.flush_postings()
    store(many, make_note("00.md", "changed entirely"))
    many.remove("01.md")
    many.flush_postings()
    path = segment_file.path_beside(many.path)
    folded = path.read_bytes()

    path.unlink()
    many._memory.postings.__init__(many.path)
    many.flush_postings()

    assert path.read_bytes() == folded


def test_what_a_writer_gathered_gives_the_same_file(many):
    many.flush_postings()
    path = segment_file.path_beside(many.path)
    folded = path.read_bytes()
    collector = BulkCollector()
    with many.reader() as reader:
        for row_id, *columns in reader._db.execute(_CHUNKS):
            collector.add_chunk(row_id, columns)
        for row_id, *columns in reader._db.execute(_NAMES):
            collector.add_names(row_id, columns)
        path.unlink()
        assert PostingsCache(many.path).flush(reader._db, partial(meta.put, many._writer.connection), collector)

    assert path.read_bytes() == folded


def test_an_older_moment_does_not_see_what_came_later(many, store, make_note):
    many.flush_postings()
    with many.reader() as older:
        store(many, make_note("new.md", "plum apple"))
        assert words_of(many).frequency("plum") == 1
        assert older._keywords._words is None  # FTS5 knows that moment
        assert older.document_frequency(["plum", "appl"]) == {"plum": 0, "appl": NOTES}


def test_words_that_someone_holds_stay_as_they_are(many, store, make_note):
    many.flush_postings()
    store(many, make_note("new.md", "plum"))
    before = words_of(many)
    store(many, make_note("new.md", "plum cherry plum"))
    store(many, make_note("more.md", "plum"))

    assert words_of(many).frequency("plum") == 2
    assert before.frequency("plum") == 1
    assert before.frequency("cherri") == 0


def test_too_many_changes_at_once_wait_for_folding(many, store, make_note):
    many.flush_postings()
    with many.batch():
        for number in range(NOTES):
            store(many, make_note(f"{number:02}.md", f"plum w{number}"))

    assert words_of(many) is None
    assert many.flush_postings()
    assert words_of(many).frequency("plum") == NOTES


def test_a_side_file_of_a_later_moment_or_another_index_is_deleted(many, tmp_path, store, make_note):
    path, before = segment_file.path_beside(many.path), many.path.with_name("before.db")
    many.checkpoint()
    before.write_bytes(many.path.read_bytes())
    store(many, make_note("new.md", "plum"))
    many.flush_postings()
    other = Index.open(tmp_path / "other.db")
    segment_file.path_beside(before).write_bytes(path.read_bytes())
    segment_file.path_beside(other.path).write_bytes(path.read_bytes())
    other.close()
    for database in (before, other.path):
        opened = Index.open(database)
        opened.close()
        assert not segment_file.path_beside(database).exists()


def test_a_side_file_of_another_branch_of_the_same_index_is_deleted(many, tmp_path, store, make_note):
    many.flush_postings()
    many.checkpoint()
    backup = tmp_path / "backup.db"
    backup.write_bytes(many.path.read_bytes())
    store(many, make_note("new.md", "plum"))
    many.flush_postings()
    theirs = segment_file.path_beside(many.path).read_bytes()
    many.close()

    with closing(Index.open(backup)) as other:
        store(other, make_note("new.md", "cherry"))
        other.flush_postings()
    segment_file.path_beside(backup).write_bytes(theirs)

    with closing(Index.open(backup)) as other:
        assert words_of(other) is None
        assert other.flush_postings()
        assert words_of(other).frequency("plum") == 0


def test_every_index_has_an_identity_of_its_own(tmp_path):
    indexes = [Index.open(tmp_path / name) for name in ("a.db", "b.db")]
    identities = [index.meta_get(meta.IDENTITY) for index in indexes]
    for index in indexes:
        index.close()

    assert None not in identities
    assert identities[0] != identities[1]


def test_a_damaged_side_file_is_found_by_the_check(many):
    many.flush_postings()
    path = segment_file.path_beside(many.path)
    many.check()
    assert path.exists()
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.unlink()
    path.write_bytes(data)

    many.check()

    assert not path.exists()
    assert words_of(many) is None
    assert many.flush_postings()


def test_without_room_for_the_side_file_what_was_there_goes_on(many, store, make_note, monkeypatch):
    many.flush_postings()
    store(many, make_note("new.md", "plum"))

    def refuse(path, base):
        raise OSError("no space left")

    monkeypatch.setattr(segment_file, "write", refuse)
    with pytest.raises(IndexUnavailable, match="no space left"):
        many.flush_postings()

    assert words_of(many).chunks.added_count == 1


def test_a_damaged_base_is_not_merged_and_signed_anew(many, store, make_note, monkeypatch):
    many.flush_postings()
    path = segment_file.path_beside(many.path)
    sound = path.read_bytes()
    listed, *_ = segment_file._open(path)
    at = next(at for name, _, _, at, _, _ in listed["arrays"] if name == "chunks.terms") - listed["size"] + 30
    many.close()
    path.write_bytes(sound[:at] + b"appm" + sound[at + 4 :])
    monkeypatch.setattr(
        segment_file, "_CHECKED_BYTES", 0
    )  # as the arrays of a very large vault are not looked at on opening
    again = Index.open(many.path)
    store(again, make_note("new.md", "plum"))

    assert again.flush_postings()

    assert words_of(again).frequency("appl") == NOTES
    assert segment_file.verify(path)
    again.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows reads the file and does not map it")
@pytest.mark.parametrize("length", [0, 4096, None], ids=["emptied", "cut short", "overwritten"])
def test_a_file_that_another_program_writes_to_is_let_go_of(many, length):
    many.flush_postings()
    assert words_of(many) is not None
    path = segment_file.path_beside(many.path)
    with path.open("r+b") as file:
        if length is None:
            file.write(bytes(path.stat().st_size))
        else:
            file.truncate(length)

    assert words_of(many) is None
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_in_its_place_is_not_waited_for(many):
    many.close()
    os.mkfifo(segment_file.path_beside(many.path))

    again = Index.open(many.path)

    assert words_of(again) is None
    again.close()


def test_the_side_file_goes_where_its_database_goes(many, tmp_path, store, make_note):
    other = Index.open(tmp_path / "other.db")
    with other.batch():
        for number in range(NOTES):
            store(other, make_note(f"{number:02}.md", f"plum w{number}"))
    other.flush_postings()
    other.close()
    many.flush_postings()

    many.replace_with(other.path)

    assert not segment_file.path_beside(other.path).exists()
    words = words_of(many)
    assert (words.frequency("plum"), words.frequency("appl")) == (NOTES, 0)

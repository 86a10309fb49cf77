import os
import threading
from contextlib import closing
from functools import partial

import pytest
from builders import top_notes

from quarry.errors import Cancelled, IndexUnavailable
from quarry.index import CHUNK_WEIGHTS, Deadline, Index, KeywordQuery, meta
from quarry.index.postings import segment_file
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.cache import PostingsCache, SegmentDelta, build_from_database, read_note
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.segment import SegmentPair
from quarry.index.postings.segment_file import HEADER_BYTES
from quarry.index.reader_pool import connect_ours
from quarry.indexing.current_index import restore_postings


@pytest.fixture
def connection(index, put):
    put("a.md", "apple", "pear")
    put("b.md", "apple")
    with closing(connect_ours(index.path, writable=False, without=frozenset())[0]) as found:
        yield found


@pytest.fixture
def delta(connection):
    return SegmentDelta(SegmentPair(meta.generation(connection), *build_from_database(connection)))


def test_chunks_without_their_note_are_damage(connection, delta):
    pair = delta.segments
    alone = SegmentDelta(SegmentPair(pair.generation, pair.chunks, pair.chunks))

    with pytest.raises(PostingsDamaged, match="belongs to no note"):
        alone.scorer(pair.generation)


# --- segments that are built from the database --------------------------------------------------


@pytest.fixture
def database(index):
    return index._writer.connection


@pytest.mark.parametrize("body", [b"", b"\x00" * 40])
def test_a_note_that_changed_by_itself_is_damage(put, database, body):
    put("a.md", "apples")
    put("b.md", "apples")
    database.execute("UPDATE bodies SET body = ? WHERE note_id = 2", (body,))

    with pytest.raises(PostingsDamaged, match="note 2"):
        build_from_database(database)
    with pytest.raises(PostingsDamaged, match="note 2"):
        read_note(database, 2)
    assert read_note(database, 1) is not None


def test_building_can_be_given_up(put, database):
    put("a.md", "apples")

    with pytest.raises(Cancelled):
        build_from_database(database, Deadline(float("inf"), lambda: True))


NOTES = 40


FEW_NOTES = NOTES - 8  # a search reads fewer by itself than `many` has


@pytest.fixture
def few_notes():
    return FEW_NOTES


class Opened:
    """A cache over an index file, with a connection of its own."""

    def __init__(self, path, **options):
        self.path = segment_file.path_beside(path)
        self.connection, _ = connect_ours(path, writable=True, without=frozenset())
        self.cache = PostingsCache(path, few_notes=FEW_NOTES, **options)
        self.cache.open(self.connection)

    def scorer(self):
        return self.cache.scorer(self.connection)

    def flush(self, collected=None):
        return self.cache.flush(self.connection, partial(meta.put, self.connection), collected)

    def close(self):
        self.connection.close()


@pytest.fixture
def many(index, store, make_note):
    with index.batch():
        for number in range(NOTES):
            store(index, make_note(f"{number:02}.md", f"apple w{number}"))
    return index


@pytest.fixture
def opened(many):
    with closing(Opened(many.path)) as found:
        yield found


def reopened(opened, path, **options):
    opened.close()
    opened.__init__(path, **options)
    return opened


def test_many_notes_without_a_segment_file_are_left_to_fts5(opened):
    assert opened.scorer() is None
    assert opened.flush()
    assert opened.scorer() is not None
    assert not opened.flush()


def test_few_notes_need_no_segment_file(index, store, make_note):
    store(index, make_note("one.md", "apple"))
    with closing(Opened(index.path)) as opened:
        assert opened.scorer().chunks.frequency("appl") == 1
        assert not opened.path.exists()
        store(index, make_note("two.md", "apple"))
        assert opened.scorer().chunks.frequency("appl") == 2


def test_a_segment_file_is_used_when_the_index_is_opened_again_and_flushed_when_notes_changed(
    many, opened, store, make_note
):
    opened.flush()
    reopened(opened, many.path)
    assert opened.scorer().chunks.added_count == 0

    store(many, make_note("new.md", "plum"))
    assert opened.scorer().chunks.added_count == 1
    assert opened.flush()
    scorer = opened.scorer()
    assert (scorer.chunks.added_count, scorer.chunks.frequency("plum")) == (0, 1)


def test_merging_gives_the_bytes_that_building_anew_gives(many, opened, store, make_note):
    opened.flush()
    store(many, make_note("00.md", "changed entirely"))
    many.remove("01.md")
    opened.flush()
    merged = opened.path.read_bytes()

    opened.path.unlink()
    reopened(opened, many.path).flush()

    assert opened.path.read_bytes()[HEADER_BYTES:] == merged[HEADER_BYTES:]


def test_what_a_writer_collected_gives_the_same_file(many, opened):
    opened.flush()
    read = opened.path.read_bytes()
    collector = BulkCollector()
    for (note_id,) in opened.connection.execute("SELECT id FROM notes").fetchall():
        fields = read_note(opened.connection, note_id)
        collector.add_names(note_id, fields.names)
        for chunk_id, chunk in fields.chunks:
            collector.add_chunk(chunk_id, chunk)
    opened.path.unlink()

    assert opened.flush(collector)

    assert opened.path.read_bytes()[HEADER_BYTES:] == read[HEADER_BYTES:]


def test_an_older_snapshot_does_not_see_what_came_later(many, store, make_note):
    many.flush_postings()
    with many.reader() as older:
        assert older.keywords.doc_frequencies(["plum", "appl"]) == {"plum": 0, "appl": NOTES}
        store(many, make_note("new.md", "plum apple"))
        with many.reader() as newer:
            assert newer.keywords.doc_frequencies(["plum"]) == {"plum": 1}
        assert older.keywords.doc_frequencies(["plum", "appl"]) == {"plum": 0, "appl": NOTES}


def test_a_scorer_that_is_in_use_stays_as_it_is(many, opened, store, make_note):
    opened.flush()
    store(many, make_note("new.md", "plum"))
    before = opened.scorer()
    store(many, make_note("new.md", "plum cherry plum"))
    store(many, make_note("more.md", "plum"))

    assert opened.scorer().chunks.frequency("plum") == 2
    assert before.chunks.frequency("plum") == 1
    assert before.chunks.frequency("cherri") == 0


def test_too_many_changes_at_once_wait_for_a_flush(many, opened, store, make_note):
    opened.flush()
    with many.batch():
        for number in range(NOTES):
            store(many, make_note(f"{number:02}.md", f"plum w{number}"))

    assert opened.scorer() is None
    assert opened.flush()
    assert opened.scorer().chunks.frequency("plum") == NOTES


def test_a_segment_file_of_another_moment_or_index_is_deleted(many, tmp_path, store, make_note):
    path, before = segment_file.path_beside(many.path), many.path.with_name("before.db")
    many.flush_postings()
    many.checkpoint()
    before.write_bytes(many.path.read_bytes())
    store(many, make_note("new.md", "plum"))
    many.flush_postings()
    other = Index.open(tmp_path / "other.db")
    segment_file.path_beside(before).write_bytes(path.read_bytes())
    segment_file.path_beside(other.path).write_bytes(path.read_bytes())
    other.close()
    for database in (before, other.path):
        Index.open(database).close()
        assert not segment_file.path_beside(database).exists()


def test_a_segment_file_of_another_branch_of_the_same_index_is_deleted(many, tmp_path, store, make_note):
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

    with closing(Opened(backup)) as opened:
        assert opened.scorer() is None
        assert opened.flush()
        assert opened.scorer().chunks.frequency("plum") == 0


def test_a_segment_file_that_the_database_does_not_know_of_is_deleted(many, opened):
    """So it is after a crash between the file's rename and the commit of its id."""
    opened.cache.flush(opened.connection, lambda *_: None)
    reopened(opened, many.path)

    assert not opened.path.exists()
    assert opened.scorer() is None
    assert opened.flush()


def test_what_was_written_without_fts5_is_added_to_the_segment_file_that_was_there(many, store, make_note, in_memory):
    many.flush_postings()
    many.close()
    with closing(Index.open(many.path, without=frozenset({"fts5"}))) as without:
        store(without, make_note("00.md", "plum"))

    with closing(Index.open(many.path, few_notes=FEW_NOTES)) as again, again.reader() as reader:
        assert in_memory(reader)
        assert reader.keywords.doc_frequencies(["plum", "appl"]) == {"plum": 1, "appl": NOTES - 1}


def test_damage_is_found_by_the_check(opened):
    opened.flush()
    opened.cache.verify()
    assert opened.path.exists()
    data = bytearray(opened.path.read_bytes())
    data[-3] ^= 1
    opened.path.unlink()
    opened.path.write_bytes(data)

    opened.cache.verify()

    assert not opened.path.exists()
    assert opened.scorer() is None
    assert opened.flush()


def test_a_deleted_segment_file_is_written_again(opened):
    opened.flush()
    opened.path.unlink()

    assert opened.flush()
    assert opened.path.exists()


def test_without_room_for_the_segment_file_what_was_there_goes_on(many, opened, store, make_note, monkeypatch):
    opened.flush()
    store(many, make_note("new.md", "plum"))

    def refuse(path, segments):
        raise OSError("no space left")

    monkeypatch.setattr(segment_file, "write", refuse)
    with pytest.raises(IndexUnavailable, match="no space left"):
        opened.flush()

    assert opened.scorer().chunks.added_count == 1


def test_damaged_segments_are_not_merged_and_given_new_checksums(many, opened, store, make_note):
    opened.flush()
    data = bytearray(opened.path.read_bytes())
    data[-64:-32] = bytes(32)  # of blocks, which are not looked at on opening where they are large
    opened.path.write_bytes(data)
    reopened(opened, many.path, checked_bytes=0)
    store(many, make_note("new.md", "plum"))

    assert opened.flush()

    assert opened.scorer().chunks.frequency("appl") == NOTES
    opened.cache.verify()
    assert opened.path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows reads the file at once")
@pytest.mark.parametrize("length", [0, 4096, None], ids=["emptied", "cut short", "overwritten"])
def test_a_file_that_another_program_writes_to_is_let_go_of(opened, length):
    opened.flush()
    assert opened.scorer() is not None
    with opened.path.open("r+b") as file:
        if length is None:
            file.write(bytes(opened.path.stat().st_size))
        else:
            file.truncate(length)

    assert opened.scorer() is None
    assert not opened.path.exists()


def test_searches_go_on_while_a_file_is_written(many, opened, store, make_note, monkeypatch):
    opened.flush()
    store(many, make_note("new.md", "plum"))
    write, found = segment_file.write, []

    def write_and_search(path, segments):
        file_id = write(path, segments)
        with closing(connect_ours(many.path, writable=False, without=frozenset())[0]) as reader:
            thread = threading.Thread(target=lambda: found.append(opened.cache.scorer(reader).chunks.frequency("plum")))
            thread.start()
            thread.join()
        return file_id

    monkeypatch.setattr(segment_file, "write", write_and_search)
    assert opened.flush()

    assert found == [1]
    assert opened.path.exists()


def test_where_files_cannot_be_read_at_an_offset_the_whole_file_is_read(many, opened, store, make_note, monkeypatch):
    monkeypatch.delattr(os, "pread", raising=False)
    assert opened.flush()
    store(many, make_note("new.md", "plum"))
    assert opened.flush()

    assert reopened(opened, many.path).scorer().chunks.frequency("plum") == 1
    assert not opened.flush()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_in_its_place_is_not_waited_for(many, opened):
    os.mkfifo(opened.path)

    assert reopened(opened, many.path).scorer() is None


def test_while_an_empty_index_is_filled_a_search_without_postings_has_them_made_of_what_is_there(
    index, store, make_note, by_fts5, in_time
):
    query, found = KeywordQuery.of(["pear", "apple"], ["apple pear"]), []

    def has_postings():
        with index.reader() as reader:
            found.append(reader.keywords.query(query, deadline=in_time).top_chunks(None, 99, CHUNK_WEIGHTS))
            return reader.keywords.has_postings

    def fill(first):
        with index.batch():
            for number in range(first, first + NOTES):
                store(index, make_note(f"{number:03}.md", f"apple pear {'apple ' * (number % 4)}w{number}"))
        index.flush()

    with index.bulk():
        fill(0)
        assert not has_postings()
        with index.batch():
            pass
        assert has_postings()
        fill(NOTES)
        assert not has_postings()  # too many came since
        with index.batch():
            store(index, make_note("000.md", "apple pear"))
        index.flush()
        assert has_postings()
    assert has_postings()
    with by_fts5(index) as keywords:
        assert found[-1] == keywords.query(query, deadline=in_time).top_chunks(None, 99, CHUNK_WEIGHTS)
    assert found[0] == found[1]
    assert found[3] == found[4]


def test_postings_that_a_search_lacked_are_made_and_the_next_search_has_them(many, in_time):
    many.flush_postings()
    with many.reader() as reader:
        before = top_notes(reader, KeywordQuery.of(["apple"]), None, 99)
        reader.invalidate_postings("for the test")
        assert not many.lacks_postings  # nobody has searched without them yet
        lacking = top_notes(reader, KeywordQuery.of(["apple"]), None, 99)
        assert many.lacks_postings

    restore_postings(many, in_time)

    assert not many.lacks_postings
    with many.reader() as reader:
        assert reader.keywords.has_postings
        after = top_notes(reader, KeywordQuery.of(["apple"]), None, 99)
    assert before == lacking == after


def test_postings_that_cannot_be_restored_are_no_error(many, in_time, monkeypatch):
    with many.reader() as reader:
        reader.invalidate_postings("for the test")
        reader.keywords.query(KeywordQuery.of(["apple"]), deadline=in_time)
    monkeypatch.setattr(segment_file, "write", lambda *_: (_ for _ in ()).throw(OSError("no room")))

    restore_postings(many, in_time)

    assert many.lacks_postings

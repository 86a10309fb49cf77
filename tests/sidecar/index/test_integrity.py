import random
import shutil
from contextlib import closing

import apsw
import pytest
from builders import top_chunks, top_notes

from quarry.conditions import MATCH_ALL, HasPhrase, HasTag, InFolder, Not
from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.index import Deadline, Index, NoteFilter, content_hash
from quarry.index.schema import PAGE_SIZE
from quarry.types import Link

FLIPS = 60
WORDS = [f"word{n}" for n in range(120)]


@pytest.fixture
def filled(index, store, make_note):
    """An index of 40 notes, checkpointed and closed; gives its path."""
    draw = random.Random(5)
    with index.batch():
        for n in range(40):
            texts = [" ".join(draw.choices(WORDS, k=draw.randint(5, 60))) for _ in range(3)]
            links = (Link("wiki", f"note{(n * 7) % 40}", None, None),)
            store(index, make_note(f"f{n % 4}/note{n}.md", *texts, heading="H", tags=(f"t{n % 5}",), links=links))
    index.close()
    return index.path


def everything(index, ask, admit, encode, in_time):
    """Whatever can be asked, answered."""
    answers = []
    with index.reader() as reader:
        for word, next_word in zip(WORDS[::6], WORDS[1::6], strict=True):
            for where in (None, HasTag("t1"), InFolder("f2"), Not(HasPhrase(next_word))):
                admitted = admit(reader, where)
                answers.append(top_chunks(reader, ask(word, f"{word} {next_word}"), admitted, 10))
                answers.append(top_notes(reader, ask(word), admitted, 10))
                answers.append(reader.dense(encode([word])[0], admitted, 10, deadline=in_time))
                dense_query = reader.dense_query(encode([word])[0])
                answers.append(dense_query and dense_query.top_titles(admitted, 10))
        answers += [(reader.note(p), reader.links_from(p), reader.links_to(p)) for p in reader.stamps()]
        answers.append(
            (
                reader.stamps(),
                reader.counts(),
                reader.notes(NoteFilter(), 99),
                reader.browse(MATCH_ALL, 99, deadline=in_time),
            )
        )
    return answers


def find_damage(path):
    """An open index, if its damage was not seen on opening, and whether it was seen by any check."""
    try:
        index = Index.open(path)
    except QuarryError:
        return None, True
    try:
        damaged, cursor = index.verify(None, 1000)
        assert cursor is None
        index.check()
    except IndexDamaged:
        return index, True
    return index, bool(damaged)


@pytest.mark.slow
def test_every_flipped_bit_that_changes_an_answer_is_found(filled, tmp_path, ask, admit, encode, in_time):
    draw = random.Random(2)
    data = filled.read_bytes()
    whole = Index.open(shutil.copy(filled, tmp_path / "whole.db"))
    expected = everything(whole, ask, admit, encode, in_time)
    whole.close()

    missed, found = [], 0
    for number in range(FLIPS):
        bit = draw.randrange(len(data) * 8)
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path = tmp_path / f"{number}.db"
        path.write_bytes(flipped)
        index, is_found = find_damage(path)
        found += is_found
        if index is not None:
            if not is_found and everything(index, ask, admit, encode, in_time) != expected:
                missed.append(bit)
            index.close()

    assert missed == []
    assert found > FLIPS / 8  # many bytes are unused


@pytest.mark.slow
def test_every_flipped_bit_in_a_body_or_vector_is_found(filled, tmp_path):
    index = Index.open(filled)
    bodies = [row[0] for row in index._writer.connection.execute("SELECT body FROM bodies")]
    vectors = [row[0] for row in index._writer.connection.execute("SELECT vector FROM vectors")]
    index.close()
    data = filled.read_bytes()

    missed = []
    for number, value in enumerate([*bodies[:15], *vectors[:15]]):
        flipped = bytearray(data)
        flipped[data.index(value) + len(value) // 2] ^= 1 << number % 8
        path = tmp_path / f"{number}.db"
        path.write_bytes(flipped)
        index, is_found = find_damage(path)
        if index is not None:
            index.close()
        if not is_found:
            missed.append(number)

    assert missed == []


def vandalise(path, statement, *values):
    vandal = apsw.Connection(str(path))
    vandal.execute(statement, values)
    vandal.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bodies SET body = (SELECT body FROM bodies WHERE note_id = 3) WHERE note_id = 2",
        "UPDATE bodies SET body = x'00' WHERE note_id = 2",
        "DELETE FROM bodies WHERE note_id = 2",
        "UPDATE chunk_rows SET number = 9 WHERE note_id = 2 AND number = 2",
        "UPDATE chunk_rows SET content = 0 WHERE note_id = 2 AND number = 2",
        "UPDATE chunk_rows SET length = length + 1 WHERE note_id = 2 AND number = 2",
        "UPDATE chunk_rows SET note_length = 0 WHERE note_id = 2 AND number = 2",
        "UPDATE notes SET name_length = 0 WHERE id = 2",
        "UPDATE notes SET checksum = x'00' WHERE id = 2",
        "UPDATE notes SET title = 'other' WHERE id = 2",
        "UPDATE notes SET mtime_ns = 5 WHERE id = 2",
        "UPDATE notes SET folded = 'x' WHERE id = 2",
        "UPDATE tags SET tag = 'other' WHERE note_id = 2",
        "DELETE FROM links WHERE note_id = 2",
        "DELETE FROM chunk_rows WHERE note_id = 2 AND number = 2",
        "UPDATE vectors SET vector = zeroblob(32) WHERE chunk_id IN (SELECT id FROM chunk_rows WHERE note_id = 2)",
        "UPDATE title_vectors SET title = 0 WHERE note_id = 2",
        "UPDATE title_vectors SET vector = zeroblob(32) WHERE note_id = 2",
        "DELETE FROM vectors WHERE chunk_id = (SELECT min(id) FROM chunk_rows WHERE note_id = 2)",
        "INSERT INTO pending SELECT id FROM chunk_rows WHERE note_id = 2",
    ],
)
def test_a_row_that_changed_by_itself_is_found_and_made_good(filled, store, make_note, statement):
    with_path = apsw.Connection(str(filled))
    path = with_path.execute("SELECT path FROM notes WHERE id = 2").fetchall()[0][0]
    with_path.close()
    vandalise(filled, statement)
    index = Index.open(filled)

    assert index.verify(None, 1000) == ([path], None)

    store(index, make_note(path, "apples", "pears"))
    assert index.verify(None, 1000) == ([], None)
    index.checkpoint()
    index.close()


def test_another_stamp_does_not_hide_damage(filled, stamp):
    vandalise(filled, "UPDATE notes SET title = 'other' WHERE id = 2")
    index = Index.open(filled)
    (path,), _ = index.verify(None, 1000)

    index.restamp(path, stamp(99))

    assert index.verify(None, 1000) == ([path], None)
    index.close()


def test_a_damaged_vector_is_not_handed_on(filled):
    index = Index.open(filled)
    with index.reader() as reader:
        chunk_id = reader.note("f1/note1.md").chunk_ids[0]
        key = content_hash(reader.chunks([chunk_id])[chunk_id].chunk)
    assert key in index.static.known(["f1/note1.md"], [key])
    vandalise(filled, "UPDATE vectors SET vector = zeroblob(32) WHERE chunk_id = ?", chunk_id)

    assert index.static.known(["f1/note1.md"], [key]) == {}
    index.close()


def test_verifying_goes_on_where_it_stopped(filled):
    vandalise(filled, "UPDATE notes SET title = 'other'")
    index = Index.open(filled)
    found, cursor, rounds = [], None, 0
    while rounds == 0 or cursor is not None:
        damaged, cursor = index.verify(cursor, 7)
        found += damaged
        rounds += 1
    index.close()

    assert len(found) == 40
    assert found == sorted(found)
    assert rounds == 6


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("INSERT OR REPLACE INTO notes_fts(rowid, terms) VALUES (2, 'extra')", "other terms of note 2"),
        ("DELETE FROM notes_fts WHERE rowid = 2", "other terms of note 2"),
        ("INSERT INTO notes_fts(rowid, terms) VALUES (99, 'extra')", "note 99, which is gone"),
        ("INSERT INTO notes_fts(notes_fts) VALUES ('delete-all')", "other terms of note 1"),
    ],
)
def test_a_keyword_index_that_disagrees_with_the_forward_index_is_damage(filled, statement, told):
    index = Index.open(filled)
    with index._writer.change() as connection:
        connection.execute(statement)

    with pytest.raises(IndexDamaged, match=told):
        index.check()
    index.close()


@pytest.mark.slow
def test_every_flipped_bit_of_the_keyword_index_that_changes_what_it_proposes_is_found(filled, tmp_path):
    connection = apsw.Connection(str(filled))
    blocks = [row[0] for row in connection.execute("SELECT block FROM notes_fts_data WHERE length(block) > 60")]
    connection.close()
    data, expected = filled.read_bytes(), proposed(filled)

    missed = []
    for number, block in enumerate(blocks * 12):
        flipped = bytearray(data)
        flipped[data.index(block) + (number * 37) % len(block)] ^= 1 << number % 8
        path = tmp_path / f"{number}.db"
        path.write_bytes(flipped)
        index, is_found = find_damage(path)
        if index is not None:
            index.close()
        if not is_found and proposed(path) != expected:
            missed.append(number)

    assert missed == []


def proposed(path):
    """The notes that FTS5 proposes for each word."""
    connection = apsw.Connection(str(path))
    try:
        sql = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?"
        return [connection.execute(sql, (word,)).fetchall() for word in WORDS]
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE meta SET value = '41' WHERE key = 'notes'", "40"),
        ("INSERT INTO pending VALUES (99999)", "pending"),
        (
            "INSERT INTO chunk_rows (id, number, content, length, note_length) VALUES (999 << 11, 0, 0, 0, 0)",
            "of no note",
        ),
    ],
)
def test_rows_that_disagree_with_each_other_are_damage(filled, statement, reason):
    vandalise(filled, statement)

    with closing(Index.open(filled)) as index, pytest.raises(IndexDamaged, match=reason):
        index.check()


def scribble_over_a_far_page(path):
    """Make rubbish of the last page of a table of many, which nothing reads on opening."""
    data = bytearray(path.read_bytes())
    branching = next(at for at in range(PAGE_SIZE, len(data), PAGE_SIZE) if data[at] == 5)  # of a table's tree
    last = int.from_bytes(data[branching + 8 : branching + 12]) - 1
    data[last * PAGE_SIZE : (last + 1) * PAGE_SIZE] = b"\xff" * PAGE_SIZE
    path.write_bytes(data)


def test_a_page_that_opening_does_not_read_is_found_when_the_pages_are_checked(filled):
    scribble_over_a_far_page(filled)
    index = Index.open(filled)

    with pytest.raises(IndexDamaged):
        index.check_pages()
    index.close()


def test_pages_are_checked_while_others_write_and_the_check_gives_way(filled):
    index = Index.open(filled)
    with index._writer.change():
        assert index.check_pages()

    assert not index.check_pages(lambda: True)
    index.close()


# --- WAL -------------------------------------------------------------------------------------------


@pytest.fixture
def with_wal(index, store, make_note, tmp_path):
    """A copy of an index as a kill leaves it: ten notes in the file, ten more in the WAL only."""
    for n in range(10):
        store(index, make_note(f"{n}.md", f"apples {n}"))
    index.checkpoint()
    for n in range(10, 20):
        store(index, make_note(f"{n}.md", f"apples {n}"))
    for suffix in ("", "-wal"):
        shutil.copy(f"{index.path}{suffix}", f"{tmp_path / 'copy.db'}{suffix}")
    return tmp_path / "copy.db"


def surviving(path):
    index = Index.open(path)
    with index.reader() as reader:
        notes = len(reader.stamps())
    assert index.verify(None, 100) == ([], None)
    index.check()
    index.close()
    return notes


def test_after_a_kill_everything_committed_is_there(with_wal):
    assert surviving(with_wal) == 20


def test_without_its_wal_an_index_is_an_older_whole_one(with_wal):
    with_wal.with_name("copy.db-wal").unlink()

    assert surviving(with_wal) == 10


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_with_its_wal_cut_short_an_index_is_an_older_whole_one(with_wal, share):
    wal = with_wal.with_name("copy.db-wal")
    data = wal.read_bytes()
    wal.write_bytes(data[: int(len(data) * share)])

    assert 10 <= surviving(with_wal) < 20


def test_with_a_flipped_bit_in_its_wal_an_index_is_an_older_whole_one(with_wal):
    wal = with_wal.with_name("copy.db-wal")
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 1
    wal.write_bytes(data)

    assert 10 <= surviving(with_wal) < 20


def test_a_wal_of_another_moment_is_found(with_wal, index, store, make_note):
    for n in range(20, 200):
        store(index, make_note(f"{n}.md", *(f"apples {n} {k}" for k in range(5))))
    index.checkpoint()
    shutil.copy(index.path, with_wal)  # what a sync tool makes: newer database, older WAL

    found, is_found = find_damage(with_wal)

    assert is_found
    if found is not None:
        found.close()


def test_a_check_can_be_given_up_and_changes_nothing(filled):
    index = Index.open(filled)
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 20

    with pytest.raises(Cancelled):
        index.check(Deadline(float("inf"), is_cancelled))

    index.check()
    index.close()

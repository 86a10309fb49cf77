import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import Cancelled
from quarry.index import Deadline
from quarry.index.database import NO_DEADLINE, connect
from quarry.index.postings.cache import NO_DOCUMENTS
from quarry.index.postings.fields import QueryTerm, stored
from quarry.index.postings.fts5 import create_keyword_index
from quarry.index.postings.stored_snapshot import StoredSnapshot, TermReader

TERMS = [QueryTerm("appl"), QueryTerm("red car", "phrase"), QueryTerm("w1", "prefix"), QueryTerm("unknown")]


@pytest.fixture
def vault(index, put):
    """Some notes, one of which was edited so that its chunks lie in other slots than their order."""
    for number in range(12):
        put(f"{number}.md", f"apple w{number} red", "the car", title=f"T{number}", tags=("w1tag",))
    put("3.md", "the car", "new w13", "apple w3 red", title="apple apple")
    index.remove("5.md")
    return index


def read_scorer(connection, terms, deadline=NO_DEADLINE):
    """A scorer that knows *terms* alone."""
    return TermReader(connection).scorer(terms, deadline)


@pytest.fixture
def both(vault):
    """What is stored of `TERMS`, and the postings in memory."""
    with vault.reader() as reader:
        scorer = reader._memory.postings.scorer(reader._db)
        yield read_scorer(reader._db, TERMS), scorer


def rows(snapshot, postings):
    """The frequencies by field of each document, by id; in no order."""
    ordinals, codes = postings
    table = snapshot.tf_table.tolist()
    return sorted((int(snapshot.ids[at]), table[code]) for at, code in zip(ordinals, codes, strict=True))


def test_what_is_stored_of_a_query_is_what_memory_has(both):
    stored, memory = both

    of_chunks = ("lengths", "note_lengths", "length_norms")
    for found, expected, names in (
        (stored.chunks, memory.chunks, of_chunks),
        (stored.names, memory.names, ("lengths",)),
    ):
        assert found.total == found.size == found.ascending == expected.total
        assert found.live_docs is None
        for term in ("appl", "red", "car", "w1", "w10", "unknown"):
            ordinals, _ = found.postings(term)
            assert (np.diff(ordinals) > 0).all()
            assert rows(found, found.postings(term)) == rows(expected, expected.postings(term))
            assert found.frequency(term) == expected.frequency(term)
        assert rows(found, found.prefix_postings("w1")) == rows(expected, expected.prefix_postings("w1"))
        at, there = found.ordinals_of(expected.ids), expected.ordinals_of(expected.ids)
        is_alive = there >= 0
        for name in names:
            assert getattr(found, name)[at[is_alive]].tolist() == getattr(expected, name)[there[is_alive]].tolist()


def test_documents_are_those_of_the_snapshot_each_with_its_note(both):
    stored, memory = both
    notes = stored.names.ids[stored.note_of_chunk]

    assert stored.generation == memory.generation
    assert notes.tolist() == (stored.chunks.ids >> 11).tolist()
    assert stored.names.ids.tolist() == [number + 1 for number in range(12) if number != 5]
    is_alive = memory.names.ordinals_of(stored.names.ids)
    assert stored.note_length_norms.tolist() == memory.note_length_norms[is_alive].tolist()


def test_ids_that_are_not_there_have_no_ordinal(both):
    stored, _ = both

    assert stored.chunks.ordinals_of(np.array([6 << 11, 10**9, 1 << 11])).tolist() == [-1, -1, 0]


def test_terms_that_were_asked_for_before_are_known_and_not_read_again(vault):
    with vault.reader() as reader:
        terms, read = TermReader(reader._db), []
        reader._db.exec_trace = lambda _, sql, __: "bodies" not in sql or read.append(1) or True
        first = terms.scorer([QueryTerm("w7"), QueryTerm("w1", "prefix")], NO_DEADLINE)
        before = len(read)
        again = terms.scorer([QueryTerm("w1", "prefix")], NO_DEADLINE)
        assert again is first
        assert len(read) == before
        more = terms.scorer([QueryTerm("w1"), QueryTerm("appl"), QueryTerm("w", "prefix")], NO_DEADLINE)
        reader._db.exec_trace = None
        fresh = read_scorer(reader._db, [QueryTerm("w", "prefix")])

    assert first.chunks.frequency("appl") == 0  # a scorer that is in use stays as it is
    for term in ("w1", "w7", "w10"):
        assert rows(more.chunks, more.chunks.postings(term)) == rows(fresh.chunks, fresh.chunks.postings(term))
    assert rows(more.chunks, more.chunks.prefix_postings("w")) == rows(fresh.chunks, fresh.chunks.prefix_postings("w"))


def test_a_term_whose_reading_was_given_up_is_read_whole_the_next_time(vault, monkeypatch):
    monkeypatch.setattr("quarry.index.note_rows.READ_AT_ONCE", 1)
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 4

    with vault.reader() as reader:
        terms = TermReader(reader._db)
        with pytest.raises(Cancelled):
            terms.scorer([QueryTerm("appl")], Deadline(float("inf"), is_cancelled))

        assert terms.scorer([QueryTerm("w7")], NO_DEADLINE).chunks.frequency("w7") == 1
        assert terms.scorer([QueryTerm("appl")], NO_DEADLINE).chunks.frequency("appl") == 13


def test_of_other_terms_nothing_is_known(both):
    stored, _ = both

    assert stored.chunks.frequency("the") == 0
    assert stored.chunks.postings("the")[0].tolist() == stored.chunks.prefix_postings("th")[0].tolist() == []


def test_only_notes_that_hold_a_term_are_read(vault):
    with vault.reader() as reader:
        read = []
        reader._db.exec_trace = lambda _, sql, bindings: "bodies" not in sql or read.append(bindings[0]) or True
        read_scorer(reader._db, [QueryTerm("w7"), QueryTerm("unknown")])
        read_scorer(reader._db, [])
        reader._db.exec_trace = None

    assert read == ["[8]"]


def test_an_index_without_notes_and_the_scorer_of_no_document_find_nothing(index):
    with index.reader() as reader:
        of_index = read_scorer(reader._db, TERMS)

    for scorer in (of_index, NO_DOCUMENTS):
        assert (scorer.chunks.total, scorer.names.total, len(scorer.note_of_chunk)) == (0, 0, 0)
        assert scorer.chunks.ordinals_of(np.array([5])).tolist() == [-1]
        assert scorer.note_length_norms.tolist() == scorer.chunks.length_norms.tolist() == []
        assert scorer.chunks.frequency("appl") == 0


def test_lengths_are_of_the_documents_in_their_order():
    found = StoredSnapshot.of([(3, 7, 2), (9, 5, 5)])

    assert (found.ids.tolist(), found.lengths.tolist(), found.note_lengths.tolist()) == ([3, 9], [7, 5], [2, 5])
    assert StoredSnapshot.of([(3, 7)]).note_lengths.tolist() == [7]


def test_an_older_snapshot_is_read_as_it_was(vault, put):
    with vault.reader() as older:
        put("new.md", "apple w7")
        vault.remove("7.md")
        found = read_scorer(older._db, [QueryTerm("w7"), QueryTerm("appl")])

        assert found.chunks.ids[found.chunks.postings("w7")[0]].tolist() == [8 << 11]
        assert found.chunks.frequency("appl") == 13  # the title of one note is the context of its three chunks


SIGNS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@pytest.fixture(scope="module")
def one_term(tmp_path_factory):
    """A connection to a keyword index that holds one term of one note."""
    path = tmp_path_factory.mktemp("signs") / "i.db"
    path.touch()
    connection, _ = connect(path, writable=True)
    for table in ("bodies (note_id, body)", "notes (id, name_length)", "chunk_rows (id, length, note_length)"):
        connection.execute(f"CREATE TABLE {table}")
    connection.execute("CREATE TABLE meta (key, value)")
    create_keyword_index(connection)
    connection.execute("INSERT INTO notes_fts(rowid, terms) VALUES (7, 'x')")
    yield connection
    connection.close()


@pytest.mark.parametrize("kind", ["term", "prefix", "phrase"])
@given(text=SIGNS)
def test_no_term_of_a_query_is_syntax(one_term, kind, text):
    found = read_scorer(one_term, [QueryTerm(stored(text), kind)])

    assert found.chunks.total == 0

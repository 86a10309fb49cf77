import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import Cancelled
from quarry.index import Deadline
from quarry.index.database import NO_DEADLINE, connect
from quarry.index.postings.fields import QueryTerm, stored
from quarry.index.postings.fts5 import create_keyword_index
from quarry.index.postings.stored_snapshot import TermReader


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


def rows(snapshot, postings):
    """The frequencies by field of each document, by id; in no order."""
    ordinals, codes = postings
    table = snapshot.tf_table.tolist()
    return sorted((int(snapshot.ids[at]), table[code]) for at, code in zip(ordinals, codes, strict=True))


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


def test_only_notes_that_hold_a_term_are_read(vault):
    with vault.reader() as reader:
        read = []
        reader._db.exec_trace = lambda _, sql, bindings: "bodies" not in sql or read.append(bindings[0]) or True
        read_scorer(reader._db, [QueryTerm("w7"), QueryTerm("unknown")])
        read_scorer(reader._db, [])
        reader._db.exec_trace = None

    assert read == ["[8]"]


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

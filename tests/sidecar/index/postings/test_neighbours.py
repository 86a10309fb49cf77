from contextlib import contextmanager

import pytest

from quarry.index.deadline import NO_DEADLINE

APART = [("1.md", "red sky", "blue car"), ("2.md", "blue sky"), ("3.md", "red car and red car")]


@pytest.fixture
def reader(index, store, make_note):
    """Memory answers; only one note has a red car, twice."""
    for path, *texts in APART:
        store(index, make_note(path, *texts))
    index.fold()
    with index.reader() as reader:
        assert reader._keywords._words is not None
        yield reader


@contextmanager
def asked_of_fts5(reader):
    """The statements that look something up in the keyword index."""
    found: list[str] = []
    reader._db.exec_trace = lambda _, sql, __: "MATCH" not in sql or found.append(sql) or True
    try:
        yield found
    finally:
        reader._db.exec_trace = None


def ids_of(reader):
    return [row[0] for row in reader._db.execute("SELECT id FROM chunks ORDER BY id")]


def test_words_that_stand_together_in_no_candidate_are_not_looked_for(reader):
    with asked_of_fts5(reader) as asked:
        scores = reader.phrase_scores([("red", "blue"), ("blue", "unknown")], ids_of(reader))

    assert scores == {}
    assert asked == []


def test_a_phrase_is_looked_for_once_and_counts_as_often_as_it_stands(reader):
    chunk_ids = ids_of(reader)
    with asked_of_fts5(reader) as asked:
        scores = reader.phrase_scores([("red", "car"), ("red", "blue")], chunk_ids)

    whole = {c.chunk_id: c.score for c in reader.phrases([("red", "car")], None, 9, deadline=NO_DEADLINE)}
    assert len(asked) == 1
    assert scores == {i: pytest.approx(score) for i, score in whole.items()}
    assert len(scores) == 1


def test_only_the_chunks_asked_about_are_scored(reader):
    held = reader.phrase_scores([("red", "car")], ids_of(reader))

    assert reader.phrase_scores([("red", "car")], [i for i in ids_of(reader) if i not in held]) == {}

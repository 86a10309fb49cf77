"""What search is compared with is exact: on the sample vault, against plain reckoning and against the engine."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from collected import sample
from exact_search import ExactEngine, ExactReader, Fts5Documents, embedded

from quarry.analysis.analysis import phrase_terms
from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.evaluation.runner import SYSTEMS, indexed
from quarry.index import CHUNK_WEIGHTS, KeywordQuery, Reader, idf, max_score, note_of
from quarry.index.database import NO_DEADLINE
from quarry.index.note_codec import open_packed
from quarry.index.postings.fields import TEXT, NoteTerms
from quarry.indexing.vector_model import embedded_text
from quarry.options import SearchOptions
from quarry.search.candidates import FIELD_WEIGHTS

QUERIES = ("how do I tune reeds", "error 502 bad gateway", "reedscope", "笙的簧片", "getting the harmonium ready")
PHRASES = ("parish council", "reed plate", "reedscope", "equal temperament")
ASKED = (
    *[KeywordQuery.of(query.split()) for query in QUERIES],
    KeywordQuery.of(["tuning"], ["parish council", "reed plate"]),
    KeywordQuery.of(["getting", "harm"], prefix="harm"),
)


@pytest.fixture(scope="module")
def engine(index_of: Callable[[str], Path]) -> Iterator[Engine]:
    with indexed(sample().corpus, index_of("sample")) as engine:
        yield engine


@pytest.fixture
def reader(engine: Engine) -> Iterator[Reader]:
    with engine.reader() as reader:
        yield reader


@pytest.fixture
def exact(reader: Reader) -> ExactReader:
    return ExactReader(reader, *embedded(reader, load_encoder()), Fts5Documents(reader))


def long_guide(reader: Reader) -> NoteTerms:
    """The terms of a note of many passages."""
    (body,) = next(
        reader._db.execute("SELECT body FROM bodies b JOIN notes n ON n.id = b.note_id WHERE path LIKE '%long guide%'")
    )
    return open_packed(body).terms()


def test_a_passage_is_as_near_as_its_embedding_before_it_was_rounded(reader: Reader, exact: ExactReader):
    encoder = load_encoder()
    vector = encoder.encode(["how do I tune reeds"])[0]

    found = dict(exact.dense_query(vector).top_chunks(None, 20, NO_DEADLINE))

    texts = {chunk_id: embedded_text(stored.chunk) for chunk_id, stored in reader.chunks(list(found)).items()}
    matrix = encoder.encode([texts[chunk_id] for chunk_id in found]).astype(np.float64)
    assert list(found.values()) == pytest.approx(list(matrix @ vector), abs=1e-6)
    rounded = dict(reader.dense_query(vector).top_chunks(None, 20, NO_DEADLINE))
    apart = [abs(found[chunk_id] - rounded[chunk_id]) for chunk_id in found.keys() & rounded.keys()]
    assert 1e-6 < max(apart) < 0.02


@pytest.mark.parametrize("query", QUERIES)
def test_notes_and_titles_are_as_near_as_to_the_engine_but_for_rounding(reader: Reader, exact: ExactReader, query: str):
    vector = load_encoder().encode([query])[0]
    ours, theirs = exact.dense_query(vector), reader.dense_query(vector)
    note_ids = np.unique([note_of(chunk_id) for chunk_id, _ in theirs.top_chunks(None, 30, NO_DEADLINE)])

    here, there = ours.nearest_chunks(note_ids), theirs.nearest_chunks(note_ids)
    (titled, titles), (titled_there, rounded) = ours.title_cosines(note_ids), theirs.title_cosines(note_ids)

    assert here.note_ids.tolist() == there.note_ids.tolist() == note_ids.tolist()
    assert here.cosines == pytest.approx(there.cosines, abs=0.02)
    assert here.means == pytest.approx(there.means, abs=0.02)
    assert titled.tolist() == titled_there.tolist()
    assert titles == pytest.approx(rounded, abs=0.02)
    assert dict(ours.top_titles(None, 3)).keys() <= dict(theirs.top_titles(None, 10)).keys()


def test_only_admitted_notes_are_near(exact: ExactReader):
    vector = load_encoder().encode(["tuning"])[0]
    dense_query = exact.dense_query(vector)
    admitted = np.sort([note_of(chunk_id) for chunk_id, _ in dense_query.top_chunks(None, 400, NO_DEADLINE)[-3:]])

    assert {note_of(chunk_id) for chunk_id, _ in dense_query.top_chunks(admitted, 9, NO_DEADLINE)} <= set(
        admitted.tolist()
    )
    assert {note_id for note_id, _ in dense_query.top_titles(admitted, 9)} <= set(admitted.tolist())


@pytest.mark.parametrize("query", ASKED, ids=repr)
def test_fts5_over_passages_and_whole_notes_scores_as_the_postings_do(
    reader: Reader, exact: ExactReader, query: KeywordQuery
):
    ours, theirs = exact.keywords.query(query), reader.keywords.query(query)
    assert reader.keywords.has_postings
    some, note_ids = list(range(3, 40, 2)), range(1, 100)

    for admitted in (None, np.array(some)):
        for weights in (CHUNK_WEIGHTS, FIELD_WEIGHTS):
            passages = ours.top_chunks(admitted, 30, weights), theirs.top_chunks(admitted, 30, weights)
            assert [chunk_id for chunk_id, _ in passages[0]] == [chunk_id for chunk_id, _ in passages[1]]
            assert dict(passages[0]) == pytest.approx(dict(passages[1]), abs=1e-9)
        for by_name in (False, True):
            for depth in (5, 30):
                best = theirs.top_note_ids(admitted, depth, by_name=by_name)
                assert ours.top_note_ids(admitted, depth, by_name=by_name) == best
        assert ours.count_chunks(admitted, 10_000) == theirs.count_chunks(admitted, 10_000)
        assert ours.count_notes(admitted) == theirs.count_notes(admitted)
    assert ours.top_chunks(None, 1, FIELD_WEIGHTS)
    assert ours.note_scores(note_ids) == pytest.approx(theirs.note_scores(note_ids), abs=1e-9)
    best = ours.top_chunks(None, 9, FIELD_WEIGHTS)
    scores = ours.chunk_scores(dict(best), FIELD_WEIGHTS)
    assert scores == dict(best) == pytest.approx(theirs.chunk_scores(dict(best), FIELD_WEIGHTS), abs=1e-9)
    of_note = note_of(best[0][0])
    assert dict(ours.top_chunks_of(of_note, 3, FIELD_WEIGHTS)) == pytest.approx(
        dict(theirs.top_chunks_of(of_note, 3, FIELD_WEIGHTS)), abs=1e-9
    )


def test_fts5_finds_terms_and_phrases_where_postings_and_forward_index_do(reader: Reader, exact: ExactReader):
    ours, theirs = exact.keywords, reader.keywords
    terms = [term for query in QUERIES for term in KeywordQuery.of(query.split()).terms]

    assert ours.doc_frequencies([*terms, "", "nowhere"]) == theirs.doc_frequencies([*terms, "", "nowhere"])
    assert ours.similar_terms("harmoniun", 5) == theirs.similar_terms("harmoniun", 5) != []
    for term in terms:
        assert ours.chunks_with_term(term, 4) == theirs.chunks_with_term(term, 4)
    texts = [columns[TEXT] for columns in long_guide(reader).chunks]
    over_borders = [(before.split(" ")[-1], after.split(" ")[0]) for before, after in pairwise(texts)]
    for phrase in [*map(phrase_terms, PHRASES), *over_borders]:
        notes = ours.notes_with_phrase(phrase, deadline=NO_DEADLINE)
        assert notes == theirs.notes_with_phrase(phrase, deadline=NO_DEADLINE) != []
        for is_wide in (False, True):
            found = theirs.chunks_with_phrase(phrase, in_headings=is_wide, deadline=NO_DEADLINE)
            assert ours.chunks_with_phrase(phrase, in_headings=is_wide, deadline=NO_DEADLINE) == sorted(found)


def test_neighbouring_words_count_by_how_many_passages_of_all_hold_them(reader: Reader, exact: ExactReader):
    pair, total = phrase_terms("parish council"), reader.chunk_count
    every = exact.keywords.proximity_scores([pair], [row[0] for row in reader._db.execute("SELECT id FROM chunks")])
    some = sorted(every)[:1]

    assert every
    assert exact.keywords.proximity_scores([pair], some) == {chunk_id: every[chunk_id] for chunk_id in some}
    assert 0 < max(every.values()) < max_score([idf(len(every), total)])


def test_nothing_is_found_by_no_word(exact: ExactReader):
    nothing = exact.keywords.query(KeywordQuery())

    assert (nothing.top_chunks(None, 9, FIELD_WEIGHTS), nothing.top_note_ids(None, 9)) == ([], set())
    assert exact.keywords.proximity_scores([], [1, 2]) == {}


def test_it_answers_as_the_engine_where_rounding_moves_nothing(engine: Engine):
    request = SYSTEMS["default"].request("reedscope settings", 3)

    assert [hit.path for hit in ExactEngine(engine).search(request).hits] == [
        h.path for h in engine.search(request).hits
    ]


def test_without_a_word_only_the_condition_counts(engine: Engine):
    request = SearchOptions(query="folder:Recipes", snippet_width=0)

    assert {hit.path.split("/")[0] for hit in ExactEngine(engine).search(request).hits} == {"Recipes"}


def test_vectors_of_another_model_are_refused_as_rounding_would_not_be_what_is_measured(reader: Reader):
    class Other:
        dim = load_encoder().dim

        def encode(self, texts):
            return -load_encoder().encode(texts)

    with pytest.raises(ValueError, match="other vectors"):
        embedded(reader, Other())

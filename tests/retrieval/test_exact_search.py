"""What search is compared with is exact: on the sample vault, against plain reckoning and against the engine."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from collected import sample
from exact_search import ExactEngine, ExactReader, WholeNotes, embedded

from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.evaluation.runner import indexed
from quarry.evaluation.systems import SYSTEMS
from quarry.index import KeywordQuery, Reader, note_of
from quarry.index.deadline import NO_DEADLINE
from quarry.indexing.prepare import embedded_text
from quarry.search.features import FIELD_WEIGHTS
from quarry.search.prepare import K1
from quarry.terms.analysis import phrase_terms
from quarry.types import SearchRequest

QUERIES = ("how do I tune reeds", "error 502 bad gateway", "reedscope", "笙的簧片", "getting the harmonium ready")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with indexed(sample().corpus, tmp_path_factory.mktemp("sample") / "index.db") as engine:
        yield engine


@pytest.fixture
def reader(engine: Engine) -> Iterator[Reader]:
    with engine._reading() as reader:
        yield reader


@pytest.fixture
def exact(reader: Reader) -> ExactReader:
    return ExactReader(reader, *embedded(reader, load_encoder()), WholeNotes(reader))


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


@pytest.mark.parametrize("query", QUERIES)
def test_fts5_over_passages_and_whole_notes_scores_as_the_postings_do(reader: Reader, exact: ExactReader, query: str):
    asked, notes = KeywordQuery.of(query.split()), range(1, 100)
    assert reader._keywords._words is not None

    passages = [of.lexical(asked, None, 30, deadline=NO_DEADLINE, weights=FIELD_WEIGHTS) for of in (exact, reader)]
    named = [of.lexical_notes(asked, None, 30, deadline=NO_DEADLINE, by_name=True) for of in (exact, reader)]
    whole = [of.lexical_notes(asked, None, 30, deadline=NO_DEADLINE) for of in (exact, reader)]

    assert [c.chunk_id for c in passages[0]] == [c.chunk_id for c in passages[1]]
    assert [c.score for c in passages[0]] == pytest.approx([c.score for c in passages[1]], abs=1e-9)
    for first, second in (named, whole):
        assert {i: score for i, _, score in first} == pytest.approx({i: score for i, _, score in second}, abs=1e-9)
    assert exact.note_scores(asked, notes) == pytest.approx(reader.note_scores(asked, notes), abs=1e-9)


def test_neighbouring_words_count_by_how_many_passages_of_all_hold_them(reader: Reader, exact: ExactReader):
    pair, total = phrase_terms("parish council"), reader.chunk_count
    every = exact.phrase_scores([pair], [row[0] for row in reader._db.execute("SELECT id FROM chunks")])
    some = sorted(every)[:1]

    assert every
    assert exact.phrase_scores([pair], some) == {chunk_id: every[chunk_id] for chunk_id in some}
    most = (K1 + 1) * math.log((total - len(every) + 0.5) / (len(every) + 0.5))
    assert 0 < max(every.values()) < most


def test_it_answers_as_the_engine_where_rounding_moves_nothing(engine: Engine):
    request = SYSTEMS["default"].request("reedscope settings", 3)

    assert [hit.path for hit in ExactEngine(engine).search(request).hits] == [
        h.path for h in engine.search(request).hits
    ]


def test_without_a_word_only_the_condition_counts(engine: Engine):
    request = SearchRequest("folder:Recipes", snippet_width=0)

    assert {hit.path.split("/")[0] for hit in ExactEngine(engine).search(request).hits} == {"Recipes"}


def test_vectors_of_another_model_are_refused_as_rounding_would_not_be_what_is_measured(reader: Reader):
    class Other:
        dim = load_encoder().dim

        def encode(self, texts):
            return -load_encoder().encode(texts)

    with pytest.raises(ValueError, match="other vectors"):
        embedded(reader, Other())

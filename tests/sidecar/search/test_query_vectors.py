"""A query has its contextual vector in time, or the search goes on without it."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from builders import (
    HashContextualEncoder,
    HashEncoder,
    Vault,
    execution_over,
    open_with_contextual_model,
    settle_deeply,
    wait_until,
)

from quarry.engine import Engine
from quarry.query.parse import parse_query
from quarry.search.candidates import collect_candidates
from quarry.search.prepare import prepare_query
from quarry.search.query_vectors import KEPT, ContextualQueries, ContextualVector, DenseQueries


@pytest.fixture
def contextual():
    made = HashContextualEncoder()
    yield made
    made.release()


@pytest.fixture
def queries(contextual):
    made = ContextualQueries(contextual, wait_s=30.0)
    yield made
    made.close()


def test_a_query_is_embedded_once(queries, contextual):
    first, second = queries.vector("walnut"), queries.vector("walnut")

    assert first is second
    assert first.vector.tolist() == contextual.encode_query("walnut").tolist()
    assert first.model == "contextual"
    assert contextual.queries == ["walnut", "walnut"]  # the second of them by this test


def test_what_comes_too_late_is_kept_for_the_next_time(contextual):
    queries = ContextualQueries(contextual, wait_s=0.001)
    contextual.hold_queries()

    assert queries.vector("walnut") is None
    assert queries.vector("cherry") is None  # at once: the contextual is late already
    contextual.release()
    wait_until(lambda: len(contextual.queries) == 2)

    wait_until(lambda: queries.vector("walnut") is not None and queries.vector("cherry") is not None)
    assert contextual.queries == ["walnut", "cherry"]
    queries.close()


def test_a_query_that_is_near_nothing_is_asked_for_once(queries, contextual):
    assert queries.vector(" ") is None
    assert queries.vector(" ") is None
    assert contextual.queries == [" "]


def test_an_encoder_that_fails_costs_its_own_vectors_only(queries, contextual, monkeypatch):
    def fail(_: str) -> None:
        raise RuntimeError("bad graph")

    with monkeypatch.context() as patched:
        patched.setattr(contextual, "encode_query", fail)
        assert queries.vector("walnut") is None

    assert queries.vector("cherry") is not None


def test_the_oldest_are_forgotten(queries, contextual):
    for number in range(KEPT + 1):
        queries.vector(f"query {number}")
    queries.vector("query 1")
    assert len(contextual.queries) == KEPT + 1

    queries.vector("query 0")

    assert len(contextual.queries) == KEPT + 2


def test_closed_it_embeds_nothing(queries, contextual):
    queries.close()

    assert queries.vector("walnut") is None
    assert contextual.queries == []


@pytest.fixture
def engine(vault: Vault) -> Iterator[Engine]:
    vault.write_all(
        {".quarry.toml": '[embedding]\nmodel = "contextual"\n', "a.md": "walnut oil", "b.md": "cherry stones"}
    )
    opened = open_with_contextual_model(vault.root, vault.root.parent / "index.db")
    settle_deeply(opened)
    yield opened
    opened.close()


def test_contextual_vectors_rank_and_static_ones_tell_the_confidence(engine: Engine, encoder):
    contextual = HashContextualEncoder()
    vector = ContextualVector(contextual.encode_query("walnut"), "contextual")
    with engine.reader() as reader:
        both = DenseQueries.bind(reader, encoder.encode(["walnut"])[0], vector)
        static = DenseQueries.bind(reader, encoder.encode(["walnut"])[0], None)
        alone = DenseQueries.bind(reader, None, vector)
        assert DenseQueries.bind(reader, None, None) == DenseQueries()

    assert both.is_contextual
    assert both.static is not None
    assert not static.is_contextual
    assert static.ranking is static.static
    assert alone.is_contextual
    assert alone.static is None


def test_a_contextual_vector_goes_by_the_last_part_of_its_models_name():
    vector = HashContextualEncoder().encode_query("walnut")

    assert ContextualVector(vector, "sentence-transformers/all-MiniLM-L6-v2").short_name == "all-MiniLM-L6-v2"
    assert ContextualVector(vector, "my-folder").short_name == "my-folder"


def test_both_kinds_of_vectors_have_a_say_in_the_meaning_of_a_note(engine: Engine, encoder):
    queries = ContextualQueries(HashContextualEncoder(), wait_s=30.0)
    with engine.reader() as reader:
        walnut = reader.find_note("a.md").note_id  # which each kind says is nearest
        query = parse_query("walnut", now=datetime(2026, 3, 1))  # noqa: DTZ001
        both, static = (
            collect_candidates(prepare_query(query, execution, typing=False), execution)
            for execution in (execution_over(reader, encoder, contextual=asked) for asked in (queries, None))
        )
    queries.close()

    assert both.static_cosine.tolist() == static.static_cosine.tolist() == static.max_cosine.tolist()
    assert both.max_cosine.tolist() != both.static_cosine.tolist()
    assert both.signals.meaning.tolist() == [1.0 if note_id == walnut else 0.0 for note_id in both.note_ids]


def test_a_contextual_model_is_trusted_with_a_query_that_the_static_one_does_not_know(engine: Engine):
    class Illiterate(HashEncoder):
        def vocabulary_coverage(self, text: str) -> float:
            return 0.0

    queries = ContextualQueries(HashContextualEncoder(), wait_s=30.0)
    with engine.reader() as reader:
        query = parse_query("αθήνα", now=datetime(2026, 3, 1))  # noqa: DTZ001
        both, static = (
            prepare_query(query, execution_over(reader, Illiterate(), contextual=asked), typing=False)
            for asked in (queries, None)
        )
    queries.close()

    assert (both.known_share, both.trust_in_cosines) == (1.0, 1.0)
    assert (static.known_share, static.trust_in_cosines) == (0.0, 0.0)

"""A query has its contextual vector in time, or the search goes on without it."""

import pytest
from builders import HashContextualEncoder, wait_until
from quarry.search.contextual_queries import KEPT, ContextualQueries


@pytest.fixture
def encoder():
    made = HashContextualEncoder()
    yield made
    made.release()


@pytest.fixture
def queries(encoder):
    made = ContextualQueries(encoder, wait_s=30.0)
    yield made
    made.close()


def test_a_query_is_embedded_once(queries, encoder):
    first, second = queries.vector("walnut"), queries.vector("walnut")

    assert first is second
    assert first.vector.tolist() == encoder.encode_query("walnut").tolist()
    assert first.model == "contextual"
    assert encoder.queries == ["walnut", "walnut"]  # the second of them by this test


def test_what_comes_too_late_is_kept_for_the_next_time(encoder):
    queries = ContextualQueries(encoder, wait_s=0.001)
    encoder.hold_queries()

    assert queries.vector("walnut") is None
    assert queries.vector("cherry") is None  # at once: the encoder is late already
    encoder.release()
    wait_until(lambda: len(encoder.queries) == 2)

    wait_until(lambda: queries.vector("walnut") is not None and queries.vector("cherry") is not None)
    assert encoder.queries == ["walnut", "cherry"]
    queries.close()


def test_a_query_that_is_near_nothing_is_asked_for_once(queries, encoder):
    assert queries.vector(" ") is None
    assert queries.vector(" ") is None
    assert encoder.queries == [" "]


def test_an_encoder_that_fails_costs_its_own_vectors_only(queries, encoder, monkeypatch):
    def fail(_: str) -> None:
        raise RuntimeError("bad graph")

    with monkeypatch.context() as patched:
        patched.setattr(encoder, "encode_query", fail)
        assert queries.vector("walnut") is None

    assert queries.vector("cherry") is not None


def test_the_oldest_are_forgotten(queries, encoder):
    for number in range(KEPT + 1):
        queries.vector(f"query {number}")
    queries.vector("query 1")
    assert len(encoder.queries) == KEPT + 1

    queries.vector("query 0")

    assert len(encoder.queries) == KEPT + 2


def test_closed_it_embeds_nothing(queries, encoder):
    queries.close()

    assert queries.vector("walnut") is None
    assert encoder.queries == []

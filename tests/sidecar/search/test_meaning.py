"""A query is compared by contextual vectors where it has one, and by static ones for its confidence."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from builders import HashContextualEncoder, HashEncoder, Vault, open_with_contextual_model, settle_deeply
from quarry.search.contextual_queries import ContextualQueries, ContextualVector
from quarry.search.features import extract_features
from quarry.search.meaning import NO_QUERIES, MeaningQueries

from quarry.engine import Engine
from quarry.index import Deadline
from quarry.query.parse import parse_query
from quarry.search.prepare import prepare_query


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
        both = MeaningQueries.of(reader, encoder.encode(["walnut"])[0], vector)
        static = MeaningQueries.of(reader, encoder.encode(["walnut"])[0], None)
        alone = MeaningQueries.of(reader, None, vector)

    assert both.is_contextual
    assert both.static is not None
    assert not static.is_contextual
    assert static.ranking is static.static
    assert alone.is_contextual
    assert alone.static is None


def test_where_nothing_can_be_compared_there_is_no_query(engine: Engine):
    with engine.reader() as reader:
        assert MeaningQueries.of(reader, None, None) == NO_QUERIES


def test_a_contextual_vector_goes_by_the_last_part_of_its_models_name():
    vector = HashContextualEncoder().encode_query("walnut")

    assert ContextualVector(vector, "sentence-transformers/all-MiniLM-L6-v2").short_name == "all-MiniLM-L6-v2"
    assert ContextualVector(vector, "my-folder").short_name == "my-folder"


def test_both_kinds_of_vectors_have_a_say_in_the_meaning_of_a_note(engine: Engine, encoder):
    queries, deadline = ContextualQueries(HashContextualEncoder(), wait_s=30.0), Deadline.after(30)
    with engine.reader() as reader:
        query = parse_query("walnut", now=datetime(2026, 3, 1))  # noqa: DTZ001
        both, static = (
            extract_features(
                prepare_query(query, reader, encoder, typing=False, deadline=deadline, contextual=asked),
                reader,
                ("lexical", "dense"),
                deadline,
            )
            for asked in (queries, None)
        )
    queries.close()

    assert both.static_cosine.tolist() == static.static_cosine.tolist() == static.max_cosine.tolist()
    assert both.max_cosine.tolist() != both.static_cosine.tolist()
    assert both.signals.meaning.tolist() == [1.0, 0.0]  # each says that the first note is nearest


def test_a_contextual_model_is_trusted_with_a_query_that_the_static_one_does_not_know(engine: Engine):
    class Illiterate(HashEncoder):
        def vocabulary_coverage(self, text: str) -> float:
            return 0.0

    queries, deadline = ContextualQueries(HashContextualEncoder(), wait_s=30.0), Deadline.after(30)
    with engine.reader() as reader:
        query = parse_query("αθήνα", now=datetime(2026, 3, 1))  # noqa: DTZ001
        both, static = (
            prepare_query(query, reader, Illiterate(), typing=False, deadline=deadline, contextual=asked)
            for asked in (queries, None)
        )
    queries.close()

    assert (both.known_share, both.trust_in_cosines) == (1.0, 1.0)
    assert (static.known_share, static.trust_in_cosines) == (0.0, 0.0)

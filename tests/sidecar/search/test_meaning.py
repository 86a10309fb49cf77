"""A query is compared by contextual vectors where it has one, and by static ones for its confidence."""

from collections.abc import Iterator

import pytest
from builders import HashContextualEncoder, Vault, open_with_contextual_model, settle_deeply

from quarry.engine import Engine
from quarry.search.contextual_queries import ContextualVector
from quarry.search.meaning import NO_QUERIES, MeaningQueries


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

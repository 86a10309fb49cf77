"""A model is used with the vectors that it made, and with no others."""

import threading
from collections.abc import Callable

import pytest
from builders import DIM, HashEncoder, Vault

from quarry.embedding import Encoder
from quarry.errors import ModelMissing
from quarry.index import Index
from quarry.indexing.activity import Activity
from quarry.indexing.indexer import Indexer
from quarry.indexing.vector_model import VectorModel
from quarry.settings import Settings
from quarry.vault.rules import Rules

FIRST, SECOND = HashEncoder("first", DIM), HashEncoder("second", 2 * DIM)


def model_named(name: str, load: Callable[[str], Encoder], activity: Activity | None = None) -> VectorModel:
    """A model that has been awaited."""
    model = VectorModel(name, load, activity or Activity(), head_start_s=0.0, wait_s=30.0)
    model.await_first()
    return model


def load(name: str) -> Encoder:
    if name == "none":
        raise ModelMissing("there is no such model")
    return SECOND if name == "second" else FIRST


@pytest.fixture
def filled(vault: Vault, index: Index, monitor) -> Index:
    """An index of one note, without vectors."""
    vault.write("a.md", "walnut")
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: None).reconcile(index)
    return index


def embed(index: Index, vault: Vault, monitor, model: VectorModel) -> None:
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: model.encoder).embed_pending(index)


def test_a_model_is_used_from_the_moment_it_is_adopted(filled: Index):
    model = model_named("first", load)
    assert model.encoder is None
    assert model.is_awaited

    assert model.adopt(filled)  # there are vectors to make

    assert model.encoder is FIRST
    assert not model.is_awaited
    assert not model.adopt(filled)


def test_a_snapshot_is_asked_only_with_the_model_that_made_its_vectors(vault: Vault, filled: Index, monitor):
    model, activity = model_named("first", load), Activity()
    model.adopt(filled)
    embed(filled, vault, monitor, model)
    other = model_named("second", load, activity)

    with filled.reader() as before:
        assert before.dimension == DIM
        other.adopt(filled)
        embed(filled, vault, monitor, other)
        assert model.encoder_for(before) is FIRST
        assert other.encoder_for(before) is None
    with filled.reader() as after:
        assert after.dimension == 2 * DIM
        assert other.encoder_for(after) is SECOND
    assert "second" in (activity.message or "")


def test_an_index_that_takes_the_place_of_another_says_whose_vectors_it_holds(filled: Index):
    model = model_named("first", load)
    model.adopt(filled)

    filled.meta_set("fingerprint", "")
    model.index_replaced(filled)

    assert model.encoder is None


def test_another_name_in_the_settings_is_another_model(filled: Index):
    model = model_named("first", load)
    slot = model.slot
    model.select("first")
    assert model.slot is slot

    model.select("second")
    model.slot.wait(30.0)

    assert model.adopt(filled)
    assert model.encoder is SECOND


def test_why_there_are_no_vectors_is_said_for_each_state(filled: Index):
    may_load = threading.Event()
    model = VectorModel("first", lambda name: (may_load.wait(30), load(name))[1], Activity(), 0.0, wait_s=0.0)
    model.await_first()
    assert "still loading" in model.why_no_vectors
    assert model.is_awaited

    may_load.set()
    model.slot.wait(30.0)
    assert "being made anew" in model.why_no_vectors

    missing = model_named("none", load)
    assert missing.why_no_vectors == "there is no such model"
    assert not missing.is_awaited
    assert not missing.adopt(filled)

"""A model is used with the vectors that it made, and with no others."""

import threading
from collections.abc import Callable

import pytest
from builders import DIM, HashContextualEncoder, HashEncoder, Vault, quiet_activity, wait_until

from quarry.embedding import ContextualEncoder, Encoder
from quarry.errors import ModelMissing
from quarry.index import Index
from quarry.indexing import vector_model
from quarry.indexing.current_index import fingerprint_text
from quarry.indexing.indexer import Indexer
from quarry.indexing.status import Activity
from quarry.indexing.vector_model import VectorModel
from quarry.messages import message
from quarry.settings import Settings
from quarry.vault.rules import Rules

FIRST, SECOND = HashEncoder("first", DIM), HashEncoder("second", 2 * DIM)
CONTEXTUAL = HashContextualEncoder("network")


def model_named(name: str, load: Callable[[str], Encoder], activity: Activity | None = None) -> VectorModel:
    """A model that has been awaited."""
    model = VectorModel(name, load, load_contextual, activity or quiet_activity(), head_start_s=0.0, wait_s=30.0)
    model.await_first()
    return model


def load(name: str) -> Encoder:
    if name == "none":
        raise ModelMissing("there is no such model")
    return SECOND if name == "second" else FIRST


def no_model(name: str) -> Encoder:
    raise ModelMissing("there is no such model")


def load_contextual(name: str) -> ContextualEncoder | None:
    if name == "broken network":
        raise ModelMissing("install the extra")
    return CONTEXTUAL if name == "network" else None


@pytest.fixture
def filled(vault: Vault, index: Index, monitor) -> Index:
    """An index of one note, without vectors."""
    vault.write("a.md", "walnut")
    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: None).reconcile(index)
    return index


def embed(index: Index, vault: Vault, monitor, model: VectorModel) -> None:
    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: model.encoder).embed_pending(index)


def test_a_model_is_used_from_the_moment_it_is_adopted(filled: Index):
    model = model_named("first", load)
    assert model.encoder is None
    assert model.is_awaited

    assert model.adopt(filled)  # there are vectors to make

    assert model.encoder is FIRST
    assert not model.is_awaited
    assert not model.adopt(filled)


def test_a_snapshot_is_asked_only_with_the_model_that_made_its_vectors(vault: Vault, filled: Index, monitor):
    model, activity = model_named("first", load), quiet_activity()
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
    assert "second" in str(activity.message)


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
    model = VectorModel(
        "first", lambda name: (may_load.wait(30), load(name))[1], load_contextual, quiet_activity(), 0.0, 0.0
    )
    model.await_first()
    assert model.why_no_vectors == message("status.model-loading")
    assert model.is_awaited

    may_load.set()
    model.slot.wait(30.0)
    assert model.why_no_vectors == message("status.vectors-pending", model="first")

    missing = model_named("none", no_model)
    told = message("status.model-missing", model="none", detail="there is no such model")
    assert missing.why_no_vectors == told
    assert not missing.is_awaited
    assert not missing.adopt(filled)


def test_the_bundled_model_answers_in_the_place_of_one_that_is_missing_until_that_is_there(filled: Index, monkeypatch):
    present = {"bundled": FIRST}

    def load_present(name: str) -> Encoder:
        return present[name] if name in present else no_model(name)

    model = model_named("second", load_present)
    slot = model.slot
    assert model.adopt(filled)
    assert model.encoder is FIRST
    assert (slot.name, slot.loaded_name, slot.state) == ("second", "bundled", "ready")
    assert slot.message == "there is no such model; until then, the model 'bundled' answers"
    model.select("second")
    assert model.slot is slot

    present["second"] = SECOND
    monkeypatch.setattr(vector_model, "RETRY_S", -1.0)
    model.select("second")
    assert model.encoder is FIRST  # while the other loads
    wait_until(lambda: model.select("second") or model.slot is not slot)

    assert model.adopt(filled)
    assert model.encoder is SECOND
    assert model.slot.message is None


def awaited(name: str) -> VectorModel:
    """A model whose contextual encoder is there, or is known not to come."""
    model = model_named(name, load)
    wait_until(lambda: model.contextual_slot is None or model.contextual_slot.state != "loading")
    return model


def test_a_contextual_model_is_loaded_beside_the_static_one_and_the_index_makes_room_for_its_vectors(filled: Index):
    model = awaited("network")

    assert model.slot.encoder is FIRST
    assert model.adopt_contextual(filled) is CONTEXTUAL
    assert filled.contextual.model == fingerprint_text(CONTEXTUAL.fingerprint)


def test_its_vectors_answer_when_they_are_complete(filled: Index):
    model = awaited("network")
    model.adopt_contextual(filled)
    with filled.reader() as before:
        assert model.contextual_encoder_for(before) is None
        (chunk,), (title,) = filled.contextual.pending_chunks(9), filled.contextual.pending_titles(9)
        vector = bytes([1] * CONTEXTUAL.dim)
        filled.contextual.fill_in(
            [(chunk.chunk_id, chunk.content_hash, vector)], [(title.note_id, title.title, vector)]
        )
        assert model.contextual_encoder_for(before) is None

    with filled.reader() as after:
        assert model.contextual_encoder_for(after) is CONTEXTUAL
        assert awaited("first").contextual_encoder_for(after) is None


def test_the_vectors_of_a_contextual_model_that_is_missing_stay(filled: Index):
    awaited("network").adopt_contextual(filled)

    assert awaited("broken network").adopt_contextual(filled) is None
    assert filled.contextual.model is not None


@pytest.mark.parametrize("name", ["first", "bundled"])
def test_a_static_model_leaves_no_contextual_vectors(filled: Index, name: str):
    awaited("network").adopt_contextual(filled)

    assert awaited(name).adopt_contextual(filled) is None
    assert filled.contextual.model is None


def test_models_are_switched_both_ways():
    model = awaited("bundled")
    assert model.contextual_slot is None

    model.select("network")
    wait_until(lambda: model.contextual_encoder is CONTEXTUAL)
    model.select("first")

    wait_until(lambda: model.contextual_slot is not None and model.contextual_slot.is_of_another_kind)
    assert model.contextual_encoder is None

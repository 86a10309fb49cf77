"""A model comes in by itself, or is missing without harm."""

import threading
import time

from builders import IMPATIENT, HashContextualEncoder, HashEncoder, find, wait_until
from msgspec.structs import replace

from quarry.embedding import ContextualEncoder
from quarry.errors import ModelMissing
from quarry.indexing.vector_model import ModelSlot

LATE = replace(IMPATIENT, head_start_s=3600)


def test_a_model_is_loading_then_ready():
    encoder, go_on = HashEncoder(), threading.Event()
    slot = ModelSlot("hash", lambda _: (go_on.wait(10), encoder)[1])
    assert (slot.state, slot.encoder, slot.wait(0)) == ("loading", None, None)

    go_on.set()

    assert slot.wait(10) is encoder
    assert (slot.state, slot.encoder, slot.message) == ("ready", encoder, None)


def test_a_missing_model_says_why():
    def load(name: str) -> HashEncoder:
        raise ModelMissing(f"no {name}; do this")

    slot = ModelSlot("hash", load)

    assert slot.wait(10) is None
    assert (slot.state, slot.message) == ("missing", "no hash; do this")


def test_a_broken_library_costs_no_more_than_a_missing_model():
    def load(_: str) -> HashEncoder:
        raise ImportError("libsomething.so")

    slot = ModelSlot("hash", load)
    wait_until(lambda: slot.state == "missing")

    assert slot.message is not None
    assert "quarry doctor" in slot.message
    assert "libsomething" not in slot.message


def test_a_model_that_gives_others_a_head_start_is_loaded_when_somebody_hurries_or_waits():
    encoder = HashEncoder()
    begun = threading.Event()

    def load(_: str) -> HashEncoder:
        begun.set()
        return encoder

    hurried, awaited = (ModelSlot("hash", load, head_start_s=3600) for _ in range(2))
    assert not begun.is_set()
    assert hurried.state == "loading"

    hurried.start_loading()
    wait_until(lambda: hurried.state == "ready")

    assert awaited.state == "loading"
    assert awaited.wait(10) is encoder


def test_a_head_start_ends_by_itself():
    slot = ModelSlot("hash", lambda _: HashEncoder(), head_start_s=0.01)

    wait_until(lambda: slot.state == "ready")


def test_an_answer_and_an_index_that_is_up_to_date_end_the_head_start(vault, open_engine):
    vault.write("a.md", "walnut")
    first = open_engine(limits=LATE)
    first.close()

    engine = open_engine(wait=False, limits=LATE)
    find(engine, "walnut")

    wait_until(lambda: engine.status().model_state == "ready")


def test_the_vault_is_looked_at_once_a_search_went_by_meaning(vault, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()
    vault.write("b.md", "hazel")
    may_load = threading.Event()
    limits = replace(LATE, timing=replace(LATE.timing, head_start_s=3600))

    engine = open_engine(wait=False, load=lambda _: (may_load.wait(10), HashEncoder())[1], limits=limits)
    assert find(engine, "walnut") == ["a.md"]
    time.sleep(0.05)

    assert engine.is_working
    assert find(engine, "hazel") == []
    may_load.set()
    wait_until(lambda: find(engine, "hazel") == ["b.md"])


def test_a_model_that_comes_after_another_waits_for_it():
    may_load = threading.Event()
    first = ModelSlot("static", lambda _: (may_load.wait(10), HashEncoder())[1])
    second = ModelSlot("contextual", lambda _: HashContextualEncoder(), after=first)
    assert second.wait(0.01) is None

    may_load.set()

    assert second.wait(10) is not None
    assert first.state == "ready"


def test_a_name_of_another_kind_of_model_is_no_failure():
    slot: ModelSlot[ContextualEncoder] = ModelSlot("static", lambda _: None)
    wait_until(lambda: slot.state == "missing")

    assert slot.is_of_another_kind
    assert slot.message is None

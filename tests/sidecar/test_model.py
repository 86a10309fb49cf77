"""A model comes in by itself, or is missing without harm."""

import threading

from builders import HashEncoder, wait_until

from quarry.errors import ModelMissing
from quarry.model import ModelSlot


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

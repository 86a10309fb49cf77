"""Values in frames: what was sent arrives, and half of it never does."""

import io
import pickle

import pytest

from quarry.indexing.frames import encode_frame, read_frame
from quarry.indexing.messages import Done, ResultBatch, Task


def test_values_arrive_in_order():
    sent = [Task("prepare", (("a.md", None),)), ResultBatch(1, b"x"), Done()]
    pipe = io.BytesIO(b"".join(map(encode_frame, sent)))

    assert [read_frame(pipe) for _ in sent] == sent
    assert read_frame(pipe) is None


def test_a_frame_that_was_cut_short_is_the_end():
    whole = encode_frame(ResultBatch(1, b"x" * 100))

    assert all(read_frame(io.BytesIO(whole[:cut])) is None for cut in range(len(whole)))


def test_what_cannot_be_sent_is_refused_before_anything_is():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        encode_frame(lambda: None)

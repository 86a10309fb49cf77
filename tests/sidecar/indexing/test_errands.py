"""Values in frames: what was sent arrives, and half of it never does."""

import io
import pickle

import pytest

from quarry.index.postings.counting import CountedRow, count
from quarry.indexing.errands import Done, Part, Task, read_frame, write_frame


def framed(*values: object) -> io.BytesIO:
    pipe = io.BytesIO()
    for value in values:
        write_frame(pipe, value)
    pipe.seek(0)
    return pipe


def test_values_arrive_in_order():
    sent = [Task("prepare", (("a.md", None),)), Part((b"x",)), Done()]
    pipe = framed(*sent)

    assert [read_frame(pipe) for _ in sent] == sent
    assert read_frame(pipe) is None


def test_a_frame_that_was_cut_short_is_the_end():
    whole = framed(Part((b"x" * 100,))).getvalue()

    assert all(read_frame(io.BytesIO(whole[:cut])) is None for cut in range(len(whole)))


def test_what_cannot_be_sent_leaves_nothing_in_the_pipe():
    pipe = io.BytesIO()

    with pytest.raises((pickle.PicklingError, AttributeError)):
        write_frame(pipe, lambda: None)

    assert pipe.getvalue() == b""


def test_what_results_share_is_sent_once():
    one, other = count([("a " * 50_000 + "b",)], 1), count([("c",)], 1)
    sent = [(f"n{row}", CountedRow(batch, row), batch) for row in range(3) for batch in (one, other)]
    [part] = [read_frame(framed(Part.of(sent)))]
    found = list(part.opened())

    assert [name for name, _, _ in found] == [name for name, _, _ in sent]
    assert len({id(batch) for _, _, batch in found}) == 2
    assert all(row.batch is batch for _, row, batch in found)
    assert [batch.words for _, _, batch in found[:2]] == [(b"a", b"b"), (b"c",)]


def test_results_that_share_nothing_arrive_as_they_are():
    assert list(Part.of(["a", b"b"]).opened()) == ["a", b"b"]

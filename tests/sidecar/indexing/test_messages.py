"""What a preparing process answers arrives whole, and what results share is sent once."""

import io

from quarry.index.keyword.term_counts import CountedDocument, count_terms
from quarry.indexing.frames import encode_frame, read_frame
from quarry.indexing.messages import ResultBatch


def test_what_results_share_is_sent_once():
    one, other = count_terms([("a " * 50_000 + "b",)], 1), count_terms([("c",)], 1)
    sent = [(f"n{row}", CountedDocument(batch, row), batch) for row in range(3) for batch in (one, other)]
    part = read_frame(io.BytesIO(encode_frame(ResultBatch.of(sent))))
    assert isinstance(part, ResultBatch)
    found = list(part.opened())

    assert [name for name, _, _ in found] == [name for name, _, _ in sent]
    assert len({id(batch) for _, _, batch in found}) == 2
    assert all(row.batch is batch for _, row, batch in found)
    assert [batch.terms for _, _, batch in found[:2]] == [(b"a", b"b"), (b"c",)]


def test_results_that_share_nothing_arrive_as_they_are():
    assert list(ResultBatch.of(["a", b"b"]).opened()) == ["a", b"b"]

"""Dense queries of vectors that memory may not hold."""

import numpy as np
import pytest

from quarry.index.vector.limits import VectorLimits


@pytest.fixture
def vector_limits() -> VectorLimits:
    return VectorLimits(memory_bytes=0)


def test_many_equal_chunks_are_cut_by_path(index, store, make_note, dense):
    with index.batch():
        for n in reversed(range(200)):
            store(index, make_note(f"{n:03}.md", "apples"))

    assert dense("apples", depth=2) == [("000.md", 0), ("001.md", 0)]


def test_titles_are_scored_but_not_proposed(put, index, encode):
    put("a.md", "x", title="Pears")
    put("b.md", "x")

    with index.reader() as reader:
        query = reader.dense_query(encode(["pears"])[0])
        ids, cosines = query.title_cosines(np.array([1, 2, 9]))

        assert query.top_titles(None, 5) == []
    assert ids.tolist() == [1, 2]
    assert cosines[0] == pytest.approx(1, abs=1e-3)


def test_vectors_of_chunks_are_given_at_unit_length(index, make_note, stamp, encode):
    index.upsert(make_note("a.md", "apples", "pears", ""), stamp(), [b"\x7f" + bytes(31), None, b""])

    with index.reader() as reader:
        rows = reader.vectors_of(reader.note("a.md").chunk_ids)

    assert rows.tolist() == [[1.0] + [0.0] * 31]

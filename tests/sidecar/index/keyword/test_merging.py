import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keyword.builder import SegmentBuilder
from quarry.index.keyword.merging import merge_segments
from quarry.index.keyword.mutable_segment import MutableSegment

COLUMN = st.lists(st.sampled_from(["a", "b", "be", "ü", "机"]), max_size=6).map(" ".join)
DOCUMENTS = st.dictionaries(st.integers(0, 40), st.tuples(COLUMN, COLUMN), max_size=15)


def built(documents):
    builder = SegmentBuilder(2)
    for i, columns in documents.items():
        builder.put(i, columns)
    return builder.finish()


@pytest.mark.slow
@given(DOCUMENTS, DOCUMENTS, st.sets(st.integers(0, 40)))
def test_merging_gives_the_bytes_that_building_gives(before, fresh, gone):
    base, additions = built(before), MutableSegment(2)
    for i, columns in fresh.items():
        additions.add(i, columns)
    dead = gone | fresh.keys()

    keep = np.array([i not in dead for i in base.ids], np.bool_)

    found = merge_segments(base, keep, additions.frozen(np.ones(len(fresh), np.bool_)))

    wanted = built({**{i: columns for i, columns in before.items() if i not in dead}, **fresh})
    assert list(found.terms) == list(wanted.terms)
    for name in ("ids", "field_lengths", "counts", "frames", "borders", "firsts"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name

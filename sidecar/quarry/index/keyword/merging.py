"""A segment without what is dead, and with what is new: made from postings, without analysing a text again."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.segment import Postings, Segment, assemble


def merge_segments(base: Segment, keep: NDArray[np.bool_], extra: Segment) -> Segment:
    """
    The documents to *keep* of *base*, shape (documents,), and all of *extra*; no id is in both.

    It is the segment that building from their columns would give, to the byte.

    Raises:
        OverflowError: As `assemble`.
    """
    words = list(base.terms)
    known = {word: at for at, word in enumerate(words)}
    of_extra = np.array([known.setdefault(word, len(known)) for word in extra.terms], np.int32)
    place = np.cumsum(keep, dtype=np.int32) - 1
    counts = np.concatenate([base.counts, extra.counts])
    ids = np.concatenate([base.ids[keep], extra.ids])
    field_lengths = np.concatenate([base.field_lengths[keep], extra.field_lengths])
    return assemble(ids, field_lengths, counts, list(known), _Postings(base, keep, place, extra, of_extra))


class _Postings(Struct, frozen=True):
    """The postings of both, made piece by piece each time they are gone through: all at once they take 100 MB."""

    base: Segment
    keep: NDArray[np.bool_]
    place: NDArray[np.int32]
    extra: Segment
    of_extra: NDArray[np.int32]

    def __iter__(self) -> Iterator[Postings]:
        for term, document, code in self.base.pieces():
            kept = self.keep[document]
            yield term[kept], self.place[document[kept]], code[kept]
        documents, codes = np.int32(self.keep.sum()), np.int32(len(self.base.counts))
        for term, document, code in self.extra.pieces():
            yield self.of_extra[term], document + documents, code + codes

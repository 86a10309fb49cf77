"""The documents of one moment: those of a segment that still stand, and those that were added since."""

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.bm25 import Floats, length_factors
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.fts5_tokens import encoded
from quarry.index.keyword.mutable_segment import MutableSegment
from quarry.index.keyword.segment import DocOrdinals, Segment

KEPT_RANGES = 4096  # terms that were looked for lately
KEPT_POSTINGS = 64  # terms whose postings are kept, 3 MB: a search asks for those of chunks three times
MOST_KEPT = 8192  # postings of a term; of those that more documents hold, other things are kept
_NONE = (np.zeros(0, np.intp), np.zeros(0, np.intp))


class SegmentSnapshot(Struct, frozen=True, dict=True):
    """Documents by position: first those of the segment, then those added, in the order in which they came."""

    base: Segment
    additions: MutableSegment
    added: int  # documents of `additions` that are there
    live_docs: NDArray[np.bool_] | None  # shape (size,); None: all

    @cached_property
    def size(self) -> int:
        """All documents, dead ones included."""
        return len(self.base.ids) + self.added

    @cached_property
    def total(self) -> int:
        """Documents that stand."""
        return self.size if self.live_docs is None else int(self.live_docs.sum())

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """Ascending in the segment's part."""
        return np.concatenate([self.base.ids, self.additions.ids(self.added)]) if self.added else self.base.ids

    @cached_property
    def field_lengths(self) -> NDArray[np.uint32]:
        """Tokens; shape (size, columns)."""
        return (
            np.concatenate([self.base.field_lengths, self.additions.field_lengths(self.added)])
            if self.added
            else self.base.field_lengths
        )

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How often each code says that a term stands in each column; shape (codes, columns)."""
        of_base = self.base.counts
        counts = np.concatenate([of_base, self.additions.counts()]) if self.added else of_base
        return counts.astype(np.float64)

    @cached_property
    def length_norms(self) -> Floats:
        """See `length_factors`, over all columns."""
        return self.length_norms_of(self.field_lengths.sum(axis=1, dtype=np.float64))

    def length_norms_of(self, lengths: Floats) -> Floats:
        """See `length_factors`; the average is over what stands."""
        tokens = float(lengths.sum() if self.live_docs is None else lengths[self.live_docs].sum())
        return length_factors(lengths, tokens / self.total if tokens else 1.0)

    def postings(self, term: str) -> tuple[DocOrdinals, DocOrdinals]:
        """
        The documents that hold *term*, ascending, and their codes.

        Raises:
            PostingsDamaged: The side file is not what was written.
        """
        found = self._postings.get(term)
        if found is None:
            added = self.additions.holding(term, self.added) if self.added else _NONE
            found = self._living(*self._range_of(term), *added)
            if len(found[0]) <= MOST_KEPT:
                if len(self._postings) >= KEPT_POSTINGS:
                    self._postings.clear()
                self._postings[term] = found
        return found

    def prefix_postings(self, prefix: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The same for each term that begins with *prefix*, one after the other."""
        first, last = self.base.terms.prefix_range(encoded(prefix))
        added = self.additions.holding_any(prefix, self.added) if self.added else _NONE
        return self._living(first, last, *added)

    def ordinals_of(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Where the documents of *ids* stand; shape (len(ids),), -1 for what is not there."""
        found = _search(self.base.ids, ids, 0)
        if self.live_docs is not None:
            found[(found >= 0) & ~self.live_docs[found]] = -1
        if self.added:
            fresh = (
                np.flatnonzero(self.live_docs[len(self.base.ids) :])
                if self.live_docs is not None
                else np.arange(self.added)
            )
            at = len(self.base.ids) + fresh
            order = np.argsort(self.ids[at], kind="stable")
            where = _search(self.ids[at][order], ids, 0)
            is_fresh = where >= 0
            found[is_fresh] = at[order][where[is_fresh]]
        return found

    def frequency(self, term: str) -> int:
        """How many documents hold *term*."""
        if self.live_docs is None and not self.added:
            return self.base.frequency(*self._range_of(term))
        found = self._frequencies.get(term)
        if found is None:
            if len(self._frequencies) > KEPT_RANGES:
                self._frequencies.clear()
            found = self._frequencies[term] = len(self.postings(term)[0])
        return found

    @cached_property
    def _frequencies(self) -> dict[str, int]:
        """Where they are not written down: half a million postings would be unpacked to tell that a term is common."""
        return {}

    @cached_property
    def _postings(self) -> dict[str, tuple[DocOrdinals, DocOrdinals]]:
        return {}

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        return {}

    def _range_of(self, term: str) -> tuple[int, int]:
        """Where a term is among those of the segment; a question asks five times over."""
        found = self._ranges.get(term)
        if found is None:
            if len(self._ranges) > KEPT_RANGES:
                self._ranges.clear()
            found = self._ranges[term] = self.base.terms.range_of(encoded(term))
        return found

    def _living(self, first: int, last: int, added: DocOrdinals, codes: DocOrdinals) -> tuple[DocOrdinals, DocOrdinals]:
        if first == last and not len(added):
            return _NONE
        documents, of_base = self.base.postings(first, last)
        if len(documents) and int(documents.max()) >= len(self.base.ids):
            raise PostingsDamaged("a posting is of a document that is not there")
        if len(added):
            documents = np.concatenate([documents, added + len(self.base.ids)])
            every = np.concatenate([of_base.astype(np.intp), codes + len(self.base.counts)])
        else:
            every = of_base
        if self.live_docs is None:
            return documents, every
        stand = self.live_docs[documents]
        return (documents, every) if stand.all() else (documents[stand], every[stand])


def _search(ids: NDArray[np.int64], wanted: NDArray[np.int64], first: int) -> NDArray[np.intp]:
    if not len(ids):
        return np.full(len(wanted), -1, np.intp)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at + first, -1)

"""The documents of one moment: those of a segment that still stand, and those that were added since."""

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.additions import Additions
from quarry.index.postings.packing import PostingsDamaged
from quarry.index.postings.scoring import Floats, length_factors
from quarry.index.postings.segment import Positions, Segment
from quarry.index.postings.tokens import encoded

KEPT_RANGES = 4096  # terms that were looked for lately
KEPT_POSTINGS = 64  # terms whose postings are kept, 3 MB: a search asks for those of chunks three times
MOST_KEPT = 8192  # postings of a term; of those that more documents hold, other things are kept
_NONE = (np.zeros(0, np.intp), np.zeros(0, np.intp))


class Moment(Struct, frozen=True, dict=True):
    """Documents by position: first those of the segment, then those added, in the order in which they came."""

    base: Segment
    additions: Additions
    added: int  # documents of `additions` that are there
    alive: NDArray[np.bool_] | None  # shape (size,); None: all

    @cached_property
    def size(self) -> int:
        """All documents, dead ones included."""
        return len(self.base.ids) + self.added

    @cached_property
    def total(self) -> int:
        """Documents that stand."""
        return self.size if self.alive is None else int(self.alive.sum())

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """Ascending in the segment's part."""
        return np.concatenate([self.base.ids, self.additions.ids(self.added)]) if self.added else self.base.ids

    @cached_property
    def sizes(self) -> NDArray[np.uint32]:
        """Tokens; shape (size, columns)."""
        return np.concatenate([self.base.sizes, self.additions.sizes(self.added)]) if self.added else self.base.sizes

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How often each code says that a term stands in each column; shape (codes, columns)."""
        of_base = self.base.counts
        counts = np.concatenate([of_base, self.additions.counts()]) if self.added else of_base
        return counts.astype(np.float64)

    @cached_property
    def factors(self) -> Floats:
        """See `length_factors`, over all columns."""
        return self.factors_of(self.sizes.sum(axis=1, dtype=np.float64))

    def factors_of(self, lengths: Floats) -> Floats:
        """See `length_factors`; the average is over what stands."""
        tokens = float(lengths.sum() if self.alive is None else lengths[self.alive].sum())
        return length_factors(lengths, tokens / self.total if tokens else 1.0)

    def postings(self, term: str) -> tuple[Positions, Positions]:
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

    def postings_beginning(self, prefix: str) -> tuple[Positions, Positions]:
        """The same for each term that begins with *prefix*, one after the other."""
        first, last = self.base.terms.range_beginning(encoded(prefix))
        added = self.additions.holding_any(prefix, self.added) if self.added else _NONE
        return self._living(first, last, *added)

    def positions_of(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Where the documents of *ids* stand; shape (len(ids),), -1 for what is not there."""
        found = _search(self.base.ids, ids, 0)
        if self.alive is not None:
            found[(found >= 0) & ~self.alive[found]] = -1
        if self.added:
            fresh = (
                np.flatnonzero(self.alive[len(self.base.ids) :]) if self.alive is not None else np.arange(self.added)
            )
            at = len(self.base.ids) + fresh
            order = np.argsort(self.ids[at], kind="stable")
            where = _search(self.ids[at][order], ids, 0)
            is_fresh = where >= 0
            found[is_fresh] = at[order][where[is_fresh]]
        return found

    def frequency(self, term: str) -> int:
        """How many documents hold *term*."""
        if self.alive is None and not self.added:
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
    def _postings(self) -> dict[str, tuple[Positions, Positions]]:
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

    def _living(self, first: int, last: int, added: Positions, codes: Positions) -> tuple[Positions, Positions]:
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
        if self.alive is None:
            return documents, every
        stand = self.alive[documents]
        return (documents, every) if stand.all() else (documents[stand], every[stand])


def _search(ids: NDArray[np.int64], wanted: NDArray[np.int64], first: int) -> NDArray[np.intp]:
    if not len(ids):
        return np.full(len(wanted), -1, np.intp)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at + first, -1)

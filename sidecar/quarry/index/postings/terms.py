"""Which terms are there? All of them in one sorted run of bytes, found by bisection: a dict of them takes 40 MB."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

_BEYOND = b"\xff"  # higher than any byte of UTF-8


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms in UTF-8, ascending by their bytes, each once."""

    blob: NDArray[np.uint8]
    offsets: NDArray[np.uint32]  # shape (count + 1,): where each begins in `blob`

    @classmethod
    def of(cls, terms: Iterable[bytes]) -> "Terms":
        """Terms that are in order already."""
        found = list(terms)
        offsets = np.fromiter(accumulate(map(len, found), initial=0), np.uint32, len(found) + 1)
        return cls(np.frombuffer(b"".join(found), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, at: int) -> bytes:
        return self.blob[self.offsets[at] : self.offsets[at + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        whole = self.blob.tobytes()
        return (whole[first:last] for first, last in pairwise(self.offsets.tolist()))

    def range_of(self, term: bytes) -> tuple[int, int]:
        """`[first, last)` of the one term; empty where it is not there."""
        at = bisect_left(self, term)
        return at, at + (at < len(self) and self[at] == term)

    def range_beginning(self, prefix: bytes) -> tuple[int, int]:
        """`[first, last)` of the terms that begin with *prefix*."""
        first = bisect_left(self, prefix)
        return first, bisect_left(self, prefix + _BEYOND, first)

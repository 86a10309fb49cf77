"""The postings of one snapshot: documents by ordinal, and the terms that they hold."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quarry.index.keyword.bm25 import Floats
from quarry.index.keyword.segment import DocOrdinals


class PostingsSnapshot(Protocol):
    """
    Chunks, or the names of notes, at one moment of the index.

    In memory (`segment_snapshot.py`) it knows every term, read from the forward index (`stored_snapshot.py`) those of
    one query. A tf code says how often a term stands in each column of a document.
    """

    @property
    def size(self) -> int:
        """The number of documents, dead ones included."""
        ...

    @property
    def total(self) -> int:
        """The number of documents that are alive: the N of BM25."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the documents; shape (size,)."""
        ...

    @property
    def ascending(self) -> int:
        """How many of the first documents have ascending ids."""
        ...

    @property
    def live_docs(self) -> NDArray[np.bool_] | None:
        """Which documents are alive, shape (size,); None: all."""
        ...

    @property
    def lengths(self) -> Floats:
        """The number of terms of each document; shape (size,)."""
        ...

    @property
    def note_lengths(self) -> Floats:
        """The number of terms of each document that count towards its note's length; shape (size,)."""
        ...

    @property
    def length_norms(self) -> Floats:
        """BM25's length norm of each document; shape (size,)."""
        ...

    @property
    def tf_table(self) -> Floats:
        """Term frequencies by column of each tf code; shape (codes, columns)."""
        ...

    def postings(self, term: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of *term*: document ordinals, ascending, and tf codes."""
        ...

    def prefix_postings(self, prefix: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of every term that begins with *prefix*, a document once for each."""
        ...

    def frequency(self, term: str) -> int:
        """The document frequency of *term*."""
        ...

    def ordinals_of(self, ids: NDArray[np.int64]) -> DocOrdinals:
        """The ordinals of the documents of *ids*; shape (len(ids),), -1 for an id that is not alive."""
        ...

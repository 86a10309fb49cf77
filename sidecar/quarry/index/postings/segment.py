"""
An immutable set of postings: which documents hold a term, and how often in each of their columns.

A document is a chunk or a note. How often is a *code*: the row of a table of all different counts that there are, some
thousands. So the weights of columns are multiplied with that table and not with millions of postings, and a posting
takes four bytes: two for its document within a block of 65,536, two for its code.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quarry.index.postings.terms import Terms

BLOCK_BITS = 16
BLOCK = 1 << BLOCK_BITS
PIECE = 1 << 18  # postings that are worked on at a time

Positions = NDArray[np.intp]
"""Of documents in the order of their ids; shape (count,)."""
Postings = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
Codes = NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Postings of documents; equal contents are equal arrays, however they came about."""

    ids: NDArray[np.int64]  # of the documents, ascending
    sizes: NDArray[np.uint32]  # shape (documents, columns): tokens
    counts: NDArray[np.uint32]  # shape (codes, columns), rows ascending, each once
    terms: Terms
    starts: NDArray[np.uint32]  # shape (terms * blocks + 1,): where the postings of each term in each block begin
    documents: NDArray[np.uint16]  # by term, then ascending; within the block
    codes: Codes

    @property
    def blocks(self) -> int:
        """Blocks of documents."""
        return blocks_of(len(self.ids))

    def postings(self, first: int, last: int) -> tuple[Positions, Codes]:
        """The documents of the terms `[first, last)` and their codes; ascending for one term."""
        blocks = self.blocks
        begin, end = int(self.starts[first * blocks]), int(self.starts[last * blocks])
        documents = self.documents[begin:end].astype(np.intp)
        if blocks > 1:
            if last - first == 1:
                for start in self.starts[first * blocks + 1 : last * blocks].tolist():
                    documents[start - begin :] += BLOCK
            else:
                lengths = lengths_between(self.starts[first * blocks : last * blocks + 1])
                documents += np.repeat(np.tile(np.arange(blocks) << BLOCK_BITS, last - first), lengths)
        return documents, self.codes[begin:end]

    def frequency(self, first: int, last: int) -> int:
        """How many postings the terms `[first, last)` have."""
        return int(self.starts[last * self.blocks]) - int(self.starts[first * self.blocks])

    def frequencies(self) -> NDArray[np.int64]:
        """How many documents hold each term; shape (terms,)."""
        return lengths_between(self.starts[:: self.blocks])


def lengths_between(borders: NDArray[np.uint32]) -> NDArray[np.int64]:
    """From each border to the next; shape (len(borders) - 1,)."""
    return borders[1:].astype(np.int64) - borders[:-1]


def blocks_of(count: int) -> int:
    """How many blocks so many documents make."""
    return max(1, -(-count // BLOCK))


def assemble(
    ids: NDArray[np.int64],
    sizes: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    words: Sequence[bytes],
    postings: Iterable[Postings],
) -> Segment:
    """
    The segment of what was gathered in any order; *ids* and *words* are each there once.

    Args:
        postings: Pieces of `(word, document, code)`, each an index into what was gathered; gone through three times.

    Raises:
        OverflowError: It is larger than memory should hold.
    """
    order = np.argsort(ids, kind="stable")
    rank_of_document = _inverse(order)
    is_held, is_met = np.zeros(len(words), np.bool_), np.zeros(len(counts), np.bool_)
    for word, _, code in postings:
        is_held[word], is_met[code] = True, True
    held: list[int] = np.flatnonzero(is_held).tolist()
    held.sort(key=words.__getitem__)
    rank_of_word = np.zeros(len(words), np.int64)
    rank_of_word[held] = np.arange(len(held))
    met = np.flatnonzero(is_met)
    table, rank = np.unique(counts[met], axis=0, return_inverse=True)
    rank_of_code = np.zeros(len(counts), np.int64)
    rank_of_code[met] = rank.reshape(-1)

    # Packed into one number each, millions of postings are in order in a tenth of a second.
    code_bits, document_bits = _bits(len(table)), _bits(len(ids))
    if _bits(len(held)) + document_bits + code_bits > 63:
        raise OverflowError(f"{len(held)} terms in {len(ids)} documents are too many for memory")
    packed = np.empty(sum(len(word) for word, _, _ in postings), np.int64)
    at = 0
    for word, document, code in postings:
        piece = packed[at : at + len(word)]
        np.left_shift(rank_of_word[word], document_bits + code_bits, out=piece)
        piece |= rank_of_document[document] << code_bits
        piece |= rank_of_code[code]
        at += len(word)
    packed.sort()
    starts, low, codes = _unpacked(packed, len(held), len(ids), len(table))
    return Segment(ids[order], sizes[order], table, Terms.of(words[at] for at in held), starts, low, codes)


def _unpacked(
    packed: NDArray[np.int64], terms: int, documents: int, codes: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], Codes]:
    """Starts, documents and codes of postings in order; piece by piece, as all at once takes 150 MB for 5 million."""
    code_bits, document_bits, blocks = _bits(codes), _bits(documents), blocks_of(documents)
    low = np.empty(len(packed), np.uint16)
    coded: Codes = np.empty(len(packed), np.uint16) if codes <= 1 << 16 else np.empty(len(packed), np.uint32)
    counts = np.zeros(terms * blocks, np.int64)
    for start in range(0, len(packed), PIECE):
        here = slice(start, start + PIECE)
        piece = packed[here]
        coded[here] = piece & ((1 << code_bits) - 1)
        document = (piece >> code_bits) & ((1 << document_bits) - 1)
        low[here] = document & (BLOCK - 1)
        cells = (piece >> document_bits + code_bits) * blocks + (document >> BLOCK_BITS)
        counted = np.bincount(cells - cells[0])
        counts[cells[0] : cells[0] + len(counted)] += counted
    starts = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, out=starts[1:])
    return starts, low, coded


def empty(columns: int) -> Segment:
    """A segment of nothing."""
    nothing = np.zeros((0, columns), np.uint32)
    return assemble(np.zeros(0, np.int64), nothing, nothing, [], [])


def _inverse(order: NDArray[np.intp]) -> NDArray[np.int64]:
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _bits(count: int) -> int:
    """Bits that tell so many apart."""
    return max(1, (count - 1).bit_length())

"""
An immutable set of postings: which documents hold a term, and how often in each of their columns.

A document is a chunk or a note. How often is a *code*: the row of a table of all different counts that there are, some
thousands, commonest first. So the weights of columns are multiplied with that table and not with millions of postings.

Postings are packed (`packing.py`): the gaps between the documents of a term, then the codes. A common term is a frame
by itself; the others of a frame of terms share one. 5 million take 5.6 MB.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.codec import (
    ByteSource,
    Numbers,
    Packed,
    PostingsDamaged,
    compressed,
    decode_all_byte_planes,
    decode_byte_planes,
    decompressed,
    encode_byte_planes,
    every_decompressed,
)
from quarry.index.keyword.term_dictionary import IN_FRAME, TermDictionary, borders_of, parts

COMMON = 256  # documents that hold a term which is packed by itself

DocOrdinals = NDArray[np.intp]
"""Of documents in the order of their ids; shape (count,)."""
Postings = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
TfCodes: TypeAlias = NDArray[np.unsignedinteger[Any]]


class Segment(Struct, frozen=True, eq=False, dict=True):
    """Postings of documents; equal contents are equal arrays, however they came about."""

    ids: NDArray[np.int64]  # of the documents, ascending
    field_lengths: NDArray[np.uint32]  # shape (documents, columns): tokens
    counts: NDArray[np.uint32]  # shape (codes, columns), each once; the commonest first, then ascending
    terms: TermDictionary
    frames: Packed  # for each frame of terms: that of its rare ones, then one for each common one
    borders: NDArray[np.uint32]  # shape (frames + 1,): where each begins in `frames`
    firsts: NDArray[np.uint32]  # shape (frames of terms + 1,): the number of the first frame of each

    def postings(self, first: int, last: int) -> tuple[DocOrdinals, TfCodes]:
        """
        The documents of the terms `[first, last)` and their codes: those of one term ascending, terms in no order.

        Raises:
            PostingsDamaged: They are not as they were written.
        """
        if first >= last:
            return _NONE, np.zeros(0, np.uint16)
        documents, codes = self._of_term(first) if last - first == 1 else self._of_terms(first, last)
        documents.setflags(write=False)  # as it may be kept
        return documents, codes.astype(self._code, copy=False)

    def frequency(self, first: int, last: int) -> int:
        """How many postings the terms `[first, last)` have."""
        return sum(sum(self.terms.frame(number).counts[begin:end]) for number, begin, end in _frames_of(first, last))

    def frequencies(self) -> NDArray[np.int64]:
        """How many documents hold each term; shape (terms,)."""
        return self.terms.counts()

    def pieces(self) -> Iterator[Postings]:
        """Term, document and code of every posting, of a frame of terms at a time."""
        for number, first in enumerate(range(0, len(self.terms), IN_FRAME)):
            counts = self.terms.frame(number).counts
            rare, common = _apart(counts)
            terms = np.concatenate(
                [np.repeat(np.arange(len(counts)), rare), *(np.full(counts[at], at) for at in common)]
            )
            documents, codes = self.postings(first, first + len(counts))
            yield (terms + first).astype(np.int32), documents.astype(np.int32), codes.astype(np.int32)

    def _of_term(self, term: int) -> tuple[DocOrdinals, TfCodes]:
        number, at = divmod(term, IN_FRAME)
        counts, first = self.terms.frame(number).counts, int(self.firsts[number])
        if counts[at] >= COMMON:
            gaps, codes = self._unpacked(first + 1 + sum([count >= COMMON for count in counts[:at]]), counts[at])
            return np.cumsum(gaps, out=gaps), codes
        rare = [count for count in counts if count < COMMON]
        before = sum([count for count in counts[:at] if count < COMMON])
        gaps, codes = self._unpacked(first, sum(rare))
        return np.cumsum(gaps[before : before + counts[at]]), codes[before : before + counts[at]]

    def _of_terms(self, first: int, last: int) -> tuple[DocOrdinals, NDArray[np.uint32]]:
        """
        Documents and codes of the terms `[first, last)`, of the rare ones first.

        All frames at once, as the terms that begin with a letter are a thousand.
        """
        begin, end = first // IN_FRAME, -(-last // IN_FRAME)
        here = slice(first - begin * IN_FRAME, last - begin * IN_FRAME)
        counts = self.terms.counts(begin, end)
        is_common = counts >= COMMON
        rare, common = np.where(is_common, 0, counts), counts[here][is_common[here]]
        together = self.firsts[begin:end].astype(np.intp)  # frames of rare ones; those of the others lie between them
        apart = np.delete(np.arange(together[0], self.firsts[end]), together - together[0])
        if len(apart) != np.count_nonzero(is_common):
            raise PostingsDamaged("the keyword postings are not of these terms")
        before = np.count_nonzero(is_common[: here.start])
        of_frames = np.add.reduceat(rare, np.arange(0, len(rare), IN_FRAME))
        frames: list[int] = np.concatenate([together, apart[before : before + len(common)]]).tolist()
        lengths: list[int] = np.concatenate([of_frames, common]).tolist()

        packed = parts(self._frames, self.borders[together[0] : int(self.firsts[end]) + 1])
        data = every_decompressed([packed[frame - frames[0]] for frame in frames], [2 + 8 * n for n in lengths])
        gaps, ends = decode_all_byte_planes(data, lengths, [0] * len(data))
        codes, _ = decode_all_byte_planes(data, lengths, ends)
        if rare[here].sum() < rare.sum():  # rare ones at both edges
            wanted, others = slice(rare[: here.start].sum(), rare[: here.stop].sum()), slice(rare.sum(), None)
            gaps, codes = (np.concatenate([row[wanted], row[others]]) for row in (gaps, codes))
        return _summed(gaps.astype(np.intp), np.concatenate([rare[here], common])), codes

    def _unpacked(self, frame: int, count: int) -> tuple[DocOrdinals, TfCodes]:
        """Gaps and codes."""
        packed = self._frames[int(self.borders[frame]) : int(self.borders[frame + 1])]
        data = decompressed(packed, 2 + 8 * count)
        gaps, at = decode_byte_planes(data, count, 0, np.intp)
        return gaps, decode_byte_planes(data, count, at, self._code)[0]

    @property
    def _code(self) -> type[np.uint16 | np.uint32]:
        return np.uint16 if len(self.counts) <= 1 << 16 else np.uint32

    @cached_property
    def _frames(self) -> ByteSource:
        return self.frames.data


def _frames_of(first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """The frames that the terms `[first, last)` stand in, and which of its terms they are in each."""
    for begin in range(first - first % IN_FRAME, last, IN_FRAME):
        yield begin // IN_FRAME, max(first - begin, 0), min(last - begin, IN_FRAME)


def _apart(counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """How many postings of each term stand together, and which terms have a frame of their own."""
    return [count if count < COMMON else 0 for count in counts], [
        at for at, count in enumerate(counts) if count >= COMMON
    ]


def _gaps(documents: NDArray[np.int64], lengths: Sequence[int]) -> NDArray[np.int64]:
    """From each document of a term to the next, and from none to its first."""
    gaps = np.diff(documents, prepend=0)
    begins = list(accumulate(lengths, initial=0))[:-1]
    gaps[begins] = documents[begins]
    return gaps


def _summed(gaps: Numbers, lengths: NDArray[np.int64]) -> DocOrdinals:
    """The documents that `_gaps` was given, in the place of *gaps*: to copy half a million takes half a millisecond."""
    held = lengths[lengths > 0]
    begins = np.cumsum(held) - held
    gaps[begins[1:]] -= np.add.reduceat(gaps, begins)[:-1]  # the last document of the term before
    documents: DocOrdinals = np.cumsum(gaps, out=gaps)
    return documents


def assemble(
    ids: NDArray[np.int64],
    field_lengths: NDArray[np.uint32],
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
    is_held, times = np.zeros(len(words), np.bool_), np.zeros(len(counts), np.int64)
    for word, _, code in postings:
        is_held[word] = True
        times += np.bincount(code, minlength=len(counts))
    held: list[int] = np.flatnonzero(is_held).tolist()
    held.sort(key=words.__getitem__)
    rank_of_word = np.zeros(len(words), np.int64)
    rank_of_word[held] = np.arange(len(held))
    table, rank_of_code = _ranked(counts, times)

    # Packed into one number each, millions of postings are in order in a tenth of a second.
    code_bits, document_bits = _bits(len(table)), _bits(len(ids))
    if _bits(len(held)) + document_bits + code_bits > 63:
        raise OverflowError(f"{len(held)} terms in {len(ids)} documents are too many for memory")
    packed = np.empty(int(times.sum()), np.int64)
    at = 0
    for word, document, code in postings:
        piece = packed[at : at + len(word)]
        np.left_shift(rank_of_word[word], document_bits + code_bits, out=piece)
        piece |= rank_of_document[document] << code_bits
        piece |= rank_of_code[code]
        at += len(word)
    packed.sort()
    framed = _framed(packed, [words[at] for at in held], document_bits, code_bits)
    return Segment(ids[order], field_lengths[order], table, *framed)


def _ranked(counts: NDArray[np.uint32], times: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The rows of *counts* that are met, each once, those met most *times* first; and which of them each row is."""
    met = np.flatnonzero(times)
    table, row = np.unique(counts[met], axis=0, return_inverse=True)
    row = row.reshape(-1)
    order = np.argsort(-np.bincount(row, times[met], len(table)), kind="stable")
    rank = np.zeros(len(counts), np.int64)
    rank[met] = _inverse(order)[row]
    return table[order], rank


def _framed(
    packed: NDArray[np.int64], words: Sequence[bytes], document_bits: int, code_bits: int
) -> tuple[TermDictionary, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """Terms, frames, borders and firsts of postings in order."""
    shift = document_bits + code_bits
    begins = np.searchsorted(packed, np.arange(0, len(words) + IN_FRAME, IN_FRAME) << shift)
    frequencies: list[int] = []
    frames: list[bytes] = []
    firsts = [0]
    for first, begin, end in zip(range(0, len(words), IN_FRAME), begins, begins[1:], strict=False):
        piece = packed[begin:end]
        counts: list[int] = np.bincount((piece >> shift) - first).tolist()
        documents, codes = piece >> code_bits & ((1 << document_bits) - 1), piece & ((1 << code_bits) - 1)
        gaps = _gaps(documents, counts)
        rare, common = _apart(counts)
        is_rare = np.repeat(np.array(rare) > 0, counts)
        frames.append(compressed(encode_byte_planes(gaps[is_rare]) + encode_byte_planes(codes[is_rare])))
        for at in common:
            here = slice(before := sum(counts[:at]), before + counts[at])
            frames.append(compressed(encode_byte_planes(gaps[here]) + encode_byte_planes(codes[here])))
        frequencies += counts
        firsts.append(len(frames))
    blob = np.frombuffer(b"".join(frames), np.uint8)
    return (
        TermDictionary.of(words, np.array(frequencies, np.int64)),
        blob,
        borders_of(frames),
        np.array(firsts, np.uint32),
    )


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


_NONE = np.zeros(0, np.intp)

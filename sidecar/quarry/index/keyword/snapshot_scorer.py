"""
Chunks and names in memory at one moment of the index, and what single terms score there.

A whole note is scored as one document: its names and tags, and of each of its chunks the text and the compounds. So its
postings are not stored, but added up from those of its chunks and of its name.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.index.ids import NoteIds, among
from quarry.index.keyword.bm25 import (
    DIGITS,
    Floats,
    SparseScores,
    TermScores,
    common_scores,
    is_common,
    rare_scores,
)
from quarry.index.keyword.byte_limited_lru import KEPT_NOTES_BYTES, ByteLimitedLru, Places
from quarry.index.keyword.fts5 import NOTE_WEIGHTS, ChunkWeights
from quarry.index.keyword.segment import DocOrdinals, TfCodes
from quarry.index.keyword.segment_snapshot import SegmentSnapshot

FEW = 8  # postings of a term times this are fewer than documents: sorted, and not counted up over all of them
_ORDERED = slice(3)  # columns of a chunk in which terms stand as in the text
_TEXT, _COMPOUNDS = 0, 3  # columns of a chunk that are part of its whole note

Of = Literal["note", "name"]
PostingsReader: TypeAlias = Callable[["QueryTerm"], tuple[DocOrdinals, DocOrdinals]]
"""Documents that hold a term, and codes."""


class QueryTerm(NamedTuple):
    """A term, or what a term begins with; both as the index spells terms."""

    text: str
    is_prefix: bool = False


class SnapshotScorer(Struct, frozen=True, dict=True):
    """Chunks and names at one moment, and the notes that both are of: a note's position is that of its name."""

    generation: int
    chunks: SegmentSnapshot
    names: SegmentSnapshot
    note_of_chunk: NDArray[np.int32]  # shape (chunks.size,): the position of each chunk's note
    places: Places = field(default_factory=Places)
    kept: ByteLimitedLru = field(default_factory=ByteLimitedLru)
    kept_notes: ByteLimitedLru = field(default_factory=lambda: ByteLimitedLru(KEPT_NOTES_BYTES))

    def frequency(self, term: str) -> int:
        """In how many chunks *term* stands."""
        return self.chunks.frequency(term)

    def admitted(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Which notes are admitted, by position; what is dead has no postings that ask."""
        return among(self.names.ids, note_ids)

    def is_common_term(self, term: QueryTerm) -> bool:
        """Whether `codes_of` is for a term: it is common."""
        return not term.is_prefix and is_common(self.frequency(term.text), self.chunks.size)

    def is_rare_term(self, term: QueryTerm) -> bool:
        """Whether a term is neither a beginning nor common: its postings are read along with those of others."""
        return not (term.is_prefix or self.is_common_term(term))

    # --- plain terms, read together ------------------------------------------------------------

    def chunk_postings_of(self, terms: Sequence[QueryTerm]) -> "PostingsBatch":
        """Their postings among chunks."""
        return PostingsBatch.of([self.chunks.postings(term.text) for term in terms])

    def name_postings_of(self, terms: Sequence[QueryTerm]) -> "PostingsBatch":
        """The same among names."""
        return PostingsBatch.of([self.names.postings(term.text) for term in terms])

    def plain_chunk_scores(self, postings: "PostingsBatch", weights: ChunkWeights) -> SparseScores:
        """What terms of these postings add to the scores of chunks."""
        positions, codes, counts = postings
        frequencies = self._weighted_chunks(weights).take(codes)
        return rare_scores(positions, frequencies, counts, self.chunks.length_norms, self.chunks.total)

    def plain_note_scores(self, postings: "PostingsBatch", names: "PostingsBatch", of: Of) -> SparseScores:
        """What they add to the scores of notes, by all that they hold or by name alone."""
        size = self.names.size
        keys = names.keys(size) + names.positions
        frequencies = self.weighted_names(of).take(names.codes)
        if of == "note":
            noted = postings.keys(size) + self.note_of_chunk.take(postings.positions)
            keys = np.concatenate([noted, keys])
            frequencies = np.concatenate([self.in_note.take(postings.codes) * NOTE_WEIGHTS.body, frequencies])
        is_held = frequencies > 0
        keys, frequencies = _added_up(keys[is_held], frequencies[is_held])
        term = keys // max(size, 1)
        counts = np.bincount(term, minlength=len(names.counts))
        return rare_scores(keys - term * size, frequencies, counts, self.note_length_norms, self.names.total)

    # --- the scores of one term ----------------------------------------------------------------

    def chunk_scores(self, term: QueryTerm, weights: ChunkWeights, holding: PostingsReader | None = None) -> TermScores:
        """
        What a beginning, or a common term, adds to the scores of chunks.

        Args:
            holding: Gives its `chunk_postings`, where they are at hand.
        """
        read, chunks, table = holding or self.chunk_postings, self.chunks, self._weighted_chunks(weights)
        if term.is_prefix:

            def find() -> TermScores:
                positions, codes = read(term)
                return _summed([(positions, table.take(codes))], chunks.length_norms, chunks)

            return self.kept.get((term, weights), find)
        coded = self.codes_of(term, read)
        above = self.kept.table((weights, "above"), lambda: np.concatenate([[0.0], table]))

        def frequencies(at: DocOrdinals) -> Floats:
            return above.take(coded.codes.take(at))

        def everywhere() -> tuple[DocOrdinals, Floats]:
            at = np.flatnonzero(coded.codes != 0)  # of truth values: a third of the time
            return at, frequencies(at)

        return common_scores(coded.count, frequencies, everywhere, chunks.length_norms, chunks.total, 0)

    def codes_of(self, term: QueryTerm, holding: PostingsReader | None = None) -> "DenseTermFrequencies":
        """A common term in every chunk; *holding* as above."""
        read = holding or self.chunk_postings
        return self.kept.get((term, "codes"), lambda: self._codes_everywhere(*read(term)))

    def _codes_everywhere(self, positions: DocOrdinals, codes: TfCodes | DocOrdinals) -> "DenseTermFrequencies":
        is_small = len(self.chunks.tf_table) < np.iinfo(np.uint16).max
        everywhere: TfCodes = (
            np.zeros(self.chunks.size, np.uint16) if is_small else np.zeros(self.chunks.size, np.uint32)
        )
        everywhere[positions] = codes + codes.dtype.type(1)
        return DenseTermFrequencies(len(positions), everywhere)

    def note_scores(self, term: QueryTerm, of: Of, holding: PostingsReader | None = None) -> TermScores:
        """What it adds to the scores of notes, by all that they hold or by name alone; *holding* as above."""
        read = holding or self.chunk_postings
        return self.kept.get((term, of), lambda: self._find_note_scores(term, of, read))

    def _find_note_scores(self, term: QueryTerm, of: Of, read: PostingsReader) -> TermScores:
        names = self.names
        named, codes = self.name_postings(term)
        pieces = [(named, self.weighted_names(of).take(codes))]
        if of == "note":
            documents, codes = read(term)
            in_text = self.in_note.take(codes) * NOTE_WEIGHTS.body
            pieces.append((self.note_of_chunk.take(documents).astype(np.intp), in_text))
        return _summed(pieces, self.note_length_norms, names)

    def chunk_postings(self, term: QueryTerm) -> tuple[DocOrdinals, DocOrdinals]:
        """The chunks that hold a term, and their codes; see `SegmentSnapshot.postings`."""
        return self.chunks.prefix_postings(term.text) if term.is_prefix else self.chunks.postings(term.text)

    def name_postings(self, term: QueryTerm) -> tuple[DocOrdinals, DocOrdinals]:
        """The names that hold a term, and their codes."""
        return self.names.prefix_postings(term.text) if term.is_prefix else self.names.postings(term.text)

    # --- tables --------------------------------------------------------------------------------

    def _weighted_chunks(self, weights: ChunkWeights) -> Floats:
        """How often each code says that a term stands in a chunk, by these weights; rounded, so that .1 * 3 is .3."""
        return self.kept.table(weights, lambda: np.round(self.chunks.tf_table @ np.array(astuple(weights)), DIGITS))

    def weighted_names(self, of: Of) -> Floats:
        """The same for a name."""

        def find() -> Floats:
            frequencies: Floats
            title, aliases, name, headings, tags, _, compounds = astuple(NOTE_WEIGHTS)
            rest = (headings, tags, compounds) if of == "note" else (0.0, 0.0, 0.0)
            frequencies = np.round(self.names.tf_table @ np.array((title, aliases, name, *rest)), DIGITS)
            return frequencies

        return self.kept.table(of, find)

    @cached_property
    def in_note(self) -> Floats:
        """How often each code of a chunk says that a term stands in the note as a whole."""
        counts: Floats = self.chunks.tf_table[:, _TEXT] + self.chunks.tf_table[:, _COMPOUNDS]
        return counts

    @cached_property
    def in_note_above(self) -> Floats:
        """The same for a code one higher, as `DenseTermFrequencies` has them."""
        return np.concatenate([[0.0], self.in_note])

    @cached_property
    def is_in_note(self) -> NDArray[np.bool_]:
        """Whether that is at all."""
        return self.in_note > 0

    @cached_property
    def is_ordered_above(self) -> NDArray[np.bool_]:
        """Whether a code one lower says that a term stands where the order of terms is that of the text."""
        return np.concatenate([[False], self.chunks.tf_table[:, _ORDERED].any(axis=1)])

    @cached_property
    def note_length_norms(self) -> Floats:
        """See `length_factors`, of whole notes."""
        in_chunks = self.chunks.field_lengths[:, [_TEXT, _COMPOUNDS]].sum(axis=1, dtype=np.float64)
        if self.chunks.live_docs is not None:
            in_chunks[~self.chunks.live_docs] = 0
        lengths = np.bincount(self.note_of_chunk, in_chunks, self.names.size)
        return self.names.length_norms_of(lengths + self.names.field_lengths.sum(axis=1, dtype=np.float64))


class DenseTermFrequencies(Struct, frozen=True, eq=False):
    """A common term in every chunk."""

    count: int
    codes: TfCodes  # shape (chunks,), one higher than the segment's; 0: not there

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.codes.nbytes


class PostingsBatch(NamedTuple):
    """The postings of several terms one after the other."""

    positions: DocOrdinals
    codes: DocOrdinals
    counts: DocOrdinals  # how many each term has

    @classmethod
    def of(cls, postings: Sequence[tuple[DocOrdinals, DocOrdinals]]) -> "PostingsBatch":
        """Those of each term."""
        counts = np.array([len(positions) for positions, _ in postings], np.intp)
        if not counts.any():
            return cls(_NONE, _NONE, counts)
        positions, codes = zip(*postings, strict=True)
        return cls(np.concatenate(positions), np.concatenate(codes), counts)

    def keys(self, size: int) -> DocOrdinals:
        """For each posting where the documents of its term begin, if each term had *size* of its own."""
        return np.repeat(np.arange(len(self.counts)) * size, self.counts)


def _added_up(keys: DocOrdinals, frequencies: Floats) -> tuple[DocOrdinals, Floats]:
    """Each key once, ascending, with all that stands at it."""
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys, frequencies = keys[order], frequencies[order]
    is_new = keys[1:] != keys[:-1]
    if not is_new.all():
        begins = np.concatenate([[0], np.flatnonzero(is_new) + 1])
        keys, frequencies = keys[begins], np.add.reduceat(frequencies, begins)
    return keys, np.round(frequencies, DIGITS)


def _summed(pieces: Sequence[tuple[DocOrdinals, Floats]], length_norms: Floats, moment: SegmentSnapshot) -> TermScores:
    """The scores of what stands at positions, in any order and repeatedly, so often each time."""
    if sum(len(positions) for positions, _ in pieces) * FEW < moment.size:
        positions, frequencies = (np.concatenate(column) for column in zip(*pieces, strict=True))
        is_held = frequencies > 0
        positions, frequencies = _added_up(positions[is_held], frequencies[is_held])
        return rare_scores(positions, frequencies, np.array([len(positions)]), length_norms, moment.total)
    total = np.zeros(moment.size)
    for positions, frequencies in pieces:
        total += np.bincount(positions, frequencies, moment.size)
    np.round(total, DIGITS, out=total)

    def holding() -> tuple[DocOrdinals, Floats]:
        held = np.flatnonzero(total > 0)
        return held, total[held]

    count = int(np.count_nonzero(total))
    if is_common(count, moment.size):
        return common_scores(count, lambda at: total.take(at), holding, length_norms, moment.total, total.nbytes)
    positions, frequencies = holding()
    return rare_scores(positions, frequencies, np.array([count]), length_norms, moment.total)


_NONE = np.zeros(0, np.intp)

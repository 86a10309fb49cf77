"""
What the keyword leg asks, answered from memory for one moment of the index.

A whole note is scored as one document: its names and tags, and of each of its chunks the text and the compounds. So its
postings are not stored, but added up from those of its chunks and of its name.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from quarry.index.ids import NoteIds, among
from quarry.index.lexical import NOTE_WEIGHTS, ChunkWeights, NoteWeights
from quarry.index.postings.moment import Moment
from quarry.index.postings.scoring import (
    DIGITS,
    CommonScores,
    Floats,
    RareScores,
    TermScores,
    best,
    common_scores,
    is_common,
    rare_scores,
    scores_at,
)
from quarry.index.postings.segment import Codes, Positions

KEPT_BYTES = 16 * 1024 * 1024  # of scores of single terms: those of the stop words, and of what is being typed
ENTRY_BYTES = 500  # of an entry itself
FEW = 8  # postings of a term times this are fewer than documents: sorted, and not counted up over all of them
_TEXT, _COMPOUNDS = 0, 3  # columns of a chunk that are part of its whole note

Scores = dict[int, float]
"""Score by id."""
Of = Literal["note", "name"]


class Asked(NamedTuple):
    """A term, or what a term begins with; both as the index spells terms."""

    text: str
    is_prefix: bool = False


@dataclass(frozen=True)
class Words:
    """Chunks and names at one moment, and the notes that both are of: a note's position is that of its name."""

    generation: int
    chunks: Moment
    names: Moment
    note_at: NDArray[np.int32]  # shape (chunks.size,): the position of each chunk's note
    places: "Places" = field(default_factory=lambda: Places())
    _kept: "_Kept" = field(default_factory=lambda: _Kept())

    # --- chunks --------------------------------------------------------------------------------

    def best_chunks(
        self,
        asked: Sequence[Asked],
        admitted: NoteIds | None,
        depth: int,
        weights: ChunkWeights,
        check: Callable[[], None],
        more: Scores | None = None,
    ) -> Scores:
        """
        The *depth* best chunks of the *admitted* notes and all that score like the last of them.

        Args:
            check: Called between terms; may raise to give up.
            more: Scores to be added, of chunks by id: those of phrases.
        """
        terms = [self._chunk_scores(term, weights) for term in asked]
        if more:
            terms.append(self._given(self.chunks, more))
        chosen = None if admitted is None else self._admitted(admitted)[self.note_at]
        return _by_id(self.chunks, *best(terms, self.chunks.size, chosen, depth, check))

    def chunk_scores(
        self, asked: Sequence[Asked], ids: Iterable[int], weights: ChunkWeights, more: Scores | None = None
    ) -> Scores:
        """The scores of these chunks; those without any are left out."""
        terms = [self._chunk_scores(term, weights) for term in asked]
        if more:
            terms.append(self._given(self.chunks, more))
        return _scores_of(self.chunks, terms, ids)

    def frequency(self, term: str) -> int:
        """In how many chunks *term* stands."""
        return self.chunks.frequency(term)

    def count_chunks(self, asked: Sequence[Asked], admitted: NoteIds | None, limit: int) -> int:
        """How many chunks of the *admitted* notes hold any of *asked*, counted no further than *limit*."""
        if admitted is None and any(not term.is_prefix and self.frequency(term.text) >= limit for term in asked):
            return limit
        holds = np.zeros(self.chunks.size, np.bool_)
        for term in asked:
            holds[self._chunk_postings(term)[0]] = True
        if admitted is not None:
            holds &= self._admitted(admitted)[self.note_at]
        return min(int(holds.sum()), limit)

    # --- notes ---------------------------------------------------------------------------------

    def best_notes(
        self,
        asked: Sequence[Asked],
        admitted: NoteIds | None,
        depth: int,
        of: Of,
        check: Callable[[], None],
        more: Scores | None = None,
        weights: NoteWeights = NOTE_WEIGHTS,
    ) -> Scores:
        """The *depth* best of the *admitted* notes, by all that they hold or by *name* alone, and their ties."""
        terms = [self._note_scores(term, of, weights) for term in asked]
        if more:
            terms.append(self._given(self.names, more))
        chosen = None if admitted is None else self._admitted(admitted)
        return _by_id(self.names, *best(terms, self.names.size, chosen, depth, check))

    def note_scores(
        self,
        asked: Sequence[Asked],
        ids: Iterable[int],
        more: Scores | None = None,
        weights: NoteWeights = NOTE_WEIGHTS,
    ) -> Scores:
        """The scores of these notes by all that they hold; those without any are left out."""
        terms = [self._note_scores(term, "note", weights) for term in asked]
        if more:
            terms.append(self._given(self.names, more))
        return _scores_of(self.names, terms, ids)

    def count_notes(self, asked: Sequence[Asked], admitted: NoteIds | None) -> int:
        """How many of the *admitted* notes hold any of *asked*."""
        holds = np.zeros(self.names.size, np.bool_)
        for term in asked:
            scores = self._note_scores(term, "note", NOTE_WEIGHTS)
            if isinstance(scores, CommonScores):
                holds[scores.holding()[0]] = True
            else:
                holds[scores.positions] = True
        if admitted is not None:
            holds &= self._admitted(admitted)
        return int(holds.sum())

    # --- the scores of one term ----------------------------------------------------------------

    def _chunk_scores(self, term: Asked, weights: ChunkWeights) -> TermScores:
        return self._kept.get((term, weights), lambda: self._find_chunk_scores(term, weights))

    def _find_chunk_scores(self, term: Asked, weights: ChunkWeights) -> TermScores:
        chunks, table = self.chunks, self._weighted_chunks(weights)
        if term.is_prefix:
            positions, codes = self._chunk_postings(term)
            return _summed(positions, table.take(codes), chunks.factors, chunks)
        if is_common(chunks.frequency(term.text), chunks.size):
            coded = self._kept.get_codes(term, lambda: self._codes_everywhere(term))
            above = self._kept.table((weights, "above"), lambda: np.concatenate([[0.0], table]))

            def holding() -> tuple[Positions, Floats]:
                positions, codes = self._chunk_postings(term)
                return positions, table.take(codes)

            def frequencies(at: Positions) -> Floats:
                return above.take(coded.codes.take(at))

            return common_scores(coded.count, frequencies, holding, chunks.factors, chunks.total, 0)
        positions, codes = self._chunk_postings(term)
        return rare_scores(positions, table.take(codes), chunks.factors, chunks.total)

    def _codes_everywhere(self, term: Asked) -> "_Coded":
        """The code of a term in every chunk, one higher: 0 where it does not stand."""
        positions, codes = self._chunk_postings(term)
        is_small = len(self.chunks.counts) < np.iinfo(np.uint16).max
        everywhere: Codes = np.zeros(self.chunks.size, np.uint16) if is_small else np.zeros(self.chunks.size, np.uint32)
        everywhere[positions] = codes + codes.dtype.type(1)
        return _Coded(len(positions), everywhere)

    def _note_scores(self, term: Asked, of: Of, weights: NoteWeights) -> TermScores:
        return self._kept.get((term, of, weights), lambda: self._find_note_scores(term, of, weights))

    def _find_note_scores(self, term: Asked, of: Of, weights: NoteWeights) -> TermScores:
        names = self.names
        named, codes = names.postings_beginning(term.text) if term.is_prefix else names.postings(term.text)
        in_name = self._weighted_names(weights, of).take(codes)
        if of == "note":
            documents, codes = self._chunk_postings(term)
            in_text = self._in_note.take(codes) * weights.body
            noted = self.note_at.take(documents).astype(np.intp)
            named = np.concatenate([noted, named]) if len(named) else noted
            in_name = np.concatenate([in_text, in_name]) if len(in_name) else in_text
        is_held = in_name > 0
        if not is_held.all():
            named, in_name = named[is_held], in_name[is_held]
        return _summed(named, in_name, self._note_factors, names)

    def _chunk_postings(self, term: Asked) -> tuple[Positions, Positions]:
        return self.chunks.postings_beginning(term.text) if term.is_prefix else self.chunks.postings(term.text)

    def _weighted_chunks(self, weights: ChunkWeights) -> Floats:
        """How often each code says that a term stands in a chunk, by these weights; rounded, so that .1 * 3 is .3."""
        return self._kept.table(weights, lambda: np.round(self.chunks.counts @ np.array(astuple(weights)), DIGITS))

    def _weighted_names(self, weights: NoteWeights, of: Of) -> Floats:
        def find() -> Floats:
            frequencies: Floats
            title, aliases, name, headings, tags, _, compounds = astuple(weights)
            rest = (headings, tags, compounds) if of == "note" else (0.0, 0.0, 0.0)
            frequencies = np.round(self.names.counts @ np.array((title, aliases, name, *rest)), DIGITS)
            return frequencies

        return self._kept.table((of, weights), find)

    @cached_property
    def _in_note(self) -> Floats:
        """How often each code of a chunk says that a term stands in the note as a whole."""
        counts: Floats = self.chunks.counts[:, _TEXT] + self.chunks.counts[:, _COMPOUNDS]
        return counts

    @cached_property
    def _note_factors(self) -> Floats:
        """See `length_factors`, of whole notes."""
        in_chunks = self.chunks.sizes[:, [_TEXT, _COMPOUNDS]].sum(axis=1, dtype=np.float64)
        if self.chunks.alive is not None:
            in_chunks[~self.chunks.alive] = 0
        lengths = np.bincount(self.note_at, in_chunks, self.names.size)
        return self.names.factors_of(lengths + self.names.sizes.sum(axis=1, dtype=np.float64))

    # --- helpers -------------------------------------------------------------------------------

    def _admitted(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Which notes are admitted, by position; what is dead has no postings that ask."""
        return among(self.names.ids, note_ids)

    def _given(self, moment: Moment, scores: Scores) -> TermScores:
        """Scores by id, as those of a term."""
        ids = np.fromiter(scores, np.int64, len(scores))
        values = np.fromiter(scores.values(), np.float64, len(scores))
        positions = moment.positions_of(ids)
        is_there = positions >= 0
        positions, values = positions[is_there], values[is_there]
        order = np.argsort(positions)
        highest = float(values.max()) if len(values) else 0.0
        return RareScores(len(values), highest, positions[order], values[order])


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """A common term in every chunk."""

    count: int
    codes: Codes  # shape (chunks,), one higher than the segment's; 0: not there

    @property
    def size_bytes(self) -> int:
        return self.codes.nbytes


def _summed(positions: Positions, frequencies: Floats, factors: Floats, moment: Moment) -> TermScores:
    """The scores of what stands at *positions*, in any order and repeatedly, so often each time."""
    if len(positions) * FEW < moment.size:
        if not len(positions):
            return rare_scores(positions, frequencies, factors, moment.total)
        is_new = positions[1:] != positions[:-1]
        if (positions[1:] < positions[:-1]).any():
            order = np.argsort(positions, kind="stable")
            positions, frequencies = positions[order], frequencies[order]
            is_new = positions[1:] != positions[:-1]
        if not is_new.all():
            begins = np.concatenate([[0], np.flatnonzero(is_new) + 1])
            positions, frequencies = positions[begins], np.add.reduceat(frequencies, begins)
        return rare_scores(positions, np.round(frequencies, DIGITS), factors, moment.total)
    total = np.zeros(moment.size)
    total += np.bincount(positions, frequencies, moment.size)
    np.round(total, DIGITS, out=total)

    def holding() -> tuple[Positions, Floats]:
        held = np.flatnonzero(total > 0)
        return held, total[held]

    count = int(np.count_nonzero(total))
    if is_common(count, moment.size):
        return common_scores(count, lambda at: total.take(at), holding, factors, moment.total, total.nbytes)
    return rare_scores(*holding(), factors, moment.total)


@dataclass(frozen=True, slots=True)
class Places:
    """Where what was found before stands: asked of the database once, as every search finds a hundred chunks."""

    of_chunks: dict[int, tuple[str, int]] = field(default_factory=dict)  # id -> path, and number in its note
    of_notes: dict[int, str] = field(default_factory=dict)  # id -> path


class _Kept:
    """What was last worked out of terms; any thread asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scores: OrderedDict[object, TermScores | _Coded] = OrderedDict()
        self._tables: dict[object, Floats] = {}
        self._size_bytes = 0

    def get(self, key: object, find: Callable[[], TermScores]) -> TermScores:
        """The scores kept under *key*, or found now."""
        return cast("TermScores", self._get(key, find))

    def get_codes(self, term: Asked, find: Callable[[], _Coded]) -> _Coded:
        """The same for the codes of a common term."""
        return cast("_Coded", self._get((term, "codes"), find))

    def _get(self, key: object, find: Callable[[], TermScores | _Coded]) -> TermScores | _Coded:
        with self._lock:
            if (known := self._scores.get(key)) is not None:
                self._scores.move_to_end(key)
                return known
        found = find()
        with self._lock:
            if key not in self._scores:
                self._scores[key] = found
                self._size_bytes += _size_bytes(found)
            while self._size_bytes > KEPT_BYTES:
                _, oldest = self._scores.popitem(last=False)
                self._size_bytes -= _size_bytes(oldest)
        return found

    def table(self, key: object, find: Callable[[], Floats]) -> Floats:
        """The same for a table of weighted counts; there are as many as there are weights."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = find()
        return table


def _size_bytes(kept: TermScores | _Coded) -> int:
    return kept.size_bytes + ENTRY_BYTES


def _by_id(moment: Moment, positions: Positions, scores: Floats) -> Scores:
    return dict(zip(moment.ids[positions].tolist(), scores.tolist(), strict=True))


def _scores_of(moment: Moment, terms: Sequence[TermScores], ids: Iterable[int]) -> Scores:
    wanted = np.array(sorted(ids), np.int64)
    positions = moment.positions_of(wanted)
    positions = positions[positions >= 0]
    scores = scores_at(terms, positions)
    return _by_id(moment, positions[scores > 0], scores[scores > 0])

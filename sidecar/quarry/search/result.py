"""A query that was run: the notes that it lists or ranks, and its page in another order than by relevance."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from quarry.index import NoteIds
from quarry.limits import WEAK_CONFIDENCE
from quarry.options import SearchOptions
from quarry.search.answer import RankedChunk, RankedNote, Relaxed
from quarry.search.candidates import collect_candidates
from quarry.search.execution import SearchExecution
from quarry.search.missing_words import notes_with_every_word
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import SignalRanking, rank_by_signals
from quarry.search.rrf import PublishedRanking
from quarry.types import Query

JUDGED = 100  # notes by relevance that may be sorted; behind them hardly one is likely to answer, and each costs .1 ms


class Listing(Struct, frozen=True):
    """The newest notes, or the first in another order, that a query without anything to rank by admits."""

    shown: tuple[RankedNote, ...]
    total: int
    patterns: tuple[str, ...]  # regular expressions among the conditions, which are marked


class RankedResult(Struct, frozen=True):
    """A query that was run, and the notes that it ranks."""

    query: Query
    prepared: PreparedQuery
    ranking: SignalRanking | PublishedRanking
    page: Sequence[int]  # the places in the ranking of the notes that are shown
    shown: tuple[RankedNote, ...] = ()
    relaxed: Relaxed | None = None  # the part of the query that was dropped to find them
    matching: NoteIds | None = None  # the notes that are sorted; None: the order is by relevance
    is_later_page: bool = False

    @property
    def reachable(self) -> int:
        """How many notes all pages together have."""
        if self.matching is not None:
            return len(self.matching)
        admitted = self.prepared.admitted
        unranked = 0 if admitted is None or not self.lists_unranked else len(admitted)
        return max(len(self.ranking.note_ids), unranked)

    @property
    def lists_unranked(self) -> bool:
        """Whether notes that it admits and does not rank are hits as well: they meet an alternative without words."""
        return self.query.has_filter_alternative and self.relaxed is None

    @property
    def is_quoted(self) -> bool:
        """Whether the query is quoted, so each admitted note contains it; no retriever finds it across passages."""
        query = self.query
        return bool(query.phrases) and not query.words and not self.prepared.keyword_query.name_prefix

    @property
    def has_answer(self) -> bool:
        """Whether there is a passage to show, on this page or on one before it."""
        return any(note.chunks for note in self.shown) or (self.is_later_page and self.reachable > 0)


QueryResult: TypeAlias = RankedResult | Listing


def sort_page(result: RankedResult, options: SearchOptions, execution: SearchExecution) -> RankedResult:
    """The page of *result* in the order that is asked for; *result* itself where no note matches."""
    reader = execution.reader
    matching = _notes_to_sort(result, execution)
    if not len(matching):
        return result
    page = reader.ordered_notes(matching, options.sort, options.limit, options.offset, deadline=execution.deadline)
    known = ranked_by_path([note_id for note_id, _, _ in page], result, execution)
    shown = tuple([known[path] for _, path, _ in page if path in known])
    return replace(result, shown=shown, matching=matching)


def _notes_to_sort(result: RankedResult, execution: SearchExecution) -> NoteIds:
    """
    The notes that match, ascending by id.

    By relevance, every note with some word of the query, or near it in meaning, is a hit: the poor ones come last. In
    any other order they would come first, so that only notes that match are sorted:

        notes that contain every word of the query, in any form, however many they are
        those among the first `JUDGED` by relevance that are likely to answer (`WEAK_CONFIDENCE`)
        all that satisfy the conditions, where an alternative consists of conditions alone

    Where there is no such note, the order stays that of relevance, and the answer says so.
    """
    prepared, ranked, reader = result.prepared, result.ranking.note_ids, execution.reader
    if prepared.keyword_query.name_prefix:  # one or two letters of a word to come: what is named so matches
        return np.unique(np.array(ranked, np.int64))
    if result.lists_unranked and prepared.admitted is not None:
        return np.union1d(prepared.admitted, np.array(ranked, np.int64))
    first = result.ranking.ranked_notes(range(len(ranked))[:JUDGED], execution)
    likely = {note.path for note in first if note.confidence >= WEAK_CONFIDENCE or note.word_coverage == 1}
    names = reader.note_names(ranked[:JUDGED])
    matching = np.array([name.note_id for name in names if name.path in likely], np.int64)
    if execution.has_keyword:
        everywhere = reader.every_note() if prepared.admitted is None else prepared.admitted
        matching = np.union1d(matching, notes_with_every_word(prepared, everywhere, execution))
    return np.unique(matching)


def ranked_by_path(
    note_ids: Sequence[int], result: RankedResult, execution: SearchExecution
) -> Mapping[str, RankedNote]:
    """
    Path -> each of these notes as a hit of *result*, whether or not it is in its ranking.

    A note that was not proposed is scored beside those that were. One that neither words nor meaning find is shown by
    its first passage.
    """
    ranking, wanted = result.ranking, set(note_ids)
    if not wanted.issubset(ranking.note_ids):
        features = collect_candidates(result.prepared, execution, also=note_ids)
        ranking = rank_by_signals(result.prepared, features, execution)
    places = [place for place, note_id in enumerate(ranking.note_ids) if note_id in wanted]
    known = {note.path: note for note in ranking.ranked_notes(places, execution)}
    for name in execution.reader.note_names(note_ids):
        chunk_id = None if name.path in known else execution.reader.first_chunk(name.note_id)
        if chunk_id is not None:
            known[name.path] = unranked(name.path, chunk_id)
    return known


def unranked(path: str, chunk_id: int, score: float = 0.0) -> RankedNote:
    """The note at *path*, which no retriever found, shown by one of its passages."""
    return RankedNote(path, score, frozenset(), {}, (RankedChunk(chunk_id, path, score),))

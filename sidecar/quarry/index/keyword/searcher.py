"""
The keyword retriever of one snapshot: from memory where it holds this moment, from FTS5 otherwise.

Phrases are FTS5's in any case, as memory does not know where in a text a term stands. BM25 is a sum, so for chunks only
the phrases are asked of it, and their scores are added to those of the terms.
"""

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Any, TypeVar

import apsw
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.ids import SLOT_BITS, NoteIds, id_list, id_range
from quarry.index.keyword import fts5, spelling
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.fts5 import ChunkWeights
from quarry.index.keyword.fts5_tokens import any_needs_fts5_tokenizer
from quarry.index.keyword.match_query import MAX_TERMS, KeywordQuery
from quarry.index.keyword.postings_cache import PostingsCache
from quarry.index.keyword.proximity import Known, of_fts5, of_memory, phrase_scores
from quarry.index.keyword.query_scorer import QueryScorer
from quarry.index.keyword.snapshot_scorer import Of, QueryTerm, SnapshotScorer
from quarry.index.keyword.spelling import SpellingIndex
from quarry.index.tie_breaking import ChunkLocation, Scored, chunk_locations, sort_by_score_then_path, top_candidates
from quarry.types import Candidate, Ranking

KNOWN_PLACES = 20_000  # chunks, or notes, whose paths are remembered, 4 MB

FAR_APART = 10_000  # the square of how many notes are looked for by id, not met soon when all are gone through by path

_Answer = TypeVar("_Answer")


class KeywordSearcher:
    """Answers for one snapshot; FTS5 is there."""

    def __init__(self, connection: apsw.Connection, postings: PostingsCache, vocabulary: SpellingIndex) -> None:
        self._db = connection
        self._postings = postings
        self._vocabulary = vocabulary
        self._known: dict[KeywordQuery, QueryScorer | None] = {}  # a search asks the same six times over

    # --- chunks --------------------------------------------------------------------------------

    def lexical(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of the *admitted* notes."""

        def ask(asking: QueryScorer) -> Ranking:
            more = self._phrase_scores(query, admitted, deadline, weights)
            ids, scores = asking.best_chunks(admitted, depth, weights, deadline.check, more)
            return top_candidates(
                self._candidates(asking.words, dict(zip(ids.tolist(), scores.tolist(), strict=True))), depth
            )

        if depth < 1:
            return ()
        return self._ask(query, ask, lambda: fts5.rank(self._db, query, admitted, depth, deadline, weights))

    def proposed(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> list[Scored]:
        """The same chunks in the same order, by id: places are only looked up where scores are equal."""

        def ask(asking: QueryScorer) -> list[Scored]:
            more = self._phrase_scores(query, admitted, deadline, weights)
            ids, scores = asking.best_chunks(admitted, depth, weights, deadline.check, more)
            return sort_by_score_then_path(ids, scores, depth, lambda tied: self._places(asking.words, tied))

        def ask_fts5() -> list[Scored]:
            ranking = fts5.rank(self._db, query, admitted, depth, deadline, weights)
            return [(candidate.chunk_id, candidate.score) for candidate in ranking]

        return self._ask(query, ask, ask_fts5) if depth > 0 else []

    def best_chunks(
        self, query: KeywordQuery, note_id: int, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of one note."""

        def ask(asking: QueryScorer) -> Ranking:
            sql = "SELECT id FROM chunks WHERE id BETWEEN ? AND ?"
            ids = [chunk_id for (chunk_id,) in select(self._db, sql, id_range(note_id))]
            return top_candidates(
                self._candidates(asking.words, self._scores(asking, query, ids, deadline, weights)), depth
            )

        admitted = np.array([note_id], dtype=np.int64)
        return self._ask(query, ask, lambda: fts5.rank(self._db, query, admitted, depth, deadline, weights))

    def lexical_scores(
        self, query: KeywordQuery, chunk_ids: Iterable[int], deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float]:
        """The scores that `lexical` gives to these chunks."""
        ids = list(chunk_ids)

        def ask(asking: QueryScorer) -> dict[int, float]:
            return self._scores(asking, query, ids, deadline, weights)

        return self._ask(query, ask, lambda: fts5.chunk_scores(self._db, query, ids, deadline, weights))

    def phrase_scores(
        self, phrases: Sequence[Sequence[str]], chunk_ids: Iterable[int], deadline: Deadline
    ) -> dict[int, float]:
        """The scores that these chunks have for *phrases*, each as one term; those that hold none are left out."""
        ids, terms = list(chunk_ids), dict.fromkeys(term for phrase in phrases for term in phrase)

        def score(known: Known) -> dict[int, float]:
            return phrase_scores(self._db, known, phrases, deadline, fts5.CHUNK_WEIGHTS)

        return self._ask(
            KeywordQuery(tuple(terms)),
            lambda asking: score(of_memory(asking.words, ids)),
            lambda: score(of_fts5(self._db, ids)),
        )

    def count_matching(self, query: KeywordQuery, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks hold a term, counted no further than *limit*."""

        def ask(asking: QueryScorer) -> int:
            return asking.count_chunks(admitted, limit)

        # Up to so few, FTS5 is quick where there are phrases, which cannot be added to what is counted here.
        of_fts5 = partial(fts5.count, self._db, query, admitted, limit)
        return of_fts5() if query.phrases else self._ask(query, ask, of_fts5)

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many chunks each term stands."""
        wanted = tuple(dict.fromkeys(terms))

        def ask(asking: QueryScorer) -> dict[str, int]:
            return {term: asking.words.frequency(term) if term else 0 for term in wanted}

        return self._ask(KeywordQuery(wanted), ask, lambda: spelling.document_frequency(self._db, wanted))

    def holding(self, term: str, limit: int) -> list[int]:
        """The first *limit* chunks that hold *term*, by path: ids are handed out anew by a rebuild."""

        def ask(asking: QueryScorer) -> list[int]:
            held = asking.words.chunks.postings(term)[0]
            ids: NDArray[np.int64] = asking.words.chunks.ids[held]
            first = self._first_notes(np.unique(ids >> SLOT_BITS), limit)
            places = chunk_locations(self._db, ids[np.isin(ids >> SLOT_BITS, first)].tolist())
            return sorted(places, key=places.__getitem__)[:limit]

        return self._ask(KeywordQuery((term,)), ask, lambda: fts5.holding(self._db, term, limit))

    def nearest_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        """The terms that a mistyped *word*, folded, may stand for."""

        def ask(asking: QueryScorer) -> list[tuple[str, int]]:
            return self._vocabulary.nearest(self._db, word, limit, asking.words)

        return self._ask(KeywordQuery(), ask, lambda: self._vocabulary.nearest(self._db, word, limit))

    # --- notes ---------------------------------------------------------------------------------

    def lexical_notes(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, *, by_name: bool
    ) -> list[tuple[int, str, float]]:
        """`(note_id, path, score)` of the best *depth* notes; equal scores by path."""

        def ask(asking: QueryScorer) -> list[tuple[int, str, float]]:
            more = self._phrase_note_scores(query, admitted, deadline)
            found, scores = asking.best_notes(admitted, depth, _of(by_name), deadline.check, more)
            ids = found.tolist()
            known = self._paths(asking.words, ids)
            named = [(i, known[i], score) for i, score in zip(ids, scores.tolist(), strict=True) if i in known]
            return sorted(named, key=lambda note: (-note[2], note[1]))[:depth]

        def ask_fts5() -> list[tuple[int, str, float]]:
            return fts5.rank_notes(self._db, query, admitted, depth, deadline, by_name=by_name)

        return self._ask_whole(query, ask, ask_fts5, by_name=by_name) if depth > 0 else []

    def proposed_notes(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, *, by_name: bool
    ) -> set[int]:
        """The same notes in no order: paths are only looked up where equal scores stand on both sides of the cut."""

        def ask(asking: QueryScorer) -> set[int]:
            more = self._phrase_note_scores(query, admitted, deadline)
            ids, scores = asking.best_notes(admitted, depth, _of(by_name), deadline.check, more)
            if len(ids) <= depth:
                return set(ids.tolist())
            lowest = scores.min()
            found, tied = set(ids[scores > lowest].tolist()), ids[scores == lowest].tolist()
            paths = self._paths(asking.words, tied)
            return found.union(sorted(tied, key=lambda note_id: paths.get(note_id, ""))[: depth - len(found)])

        def ask_fts5() -> set[int]:
            ranked = fts5.rank_notes(self._db, query, admitted, depth, deadline, by_name=by_name)
            return {note_id for note_id, _, _ in ranked}

        return self._ask_whole(query, ask, ask_fts5, by_name=by_name) if depth > 0 else set()

    def note_scores(self, query: KeywordQuery, note_ids: Iterable[int], deadline: Deadline) -> dict[int, float]:
        """The scores that `lexical_notes` gives to these notes; a phrase counts by its names and best passages."""
        ids = list(note_ids)

        def ask(asking: QueryScorer) -> dict[int, float]:
            deadline.check()
            more = fts5.note_scores(self._db, _phrases(query), ids, deadline) if query.phrases else None
            return asking.note_scores(ids, more)

        return self._ask(query, ask, lambda: fts5.note_scores(self._db, query, ids, deadline))

    def count_notes(self, query: KeywordQuery, admitted: NoteIds | None) -> int:
        """How many notes hold a term."""

        def ask(asking: QueryScorer) -> int:
            phrased = fts5.notes_holding(self._db, _phrases(query), admitted) if query.phrases else ()
            return asking.count_notes(admitted, phrased)

        return self._ask(query, ask, lambda: fts5.count_notes(self._db, query, admitted))

    # --- helpers -------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> SnapshotScorer | None:
        return self._postings.scorer(self._db)

    def _ask(
        self, query: KeywordQuery, of_memory: Callable[[QueryScorer], _Answer], of_fts5: Callable[[], _Answer]
    ) -> _Answer:
        asking = self._asking(query)
        if asking is None:
            return of_fts5()
        try:
            return of_memory(asking)
        except (PostingsDamaged, IndexError) as error:  # a code or a document beyond what there is
            self._postings.invalidate(f"the keyword postings are damaged and made anew: {error}")
            self.__dict__["_words"] = None
            self._known.clear()
            return of_fts5()

    def _asking(self, query: KeywordQuery) -> QueryScorer | None:
        """*query* as it is asked of memory; None where FTS5 is to be asked."""
        if query not in self._known:
            words = self._words
            is_for_fts5 = words is None or any_needs_fts5_tokenizer((*query.terms, query.prefix or ""))
            self._known[query] = None if words is None or is_for_fts5 else QueryScorer(words, _asked(query))
        return self._known[query]

    def _ask_whole(
        self,
        query: KeywordQuery,
        of_memory: Callable[[QueryScorer], _Answer],
        of_fts5: Callable[[], _Answer],
        *,
        by_name: bool,
    ) -> _Answer:
        """The same for rankings of notes: memory adds phrases to all that a note holds, but not to its names alone."""
        return of_fts5() if by_name and query.phrases else self._ask(query, of_memory, of_fts5)

    def _scores(
        self, asking: QueryScorer, query: KeywordQuery, ids: list[int], deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float]:
        more = fts5.chunk_scores(self._db, _phrases(query), ids, deadline, weights) if query.phrases else None
        return asking.chunk_scores(ids, weights, more)

    def _first_notes(self, note_ids: NoteIds, limit: int) -> list[int]:
        """The first *limit* of these notes, by path."""
        if len(note_ids) ** 2 < FAR_APART:
            sql = "SELECT id FROM notes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?"
            return [note_id for (note_id,) in select(self._db, sql, (id_list(note_ids), limit))]
        wanted = set(note_ids.tolist())
        every = self._db.execute("SELECT id FROM notes ORDER BY path")
        return list(islice((note_id for (note_id,) in every if note_id in wanted), limit))

    def _candidates(self, words: SnapshotScorer, scores: Mapping[int, float]) -> list[Candidate]:
        known = self._places(words, scores)
        return [Candidate(i, *known[i], score) for i, score in scores.items() if i in known]

    def _places(self, words: SnapshotScorer, chunk_ids: Iterable[int]) -> Mapping[int, ChunkLocation]:
        """Where these chunks stand, among others."""
        known = words.places.of_chunks
        if unknown := [chunk_id for chunk_id in chunk_ids if chunk_id not in known]:
            _make_room(known)
            known.update(chunk_locations(self._db, unknown))
        return known

    def _paths(self, words: SnapshotScorer, note_ids: Iterable[int]) -> Mapping[int, str]:
        """The paths of these notes, among others."""
        known = words.places.of_notes
        if unknown := [note_id for note_id in note_ids if note_id not in known]:
            _make_room(known)
            sql = "SELECT id, path FROM notes WHERE id IN (SELECT value FROM json_each(?))"
            known.update(select(self._db, sql, (id_list(unknown),)))
        return known

    def _phrase_scores(
        self, query: KeywordQuery, admitted: NoteIds | None, deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float] | None:
        if not query.phrases:
            return None
        return fts5.every_score(self._db, _phrases(query), admitted, deadline, weights)

    def _phrase_note_scores(
        self, query: KeywordQuery, admitted: NoteIds | None, deadline: Deadline
    ) -> dict[int, float] | None:
        """A phrase counts for a note by its names and its best passages: FTS5 knows of no whole note."""
        if not query.phrases:
            return None
        return fts5.note_scores(self._db, _phrases(query), admitted, deadline)


def _asked(query: KeywordQuery) -> list[QueryTerm]:
    """What `matching.expression` asks for, but for phrases, which count towards its limit."""
    terms = query.terms[: max(0, MAX_TERMS - len(query.phrases))]
    return [*map(QueryTerm, terms), *([QueryTerm(query.prefix, is_prefix=True)] if query.prefix else [])]


def _of(by_name: bool) -> Of:
    return "name" if by_name else "note"


def _make_room(known: MutableMapping[int, Any]) -> None:
    """Begin anew where much is known; who searches for it again asks again."""
    if len(known) > KNOWN_PLACES:
        known.clear()


def _phrases(query: KeywordQuery) -> KeywordQuery:
    return replace(query, terms=(), prefix=None)

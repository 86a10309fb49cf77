"""
The keyword leg of one snapshot: from memory where it holds this moment, from FTS5 otherwise.

Phrases are FTS5's in any case, as memory does not know where in a text a term stands. BM25 is a sum, so for chunks only
the phrases are asked of it, and their scores are added to those of the terms.
"""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import apsw
import numpy as np

from quarry.index import lexical, vocabulary
from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds, id_list, id_range
from quarry.index.lexical import ChunkWeights
from quarry.index.matching import MAX_TERMS, LexicalQuery
from quarry.index.postings.cache import PostingsCache
from quarry.index.postings.packing import PostingsDamaged
from quarry.index.postings.tokens import is_odd
from quarry.index.postings.words import Asked, Of, Words
from quarry.index.ties import Place, Scored, cut, in_order, place_of_chunks
from quarry.index.vocabulary import Vocabulary
from quarry.types import Candidate, Ranking

KNOWN_PLACES = 20_000  # chunks, or notes, whose paths are remembered, 4 MB

_Answer = TypeVar("_Answer")


class KeywordLeg:
    """Answers for one snapshot; FTS5 is there."""

    def __init__(self, connection: apsw.Connection, postings: PostingsCache, vocabulary: Vocabulary) -> None:
        self._db = connection
        self._postings = postings
        self._vocabulary = vocabulary

    # --- chunks --------------------------------------------------------------------------------

    def lexical(
        self, query: LexicalQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of the *admitted* notes."""

        def ask(words: Words) -> Ranking:
            more = self._phrase_scores(query, admitted, deadline, weights)
            scores = words.best_chunks(_asked(query), admitted, depth, weights, deadline.check, more)
            return cut(self._candidates(words, scores), depth)

        if depth < 1:
            return ()
        return self._ask(query, ask, lambda: lexical.rank(self._db, query, admitted, depth, deadline, weights))

    def proposed(
        self, query: LexicalQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> list[Scored]:
        """The same chunks in the same order, by id: places are only looked up where scores are equal."""

        def ask(words: Words) -> list[Scored]:
            more = self._phrase_scores(query, admitted, deadline, weights)
            found = words.best_chunks(_asked(query), admitted, depth, weights, deadline.check, more)
            ids, scores = np.fromiter(found, np.int64, len(found)), np.fromiter(found.values(), np.float64, len(found))
            return in_order(ids, scores, depth, lambda tied: self._places(words, tied))

        def ask_fts5() -> list[Scored]:
            ranking = lexical.rank(self._db, query, admitted, depth, deadline, weights)
            return [(candidate.chunk_id, candidate.score) for candidate in ranking]

        return self._ask(query, ask, ask_fts5) if depth > 0 else []

    def best_chunks(
        self, query: LexicalQuery, note_id: int, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of one note."""

        def ask(words: Words) -> Ranking:
            sql = "SELECT id FROM chunks WHERE id BETWEEN ? AND ?"
            ids = [chunk_id for (chunk_id,) in select(self._db, sql, id_range(note_id))]
            return cut(self._candidates(words, self._scores(words, query, ids, deadline, weights)), depth)

        admitted = np.array([note_id], dtype=np.int64)
        return self._ask(query, ask, lambda: lexical.rank(self._db, query, admitted, depth, deadline, weights))

    def lexical_scores(
        self, query: LexicalQuery, chunk_ids: Iterable[int], deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float]:
        """The scores that `lexical` gives to these chunks."""
        ids = list(chunk_ids)

        def ask(words: Words) -> dict[int, float]:
            return self._scores(words, query, ids, deadline, weights)

        return self._ask(query, ask, lambda: lexical.chunk_scores(self._db, query, ids, deadline, weights))

    def count_matching(self, query: LexicalQuery, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks hold a term, counted no further than *limit*."""

        def ask(words: Words) -> int:
            return words.count_chunks(_asked(query), admitted, limit)

        return self._ask_terms(query, ask, lambda: lexical.count(self._db, query, admitted, limit))

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many chunks each term stands."""
        wanted = tuple(dict.fromkeys(terms))

        def ask(words: Words) -> dict[str, int]:
            return {term: words.frequency(term) if term else 0 for term in wanted}

        return self._ask(LexicalQuery(wanted), ask, lambda: vocabulary.document_frequency(self._db, wanted))

    def nearest_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        """The terms that a mistyped *word*, folded, may stand for."""

        def ask(words: Words) -> list[tuple[str, int]]:
            return self._vocabulary.nearest(self._db, word, limit, words)

        return self._ask(LexicalQuery(), ask, lambda: self._vocabulary.nearest(self._db, word, limit))

    # --- notes ---------------------------------------------------------------------------------

    def lexical_notes(
        self, query: LexicalQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, *, by_name: bool
    ) -> list[tuple[int, str, float]]:
        """`(note_id, path, score)` of the best *depth* notes; equal scores by path."""

        def ask(words: Words) -> list[tuple[int, str, float]]:
            of: Of = "name" if by_name else "note"
            more = self._phrase_note_scores(query, admitted, deadline)
            scores = words.best_notes(_asked(query), admitted, depth, of, deadline.check, more)
            known = self._paths(words, scores)
            named = [(note_id, known[note_id], score) for note_id, score in scores.items() if note_id in known]
            return sorted(named, key=lambda note: (-note[2], note[1]))[:depth]

        def ask_fts5() -> list[tuple[int, str, float]]:
            return lexical.rank_notes(self._db, query, admitted, depth, deadline, by_name=by_name)

        return self._ask_whole(query, ask, ask_fts5, by_name=by_name) if depth > 0 else []

    def proposed_notes(
        self, query: LexicalQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, *, by_name: bool
    ) -> set[int]:
        """The same notes in no order: paths are only looked up where equal scores stand on both sides of the cut."""

        def ask(words: Words) -> set[int]:
            of: Of = "name" if by_name else "note"
            more = self._phrase_note_scores(query, admitted, deadline)
            scores = words.best_notes(_asked(query), admitted, depth, of, deadline.check, more)
            if len(scores) <= depth:
                return set(scores)
            lowest = sorted(scores.values())[-depth]
            found = {note_id for note_id, score in scores.items() if score > lowest}
            tied = [note_id for note_id, score in scores.items() if score == lowest]
            paths = self._paths(words, tied)
            return found.union(sorted(tied, key=lambda note_id: paths.get(note_id, ""))[: depth - len(found)])

        def ask_fts5() -> set[int]:
            ranked = lexical.rank_notes(self._db, query, admitted, depth, deadline, by_name=by_name)
            return {note_id for note_id, _, _ in ranked}

        return self._ask_whole(query, ask, ask_fts5, by_name=by_name) if depth > 0 else set()

    def note_scores(self, query: LexicalQuery, note_ids: Iterable[int], deadline: Deadline) -> dict[int, float]:
        """The scores that `lexical_notes` gives to these notes; a phrase counts by its names and best passages."""
        ids = list(note_ids)

        def ask(words: Words) -> dict[int, float]:
            deadline.check()
            more = lexical.note_scores(self._db, _phrases(query), ids, deadline) if query.phrases else None
            return words.note_scores(_asked(query), ids, more)

        return self._ask(query, ask, lambda: lexical.note_scores(self._db, query, ids, deadline))

    def count_notes(self, query: LexicalQuery, admitted: NoteIds | None) -> int:
        """How many notes hold a term."""

        def ask(words: Words) -> int:
            return words.count_notes(_asked(query), admitted)

        return self._ask_terms(query, ask, lambda: lexical.count_notes(self._db, query, admitted))

    # --- helpers -------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> Words | None:
        return self._postings.words(self._db)

    def _ask(
        self, query: LexicalQuery, of_memory: Callable[[Words], _Answer], of_fts5: Callable[[], _Answer]
    ) -> _Answer:
        words = self._words
        if words is None or any(map(is_odd, (*query.terms, query.prefix or ""))):
            return of_fts5()
        try:
            return of_memory(words)
        except (PostingsDamaged, IndexError) as error:  # a code or a document beyond what there is
            self._postings.forget(f"the keyword postings are damaged and made anew: {error}")
            self.__dict__["_words"] = None
            return of_fts5()

    def _ask_terms(
        self, query: LexicalQuery, of_memory: Callable[[Words], _Answer], of_fts5: Callable[[], _Answer]
    ) -> _Answer:
        """The same where phrases cannot be added: counts, and names."""
        return of_fts5() if query.phrases else self._ask(query, of_memory, of_fts5)

    def _ask_whole(
        self,
        query: LexicalQuery,
        of_memory: Callable[[Words], _Answer],
        of_fts5: Callable[[], _Answer],
        *,
        by_name: bool,
    ) -> _Answer:
        """The same for rankings of notes, where phrases can be added to all that a note holds."""
        return (self._ask_terms if by_name else self._ask)(query, of_memory, of_fts5)

    def _scores(
        self, words: Words, query: LexicalQuery, ids: list[int], deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float]:
        more = lexical.chunk_scores(self._db, _phrases(query), ids, deadline, weights) if query.phrases else None
        return words.chunk_scores(_asked(query), ids, weights, more)

    def _candidates(self, words: Words, scores: Mapping[int, float]) -> list[Candidate]:
        known = self._places(words, scores)
        return [Candidate(i, *known[i], score) for i, score in scores.items() if i in known]

    def _places(self, words: Words, chunk_ids: Iterable[int]) -> Mapping[int, Place]:
        """Where these chunks stand, among others."""
        known = words.places.of_chunks
        if unknown := [chunk_id for chunk_id in chunk_ids if chunk_id not in known]:
            _make_room(known)
            known.update(place_of_chunks(self._db, unknown))
        return known

    def _paths(self, words: Words, note_ids: Iterable[int]) -> Mapping[int, str]:
        """The paths of these notes, among others."""
        known = words.places.of_notes
        if unknown := [note_id for note_id in note_ids if note_id not in known]:
            _make_room(known)
            sql = "SELECT id, path FROM notes WHERE id IN (SELECT value FROM json_each(?))"
            known.update(select(self._db, sql, (id_list(unknown),)))
        return known

    def _phrase_scores(
        self, query: LexicalQuery, admitted: NoteIds | None, deadline: Deadline, weights: ChunkWeights
    ) -> dict[int, float] | None:
        if not query.phrases:
            return None
        return lexical.every_score(self._db, _phrases(query), admitted, deadline, weights)

    def _phrase_note_scores(
        self, query: LexicalQuery, admitted: NoteIds | None, deadline: Deadline
    ) -> dict[int, float] | None:
        """A phrase counts for a note by its names and its best passages: FTS5 knows of no whole note."""
        if not query.phrases:
            return None
        return lexical.note_scores(self._db, _phrases(query), admitted, deadline)


def _asked(query: LexicalQuery) -> list[Asked]:
    """What `matching.expression` asks for, but for phrases, which count towards its limit."""
    terms = query.terms[: max(0, MAX_TERMS - len(query.phrases))]
    return [*map(Asked, terms), *([Asked(query.prefix, is_prefix=True)] if query.prefix else [])]


def _make_room(known: MutableMapping[int, Any]) -> None:
    """Begin anew where much is known; who searches for it again asks again."""
    if len(known) > KNOWN_PLACES:
        known.clear()


def _phrases(query: LexicalQuery) -> LexicalQuery:
    return replace(query, terms=(), prefix=None)

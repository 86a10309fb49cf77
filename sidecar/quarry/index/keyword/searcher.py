"""What a reader asks of the keyword index at one moment."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import NoteIds, id_list, notes_of
from quarry.index.keyword.forward import stands_in_text
from quarry.index.keyword.phrases import proximity_scores, read_notes
from quarry.index.keyword.query import KeywordQuery, QueryTerm
from quarry.index.keyword.query_scorer import QueryScorer
from quarry.index.keyword.retrievers import KeywordRetriever
from quarry.index.keyword.spelling import similar_terms
from quarry.index.snapshot_data import Locations
from quarry.index.tie_breaking import chunk_locations

FAR_APART = 10_000  # the square of how many notes are looked for by id, not met soon when all are gone through by path

Pairs = Sequence[Sequence[str]]
"""Terms side by side, two or more each."""


class KeywordSearcher:
    """
    Answers for one snapshot, by whichever retriever serves it.

    What takes a deadline raises DeadlineExceeded or Cancelled when it says so. `admitted` are the notes that come into
    question; None: all.
    """

    def __init__(self, connection: apsw.Connection, retriever: KeywordRetriever, locations: Locations) -> None:
        self._db = connection
        self._retriever = retriever
        self._locations = locations
        self._queries: dict[tuple[KeywordQuery, Deadline], QueryScorer] = {}

    def query(self, query: KeywordQuery, *, deadline: Deadline = NO_DEADLINE) -> QueryScorer:
        """*query*, to be asked about notes and chunks; whoever asks for it again is given the one there is."""
        known = self._queries.get((query, deadline))
        if known is None:
            terms = query.scored
            scorer = self._retriever.scorer(terms, deadline)
            known = QueryScorer(self._db, scorer, self._locations, terms, deadline)
            self._queries[query, deadline] = known
        return known

    def doc_frequencies(self, terms: Iterable[str], *, deadline: Deadline = NO_DEADLINE) -> dict[str, int]:
        """In how many chunks each term stands; 0: in none."""
        wanted = tuple(dict.fromkeys(terms))
        scorer = self._retriever.scorer([QueryTerm(term) for term in wanted if term], deadline)
        return {term: scorer.chunk_frequency(term) if term else 0 for term in wanted}

    def similar_terms(self, word: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[tuple[str, int]]:
        """
        The terms that a mistyped *word*, folded, may stand for, with the number of chunks that hold each.

        The nearest come first, then those that begin alike, then the commonest. Terms are stems: `chunks_with_term`
        leads to a chunk that tells how the word is written.
        """
        found = similar_terms(word, self._retriever.vocabulary())
        counts = self.doc_frequencies(found, deadline=deadline)
        ordered = [(slips, begins, -counts[term], term) for term, (slips, begins) in found.items() if counts[term]]
        return [(term, -count) for _, _, count, term in sorted(ordered)[:limit]]

    def chunks_with_term(self, term: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[int]:
        """The first *limit* chunks that hold *term*, by path and number: ids are handed out anew by a rebuild."""
        chunks = self._retriever.scorer([QueryTerm(term)], deadline).chunks
        ids: NDArray[np.int64] = chunks.ids[chunks.postings(term)[0]]
        notes = notes_of(ids)
        first = self._first_notes(np.unique(notes), limit)
        places = chunk_locations(self._db, ids[np.isin(notes, first)].tolist())
        return sorted(places, key=places.__getitem__)[:limit]

    def proximity_scores(
        self, pairs: Pairs, chunk_ids: Iterable[int], *, deadline: Deadline = NO_DEADLINE
    ) -> dict[int, float]:
        """BM25 of these chunks where each of *pairs* counts as one term; see `phrases.proximity_scores`."""
        terms = {QueryTerm(term) for pair in pairs for term in pair}
        return proximity_scores(self._db, self._retriever.scorer(terms, deadline), pairs, chunk_ids, deadline)

    # --- exact phrases -------------------------------------------------------------------------

    def notes_with_phrase(self, terms: Sequence[str], *, deadline: Deadline) -> list[int]:
        """
        The notes that hold *terms* side by side in their text, over a border of chunks or not, title or aliases.

        Ascending by id.
        """
        phrase = " ".join(terms)
        scorer = self._retriever.scorer([QueryTerm(term) for term in {*terms}], deadline)
        held: NDArray[np.bool_] | None = None
        for term in sorted({*terms}, key=scorer.chunk_frequency):
            mask = np.zeros(scorer.names.size, np.bool_)
            mask[scorer.note_of_chunk[scorer.chunks.postings(term)[0]]] = True
            mask[scorer.names.postings(term)[0]] = True
            held = mask if held is None else held & mask
        candidates = [] if held is None else np.sort(scorer.names.ids[held]).tolist()
        return [
            note.note_id
            for note in read_notes(self._db, candidates, deadline)
            if stands_in_text(phrase, note.chunks) or any(f" {phrase} " in f" {name} " for name in note.names[:2])
        ]

    def chunks_with_phrase(self, terms: Sequence[str], *, in_section: bool, deadline: Deadline) -> list[int]:
        """The chunks that hold *terms* side by side in their text, or also *in_section*: in their headings."""
        phrase = " ".join(terms)
        scorer = self._retriever.scorer([QueryTerm(term) for term in {*terms}], deadline)
        held: NDArray[np.intp] | None = None
        for term in sorted({*terms}, key=scorer.chunk_frequency):
            ordinals = scorer.chunks.postings(term)[0]
            held = ordinals if held is None else held[np.isin(held, ordinals, assume_unique=True)]
        wanted = set() if held is None else set(scorer.chunks.ids[held].tolist())
        notes = sorted({chunk_id >> 11 for chunk_id in wanted})
        columns = slice(2 if in_section else 1)
        return [
            chunk_id
            for note in read_notes(self._db, notes, deadline, phrase)
            for chunk_id, chunk in zip(note.chunk_ids, note.chunks, strict=True)
            if chunk_id in wanted and any(f" {phrase} " in f" {column} " for column in chunk[columns])
        ]

    # --- helpers -------------------------------------------------------------------------------

    def _first_notes(self, note_ids: NoteIds, limit: int) -> list[int]:
        """The first *limit* of these notes, by path."""
        if len(note_ids) ** 2 < FAR_APART:
            sql = "SELECT id FROM notes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?"
            return [note_id for (note_id,) in select(self._db, sql, (id_list(note_ids), limit))]
        wanted = set(note_ids.tolist())
        every = self._db.execute("SELECT id FROM notes ORDER BY path")
        return list(islice((note_id for (note_id,) in every if note_id in wanted), limit))

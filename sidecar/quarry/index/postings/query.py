"""Keyword queries over one snapshot: terms, phrases and prefixes; ranking, spelling and document frequencies."""

from collections.abc import Iterable, Sequence
from itertools import islice

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index.database import NO_DEADLINE, Deadline, select
from quarry.index.keys import NoteIds, id_list, notes_of
from quarry.index.memory import SnapshotData, vault_languages
from quarry.index.note_rows import ContentReader
from quarry.index.postings.cache import NO_DOCUMENTS
from quarry.index.postings.fields import ALIASES, FILE_NAME, SECTION, TEXT, TITLE, KeywordQuery, QueryTerm
from quarry.index.postings.phrases import PhraseOccurrences, find_phrase, phrase_note_scores, proximity_scores
from quarry.index.postings.query_scorer import QueryScorer
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.segment import DocOrdinals
from quarry.index.postings.snapshot import PostingsSnapshot
from quarry.index.postings.spelling import SpellingIndex, TermsByLength, read_terms, similar_terms
from quarry.index.postings.stored_snapshot import TermReader
from quarry.index.top_k import chunk_locations

FAR_APART = 10_000  # the square of how many notes are looked for by id, not met soon when all are gone through by path

Pairs = Sequence[Sequence[str]]
"""Terms side by side, two or more each."""


class KeywordSearcher:
    """
    The keyword index of one snapshot.

    Methods that take a deadline raise DeadlineExceeded or Cancelled when it says so. `admitted` are the notes that may
    be found; None: all.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        postings: TermScorer | TermReader,
        spelling: SpellingIndex,
        data: SnapshotData,
        notes: ContentReader,
    ) -> None:
        """
        Create a searcher.

        Args:
            postings: Those in memory, which know every term; or a reader of those of the terms that are asked for.
            notes: Keeps the notes that are read, which may be quoted.
        """
        self._db = connection
        self._postings = postings
        self._spelling = spelling
        self._data = data
        self._notes = notes
        self.languages = data.once(vault_languages, connection)  # of the notes, besides English
        self._phrases: dict[str, PhraseOccurrences] = {}

    def query(self, query: KeywordQuery, *, deadline: Deadline = NO_DEADLINE) -> QueryScorer:
        """The scorer of *query*, to be kept as long as anything is asked about it: every term is scored once."""
        terms = query.scored
        scorer = self._scorer(terms, deadline)
        phrases = {term: self.find_phrase(term.text, deadline) for term in terms if term.kind == "phrase"}
        return QueryScorer(self._db, scorer, self._data, terms, phrases, deadline)

    @property
    def has_postings(self) -> bool:
        """Whether there are postings in memory; without them, asking for many terms reads the notes that hold them."""
        return isinstance(self._postings, TermScorer) and self._postings is not NO_DOCUMENTS

    def doc_frequencies(self, terms: Iterable[str], *, deadline: Deadline = NO_DEADLINE) -> dict[str, int]:
        """In how many chunks each term stands; 0: in none."""
        wanted = tuple(dict.fromkeys(terms))
        scorer = self._scorer((QueryTerm(term) for term in wanted if term), deadline)
        return {term: scorer.chunks.frequency(term) if term else 0 for term in wanted}

    def is_named(self, terms: Sequence[str], *, deadline: Deadline = NO_DEADLINE) -> bool:
        """Whether any note has one of *terms* in its title, its aliases or its file name."""
        names = self._scorer((QueryTerm(term) for term in terms), deadline).names
        return any(len(_standing_in(names, term, (TITLE, ALIASES, FILE_NAME))) for term in terms)

    def count_together(self, term: str, others: Sequence[str], *, deadline: Deadline = NO_DEADLINE) -> int:
        """How many notes contain *term* and any of *others*, in their texts or names."""
        scorer = self._scorer([QueryTerm(each) for each in (term, *others)], deadline)
        beside = np.bitwise_or.reduce([scorer.note_bitmap(QueryTerm(each)).bits for each in others or ("",)])
        return int(np.bitwise_count(scorer.note_bitmap(QueryTerm(term)).bits & beside).sum())

    def similar_terms(self, word: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[tuple[str, int]]:
        """
        The terms that a mistyped *word*, folded, may stand for, with the number of chunks that hold each.

        The nearest come first, then those that begin alike, then the commonest. Terms are stems: `chunks_with_term`
        leads to a chunk that tells how the word is written.
        """
        found = similar_terms(word, self._vocabulary(), self.languages)
        counts = self.doc_frequencies(found, deadline=deadline)
        ordered = [(slips, begins, -counts[term], term) for term, (slips, begins) in found.items() if counts[term]]
        return [(term, -count) for _, _, count, term in sorted(ordered)[:limit]]

    def chunks_with_term(self, term: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[int]:
        """The first *limit* chunks that hold *term*, by path and number: ids are handed out anew by a rebuild."""
        chunks = self._scorer([QueryTerm(term)], deadline).chunks
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
        scorer = self._scorer(terms, deadline)
        return proximity_scores(self._notes, scorer, pairs, chunk_ids, deadline)

    # --- exact phrases -------------------------------------------------------------------------

    def notes_with_phrase(self, terms: Sequence[str], *, deadline: Deadline) -> list[int]:
        """
        The notes that hold *terms* side by side in their text, over a border of chunks or not, title or aliases.

        Ascending by id. The fields that one term stands in are known from its postings; for several, notes are read.
        """
        if len(terms) > 1:
            return _listed(self.find_phrase(" ".join(terms), deadline).note_ids)
        scorer = self._scorer([QueryTerm(terms[0])], deadline)
        held = np.zeros(scorer.names.size, np.bool_)
        held[scorer.note_of_chunk[_standing_in(scorer.chunks, terms[0], (TEXT,))]] = True
        held[_standing_in(scorer.names, terms[0], (TITLE, ALIASES))] = True
        return _listed(np.sort(scorer.names.ids[held]))

    def phrase_in_notes(self, terms: Sequence[str], note_ids: NoteIds, *, deadline: Deadline) -> NDArray[np.bool_]:
        """
        Which of these notes hold *terms*, two or more, side by side in a passage or a name; shape (notes,).

        Only these notes are read.
        """
        phrase = " ".join(terms)
        scorer = self._scorer([QueryTerm(term) for term in terms], deadline)
        found = find_phrase(self._notes, scorer, phrase, deadline, note_ids)
        return np.isin(scorer.names.ordinals_of(note_ids), phrase_note_scores(scorer, found, "note").held())

    def chunks_with_phrase(self, terms: Sequence[str], *, in_headings: bool, deadline: Deadline) -> list[int]:
        """The chunks that hold *terms* side by side in their text, or, where *in_headings*, in their section."""
        fields = (TEXT, SECTION) if in_headings else (TEXT,)
        chunks = self._scorer([QueryTerm(term) for term in terms], deadline).chunks
        if len(terms) == 1:
            return _listed(chunks.ids[_standing_in(chunks, terms[0], fields)])
        found = self.find_phrase(" ".join(terms), deadline)
        return _listed(chunks.ids[found.chunks[found.chunk_frequencies[:, fields].any(axis=1)]])

    def find_phrase(self, phrase: str, deadline: Deadline) -> PhraseOccurrences:
        """Every occurrence of *phrase*, its terms with one space between two; found once a snapshot."""
        found = self._phrases.get(phrase)
        if found is None:
            scorer = self._scorer([QueryTerm(term) for term in phrase.split(" ")], deadline)
            found = self._phrases[phrase] = find_phrase(self._notes, scorer, phrase, deadline)
        return found

    # --- helpers -------------------------------------------------------------------------------

    def _scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> TermScorer:
        """A scorer that knows at least *terms*."""
        return self._postings if isinstance(self._postings, TermScorer) else self._postings.scorer(terms, deadline)

    def _vocabulary(self) -> TermsByLength:
        """The terms that may correct a mistyped word."""
        if isinstance(self._postings, TermScorer):
            return self._spelling.of_postings(self._postings)
        return self._data.once(read_terms, self._db)

    def _first_notes(self, note_ids: NoteIds, limit: int) -> list[int]:
        """The first *limit* of these notes, by path."""
        if len(note_ids) ** 2 < FAR_APART:
            sql = "SELECT id FROM notes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?"
            return [note_id for (note_id,) in select(self._db, sql, (id_list(note_ids), limit))]
        wanted = set(note_ids.tolist())
        every = self._db.execute("SELECT id FROM notes ORDER BY path")
        return list(islice((note_id for (note_id,) in every if note_id in wanted), limit))


def _standing_in(snapshot: PostingsSnapshot, term: str, fields: Sequence[int]) -> DocOrdinals:
    """The documents that hold *term* in one of *fields*."""
    ordinals, codes = snapshot.postings(term)
    return ordinals[snapshot.tf_table[:, fields].any(axis=1).take(codes)] if len(ordinals) else ordinals


def _listed(ids: NDArray[np.int64]) -> list[int]:
    found: list[int] = ids.tolist()
    return found

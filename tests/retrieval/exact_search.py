"""
Search without shortcuts: the engine's own, over an index that rounds nothing and leaves nothing out.

An `ExactReader` stands where the engine's reader does, under the same questions, the same signals and the same order:

    meaning   every chunk and title as the model embeds it (float32), and the cosine with each of them in float64
    words     BM25 by FTS5, of every passage and of whole notes, which are documents of a table made for it in memory

It is what search is compared with, not what anyone would want to wait for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import apsw
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry import search as searching
from quarry.embedding import Encoder
from quarry.engine import Engine, _now
from quarry.index import ChunkWeights, Deadline, KeywordQuery, NearestChunks, NoteIds, Reader, Scored
from quarry.index.deadline import NO_DEADLINE
from quarry.index.ids import SLOT_BITS, among
from quarry.index.keyword import fts5
from quarry.index.keyword.fts5 import NOTE_WEIGHTS
from quarry.index.keyword.match_query import NAME_COLUMNS, expression
from quarry.index.keyword.searcher import KeywordSearcher
from quarry.index.tie_breaking import chunk_locations, sort_by_score_then_path
from quarry.index.vector.quantize import FloatMatrix, FloatVector, quantize
from quarry.index.vector.query import NO_NEAREST_CHUNKS
from quarry.indexing.prepare import embedded_text
from quarry.search import Answer
from quarry.types import Candidate, Ranking, SearchRequest

DIGITS = 12  # of scores by word: FTS5's sums of .3 may differ in the last bit where they are equal
TEXTS = 4096  # embedded at a time

Numbers = NDArray[np.float64]


class ExactEngine:
    """
    Searches as *engine*, which serves both retrievers, does over an `ExactReader`.

    Raises:
        ValueError: The index holds other vectors than the rounded ones of its texts.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        with engine._search_context() as context:
            assert context.encoder is not None, "both retrievers serve"
            self._chunks, self._titles = embedded(context.reader, context.encoder)
            self._notes = WholeNotes(context.reader)

    def search(self, request: SearchRequest) -> Answer:
        """Answer *request*, however long it takes."""
        engine = self._engine
        with engine._search_context() as context:
            exact = replace(context, reader=ExactReader(context.reader, self._chunks, self._titles, self._notes))
            return searching.search(request, exact, engine._weights(), engine.settings.fusion, NO_DEADLINE, _now())


class ExactReader(Reader):
    """The snapshot of *reader*."""

    def __init__(self, reader: Reader, chunks: "Embedded", titles: "Embedded", notes: "WholeNotes") -> None:
        super().__init__(reader._db, reader._parts, reader._memory)
        self._keywords = ExactKeywords(reader, notes)
        self._chunks, self._titles = chunks, titles

    def dense_query(self, vector: FloatVector) -> "ExactDenseQuery | None":
        """*vector*, compared with everything; None where it is near nothing."""
        if not self._fits(vector):
            return None
        chunks, titles = self._chunks, self._titles
        return ExactDenseQuery(self._db, chunks.ids, chunks.cosines(vector), titles.ids, titles.cosines(vector))


# --- meaning -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings that were never rounded, by ascending id of what was embedded; what has no meaning is left out."""

    ids: NDArray[np.int64]
    rows: Numbers  # shape (len(ids), dim), of unit length

    @classmethod
    def of(cls, ids: NDArray[np.int64], matrix: FloatMatrix) -> "Embedded":
        """Those rows of *matrix* that are not zero."""
        lengths = np.sqrt(np.square(matrix, dtype=np.float64).sum(axis=1))
        has_meaning = lengths > 0
        return cls(ids[has_meaning], matrix[has_meaning] / lengths[has_meaning, np.newaxis])

    def cosines(self, vector: FloatVector) -> Numbers:
        """With each row by itself, so that equal texts are equally near wherever they stand."""
        query = vector.astype(np.float64)
        found: Numbers = (self.rows * (query / np.sqrt((query * query).sum()))).sum(axis=1)
        return found


def embedded(reader: Reader, encoder: Encoder) -> tuple[Embedded, Embedded]:
    """
    Every chunk, and every title, as *encoder* has it.

    Raises:
        ValueError: The index holds other vectors than these, rounded: something else than rounding would be measured.
    """
    chunk_ids = [chunk_id for (chunk_id,) in reader._db.execute("SELECT id FROM chunk_rows ORDER BY id")]
    chunks = reader.chunks(chunk_ids)
    titles = dict(reader._db.execute("SELECT id, title FROM notes ORDER BY id"))
    stored = (
        [vector for (vector,) in reader._db.execute("SELECT vector FROM vectors ORDER BY chunk_id")],
        [vector for (vector,) in reader._db.execute("SELECT vector FROM title_vectors ORDER BY note_id")],
    )
    matrices = [
        np.concatenate([encoder.encode(texts[start : start + TEXTS]) for start in range(0, max(len(texts), 1), TEXTS)])
        for texts in ([embedded_text(chunks[chunk_id].chunk) for chunk_id in chunk_ids], [*titles.values()])
    ]
    if tuple(map(quantize, matrices)) != stored:
        raise ValueError(
            "the index holds other vectors than the model makes of its texts now; delete it and index anew"
        )
    of_chunks, of_titles = matrices
    return Embedded.of(np.array(chunk_ids, np.int64), of_chunks), Embedded.of(np.array([*titles], np.int64), of_titles)


@dataclass(frozen=True, slots=True)
class ExactDenseQuery:
    """Answers as `quarry.index.DenseQuery` does, from the cosines with all there is."""

    connection: apsw.Connection
    chunk_ids: NDArray[np.int64]  # ascending
    cosines: Numbers  # shape as `chunk_ids`
    title_ids: NoteIds
    cosines_of_titles: Numbers  # shape as `title_ids`

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """The *depth* nearest chunks of the *admitted* notes, best first, equally near ones by path and number."""
        ids, cosines = self.chunk_ids, self.cosines
        if admitted is not None:
            chosen = among(ids >> SLOT_BITS, admitted)
            ids, cosines = ids[chosen], cosines[chosen]
        return (
            sort_by_score_then_path(ids, cosines, depth, partial(chunk_locations, self.connection)) if len(ids) else []
        )

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """The chunk of each of *note_ids* that is nearest; of equally near ones the first, as ids of a new index go."""
        first = np.searchsorted(self.chunk_ids, note_ids << SLOT_BITS)
        behind = np.searchsorted(self.chunk_ids, (note_ids + 1) << SLOT_BITS)
        has_chunks = behind > first
        if not has_chunks.any():
            return NO_NEAREST_CHUNKS
        ranges = list(zip(first[has_chunks].tolist(), behind[has_chunks].tolist(), strict=True))
        best = np.array([start + int(self.cosines[start:end].argmax()) for start, end in ranges])
        means = np.array([self.cosines[start:end].mean() for start, end in ranges])
        return NearestChunks(note_ids[has_chunks], self.chunk_ids[best], self.cosines[best], means)

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """The *depth* notes with the nearest titles and all that are as near as the last, nearest first, then by id."""
        ids, cosines = self.title_ids, self.cosines_of_titles
        if admitted is not None:
            chosen = among(ids, admitted)
            ids, cosines = ids[chosen], cosines[chosen]
        if len(ids) > depth:
            kept = cosines >= np.partition(cosines, -depth)[-depth]
            ids, cosines = ids[kept], cosines[kept]
        return sorted(zip(ids.tolist(), cosines.tolist(), strict=True), key=lambda title: (-title[1], title[0]))

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, Numbers]:
        """Of *note_ids* those whose title has a vector, and the cosine of each."""
        chosen = among(self.title_ids, note_ids)
        return self.title_ids[chosen], self.cosines_of_titles[chosen]


# --- words -------------------------------------------------------------------------------------


class ExactKeywords(KeywordSearcher):
    """The keyword retriever without postings: FTS5 scores every passage, and every note as one document."""

    _words = None

    def __init__(self, reader: Reader, notes: "WholeNotes") -> None:
        super().__init__(reader._db, reader._memory.postings, reader._memory.words)
        self._notes = notes

    def lexical(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of the *admitted* notes."""
        found = fts5.every_score(self._db, query, admitted, deadline, weights)
        if not found or depth < 1:
            return ()
        ids, scores = np.array([*found], np.int64), np.round([*found.values()], DIGITS)
        best = sort_by_score_then_path(ids, scores, depth, partial(chunk_locations, self._db))
        places = chunk_locations(self._db, [chunk_id for chunk_id, _ in best])
        return tuple(Candidate(chunk_id, *places[chunk_id], score) for chunk_id, score in best)

    def lexical_notes(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, deadline: Deadline, *, by_name: bool
    ) -> list[tuple[int, str, float]]:
        """`(note_id, path, score)` of the best *depth* notes; equal scores by path."""
        scores = self._notes.scores(query, by_name=by_name)
        if admitted is not None:
            scores = {note_id: scores[note_id] for note_id in admitted.tolist() if note_id in scores}
        paths = dict(self._db.execute("SELECT id, path FROM notes"))
        named = [(note_id, paths[note_id], score) for note_id, score in scores.items()]
        return sorted(named, key=lambda note: (-note[2], note[1]))[:depth]

    def note_scores(self, query: KeywordQuery, note_ids: Iterable[int], deadline: Deadline) -> dict[int, float]:
        """The scores that `lexical_notes` gives to these notes."""
        scores = self._notes.scores(query)
        return {note_id: scores[note_id] for note_id in note_ids if note_id in scores}

    def phrase_scores(
        self, phrases: Sequence[Sequence[str]], chunk_ids: Iterable[int], deadline: Deadline
    ) -> dict[int, float]:
        """The scores that these chunks have for *phrases*, by how many chunks of all hold each."""
        query = KeywordQuery(phrases=tuple(map(tuple, phrases)))
        scores = fts5.every_score(self._db, query, None, deadline)
        return {chunk_id: scores[chunk_id] for chunk_id in chunk_ids if chunk_id in scores}


_NAMES = "SELECT id, title, aliases, name, headings, tags, compounds FROM name_terms"
_TEXTS = "SELECT id, text, compounds FROM chunk_terms ORDER BY id"
_PHRASED = "{title aliases name headings tags text}"  # compounds have no order
_TABLE = "CREATE VIRTUAL TABLE whole USING fts5(title, aliases, name, headings, tags, compounds, text, in_chunks, {})"
_INSERT = "INSERT INTO whole VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SCORES = "SELECT rowid, -bm25(whole, ?, ?, ?, ?, ?, ?, ?, ?) FROM whole WHERE whole MATCH ?"


class WholeNotes:
    """Whole notes as documents of FTS5: what they are called, and of all their chunks the text and the compounds."""

    def __init__(self, reader: Reader) -> None:
        texts: dict[int, list[tuple[str, str]]] = {}
        for chunk_id, *columns in reader._db.execute(_TEXTS):
            texts.setdefault(chunk_id >> SLOT_BITS, []).append((columns[0] or "", columns[1] or ""))
        (schema,) = next(reader._db.execute("SELECT sql FROM sqlite_schema WHERE name = 'names_fts'"))
        tokenizer = re.search('tokenize="[^"]*"', schema)
        assert tokenizer is not None, "terms are cut here as they are there"
        self._db = apsw.Connection(":memory:")
        self._db.execute(_TABLE.format(tokenizer[0]))
        self._ids = []  # by row, from 1
        for note_id, *names in reader._db.execute(_NAMES):
            body = (" ".join(column) for column in zip(*texts.get(note_id, [("", "")]), strict=True))
            self._db.execute(_INSERT, (*names, *body))
            self._ids.append(note_id)

    def scores(self, query: KeywordQuery, *, by_name: bool = False) -> dict[int, float]:
        """The BM25 of every note that holds anything of *query*, by all that it holds or *by_name* alone."""
        wanted = expression(query, _PHRASED)
        if wanted is None:
            return {}
        of = NOTE_WEIGHTS
        weights = (of.title, of.aliases, of.name, of.headings, of.tags, of.compounds, of.body, of.body)
        found = self._db.execute(_SCORES, (*weights, f"{NAME_COLUMNS} : ({wanted})" if by_name else wanted))
        return {self._ids[row - 1]: round(score, DIGITS) for row, score in found}

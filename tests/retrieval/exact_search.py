"""
Search without shortcuts: the engine's own, over an index that rounds nothing and leaves nothing out.

An `ExactReader` stands where the engine's reader does, under the same questions, the same signals and the same order:

    meaning   every chunk and title as the model embeds it (float32), and the cosine with each of them in float64
    words     BM25 by FTS5, of every passage and of whole notes, which are documents of two tables made in memory

It is what search is compared with, not what anyone would want to wait for.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import apsw
import numpy as np
from msgspec.structs import astuple, replace
from numpy.typing import NDArray

from quarry import search as searching
from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.index import (
    CHUNK_WEIGHTS,
    Background,
    ChunkWeights,
    Deadline,
    KeywordQuery,
    NearestChunks,
    NoteIds,
    Reader,
    Scored,
)
from quarry.index.database import NO_DEADLINE
from quarry.index.keys import SLOT_BITS, among, id_range, note_of, notes_of
from quarry.index.note_codec import open_packed
from quarry.index.postings.bm25 import NOTE_WEIGHTS
from quarry.index.postings.fields import COMPOUNDS, PARTS, TEXT, QueryTerm
from quarry.index.top_k import chunk_locations, sort_by_score_then_path
from quarry.index.vectors.quantize import FloatMatrix, FloatVector, quantize
from quarry.index.vectors.vector_query import NO_NEAREST_CHUNKS
from quarry.indexing.vector_model import embedded_text
from quarry.options import SearchOptions
from quarry.search import Answer

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
        with engine.execution(SearchOptions(query="")) as execution:
            assert execution.encoder is not None, "both retrievers serve"
            self._chunks, self._titles = embedded(execution.reader, execution.encoder)
            self._documents = Fts5Documents(execution.reader)

    def search(self, request: SearchOptions) -> Answer:
        """Answer *request*, however long it takes."""
        with self._engine.execution(request) as execution:
            reader = ExactReader(execution.reader, self._chunks, self._titles, self._documents)
            return searching.search(request, replace(execution, reader=reader, deadline=NO_DEADLINE))


class ExactReader(Reader):
    """The snapshot of *reader*."""

    def __init__(self, reader: Reader, chunks: "Embedded", titles: "Embedded", documents: "Fts5Documents") -> None:
        super().__init__(reader._db, reader._parts, reader._memory)
        self.keywords = ExactKeywords(reader, documents)
        self._chunks, self._titles = chunks, titles

    def dense_query(self, vector: FloatVector) -> "ExactDenseQuery | None":
        """*vector*, compared with everything; None where it is near nothing."""
        if super().dense_query(vector) is None:
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

    def background(self) -> Background:
        """As of an ordinary vault: confidence is not compared."""
        return Background()

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, Numbers]:
        """Of *note_ids* those whose title has a vector, and the cosine of each."""
        chosen = among(self.title_ids, note_ids)
        return self.title_ids[chosen], self.cosines_of_titles[chosen]


# --- words -------------------------------------------------------------------------------------

# Terms are cut at spaces alone: they are stored as FTS5 is to have them.
_CREATE = """CREATE VIRTUAL TABLE {} USING fts5({}, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{{|}}~'")"""
_CHUNK_COLUMNS = ("text", "section", "context", "compounds", "parts")
_NOTE_COLUMNS = ("title", "aliases", "name", "headings", "tags", "compounds", "body", "body_compounds", "body_parts")
_NAMES = "{title aliases name}"
_CHUNK_ORDER = "{text section context}"  # compounds have no order
_NOTE_ORDER = "{title aliases name headings tags body}"
_BODIES = "SELECT note_id, body FROM bodies ORDER BY note_id"


class Fts5Documents:
    """
    All passages, and all notes, as documents of FTS5 in memory.

    A note is one document: what it is called, and of all its passages the text, the compounds and the parts.
    """

    def __init__(self, reader: Reader) -> None:
        self._db = apsw.Connection(":memory:")
        self._create("chunks", _CHUNK_COLUMNS)
        self._create("notes", _NOTE_COLUMNS)
        for note_id, body in reader._db.execute(_BODIES):
            packed = open_packed(body)
            terms, first = packed.terms(), id_range(note_id)[0]
            for slot, columns in zip(packed.slots, terms.chunks, strict=True):
                self._insert("chunks", first + slot, columns)
            body = (" ".join(columns[at] for columns in terms.chunks) for at in (TEXT, COMPOUNDS, PARTS))
            self._insert("notes", note_id, (*terms.names, *body))

    def chunk_scores(self, wanted: str, weights: ChunkWeights, deadline: Deadline) -> dict[int, float]:
        """The BM25 of every passage that meets the FTS5 expression *wanted*."""
        return self._scores("chunks", wanted, astuple(weights), deadline)

    def note_scores(self, wanted: str, deadline: Deadline) -> dict[int, float]:
        """The BM25 of every note that meets the FTS5 expression *wanted*."""
        title, aliases, name, headings, tags, body, compounds, parts = astuple(NOTE_WEIGHTS)
        weights = (title, aliases, name, headings, tags, compounds, body, body, parts)
        return self._scores("notes", wanted, weights, deadline)

    def matching(self, table: str, wanted: str, deadline: Deadline = NO_DEADLINE) -> list[int]:
        """The passages or notes that meet the FTS5 expression *wanted*, ascending by id."""
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid"
        with deadline.over(self._db):
            return [row[0] for row in self._db.execute(sql, (wanted,))]

    def _create(self, table: str, columns: Sequence[str]) -> None:
        self._db.execute(_CREATE.format(table, ", ".join(columns)))

    def _insert(self, table: str, row_id: int, columns: Sequence[str]) -> None:
        values = ", ".join("?" * (len(columns) + 1))
        names = _CHUNK_COLUMNS if table == "chunks" else _NOTE_COLUMNS
        self._db.execute(f"INSERT INTO {table}(rowid, {', '.join(names)}) VALUES ({values})", (row_id, *columns))

    def _scores(self, table: str, wanted: str, weights: Sequence[float], deadline: Deadline) -> dict[int, float]:
        of_columns = ", ".join("?" * len(weights))
        sql = f"SELECT rowid, -bm25({table}, {of_columns}) FROM {table} WHERE {table} MATCH ?"
        with deadline.over(self._db):
            return {row_id: round(score, DIGITS) for row_id, score in self._db.execute(sql, (*weights, wanted))}


class ExactKeywords:
    """Answers as `KeywordSearcher` does: FTS5 finds and scores every passage, and every note as one document."""

    def __init__(self, reader: Reader, documents: Fts5Documents) -> None:
        self._reader = reader
        self._documents = documents
        self._queries: dict[KeywordQuery, ExactQuery] = {}
        self.languages = reader.languages

    def query(self, query: KeywordQuery, *, deadline: Deadline = NO_DEADLINE) -> "ExactQuery":
        """*query*, to be asked about notes and passages."""
        known = self._queries.get(query)
        if known is None:
            known = self._queries[query] = ExactQuery(self._reader._db, self._documents, query.scored, deadline)
        return known

    def doc_frequencies(self, terms: Iterable[str], *, deadline: Deadline = NO_DEADLINE) -> dict[str, int]:
        """In how many passages each term stands."""
        return {term: len(self._documents.matching("chunks", _quoted(term), deadline)) if term else 0 for term in terms}

    def is_named(self, terms: Sequence[str], *, deadline: Deadline = NO_DEADLINE) -> bool:
        """Whether any note has one of *terms* in its title, its aliases or its file name."""
        return bool(self.query(KeywordQuery(terms=tuple(terms)), deadline=deadline).top_note_ids(None, 1, by_name=True))

    def similar_terms(self, word: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[tuple[str, int]]:
        """The terms that a mistyped *word* may stand for, as the engine has them: spelling scores nothing."""
        return self._reader.keywords.similar_terms(word, limit, deadline=deadline)

    def chunks_with_term(self, term: str, limit: int, *, deadline: Deadline = NO_DEADLINE) -> list[int]:
        """The first *limit* passages that hold *term*, by path and number."""
        places = chunk_locations(self._reader._db, self._documents.matching("chunks", _quoted(term), deadline))
        return sorted(places, key=places.__getitem__)[:limit]

    def proximity_scores(
        self, pairs: Sequence[Sequence[str]], chunk_ids: Iterable[int], *, deadline: Deadline = NO_DEADLINE
    ) -> dict[int, float]:
        """The scores that these passages have for *pairs*, by how many passages of all hold each."""
        terms = [QueryTerm(" ".join(pair), "phrase") for pair in pairs]
        if not terms:
            return {}
        scores = self._documents.chunk_scores(_expression(terms, _CHUNK_ORDER), CHUNK_WEIGHTS, deadline)
        return {chunk_id: scores[chunk_id] for chunk_id in chunk_ids if chunk_id in scores}

    def notes_with_phrase(self, terms: Sequence[str], *, deadline: Deadline) -> list[int]:
        """The notes that hold *terms* side by side in title, aliases or text, over a border of passages or not."""
        return self._documents.matching("notes", f"{{title aliases body}} : {_quoted(' '.join(terms))}", deadline)

    def phrase_in_notes(self, terms: Sequence[str], note_ids: NoteIds, *, deadline: Deadline) -> NDArray[np.bool_]:
        """Which of these notes hold *terms* side by side in a passage or a name; shape (notes,)."""
        phrase = QueryTerm(" ".join(terms), "phrase")
        return np.isin(note_ids, self._documents.matching("notes", _expression([phrase], _NOTE_ORDER), deadline))

    def chunks_with_phrase(self, terms: Sequence[str], *, in_headings: bool, deadline: Deadline) -> list[int]:
        """The passages that hold *terms* side by side in their text, or, where *in_headings*, in their section."""
        columns = "{text section}" if in_headings else "text"
        return self._documents.matching("chunks", f"{columns} : {_quoted(' '.join(terms))}", deadline)


@dataclass(frozen=True, slots=True)
class ExactQuery:
    """Answers as `QueryScorer` does, from the scores of all that matches."""

    connection: apsw.Connection
    documents: Fts5Documents
    terms: Sequence[QueryTerm]
    deadline: Deadline
    _scores: dict[object, Mapping[int, float]] = field(default_factory=dict)

    def top_chunks(self, admitted: NoteIds | None, depth: int, weights: ChunkWeights) -> list[Scored]:
        """The best *depth* passages of the *admitted* notes, equal scores by path and number."""
        found = self._chunks(weights)
        ids, scores = np.array([*found], np.int64), np.array([*found.values()], np.float64)
        if admitted is not None:
            chosen = among(notes_of(ids), admitted)
            ids, scores = ids[chosen], scores[chosen]
        if not len(ids) or depth < 1:
            return []
        return sort_by_score_then_path(ids, scores, depth, partial(chunk_locations, self.connection))

    def top_chunks_of(self, note_id: int, depth: int, weights: ChunkWeights) -> list[Scored]:
        """The best *depth* passages of one note."""
        return self.top_chunks(np.array([note_id]), depth, weights)

    def chunk_scores(self, chunk_ids: Iterable[int], weights: ChunkWeights) -> dict[int, float]:
        """The scores that `top_chunks` gives to these passages."""
        return _of(self._chunks(weights), chunk_ids)

    def terms_held(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """None of them: confidence is not compared."""
        return np.zeros((len(self.terms), len(chunk_ids)), np.bool_)

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """How many passages of the *admitted* notes match, counted no further than *limit*."""
        of_notes = map(note_of, self._chunks(CHUNK_WEIGHTS))
        return min(_count(of_notes, admitted), limit)

    def top_note_ids(self, admitted: NoteIds | None, depth: int, *, by_name: bool = False) -> set[int]:
        """The best *depth* of the *admitted* notes; equal scores are cut by path."""
        scores = self._notes(by_name)
        if admitted is not None:
            scores = _of(scores, admitted.tolist())
        paths = dict(self.connection.execute("SELECT id, path FROM notes"))
        return {*sorted(scores, key=lambda note_id: (-scores[note_id], paths[note_id]))[: max(depth, 0)]}

    def note_scores(self, note_ids: Iterable[int]) -> dict[int, float]:
        """The scores by which `top_note_ids` ranks these notes."""
        return _of(self._notes(by_name=False), note_ids)

    def terms_of_notes(self, note_ids: NDArray[np.int64]) -> dict[QueryTerm, NDArray[np.bool_]]:
        """For each term which of these notes hold it."""
        found = {term: self.documents.matching("notes", _expression([term], _NOTE_ORDER)) for term in self.terms}
        return {term: np.isin(note_ids, holders) for term, holders in found.items()}

    def count_notes(self, admitted: NoteIds | None) -> int:
        """How many of the *admitted* notes match."""
        return _count(self._notes(by_name=False), admitted)

    def _chunks(self, weights: ChunkWeights) -> Mapping[int, float]:
        if weights not in self._scores:
            wanted = _expression(self.terms, _CHUNK_ORDER)
            found = self.documents.chunk_scores(wanted, weights, self.deadline) if wanted else {}
            self._scores[weights] = found
        return self._scores[weights]

    def _notes(self, by_name: bool) -> Mapping[int, float]:
        if by_name not in self._scores:
            wanted = _expression(self.terms, _NOTE_ORDER)
            if by_name and wanted:
                wanted = f"{_NAMES} : ({wanted})"
            self._scores[by_name] = self.documents.note_scores(wanted, self.deadline) if wanted else {}
        return self._scores[by_name]


def _expression(terms: Sequence[QueryTerm], in_order: str) -> str:
    """
    Any of *terms*, as FTS5 reads it; nothing for none.

    Args:
        in_order: The columns that a phrase may stand in.
    """
    parts = []
    for term in terms:
        text = _quoted(term.text)
        parts.append(f"{in_order} : {text}" if term.kind == "phrase" else f"{text} *" if term.is_prefix else text)
    return " OR ".join(parts)


def _quoted(terms: str) -> str:
    """One term, or several joined by spaces, which are then to stand side by side."""
    return '"' + terms.replace('"', '""') + '"'


def _of(scores: Mapping[int, float], ids: Iterable[int]) -> dict[int, float]:
    return {i: scores[i] for i in ids if i in scores}


def _count(note_ids: Iterable[int], admitted: NoteIds | None) -> int:
    ids = np.array([*note_ids], np.int64)
    return len(ids) if admitted is None else int(among(ids, admitted).sum())

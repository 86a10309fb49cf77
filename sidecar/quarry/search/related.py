"""
The notes most similar to a note, to a passage of it, or to any other text.

They are similar in meaning, and by the significant terms of the source: those frequent in it and rare elsewhere
(tf-idf).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import split_alternatives, stop_terms, text_terms
from quarry.analysis.languages import ENGLISH
from quarry.conditions import AllOf
from quarry.errors import BadRequest
from quarry.index import CHUNK_WEIGHTS, DenseQuery, KeywordQuery, NoteIds, Reader, StoredChunk, note_of
from quarry.index.keys import notes_of
from quarry.index.vectors.quantize import FloatMatrix, FloatVector
from quarry.index.vectors.rows import CONTEXTUAL
from quarry.messages import Message
from quarry.options import Retriever, SearchOptions
from quarry.search.candidates import NO_CHUNKS, RankedChunks
from quarry.search.execution import SearchExecution
from quarry.search.query_vectors import ContextualVector, DenseQueries
from quarry.search.signals import SCORE_DIGITS, max_normalize, min_max_normalize
from quarry.search.snippet.matcher import HighlightTerms
from quarry.search.snippet.snippet import Snippet
from quarry.search.snippets import SnippetBuilder

POOL = 100  # proposed by each retriever
SIGNIFICANT_TERMS = 16  # of the source are looked for
DENSE_WEIGHT = 0.7  # of the score; the rest is for the words
MAX_TEXT = 20_000  # characters of a source; its first pages say what it is about


class Source(Struct, frozen=True):
    """The note, the passage of a note (the one at `line`) or the text that similar notes are wanted for."""

    path: str | None = None
    line: int | None = None  # from 0
    text: str | None = None  # of the note at `path` where there is one: that one is left out


class RelatedNote(Struct, frozen=True):
    """A note that is similar to the source, with its most similar passage."""

    path: str
    title: str
    score: float
    cosine: float | None  # with its nearest passage; None where meaning cannot be compared
    linked: bool  # one of the two links to the other
    chunk: StoredChunk
    snippet: Snippet


class Related(Struct, frozen=True):
    """The notes most similar to a source, best first."""

    notes: tuple[RelatedNote, ...]
    retrievers: tuple[Retriever, ...]
    missing: Mapping[Retriever, Message]


def related(source: Source, options: SearchOptions, execution: SearchExecution) -> Related:
    """
    The notes nearest to *source*, without itself; *options* has their scope, limit and the width of snippets.

    Raises:
        BadRequest: Neither a note nor a text was given.
        NoteNotFound: The note is not in the index, and no text was given.
    """
    reader = execution.reader
    chunks, own_id, own_path = _chunks(source, reader)
    texts = _within([chunk.text for chunk in chunks] or [source.text or ""], MAX_TEXT)
    vector = _vector(chunks, texts, execution)
    dense_query = DenseQueries.bind(reader, vector, _contextual_vector(chunks, texts, execution)).ranking
    terms = KeywordQuery(terms=_significant_terms(texts, reader))
    admitted = reader.matching_notes(AllOf(options.filters.conditions), deadline=execution.deadline)
    scores, cosines, best = _scores(dense_query, terms, admitted, execution)
    scores.pop(own_id, None)
    ranked = sorted(reader.note_names(sorted(scores)), key=lambda name: (-scores[name.note_id], name.path))[
        : options.limit
    ]
    linked = _linked(own_path, reader) if own_path else frozenset()
    stored = reader.chunks(best[name.note_id] for name in ranked)
    shown = [(name, stored[best[name.note_id]]) for name in ranked if best[name.note_id] in stored]
    snippets = SnippetBuilder(execution, HighlightTerms({}), vector).snippets(
        [chunk for _, chunk in shown], options.width
    )
    notes = tuple(
        RelatedNote(
            name.path,
            name.title,
            scores[name.note_id],
            cosines.get(name.note_id),
            name.path in linked,
            chunk,
            snippet,
        )
        for (name, chunk), snippet in zip(shown, snippets, strict=True)
    )
    return Related(notes, execution.retrievers, execution.missing)


def _chunks(source: Source, reader: Reader) -> tuple[list[StoredChunk], int, str | None]:
    """The chunks of the source, and the id (-1: none) and path of its note."""
    if source.text is not None and source.text.strip():
        name_of_text = reader.note_named(source.path) if source.path else None
        return [], name_of_text.note_id if name_of_text else -1, name_of_text.path if name_of_text else None
    if source.path is None:
        raise BadRequest("related needs a note or a text to compare with: give `path` or `text`")
    name = reader.find_note(source.path)
    stored = reader.note(name.path)
    assert stored is not None  # one reader sees one snapshot
    chunks = list(reader.chunks(stored.chunk_ids).values())
    if source.line is not None:
        before = [chunk for chunk in chunks if chunk.chunk.line <= source.line]
        chunks = before[-1:] or chunks[:1]
    return chunks, name.note_id, name.path


def _within(texts: Sequence[str], characters: int) -> list[str]:
    """The leading *texts*, cut where they are longer together than *characters*."""
    found: list[str] = []
    for text in texts:
        if characters <= 0:
            break
        found.append(text[:characters])
        characters -= len(text)
    return found


def _vector(chunks: Sequence[StoredChunk], texts: Sequence[str], execution: SearchExecution) -> FloatVector | None:
    """The vector of the source: the mean of its chunks or that of the text; None where meaning cannot be compared."""
    if not execution.has_dense:
        return None
    if chunks:
        rows = execution.reader.vectors_of([chunk.chunk_id for chunk in chunks])
    elif execution.encoder:
        rows = execution.encoder.encode(texts)
    else:
        return None
    return _mean(rows)


def _contextual_vector(
    chunks: Sequence[StoredChunk], texts: Sequence[str], execution: SearchExecution
) -> ContextualVector | None:
    """The contextual vector of the source, where such vectors answer and all its chunks have theirs."""
    queries = execution.contextual
    if queries is None or not execution.has_dense:
        return None
    if not chunks:
        return queries.vector("\n".join(texts))
    rows = execution.reader.vectors_of([chunk.chunk_id for chunk in chunks], CONTEXTUAL)
    vector = _mean(rows) if len(rows) == len(chunks) else None
    return ContextualVector(vector, queries.encoder.fingerprint.name) if vector is not None else None


def _mean(rows: FloatMatrix) -> FloatVector | None:
    """The mean of *rows*, of unit length; None where it is zero."""
    if not len(rows):
        return None
    total = rows.astype(np.float64).sum(axis=0)
    length = math.sqrt(float(np.square(total).sum()))
    return (total / length).astype(np.float32) if length else None


def _significant_terms(texts: Sequence[str], reader: Reader) -> tuple[str, ...]:
    """The terms that are frequent in *texts* and rare in the index, by tf-idf."""
    languages = reader.languages
    counts = Counter(term for text in texts for term in text_terms(text, languages))
    stop = stop_terms(ENGLISH)
    usual = {term: n for term, n in counts.items() if len(term) > 1 and split_alternatives(term)[0] not in stop}
    likely = sorted(usual, key=lambda term: (-usual[term], term))[: 4 * SIGNIFICANT_TERMS]
    known = reader.keywords.doc_frequencies(likely)
    total = reader.chunk_count

    def weight(term: str) -> float:
        return (1 + math.log(usual[term])) * math.log((total + 1) / (known[term] + 0.5))

    return tuple(sorted((t for t in likely if known[t]), key=lambda term: (-weight(term), term))[:SIGNIFICANT_TERMS])


def _scores(
    dense_query: DenseQuery | None, terms: KeywordQuery, admitted: NoteIds | None, execution: SearchExecution
) -> tuple[dict[int, float], dict[int, float], dict[int, int]]:
    """Note -> score, note -> cosine where meaning can be compared, and note -> its passage to show."""
    dense = words = NO_CHUNKS
    if dense_query:
        dense = RankedChunks.from_scored(dense_query.top_chunks(admitted, POOL, execution.deadline))
    if not terms.is_empty:
        scorer = execution.reader.keywords.query(terms, deadline=execution.deadline)
        words = RankedChunks.from_scored(scorer.top_chunks(admitted, POOL, CHUNK_WEIGHTS))
    note_ids = np.union1d(notes_of(dense.chunk_ids), notes_of(words.chunk_ids))
    best: dict[int, int] = {}
    for chunk_id in words.chunk_ids.tolist():
        best.setdefault(note_of(chunk_id), chunk_id)
    cosines = np.zeros(len(note_ids))
    if dense_query:
        nearest = dense_query.nearest_chunks(note_ids)
        best |= dict(zip(nearest.note_ids.tolist(), nearest.chunk_ids.tolist(), strict=True))
        cosines[note_ids.searchsorted(nearest.note_ids)] = nearest.cosines
    word = max_normalize(words.best_by_note(note_ids))
    share = DENSE_WEIGHT if dense_query else 0.0
    total = np.round(share * min_max_normalize(cosines) + (1 - share) * word, SCORE_DIGITS)
    scores = dict(zip(note_ids.tolist(), total.tolist(), strict=True))
    nearness = np.round(cosines, SCORE_DIGITS).tolist() if dense_query else []
    return scores, dict(zip(note_ids.tolist(), nearness, strict=False)), best


def _linked(path: str, reader: Reader) -> frozenset[str]:
    to = {link.path for link in reader.links_from(path) if link.path}
    return frozenset(to | {link.source for link in reader.links_to(path)})

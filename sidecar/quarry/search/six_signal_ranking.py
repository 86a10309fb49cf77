"""
Ranks notes by the six signals of a published system; see `search/six_signals.py`.

Its entries have an id, a title, a description, tags and a context, and are no longer than a paragraph. Of a note, these
are its file name, its title, its property `description` and its best passage, its tags, and the headings that the
passage stands under. The tags and the domain that a query asks for are those of its filters.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import analyse, text_terms
from quarry.conditions import AllOf, Condition, HasProperty, HasTag
from quarry.embedding import Encoder
from quarry.index import Deadline, Reader, StoredChunk, note_of
from quarry.index.filters.properties import moment_ms
from quarry.index.top_k import Scored
from quarry.kinds import bare_name
from quarry.options import Retriever
from quarry.search.features import FIELD_WEIGHTS as CHUNK_FIELDS
from quarry.search.features import POOL
from quarry.search.grouping import PASSAGES_PER_HIT
from quarry.search.meaning import NO_QUERIES, MeaningQueries
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import FOUND_BY, PublishedRanking, RankedNote
from quarry.search.six_signals import (
    FIELD_WEIGHTS,
    SCORE_DIGITS,
    SixSignalCandidate,
    SixSignalQuery,
    depth_of,
    keyword_score,
    shares_of,
    tfidf_idf,
)
from quarry.types import Fused, PropertyValue

_CHANGED = ("updated", "modified", "created", "date")  # the property that says how old a note is: the first there is


def rank_by_six_signals(
    prepared: PreparedQuery,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    limit: int,
    now: datetime,
    encoder: Encoder | None,
    deadline: Deadline,
) -> PublishedRanking:
    """
    Rank the notes that each of *retrievers* proposes by their six signals; one of weight 0 proposes nothing.

    Args:
        limit: Of the hits: three times as many notes are proposed, and at least 30.
        now: What the age of a note is counted to, in whole days.
        encoder: None where the dense retriever is not asked.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    depth = depth_of(limit)
    in_use = [retriever for retriever in retrievers if weights[retriever] > 0]
    proposed = _propose(prepared, reader, in_use, depth, deadline)
    stored = reader.chunks(chunk_id for of_note in proposed.chunks_of.values() for chunk_id in of_note)
    entries = _entries(proposed, stored, reader)
    deadline.check()

    places = {note_id: stored[proposed.chunks_of[note_id][0]].path for note_id in entries}
    lexical_scores = _keyword_scores(entries, proposed.worded, prepared)
    cosines = {note_id: proposed.cosine_of.get(note_id, 0.0) for note_id in proposed.near}
    ranks = _ranks(lexical_scores, places, depth), _ranks(cosines, places, depth)
    kept = {note_id: entries[note_id] for note_id in {**ranks[0], **ranks[1]}}
    wanted = _wanted(prepared, kept, reader, now, has_vector=proposed.has_vector, deadline=deadline)
    found = []
    for note_id, entry in kept.items():
        lexical_rank, dense_rank = ranks[0].get(note_id), ranks[1].get(note_id)
        bm25 = None if lexical_rank is None else lexical_scores[note_id]
        cosine = None if dense_rank is None else cosines[note_id]
        shares = shares_of(entry, wanted)
        score = round(sum(shares.values()), SCORE_DIGITS)
        passages = tuple(
            Fused(
                chunk_id, places[note_id], stored[chunk_id].chunk.number, score, lexical_rank, dense_rank, bm25, cosine
            )
            for chunk_id in proposed.chunks_of[note_id]
            if chunk_id in stored
        )
        found_by = FOUND_BY[lexical_rank is not None, dense_rank is not None]
        found.append((note_id, RankedNote(places[note_id], score, found_by, shares, passages)))
    found.sort(key=lambda pair: (-pair[1].score, pair[1].path))
    note_ids, notes = [note_id for note_id, _ in found], tuple(note for _, note in found)
    return PublishedRanking(prepared, tuple(retrievers), encoder, note_ids, notes)


# --- steps -----------------------------------------------------------------------------------------


class _Proposals(Struct, frozen=True):
    """The notes that the retrievers propose."""

    chunks_of: Mapping[int, Sequence[int]]  # note -> the best of its chunks, those with words first; at least one
    worded: frozenset[int]  # notes that hold words of the query
    near: frozenset[int]  # notes near in meaning
    cosine_of: Mapping[int, float]  # of each note that has a vector
    has_vector: bool  # whether the query has one


def _propose(
    prepared: PreparedQuery, reader: Reader, in_use: Sequence[Retriever], depth: int, deadline: Deadline
) -> _Proposals:
    """The candidates of the retrievers *in_use*: *depth* chunks by meaning, more by words, which are ranked anew."""
    worded: Sequence[Scored] = ()
    near: Sequence[Scored] = ()
    if "lexical" in in_use:
        keywords = reader.keywords.query(prepared.lexical, deadline=deadline)
        worded = keywords.top_chunks(prepared.admitted, max(POOL, depth), CHUNK_FIELDS)
    queries = NO_QUERIES
    if "dense" in in_use:
        queries = MeaningQueries.of(reader, prepared.vector, prepared.contextual)
    dense_query = queries.ranking
    if dense_query:
        near = dense_query.top_chunks(prepared.admitted, depth, deadline)
    chunks_of: dict[int, list[int]] = {}
    for chunk_id, _ in (*worded, *near):
        of_note = chunks_of.setdefault(note_of(chunk_id), [])
        if chunk_id not in of_note and len(of_note) < PASSAGES_PER_HIT:
            of_note.append(chunk_id)
    cosine_of: dict[int, float] = {}
    if dense_query:
        nearest = dense_query.nearest_chunks(np.array(sorted(chunks_of), np.int64))
        cosine_of = dict(zip(nearest.note_ids.tolist(), nearest.cosines.tolist(), strict=True))
    notes = [frozenset(note_of(chunk_id) for chunk_id, _ in of_retriever) for of_retriever in (worded, near)]
    return _Proposals(chunks_of, notes[0], notes[1], cosine_of, has_vector=dense_query is not None)


def _entries(proposed: _Proposals, stored: Mapping[int, StoredChunk], reader: Reader) -> dict[int, SixSignalCandidate]:
    """The entry of each note that is still there, by its best chunk."""
    properties = reader.properties(proposed.chunks_of)
    return {
        note_id: _entry(stored[of_note[0]], properties[note_id], proposed.cosine_of.get(note_id, 0.0), reader)
        for note_id, of_note in proposed.chunks_of.items()
        if of_note[0] in stored and note_id in properties
    }


def _entry(
    chunk: StoredChunk, properties: Mapping[str, PropertyValue], cosine: float, reader: Reader
) -> SixSignalCandidate:
    named = {name.lower(): value for name, value in properties.items()}
    texts = {
        "title": chunk.title,
        "id": bare_name(chunk.path),
        "description": f"{_text(named.get('description'))}\n{chunk.text}",
        "tags": " ".join(chunk.tags),
        "context": chunk.chunk.section,
    }
    changed_ms = next((found for name in _CHANGED if (found := moment_ms(named.get(name))) is not None), None)
    return SixSignalCandidate(
        fields={name: _terms(texts[name], reader) for name in FIELD_WEIGHTS},
        cosine=cosine,
        severity=_text(named.get("severity")),
        updated_ms=chunk.modified_ms if changed_ms is None else changed_ms,
        valid_from_ms=moment_ms(named.get("valid_from")),
        valid_until_ms=moment_ms(named.get("valid_until")),
        tags=frozenset(tag.lower() for tag in chunk.tags),
        domain=_text(named.get("domain")),
    )


def _terms(text: str, reader: Reader) -> tuple[str, ...]:
    """The words of *text*, and what queries ask for in their place: pairs of signs in scripts without spaces."""
    return (*text_terms(text, reader.languages), *analyse(text).compounds.split())


def _text(value: PropertyValue | None) -> str:
    """*value* as it is compared."""
    if isinstance(value, tuple):
        return " ".join(value).strip().lower()
    return "" if value is None else str(value).strip().lower()


def _keyword_scores(
    entries: Mapping[int, SixSignalCandidate], note_ids: AbstractSet[int], prepared: PreparedQuery
) -> dict[int, float]:
    """Note -> BM25 over the fields of its entry, with the published weights; for those of *note_ids*."""
    lengths = [sum(map(len, entry.fields.values())) for entry in entries.values()]
    mean_length = sum(lengths) / max(1, len(lengths))
    return {
        note_id: keyword_score(entry, prepared.idf, mean_length)
        for note_id, entry in entries.items()
        if note_id in note_ids
    }


def _ranks(scores: Mapping[int, float], places: Mapping[int, str], depth: int) -> dict[int, int]:
    """Note -> its rank from 1, for the best *depth* of those that have a place."""
    ordered = sorted((note_id for note_id in scores if note_id in places), key=lambda i: (-scores[i], places[i]))
    return {note_id: rank for rank, note_id in enumerate(ordered[:depth], start=1)}


def _wanted(
    prepared: PreparedQuery,
    entries: Mapping[int, SixSignalCandidate],
    reader: Reader,
    now: datetime,
    *,
    has_vector: bool,
    deadline: Deadline,
) -> SixSignalQuery:
    asked = tuple(_asked(prepared.query.condition))
    held = [{term for field in entry.fields.values() for term in field} for entry in entries.values()]
    among_entries = Counter(term for terms in held for term in terms)
    # Without postings, to count all these terms would be to read most notes: that of the query's alone is right then.
    counted = {*among_entries, *prepared.lexical.terms} if reader.keywords.has_postings else prepared.lexical.terms
    counts = {**among_entries, **reader.keywords.doc_frequencies(counted, deadline=deadline)}
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return SixSignalQuery(
        terms=prepared.lexical.terms,
        idf={term: tfidf_idf(count, reader.chunk_count) for term, count in counts.items()},
        tags=frozenset(one.tag.lower() for one in asked if isinstance(one, HasTag)),
        domain=next((one.value.strip().lower() for one in asked if isinstance(one, HasProperty)), ""),
        now_ms=round(midnight.timestamp() * 1000),
        has_vector=has_vector,
    )


def _asked(condition: Condition) -> Iterator[HasTag | HasProperty]:
    """The tags and the domain that every hit has to have."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _asked(part)
    elif isinstance(condition, HasTag) or (
        isinstance(condition, HasProperty) and condition.name == "domain" and condition.comparison == "is"
    ):
        yield condition

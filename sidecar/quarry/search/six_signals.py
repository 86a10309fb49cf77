"""
Ranking by the six signals of a published system, with its weights: `fusion = "six-signals"`.

    words       TF-IDF cosine of the query and the entry: title, description, context and tags
    vector      cosine of its vector and that of the query
    severity    1 for critical, .7 for a warning, .4 for a suggestion
    recency     halved with every year of age; within a validity window 1 until its last quarter, then falling to 0
    tags        Jaccard index of its tags and those that the query asks for
    domain      1 where it is the domain that the query asks for

The score is their weighted sum, with one column of weights where vectors serve, and another where they do not. Of the
two readings of the window, by its text and by its code, this is the text's.

The published system ranks entries with an id, a title, a description, tags and a context, no longer than a paragraph.
Of a note these are its file name, its title, its property `description` with its best passage, its tags, and the
headings above the passage. The tags and the domain that a query asks for are those of its filters.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import analyse, text_terms
from quarry.conditions import AllOf, Condition, HasProperty, HasTag
from quarry.index import Reader, Scored, StoredChunk, note_of
from quarry.index.filters.properties import moment_ms
from quarry.kinds import bare_name
from quarry.search.answer import RankedChunk, RankedNote, RetrieverScores
from quarry.search.candidates import FIELD_WEIGHTS as CHUNK_FIELDS
from quarry.search.candidates import POOL
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import FOUND_BY, PASSAGES_PER_HIT
from quarry.search.rrf import PublishedRanking
from quarry.search.signals import SCORE_DIGITS
from quarry.types import PropertyValue

WITHOUT_VECTORS: Mapping[str, float] = MappingProxyType(
    {"words": 0.40, "vector": 0.0, "severity": 0.15, "recency": 0.15, "tags": 0.15, "domain": 0.15}
)
WITH_VECTORS: Mapping[str, float] = MappingProxyType({**WITHOUT_VECTORS, "words": 0.25, "vector": 0.15})
SEVERITIES: Mapping[str, float] = MappingProxyType({"critical": 1.0, "warning": 0.7, "suggestion": 0.4})
HALF_LIFE_DAYS = 365.0
FULL_SHARE = 0.75  # of a validity window, in which an entry counts in full
FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 10.0, "id": 5.0, "description": 3.0, "tags": 2.0, "context": 1.0}
)
COMPARED = ("title", "description", "context", "tags")  # the fields of the TF-IDF cosine
K1, B = 1.2, 0.75  # of BM25, as in FTS5
MS_PER_DAY = 86_400_000
CHANGED_PROPERTIES = ("updated", "modified", "created", "date")  # the first that a note has says how old it is


class SixSignalCandidate(Struct, frozen=True):
    """The properties of a candidate that the six signals score."""

    fields: Mapping[str, tuple[str, ...]]  # field -> its terms; all of `FIELD_WEIGHTS`
    cosine: float  # with the vector of the query; 0 where there is none
    severity: str
    updated_ms: int
    valid_from_ms: int | None
    valid_until_ms: int | None  # None: it has no validity window
    tags: frozenset[str]
    domain: str


class SixSignalQuery(Struct, frozen=True):
    """The properties of a query that candidates are scored against."""

    terms: tuple[str, ...]
    idf: Mapping[str, float]  # of every term of the query and of the entries: `tfidf_idf`
    tags: frozenset[str]
    domain: str  # "": none
    now_ms: int
    has_vector: bool


def rank_by_six_signals(prepared: PreparedQuery, limit: int, execution: SearchExecution) -> PublishedRanking:
    """
    Rank the notes that the retrievers propose by their six signals; a retriever of weight 0 proposes nothing.

    Args:
        limit: Of the hits: three times as many notes are proposed, and at least 30.
    """
    depth, reader = max(3 * limit, 30), execution.reader
    proposed = _propose(prepared, depth, execution)
    stored = reader.chunks(chunk_id for chunks in proposed.chunks_of.values() for chunk_id in chunks)
    entries = _entries(proposed, stored, reader)
    execution.deadline.check()

    paths = {note_id: stored[proposed.chunks_of[note_id][0]].path for note_id in entries}
    keyword_scores = _keyword_scores(entries, proposed.with_words, prepared)
    cosines = {note_id: proposed.cosine_of.get(note_id, 0.0) for note_id in proposed.near}
    ranks = _ranks(keyword_scores, paths, depth), _ranks(cosines, paths, depth)
    ranked = {note_id: entries[note_id] for note_id in {**ranks[0], **ranks[1]}}
    query = _query(prepared, ranked, execution, has_vector=proposed.has_vector)
    notes = []
    for note_id, entry in ranked.items():
        keyword_rank, dense_rank = ranks[0].get(note_id), ranks[1].get(note_id)
        scores = RetrieverScores(
            keyword_rank,
            dense_rank,
            None if keyword_rank is None else keyword_scores[note_id],
            None if dense_rank is None else cosines[note_id],
        )
        shares = shares_of(entry, query)
        score = round(sum(shares.values()), SCORE_DIGITS)
        chunk_ids = [chunk_id for chunk_id in proposed.chunks_of[note_id] if chunk_id in stored]
        passages = tuple([RankedChunk(chunk_id, paths[note_id], score, scores) for chunk_id in chunk_ids])
        found_by = FOUND_BY[keyword_rank is not None, dense_rank is not None]
        notes.append(RankedNote(paths[note_id], score, found_by, shares, passages))
    return PublishedRanking(prepared, tuple(sorted(notes, key=lambda note: (-note.score, note.path))))


def shares_of(entry: SixSignalCandidate, wanted: SixSignalQuery) -> dict[str, float]:
    """Signal -> its share of the score of *entry*."""
    weights = WITH_VECTORS if wanted.has_vector else WITHOUT_VECTORS
    age_days = max(0.0, (wanted.now_ms - entry.updated_ms) / MS_PER_DAY)
    compared = Counter(term for field in COMPARED for term in entry.fields[field])
    signals = {
        "words": cosine(Counter(wanted.terms), compared, wanted.idf),
        "vector": max(0.0, entry.cosine),
        "severity": SEVERITIES.get(entry.severity, 0.0),
        "recency": recency(age_days)
        if entry.valid_until_ms is None
        else validity(wanted.now_ms, entry.valid_from_ms or entry.updated_ms, entry.valid_until_ms),
        "tags": jaccard(wanted.tags, entry.tags),
        "domain": float(bool(wanted.domain) and wanted.domain == entry.domain),
    }
    return {name: round(weights[name] * value, SCORE_DIGITS) for name, value in signals.items()}


def tfidf_idf(df: int, docs: int) -> float:
    """The inverse document frequency of a term that *df* of *docs* contain."""
    return math.log((docs + 1) / (df + 1)) + 1


def cosine(query: Mapping[str, int], document: Mapping[str, int], idf: Mapping[str, float]) -> float:
    """The cosine of two texts as vectors of TF-IDF; each text maps its terms to their counts."""
    shared = math.fsum(query[term] * document[term] * idf[term] ** 2 for term in query if term in document)
    lengths = [math.fsum((count * idf[term]) ** 2 for term, count in text.items()) for text in (query, document)]
    return shared / math.sqrt(lengths[0] * lengths[1]) if shared else 0.0


def recency(age_days: float) -> float:
    """1 for what is new, and half with every year."""
    return float(0.5 ** (age_days / HALF_LIFE_DAYS))


def validity(now_ms: int, from_ms: int, until_ms: int) -> float:
    """1 until the last quarter of the window, then falling in a line to 0 at its end."""
    if now_ms >= until_ms:
        return 0.0
    passed = (now_ms - from_ms) / (until_ms - from_ms) if until_ms > from_ms else 0.0
    return 1.0 if passed <= FULL_SHARE else (1 - passed) / (1 - FULL_SHARE)


def jaccard(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """The share of all members that both have; 0 where there are none."""
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def keyword_score(entry: SixSignalCandidate, terms: Mapping[str, float], mean_length: float) -> float:
    """
    BM25 of *entry* with its fields weighted, as FTS5 does.

    Args:
        terms: Of the query -> their inverse document frequency.
        mean_length: Of an entry, in terms.
    """
    counts = {name: Counter(entry.fields[name]) for name in FIELD_WEIGHTS}
    length = sum(map(len, entry.fields.values()))
    norm = K1 * (1 - B + B * length / mean_length) if mean_length else K1
    total = 0.0
    for term, idf in terms.items():
        tf = sum(weight * counts[name][term] for name, weight in FIELD_WEIGHTS.items())
        total += idf * tf * (K1 + 1) / (tf + norm)
    return round(total, SCORE_DIGITS)


# --- steps -----------------------------------------------------------------------------------------


class _Proposals(Struct, frozen=True):
    """The notes that the retrievers propose."""

    chunks_of: Mapping[int, Sequence[int]]  # note -> the best of its chunks, those with words first; at least one
    with_words: frozenset[int]  # notes that contain words of the query
    near: frozenset[int]  # notes near in meaning
    cosine_of: Mapping[int, float]  # of each note that has a vector
    has_vector: bool  # whether the query has one


def _propose(prepared: PreparedQuery, depth: int, execution: SearchExecution) -> _Proposals:
    """The candidates of the retrievers: *depth* chunks by meaning, and more by words, which are ranked anew."""
    by_words: Sequence[Scored] = ()
    near: Sequence[Scored] = ()
    if execution.has_keyword and execution.weights["keyword"] > 0:
        by_words = prepared.scorer.top_chunks(prepared.admitted, max(POOL, depth), CHUNK_FIELDS)
    dense_query = prepared.dense.ranking if execution.weights["dense"] > 0 else None
    if dense_query:
        near = dense_query.top_chunks(prepared.admitted, depth, execution.deadline)
    chunks_of: dict[int, list[int]] = {}
    for chunk_id, _ in (*by_words, *near):
        chunks = chunks_of.setdefault(note_of(chunk_id), [])
        if chunk_id not in chunks and len(chunks) < PASSAGES_PER_HIT:
            chunks.append(chunk_id)
    cosine_of: dict[int, float] = {}
    if dense_query:
        nearest = dense_query.nearest_chunks(np.array(sorted(chunks_of), np.int64))
        cosine_of = dict(zip(nearest.note_ids.tolist(), nearest.cosines.tolist(), strict=True))
    with_words, near_notes = (frozenset([note_of(i) for i, _ in scored]) for scored in (by_words, near))
    return _Proposals(chunks_of, with_words, near_notes, cosine_of, has_vector=dense_query is not None)


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
    changed_ms = next((found for name in CHANGED_PROPERTIES if (found := moment_ms(named.get(name))) is not None), None)
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


def _ranks(scores: Mapping[int, float], paths: Mapping[int, str], depth: int) -> dict[int, int]:
    """Note -> its rank from 1, for the best *depth* of those that have a path."""
    ordered = sorted((note_id for note_id in scores if note_id in paths), key=lambda i: (-scores[i], paths[i]))
    return {note_id: rank for rank, note_id in enumerate(ordered[:depth], start=1)}


def _query(
    prepared: PreparedQuery,
    entries: Mapping[int, SixSignalCandidate],
    execution: SearchExecution,
    *,
    has_vector: bool,
) -> SixSignalQuery:
    filters = tuple(_filters(prepared.query.condition))
    keywords, chunk_count = execution.reader.keywords, execution.reader.chunk_count
    terms_of_entries = [{term for field in entry.fields.values() for term in field} for entry in entries.values()]
    in_entries = Counter(term for terms in terms_of_entries for term in terms)
    # Without postings, to count all these terms would be to read most notes: those of the query are looked up then.
    counted = {*in_entries, *prepared.keyword_query.terms} if keywords.has_postings else prepared.keyword_query.terms
    counts = {**in_entries, **keywords.doc_frequencies(counted, deadline=execution.deadline)}
    midnight = execution.now.replace(hour=0, minute=0, second=0, microsecond=0)
    return SixSignalQuery(
        terms=prepared.keyword_query.terms,
        idf={term: tfidf_idf(count, chunk_count) for term, count in counts.items()},
        tags=frozenset(tag.tag.lower() for tag in filters if isinstance(tag, HasTag)),
        domain=next((domain.value.strip().lower() for domain in filters if isinstance(domain, HasProperty)), ""),
        now_ms=round(midnight.timestamp() * 1000),
        has_vector=has_vector,
    )


def _filters(condition: Condition) -> Iterator[HasTag | HasProperty]:
    """The tags and the domain that every hit has to have."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _filters(part)
    elif isinstance(condition, HasTag) or (
        isinstance(condition, HasProperty) and condition.name == "domain" and condition.comparison == "is"
    ):
        yield condition

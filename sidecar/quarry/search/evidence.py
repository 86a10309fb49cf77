"""
What speaks for a note, whatever else was found? Collects the evidence that its confidence is computed from.

Nothing here is relative to the best candidate: each number means the same for every query and in every vault. Notes
further down only tell by how much a note stands out.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index import Deadline, QueryTerm, Reader, idf, query_term
from quarry.ranking.confidence import Evidence
from quarry.ranking.signals import Numbers
from quarry.search.features import CandidateFeatures
from quarry.search.prepare import PreparedQuery
from quarry.terms.analysis import ranking_terms
from quarry.types import Fused

CONTRASTED = slice(3, 9)  # places in the order; a note that answers is nearer in meaning than the notes there
AGREED = 2  # a note that is among so many of the best by words and by meaning is what both mean
UNFINISHED = 0.5  # of the weight of a word: its beginning, while it is being typed


def gather_evidence(
    prepared: PreparedQuery,
    features: CandidateFeatures,
    order: NDArray[np.intp],
    shown: NDArray[np.intp],
    passages: Sequence[Sequence[Fused]],
    reader: Reader,
    deadline: Deadline,
) -> Evidence:
    """
    The evidence for the candidates at *shown*.

    Args:
        order: Positions of the candidates that were found, best first.
        shown: Positions of those that are asked about.
        passages: The best passages of each of these, best first.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    cosines = np.where(np.isfinite(features.static_cosine), features.static_cosine, 0.0)
    cosine, others = cosines[shown], cosines[order[CONTRASTED]]
    background = features.background
    words = tuple(_words(prepared, reader))
    held = np.zeros((len(words), len(shown)))
    if "lexical" in features.telling:
        held = _words_held(words, prepared, passages, reader, deadline)
    weights = np.array([[word.weight] for word in words]).reshape(len(words), 1)
    coverage = (held * weights).sum(axis=0) / max(weights.sum(), 1e-9)
    return Evidence(
        telling=features.telling,
        cosine=cosine,
        deviation=(cosine - background.mean) / background.spread,
        contrast=cosine - (others.mean() if len(others) else background.mean),
        coverage=coverage,
        similarity=np.maximum(features.similarity[shown], coverage),  # a word that is held is as near as can be
        share=held.sum(axis=0) / max(len(words), 1),
        rarity=(held * weights).max(axis=0, initial=0.0),
        missing=((1 - held) * weights).max(axis=0, initial=0.0),
        bm25=np.minimum(features.bm25[shown] / prepared.max_bm25, 1.0) if prepared.max_bm25 > 0 else 0 * cosine,
        title=features.signals.title[shown],
        exact=features.signals.exact[shown],
        agreement=np.minimum(_is_among_best(features.bm25, shown), _is_among_best(cosines, shown)),
        words=len(words),
        content=min(1.0, len(words) / max(1, len(prepared.query.text.split()))),
        rarest=float(weights.max(initial=0.0)),
        known=prepared.vocabulary_coverage,
    )


class _Word(Struct, frozen=True):
    """A word or phrase of the query."""

    weight: float  # its idf, relative to that of a word of no passage; 0 to 1
    terms: Mapping[QueryTerm, float]  # that stand for it -> the share of the word that each stands for


def _words(prepared: PreparedQuery, reader: Reader) -> Iterator[_Word]:
    """The words and phrases of the query that rank; a word of several terms is held as far as its rarest term is."""
    highest = idf(0, reader.chunk_count)
    scored = prepared.lexical.scored
    for typed, word in prepared.words_used:
        idfs = {
            query_term(term): prepared.idf[term]
            for term in ranking_terms(word, prepared.languages)
            if term in prepared.idf
        }
        weight = max(idfs.values(), default=0.0)
        if weight <= 0:
            continue
        terms = {term: value / weight for term, value in idfs.items() if term in scored}
        if typed == prepared.query.prefix:
            prefixes = [term for term in scored if term.is_prefix]
            terms.update(dict.fromkeys(prefixes, 1.0))
            weight *= UNFINISHED if prefixes else 1.0
        yield _Word(min(weight / highest, 1.0), terms)
    for term in scored:
        if term.kind == "phrase":
            yield _Word(1.0, {term: 1.0})


def _words_held(
    words: Sequence[_Word],
    prepared: PreparedQuery,
    passages: Sequence[Sequence[Fused]],
    reader: Reader,
    deadline: Deadline,
) -> Numbers:
    """How far the passage of each note that holds most of the *words* holds each of them; shape (words, notes)."""
    counts = np.array([len(of_note) for of_note in passages], dtype=np.intp)
    chunk_ids = np.array([passage.chunk_id for of_note in passages for passage in of_note], dtype=np.int64)
    best = np.zeros((len(words), len(passages)))
    if not words or not len(chunk_ids):
        return best
    terms_held = reader.keywords.query(prepared.lexical, deadline=deadline).terms_held(chunk_ids)
    held_of = dict(zip(prepared.lexical.scored, terms_held, strict=True))
    held = np.zeros((len(words), len(chunk_ids)))
    for row, word in zip(held, words, strict=True):
        for term, share in word.terms.items():
            np.maximum(row, held_of[term] * share, out=row)
    weights = np.array([[word.weight] for word in words])
    coverage = (held * weights).sum(axis=0)
    for note, (end, count) in enumerate(zip(counts.cumsum().tolist(), counts.tolist(), strict=True)):
        if count:
            best[:, note] = held[:, end - count + int(coverage[end - count : end].argmax())]
    return best


def _is_among_best(values: Numbers, at: NDArray[np.intp]) -> Numbers:
    """1 for each candidate *at* a position that fewer than `AGREED` exceed in *values*, and 0 for others."""
    ordered = np.sort(values)
    above = len(ordered) - ordered.searchsorted(values[at], side="right")
    return ((above < AGREED) & (values[at] > 0)).astype(np.float64)

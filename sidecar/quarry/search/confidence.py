"""
The confidence of a hit, 0 to 1: how probable it is that the note answers the query.

A logistic regression over evidence that means the same for every query and in every vault, so that a confidence can be
compared with any other, and with a threshold. Other notes matter only by how much a note stands out from them. The
weights in `confidence.toml` were fitted to judged queries and to prompts that no note answers; `docs/QUALITY.md` says
to which, and how well it tells them apart.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from quarry.analysis.analysis import ranking_terms
from quarry.index import NoteIds, QueryTerm, Reader, idf, query_term
from quarry.index.keys import look_up
from quarry.options import Retriever
from quarry.search.answer import RankedChunk
from quarry.search.candidates import Candidates, Identified
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import MaxSimScores, Numbers

CONFIDENCE_DIGITS = 3  # beyond that, the order of adding floats decides, not the evidence
CONTRASTED = slice(1, 4)  # places behind the first, by score: an answer leaves the notes there behind
SINGLE_CONTRAST = 0.2  # contrast assumed for a single candidate (median of correct first hits)
UNFINISHED = 0.5  # of the weight of a word: its beginning, while it is being typed

TABLES: Mapping[frozenset[Retriever], str] = {
    frozenset(("keyword", "dense")): "hybrid",
    frozenset(("keyword",)): "keyword",
    frozenset(("dense",)): "semantic",
}
"""The retrievers that found anything -> the table of `confidence.toml`, unless the query is an identifier."""


class Evidence(Struct, frozen=True):
    """Features of several notes (arrays of shape (notes,)) and of their query, from which confidence is computed."""

    nonzero_retrievers: frozenset[Retriever]  # that found anything
    contrast: Numbers  # its score minus the mean of those behind the first
    cosine: Numbers  # of the nearest passage or title; 0 where meaning is not compared
    covered_idf: Numbers  # share of the query, by idf of its words, that its passages contain or come near to
    uncovered_idf: Numbers  # sum of the weights of the other words: 1 for a word of no passage
    title: Numbers  # how well the title matches; see `search/signals.py`
    word_coverage: Numbers  # share of the query's words that its passages contain, each counting as much
    query_length: int  # words of the query, with those too common to rank by
    max_idf: float  # weight of the rarest word of the query, 0 to 1
    identified: Identified | None = None  # of these notes, where the query is an identifier

    @property
    def table(self) -> str | None:
        """The table of `confidence.toml` for this kind of query and what found anything; None where nothing did."""
        return "identifier" if self.identified else TABLES.get(self.nonzero_retrievers)

    def features(self) -> dict[str, Numbers | float]:
        """The columns of the regression, by name: shape (notes,), or a number for all; about 0 to 1."""
        return {
            "bias": 1.0,
            "contrast_covered": self.contrast * self.covered_idf,
            "cosine_covered": self.cosine * self.covered_idf,
            "uncovered": np.log1p(self.uncovered_idf),
            "title": self.title,
            "length": math.log1p(self.query_length) / 3,
            "max_idf": self.max_idf,
            "contrast": self.contrast,
            **(structs.asdict(self.identified) if self.identified else {}),
        }


@lru_cache(maxsize=1)
def default_confidence_weights() -> Mapping[str, Mapping[str, float]]:
    """The weights that ship, from `confidence.toml`: a regression for each set of retrievers, feature -> weight."""
    text = Path(__file__).with_name("confidence.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, dict[str, float]])


def confidences(evidence: Evidence) -> list[float]:
    """The confidence of each note of *evidence*, rounded to three digits; 0 where no retriever found anything."""
    if evidence.table is None:
        return [0.0] * len(evidence.contrast)
    features = evidence.features()
    total = np.zeros(len(evidence.contrast))
    for name, weight in default_confidence_weights()[evidence.table].items():  # a matrix product adds in another order
        total += weight * features[name]
    rounded: list[float] = (1 / (1 + np.exp(-total))).round(CONFIDENCE_DIGITS).tolist()
    return rounded


# --- evidence ----------------------------------------------------------------------------------


class QueryWord(Struct, frozen=True):
    """A word or phrase of the query."""

    text: str  # as it is searched for; "" for a phrase
    weight: float  # its idf, relative to that of a word of no passage; 0 to 1
    terms: Mapping[QueryTerm, float]  # that stand for it -> the share of the word that each stands for


class WordCoverage(Struct, frozen=True):
    """The words of a query, and how far the passages of several notes contain each."""

    words: tuple[QueryWord, ...]
    shares: Numbers  # 0 to 1; shape (words, notes)

    @property
    def is_whole(self) -> NDArray[np.bool_]:
        """Whether a note contains every word; shape (notes,)."""
        is_whole: NDArray[np.bool_] = np.logical_and.reduce(self.shares >= 1, axis=0)
        return is_whole


def word_coverage(
    prepared: PreparedQuery, features: Candidates, passages: Sequence[Sequence[RankedChunk]], reader: Reader
) -> WordCoverage:
    """How far the *passages* of each of several notes contain the words of the query."""
    words = tuple(_query_words(prepared, reader))
    if "keyword" not in features.nonzero_retrievers:
        return WordCoverage(words, np.zeros((len(words), len(passages))))
    return WordCoverage(words, _shares(words, prepared, passages))


def gather_evidence(
    prepared: PreparedQuery,
    features: Candidates,
    scores: Numbers,
    chosen: NDArray[np.intp],
    coverage: WordCoverage,
    max_sim: MaxSimScores | None,
) -> Evidence:
    """
    The evidence for the candidates at the positions *chosen*.

    Args:
        scores: Of all candidates, found or not.
        coverage: What the best passages of each of *chosen* contain.
        max_sim: How near notes come to the words of the query; None without a model. Notes that contain all words
            may be left out: no word is nearer than one that is there.
    """
    others = np.sort(scores)[::-1][CONTRASTED]
    words, shares = coverage.words, coverage.shares
    known, near = _near_words(words, features.note_ids[chosen], max_sim)
    covered = np.maximum(shares, near)
    weights = np.array([[word.weight] for word in words]).reshape(len(words), 1) * known
    cosine = features.static_cosine[chosen]
    return Evidence(
        nonzero_retrievers=features.nonzero_retrievers,
        contrast=scores[chosen] - others.mean() if len(others) else np.full(len(chosen), SINGLE_CONTRAST),
        cosine=np.where(np.isfinite(cosine), cosine, 0.0),
        covered_idf=(covered * weights).sum(axis=0) / max(float(weights.sum()), 1e-9),
        uncovered_idf=((1 - covered) * weights).sum(axis=0),
        title=features.signals.title[chosen],
        word_coverage=shares.sum(axis=0) / max(len(words), 1),
        query_length=len(prepared.query.text.split()),
        max_idf=max([word.weight for word in words], default=0.0),
        identified=features.identified and features.identified.at(chosen),
    )


def _query_words(prepared: PreparedQuery, reader: Reader) -> Iterator[QueryWord]:
    """The words and phrases of the query that rank; a word of several terms is covered as far as its rarest term is."""
    highest = idf(0, reader.chunk_count)
    scored = prepared.keyword_query.scored
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
        yield QueryWord(word, min(weight / highest, 1.0), terms)
    for term in scored:
        if term.kind == "phrase":
            yield QueryWord("", 1.0, {term: 1.0})


def _shares(words: Sequence[QueryWord], prepared: PreparedQuery, passages: Sequence[Sequence[RankedChunk]]) -> Numbers:
    """How far the *passages* of each note contain each of the *words*, 0 to 1; shape (words, notes)."""
    counts = np.array([len(chunks) for chunks in passages], dtype=np.intp)
    chunk_ids = np.array([chunk.chunk_id for chunks in passages for chunk in chunks], dtype=np.int64)
    shares = np.zeros((len(words), len(passages)))
    if not words or not len(chunk_ids):
        return shares
    rows = dict(zip(prepared.keyword_query.scored, prepared.scorer.terms_held(chunk_ids), strict=True))
    by_chunk = np.zeros((len(words), len(chunk_ids)))
    for row, word in zip(by_chunk, words, strict=True):
        for term, share in word.terms.items():
            np.maximum(row, rows[term] * share, out=row)
    has_passage = counts > 0
    shares[:, has_passage] = np.maximum.reduceat(by_chunk, (counts.cumsum() - counts)[has_passage], axis=1)
    return shares


def _near_words(words: Sequence[QueryWord], note_ids: NoteIds, max_sim: MaxSimScores | None) -> tuple[Numbers, Numbers]:
    """How much the model knows of each word, shape (words, 1), and how near each note comes to it."""
    known, near = np.ones((len(words), 1)), np.zeros((len(words), len(note_ids)))
    if max_sim is None or not max_sim.words:
        return known, near
    at, is_compared = look_up(max_sim.note_ids, note_ids)
    compared = np.maximum(max_sim.by_word[:, at[is_compared]], 0.0)
    row_of = {word: row for row, word in enumerate(max_sim.words)}
    for place, word in enumerate(words):
        row = row_of.get(word.text)
        if row is not None:
            known[place] = max_sim.lengths[row]
            near[place, is_compared] = compared[row]
    return known, near

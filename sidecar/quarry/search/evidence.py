"""
What speaks for a note, whatever else was found? Collects the evidence that its confidence is computed from.

Each number means the same for every query and in every vault. Other notes only tell by how much a note stands out.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.analysis.analysis import ranking_terms
from quarry.index import Deadline, NoteIds, QueryTerm, Reader, idf, query_term
from quarry.index.keys import look_up
from quarry.search.confidence import Evidence
from quarry.search.features import CandidateFeatures
from quarry.search.prepare import PreparedQuery
from quarry.search.reranking import Wording
from quarry.search.signals import Numbers
from quarry.types import Fused

CONTRASTED = slice(1, 4)  # places behind the first, by score: an answer leaves the notes there behind
ALONE = 0.2  # the contrast of a note that there is no other to compare with: that of most first hits that answer
UNFINISHED = 0.5  # of the weight of a word: its beginning, while it is being typed


def find_held_words(
    prepared: PreparedQuery,
    features: CandidateFeatures,
    passages: Sequence[Sequence[Fused]],
    reader: Reader,
    deadline: Deadline,
) -> "HeldWords":
    """
    Which words of the query do the *passages* of each of several notes hold?

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    words = tuple(_words(prepared, reader))
    if "lexical" not in features.telling:
        return HeldWords(words, np.zeros((len(words), len(passages))))
    return HeldWords(words, _words_held(words, prepared, passages, reader, deadline))


def gather_evidence(
    prepared: PreparedQuery,
    features: CandidateFeatures,
    scores: Numbers,
    shown: NDArray[np.intp],
    held_words: "HeldWords",
    wording: Wording | None,
) -> Evidence:
    """
    The evidence for the candidates at *shown*.

    Args:
        scores: Of all candidates, found or not.
        shown: Positions of those that are asked about.
        held_words: What the best passages of each of these hold.
        wording: How near notes come to the words of the query; None where no model tells. Those that hold all words
            need not be among them: no word is nearer than one that is there.
    """
    others = np.sort(scores)[::-1][CONTRASTED]
    words, held = held_words.words, held_words.shares
    said, near = _words_met(words, features.note_ids[shown], wording)
    met = np.maximum(held, near)
    weights = np.array([[word.weight] for word in words]).reshape(len(words), 1) * said
    return Evidence(
        telling=features.telling,
        contrast=scores[shown] - others.mean() if len(others) else np.full(len(shown), ALONE),
        cosine=np.where(np.isfinite(features.static_cosine[shown]), features.static_cosine[shown], 0.0),
        met=(met * weights).sum(axis=0) / max(float(weights.sum()), 1e-9),
        missing=((1 - met) * weights).sum(axis=0),
        title=features.signals.title[shown],
        held=held.sum(axis=0) / max(len(words), 1),
        typed=len(prepared.query.text.split()),
        rarest=max([word.weight for word in words], default=0.0),
    )


class QueryWord(Struct, frozen=True):
    """A word or phrase of the query."""

    text: str  # as it is searched for; "" for a phrase
    weight: float  # its idf, relative to that of a word of no passage; 0 to 1
    terms: Mapping[QueryTerm, float]  # that stand for it -> the share of the word that each stands for


class HeldWords(Struct, frozen=True):
    """The words of a query, and how far the passages of several notes hold each."""

    words: tuple[QueryWord, ...]
    shares: Numbers  # 0 to 1; shape (words, notes)

    @property
    def is_whole(self) -> NDArray[np.bool_]:
        """Whether a note holds every word; shape (notes,)."""
        is_whole: NDArray[np.bool_] = np.logical_and.reduce(self.shares >= 1, axis=0)
        return is_whole


def _words(prepared: PreparedQuery, reader: Reader) -> Iterator[QueryWord]:
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
        yield QueryWord(word, min(weight / highest, 1.0), terms)
    for term in scored:
        if term.kind == "phrase":
            yield QueryWord("", 1.0, {term: 1.0})


def _words_held(
    words: Sequence[QueryWord],
    prepared: PreparedQuery,
    passages: Sequence[Sequence[Fused]],
    reader: Reader,
    deadline: Deadline,
) -> Numbers:
    """How far the *passages* of each note hold each of the *words*, 0 to 1; shape (words, notes)."""
    counts = np.array([len(of_note) for of_note in passages], dtype=np.intp)
    chunk_ids = np.array([passage.chunk_id for of_note in passages for passage in of_note], dtype=np.int64)
    found = np.zeros((len(words), len(passages)))
    if not words or not len(chunk_ids):
        return found
    terms_held = reader.keywords.query(prepared.lexical, deadline=deadline).terms_held(chunk_ids)
    held_of = dict(zip(prepared.lexical.scored, terms_held, strict=True))
    held = np.zeros((len(words), len(chunk_ids)))
    for row, word in zip(held, words, strict=True):
        for term, share in word.terms.items():
            np.maximum(row, held_of[term] * share, out=row)
    has_passage = counts > 0
    found[:, has_passage] = np.maximum.reduceat(held, (counts.cumsum() - counts)[has_passage], axis=1)
    return found


def _words_met(words: Sequence[QueryWord], note_ids: NoteIds, wording: Wording | None) -> tuple[Numbers, Numbers]:
    """How much the model has to say of each word, shape (words, 1), and how near each note comes to it."""
    said, near = np.ones((len(words), 1)), np.zeros((len(words), len(note_ids)))
    if wording is None or not wording.words:
        return said, near
    at, is_compared = look_up(wording.note_ids, note_ids)
    compared = np.maximum(wording.of_words[:, at[is_compared]], 0.0)
    row_of = {word: row for row, word in enumerate(wording.words)}
    for place, word in enumerate(words):
        row = row_of.get(word.text)
        if row is not None:
            said[place] = wording.lengths[row]
            near[place, is_compared] = compared[row]
    return said, near

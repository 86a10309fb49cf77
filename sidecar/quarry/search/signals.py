"""
The signals that a note is scored by, from 0 to 1 each, and how much each of them counts.

    passage       BM25 of its best passage, relative to the best of all candidates
    note          BM25 of the whole note (title, aliases and file name weigh more), relative to the best
    phrase        how many neighbouring words of the query are neighbours in its best passage, relative to the best
    meaning       cosine of its nearest passage or title, stretched over the candidates
    title         how much of the query its title covers, times how much of the title the query covers
    exact_title   whether the query is its title, or one of its aliases
    max_sim       how near its nearest passage comes to each word of the query (MaxSim), stretched over the best notes

`max_sim` takes the passages' text, so it is computed for the notes that the other signals put first, and is 0 for the
rest: most of these will be shown, and their text is needed anyway. A cosine of two vectors says how near a passage is
to the query as a whole; MaxSim says whether each word of the query has a counterpart in it.

The score is their weighted sum: a convex combination (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for
Hybrid Retrieval", ACM TOIS 2023), which unlike reciprocal ranks sees by how much a retriever prefers one note to
another. The weights of `weights.toml` come from `docs/QUALITY.md`; meaning counts the more, the less of the query the
words account for, and is all there is where they account for next to nothing.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.embedding import Encoder
from quarry.index import NearestChunks, NoteIds
from quarry.index.keys import look_up
from quarry.options import Retriever
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery

Numbers: TypeAlias = NDArray[np.float64]
"""One number per candidate, shape (count,)."""

YIELDS_TO_DENSE = frozenset({"passage", "note"})  # to meaning, the more it counts; what a title says stays
SCORE_DIGITS = 6  # beyond that, the order of adding floats decides, not the evidence
RERANKED = 15  # notes compared by MaxSim; of 10 half the gain is lost, 30 gain .0005 nDCG@10 for twice the cost
SIMILARITY_DIGITS = 9  # beyond that, the order of adding floats decides


class Signals(Struct, frozen=True):
    """One array per signal, with one number for each candidate note."""

    passage: Numbers
    note: Numbers
    phrase: Numbers
    meaning: Numbers
    title: Numbers
    exact_title: Numbers
    max_sim: Numbers


SIGNAL_NAMES: tuple[str, ...] = Signals.__struct_fields__
WORD_SIGNALS = tuple(name for name in SIGNAL_NAMES if name not in ("meaning", "max_sim"))


class SignalWeights(Struct, frozen=True):
    """The weight of each signal, by name."""

    words: Mapping[str, float]  # where they alone are searched for
    words_beside_meaning: Mapping[str, float]
    meaning_min: float  # where the words account for the whole query; where they account for nothing, it is 1
    no_coverage: float  # the share of the highest possible BM25 up to which the words account for nothing, and
    full_coverage: float  # from which they account for everything
    few_words: int  # of a query; of more, the share is counted higher
    max_sim: float  # unless the words account for everything


@lru_cache(maxsize=1)
def default_signal_weights() -> SignalWeights:
    """The weights that ship, from `weights.toml`."""
    return msgspec.toml.decode(Path(__file__).with_name("weights.toml").read_text("utf-8"), type=SignalWeights)


def effective_weights(
    weights: SignalWeights,
    bm25_coverage: float,
    word_count: int,
    vocabulary_coverage: float,
    retrievers: Mapping[Retriever, float],
) -> dict[str, float]:
    """
    The weight of each signal for one query; together they are 1.

    Args:
        bm25_coverage: Share of the highest possible BM25 that the best passage reaches, 0 to 1: how well words do.
        word_count: Words of the query. No passage contains all of many words, so each counts for more of that share.
        vocabulary_coverage: Share of the query that the model knows, 0 to 1: how far to trust its cosines.
        retrievers: What the user set for `keyword` and `dense`; 1 each leaves the balance as it is, 0 mutes one.
    """
    if not retrievers["keyword"]:
        return {name: float(name == "meaning") for name in SIGNAL_NAMES}
    bm25_coverage *= max(1.0, word_count / weights.few_words)
    covered = (bm25_coverage - weights.no_coverage) / (weights.full_coverage - weights.no_coverage)
    trust = min(1.0, max(0.0, covered))
    known = vocabulary_coverage * retrievers["dense"]
    meaning = (1 - (1 - weights.meaning_min) * trust) * known
    rest = (1 - min(meaning, 1.0)) * retrievers["keyword"]
    words = weights.words_beside_meaning if retrievers["dense"] else weights.words
    given = {
        name: weight * (rest if name in YIELDS_TO_DENSE else retrievers["keyword"]) for name, weight in words.items()
    }
    given |= {"meaning": meaning, "max_sim": weights.max_sim * known if trust < 1 else 0.0}
    total = sum(given.values())
    return {name: weight / total for name, weight in given.items()} if total > 0 else given


def blend(signals: Signals, given: Mapping[str, float]) -> Numbers:
    """The score of each candidate, rounded so that what scores alike on one machine does so on all."""
    total = np.zeros(len(signals.passage))
    for name in SIGNAL_NAMES:  # one after the other: a matrix product adds in another order on other machines
        total += getattr(signals, name) * given[name]
    return total.round(SCORE_DIGITS)


def max_normalize(values: Numbers) -> Numbers:
    """*values*, none negative, with the highest as 1; all 0 stay 0."""
    highest = np.maximum.reduce(values, initial=0.0)
    return values / highest if highest > 0 else values


def min_max_normalize(values: Numbers) -> Numbers:
    """*values* with the lowest as 0 and the highest as 1; all 0 where they are alike."""
    if not len(values):
        return values
    low, high = np.minimum.reduce(values), np.maximum.reduce(values)
    return (values - low) / (high - low) if high > low else np.zeros(len(values))


# --- MaxSim ------------------------------------------------------------------------------------


class MaxSimScores(Struct, frozen=True):
    """How near the nearest passage of several notes comes to the words of a query, -1 to 1; 0 where it is unknown."""

    note_ids: NoteIds  # ascending
    words: Sequence[str]
    lengths: Numbers  # shape (words,): how much the model has to say of each; see `Encoder.max_similarities`
    by_word: Numbers  # shape (words, notes)
    means: Numbers  # shape (notes,): of all words together, by idf


def max_sim_scores(
    prepared: PreparedQuery, note_ids: NoteIds, nearest: NearestChunks, execution: SearchExecution, encoder: Encoder
) -> MaxSimScores:
    """
    Compare the *nearest* passage of each of these notes with each word of the query.

    Args:
        note_ids: Ascending.

    Raises:
        IndexDamaged: The stored form of a note does not match its checksum.
    """
    words = prepared.word_idf
    by_word, means = np.zeros((len(words), len(note_ids))), np.zeros(len(note_ids))
    if not words or prepared.keyword_query.phrases:  # a date is written in several ways, not always in these words
        return MaxSimScores(note_ids, (), np.zeros(0), by_word[:0], means)
    at, has_passage = look_up(nearest.note_ids, note_ids)
    chunk_ids = nearest.chunk_ids[at[has_passage]].tolist()
    texts = execution.reader.passages(chunk_ids, deadline=execution.deadline)
    similarities = encoder.max_similarities(words, texts)
    by_word[:, has_passage], means[has_passage] = similarities.of_words, similarities.means
    rounded = [values.round(SIMILARITY_DIGITS) for values in (similarities.lengths, by_word, means)]
    return MaxSimScores(note_ids, (*words,), *rounded)

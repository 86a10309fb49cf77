"""
The signals that a note is scored by, from 0 to 1 each, and how much each of them counts.

    passage   BM25 of its best passage, relative to the best of all candidates
    note      BM25 of the whole note (title, aliases and file name weigh more), relative to the best
    phrase    how many of the query's neighbouring words stand side by side in its best passage, relative to the best
    meaning   cosine of its nearest passage or title, stretched over the candidates
    title     how much of the query its title covers, times how much of the title the query covers
    exact     whether the query is its title, or one of its aliases
    wording   how near its nearest passage comes to each word of the query (MaxSim), stretched over the best notes

`wording` is only known of the notes that the other signals put first (`search/reranking.py`), and 0 for the rest.

The score is their weighted sum: a convex combination (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for
Hybrid Retrieval", ACM TOIS 2023), which unlike reciprocal ranks sees by how much a retriever prefers one note to
another. The weights of `weights.toml` come from `docs/QUALITY.md`; meaning counts the more, the less of the query the
words account for, and is all there is where they account for next to nothing.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.options import Retriever

Numbers: TypeAlias = NDArray[np.float64]
"""One number a candidate, shape (count,)."""

YIELDS_TO_DENSE = frozenset({"passage", "note"})  # to meaning, the more it counts; what a title says stays
SCORE_DIGITS = 6  # beyond that, the order of adding floats decides, not the evidence


class Signals(Struct, frozen=True):
    """One array a signal, with one number for each candidate note."""

    passage: Numbers
    note: Numbers
    phrase: Numbers
    meaning: Numbers
    title: Numbers
    exact: Numbers
    wording: Numbers

    def of(self, at: int) -> dict[str, float]:
        """The signals of candidate *at*, by name."""
        return {name: float(getattr(self, name)[at]) for name in SIGNAL_NAMES}


SIGNAL_NAMES: tuple[str, ...] = Signals.__struct_fields__
WORD_SIGNALS = tuple(name for name in SIGNAL_NAMES if name not in ("meaning", "wording"))


class SignalWeights(Struct, frozen=True):
    """The weight of each signal, by name."""

    words: Mapping[str, float]  # where they alone are searched for
    words_beside_meaning: Mapping[str, float]
    meaning_min: float  # where the words account for the whole query; where they account for nothing, it is 1
    no_coverage: float  # the share of the highest possible BM25 up to which the words account for nothing, and
    full_coverage: float  # from which they account for everything
    few_words: int  # of a query; of more, the share is counted higher
    wording: float  # unless the words account for everything


@lru_cache(maxsize=1)
def default_signal_weights() -> SignalWeights:
    """The weights that ship, from `weights.toml`."""
    table = tomllib.loads(Path(__file__).with_name("weights.toml").read_text("utf-8"))
    meaning = table["meaning"]
    words = {name: float(table["words"][name]) for name in WORD_SIGNALS}
    return SignalWeights(
        words=words,
        words_beside_meaning={name: float(meaning.get(name, weight)) for name, weight in words.items()},
        meaning_min=float(meaning["least"]),
        no_coverage=float(meaning["no_account"]),
        full_coverage=float(meaning["full_account"]),
        few_words=int(meaning["few_words"]),
        wording=float(meaning["wording"]),
    )


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
        word_count: Words of the query. No passage holds all of many words, so each counts for more of that share.
        vocabulary_coverage: Share of the query that the model knows, 0 to 1: how far to trust its cosines.
        retrievers: What the user set for `lexical` and `dense`; 1 each leaves the balance as it is, 0 mutes one.
    """
    if not retrievers["lexical"]:
        return {name: float(name == "meaning") for name in SIGNAL_NAMES}
    bm25_coverage *= max(1.0, word_count / weights.few_words)
    covered = (bm25_coverage - weights.no_coverage) / (weights.full_coverage - weights.no_coverage)
    trust = min(1.0, max(0.0, covered))
    known = vocabulary_coverage * retrievers["dense"]
    meaning = (1 - (1 - weights.meaning_min) * trust) * known
    rest = (1 - min(meaning, 1.0)) * retrievers["lexical"]
    words = weights.words_beside_meaning if retrievers["dense"] else weights.words
    given = {
        name: weight * (rest if name in YIELDS_TO_DENSE else retrievers["lexical"]) for name, weight in words.items()
    }
    given |= {"meaning": meaning, "wording": weights.wording * known if trust < 1 else 0.0}
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

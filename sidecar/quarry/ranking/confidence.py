"""
How probable is it that a note answers the query? The confidence of a hit, from 0 to 1.

A logistic regression over evidence that means the same for every query and in every vault, so that a confidence can be
compared with any other, and with a threshold. Its weights, in `confidence.toml`, were fitted to judged queries and to
prompts that no note answers; `docs/QUALITY.md` says to which, and how well it tells them apart.
"""

import math
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from quarry.ranking.signals import Numbers
from quarry.types import Retriever

WEAK = 0.1  # below it, a hit is told as weak: 1 in 12 right first hits, 6 in 7 of what is far from a vault
CONFIDENCE_DIGITS = 3  # beyond that, the order of adding floats decides, not the evidence
HIGHEST_DEVIATION = 8.0  # standard deviations: what is farther out is no more probable

TABLES: Mapping[frozenset[Retriever], str] = {
    frozenset(("lexical", "dense")): "hybrid",
    frozenset(("lexical",)): "keyword",
    frozenset(("dense",)): "semantic",
}
"""The retrievers that found anything -> the table of `confidence.toml`."""


class Evidence(Struct, frozen=True):
    """What speaks for each of several notes (arrays, shape (notes,)), and what their query is like."""

    telling: frozenset[Retriever]  # the retrievers that found anything
    cosine: Numbers  # of the nearest passage or title; 0 where meaning has no say
    deviation: Numbers  # of that cosine from those of passages taken at random, in standard deviations
    contrast: Numbers  # that cosine minus the mean of notes further down
    coverage: Numbers  # share of the query's words that the best passage holds, weighted by idf
    similarity: Numbers  # of the passage to each word of the query (MaxSim), weighted by idf; at least `coverage`
    share: Numbers  # the same share, each word counting as much
    rarity: Numbers  # idf of the rarest word that the passage holds, relative to the highest idf in this vault
    missing: Numbers  # idf of the rarest word that it does not hold
    bm25: Numbers  # of the best passage, relative to the highest possible
    title: Numbers  # how well the title matches; see `ranking/signals.py`
    exact: Numbers  # 1 where the query is the title
    agreement: Numbers  # 1 where it is among the best by its words and by its meaning
    words: int  # of the query that rank
    content: float  # their share of all words that were typed
    rarest: float  # idf of the rarest word of the query, relative to the highest
    known: float  # share of the query that the model knows

    def features(self) -> dict[str, Numbers | float]:
        """The columns of the regression, by name: shape (notes,), or a number for all; most of them from 0 to 1."""
        length = math.log1p(self.words) / 2
        return {
            "cosine": self.cosine,
            "deviation": np.clip(self.deviation, 0, HIGHEST_DEVIATION) / 4,
            "contrast": self.contrast,
            "coverage": self.coverage,
            "similarity": self.similarity,
            "share": self.share,
            "rarity": self.rarity,
            "missing": self.missing,
            "bm25": self.bm25,
            "title": self.title,
            "exact": self.exact,
            "agreement": self.agreement,
            "length": length,
            "content": self.content,
            "rarest": self.rarest,
            "known": self.known,
            "cosine_length": self.cosine * length,
            "share_length": self.share * length,
        }


class ConfidenceWeights(Struct, frozen=True):
    """The weights of one regression."""

    bias: float
    columns: Mapping[str, float]


@lru_cache(maxsize=1)
def default_confidence_weights() -> Mapping[str, ConfidenceWeights]:
    """The weights that ship, from `confidence.toml`: a regression for each set of retrievers."""
    tables = tomllib.loads(Path(__file__).with_name("confidence.toml").read_text("utf-8"))
    return {
        name: ConfidenceWeights(
            float(table["bias"]), {column: float(weight) for column, weight in table.items() if column != "bias"}
        )
        for name, table in tables.items()
    }


def confidences(evidence: Evidence) -> list[float]:
    """The confidence of each note of *evidence*, rounded to three digits; 0 where no retriever found anything."""
    table = TABLES.get(evidence.telling)
    if table is None:
        return [0.0] * len(evidence.cosine)
    weights, features = default_confidence_weights()[table], evidence.features()
    total = np.full(len(evidence.cosine), weights.bias)
    for name, weight in weights.columns.items():  # one after the other: a matrix product adds in another order
        total += weight * features[name]
    found: list[float] = (1 / (1 + np.exp(-total))).round(CONFIDENCE_DIGITS).tolist()
    return found

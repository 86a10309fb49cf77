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

from quarry.options import Retriever
from quarry.search.signals import Numbers

CONFIDENCE_DIGITS = 3  # beyond that, the order of adding floats decides, not the evidence

TABLES: Mapping[frozenset[Retriever], str] = {
    frozenset(("lexical", "dense")): "hybrid",
    frozenset(("lexical",)): "keyword",
    frozenset(("dense",)): "semantic",
}
"""The retrievers that found anything -> the table of `confidence.toml`."""


class Evidence(Struct, frozen=True):
    """Features of several notes (arrays of shape (notes,)) and of their query, from which confidence is computed."""

    telling: frozenset[Retriever]  # the retrievers that found anything
    contrast: Numbers  # its score minus the mean of those behind the first
    cosine: Numbers  # of the nearest passage or title; 0 where meaning has no say
    met: Numbers  # share of the query, by weight of its words, that its passages hold or come near to
    missing: Numbers  # sum of the weights of the words that they do not: 1 for a word of no other passage
    title: Numbers  # how well the title matches; see `search/signals.py`
    held: Numbers  # share of the query's words that its passages hold, each counting as much
    typed: int  # words of the query, with those too common to rank by
    rarest: float  # weight of the rarest word of the query, 0 to 1

    def features(self) -> dict[str, Numbers | float]:
        """The columns of the regression, by name: shape (notes,), or a number for all; about 0 to 1."""
        return {
            "contrast_met": self.contrast * self.met,
            "cosine_met": self.cosine * self.met,
            "missing": np.log1p(self.missing),
            "title": self.title,
            "length": math.log1p(self.typed) / 3,
            "rarest": self.rarest,
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
        return [0.0] * len(evidence.contrast)
    weights, features = default_confidence_weights()[table], evidence.features()
    total = np.full(len(evidence.contrast), weights.bias)
    for name, weight in weights.columns.items():  # one after the other: a matrix product adds in another order
        total += weight * features[name]
    found: list[float] = (1 / (1 + np.exp(-total))).round(CONFIDENCE_DIGITS).tolist()
    return found

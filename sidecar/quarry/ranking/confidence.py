"""
How probable is it that a note answers the query? The confidence of a hit, from 0 to 1.

A logistic regression over evidence that means the same for every query and in every vault, so that a confidence can be
compared with any other and with a threshold. Its weights, in `confidence.toml`, were fitted to judged queries and to
prompts that no note answers; `docs/QUALITY.md` says on which, and how well it separates them.
"""

import math
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct

from quarry.ranking.signals import Numbers

CONFIDENCE_DIGITS = 3
ManyOrFew = Literal["hybrid", "keyword", "semantic"]
HIGHEST_DEVIATION = 8.0  # standard deviations; beyond, a passage is as near as can be


class Evidence(Struct, frozen=True):
    """What speaks for each of several notes (arrays, shape (notes,)), and what the query is like."""

    cosine: Numbers  # of the nearest passage or title; 0 where meaning has no say
    deviation: Numbers  # that cosine's z-score among passages taken at random
    contrast: Numbers  # that cosine minus the mean of notes further down
    coverage: Numbers  # of the words of the query that the best passage holds, weighted by idf
    share: Numbers  # of the words of the query that the best passage holds
    rarity: Numbers  # idf of the rarest word held, relative to a word of one passage
    missing: Numbers  # idf of the rarest word that is not held
    bm25: Numbers  # of the best passage, relative to the highest possible
    title: Numbers  # how well the title matches, see `ranking/signals.py`
    exact: Numbers
    agreement: Numbers  # 1 where both retrievers prefer it
    words: int  # of the query that rank
    content: float  # their share of all words typed
    rarest: float  # idf of the rarest word of the query, relative to a word of one passage
    known: float  # share of the query that the model knows

    def features(self) -> dict[str, Numbers]:
        """The columns of the regression, by name; shape (notes,) each."""
        length = math.log1p(self.words) / 2  # 0 to about 2
        columns = {
            "cosine": self.cosine,
            "deviation": np.clip(self.deviation, 0, HIGHEST_DEVIATION) / 4,
            "contrast": self.contrast,
            "coverage": self.coverage,
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
        return {name: np.zeros(len(self.cosine)) + column for name, column in columns.items()}

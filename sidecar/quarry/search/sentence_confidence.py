"""
How probable is it that a sentence answers a question? A logistic regression, as for notes (`search/confidence.py`).

Its weights were fitted by `tests/retrieval/fit_extraction.py` to questions whose answers are marked to the character.
`SHOWN` is the confidence from which a sentence may stand above the hits: there at least four in five of those answers
are right. `docs/QUALITY.md` has the figures.
"""

import math

import numpy as np
from msgspec import Struct

from quarry.search.signals import Numbers

SHOWN = 0.75
CONFIDENCE_DIGITS = 3  # beyond that, the order of adding floats decides, not the evidence
NO_RIVAL = 0.3  # the contrast of a sentence that there is no other to compare with
BIAS = -1.76
WEIGHTS = {"contrast": 4.12, "note_confidence": 1.98}


class SentenceEvidence(Struct, frozen=True):
    """Features of several sentences of one note: arrays of shape (sentences,)."""

    wording: Numbers  # how near it comes to all words of the question together, -1 to 1
    held: Numbers  # share of the words, by idf, that stand in it
    note_confidence: float  # that of the note

    @property
    def scores(self) -> Numbers:
        """The score that orders the sentences, shape (sentences,)."""
        return self.wording + 0.2 * self.held


def best_sentence(evidence: SentenceEvidence) -> tuple[int, float]:
    """The place of the best sentence, the first of equal ones, and its confidence, 0 to 1."""
    features = features_of_best(evidence)
    total = BIAS + sum(WEIGHTS[name] * features[name] for name in WEIGHTS)
    return _best(evidence), round(1 / (1 + math.exp(-total)), CONFIDENCE_DIGITS)


def features_of_best(evidence: SentenceEvidence) -> dict[str, float]:
    """The columns of the regression, of the best sentence."""
    at, scores = _best(evidence), evidence.scores.round(9)
    others = np.delete(scores, at)
    return {
        "contrast": float(scores[at] - others.max()) if len(others) else NO_RIVAL,
        "note_confidence": evidence.note_confidence,
    }


def _best(evidence: SentenceEvidence) -> int:
    return int(np.argmax(evidence.scores.round(9)))

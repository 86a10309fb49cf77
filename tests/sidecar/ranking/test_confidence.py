"""What the confidence of a hit is made of, and what it never depends on."""

import numpy as np
import pytest
from msgspec.structs import asdict, replace

from quarry.ranking.confidence import WEAK, Evidence, confidences, default_confidence_weights

BOTH, WORDS, MEANING = (frozenset(names) for names in (("lexical", "dense"), ("lexical",), ("dense",)))
FOUND = {
    "cosine",
    "similarity",
    "deviation",
    "contrast",
    "coverage",
    "share",
    "rarity",
    "bm25",
    "title",
    "exact",
    "agreement",
}


def evidence(telling=BOTH, words=3, **columns: float) -> Evidence:
    """The evidence for one note; what is not named is 0."""
    arrays = {name: np.array([columns.get(name, 0.0)]) for name in (*FOUND, "missing")}
    return Evidence(telling=telling, words=words, content=0.6, rarest=0.8, known=1.0, **arrays)


STRONG = {
    "cosine": 0.7,
    "deviation": 6.0,
    "contrast": 0.4,
    "coverage": 1.0,
    "similarity": 1.0,
    "share": 1.0,
    "rarity": 0.9,
    "bm25": 0.6,
    "title": 0.5,
    "agreement": 1.0,
}


@pytest.mark.parametrize("telling", [BOTH, WORDS, MEANING], ids=["hybrid", "keyword", "semantic"])
def test_much_evidence_is_confident_and_none_is_weak(telling):
    [strong], [nothing] = confidences(evidence(telling, **STRONG)), confidences(evidence(telling, missing=0.8))

    assert strong > 0.5
    assert nothing < WEAK


def test_a_confidence_is_a_probability_of_three_digits():
    for amount in np.linspace(0, 1, 21):
        [found] = confidences(evidence(**{name: amount * value for name, value in STRONG.items()}))
        assert 0 <= found <= 1
        assert round(found, 3) == found


def test_each_note_is_rated_by_itself():
    one, other = evidence(**STRONG), evidence(cosine=0.2, deviation=1.0)
    together = Evidence(
        **{
            name: np.concatenate([value, getattr(other, name)]) if isinstance(value, np.ndarray) else value
            for name, value in asdict(one).items()
        }
    )

    assert confidences(together) == [*confidences(one), *confidences(other)]


def test_without_a_retriever_there_is_no_confidence():
    assert confidences(evidence(telling=frozenset(), **STRONG)) == [0.0]


def test_a_cosine_beyond_all_measure_counts_as_the_highest():
    assert confidences(evidence(deviation=8.0)) == confidences(evidence(deviation=80.0))


def test_every_weight_belongs_to_a_column_that_the_retrievers_can_fill():
    columns = set(evidence().features())
    of_meaning = {"similarity", "cosine", "deviation", "contrast", "cosine_length", "known", "agreement"}
    of_words = {"coverage", "share", "rarity", "missing", "bm25", "share_length", "agreement"}
    weights = default_confidence_weights()

    assert set(weights) == {"hybrid", "keyword", "semantic"}
    assert all(set(table.columns) <= columns for table in weights.values())
    assert not set(weights["keyword"].columns) & of_meaning
    assert not set(weights["semantic"].columns) & of_words


def test_a_longer_query_that_is_held_whole_is_surer():
    shorter, longer = replace(evidence(**STRONG), words=1), replace(evidence(**STRONG), words=6)

    assert confidences(longer) > confidences(shorter)

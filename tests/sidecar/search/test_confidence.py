"""What the confidence of a hit is made of, and what it never depends on."""

import numpy as np
import pytest
from msgspec.structs import asdict, replace

from quarry.limits import WEAK_CONFIDENCE
from quarry.search.confidence import Evidence, confidences, default_confidence_weights

BOTH, WORDS, MEANING = (frozenset(names) for names in (("lexical", "dense"), ("lexical",), ("dense",)))
ARRAYS = ("contrast", "cosine", "met", "missing", "title", "held")


def evidence(telling=BOTH, typed=3, **columns: float) -> Evidence:
    """The evidence for one note; what is not named is 0."""
    arrays = {name: np.array([columns.get(name, 0.0)]) for name in ARRAYS}
    return Evidence(telling=telling, typed=typed, rarest=0.8, **arrays)


STRONG = {"contrast": 0.4, "cosine": 0.7, "met": 1.0, "title": 0.5, "held": 1.0}


@pytest.mark.parametrize("telling", [BOTH, WORDS, MEANING], ids=["hybrid", "keyword", "semantic"])
def test_much_evidence_is_confident_and_none_is_weak(telling):
    [strong], [nothing] = confidences(evidence(telling, **STRONG)), confidences(evidence(telling, missing=2.0))

    assert strong > 0.5
    assert nothing < WEAK_CONFIDENCE


def test_a_confidence_is_a_probability_of_three_digits():
    for amount in np.linspace(0, 1, 21):
        [found] = confidences(evidence(**{name: amount * value for name, value in STRONG.items()}))
        assert 0 <= found <= 1
        assert round(found, 3) == found


def test_each_note_is_rated_by_itself():
    one, other = evidence(**STRONG), evidence(cosine=0.2, met=0.3)
    together = Evidence(
        **{
            name: np.concatenate([value, getattr(other, name)]) if isinstance(value, np.ndarray) else value
            for name, value in asdict(one).items()
        }
    )

    assert confidences(together) == [*confidences(one), *confidences(other)]


def test_without_a_retriever_there_is_no_confidence():
    assert confidences(evidence(telling=frozenset(), **STRONG)) == [0.0]


@pytest.mark.parametrize("name", ["contrast", "cosine"])
def test_what_stands_out_or_is_near_counts_as_far_as_the_query_is_met(name: str):
    [nothing, half, whole] = [confidences(evidence(**{name: 0.5, "met": met}))[0] for met in (0, 0.5, 1)]

    assert nothing < half < whole
    assert nothing == confidences(evidence())[0]


def test_what_is_missing_lowers_confidence_the_less_the_more_there_is():
    missing = [confidences(evidence(**STRONG, missing=words))[0] for words in (0, 1, 2, 9, 10)]

    assert missing == sorted(missing, reverse=True)
    assert missing[0] - missing[1] > missing[3] - missing[4]


def test_every_weight_belongs_to_a_column_that_the_retrievers_can_fill():
    columns = set(evidence().features())
    weights = default_confidence_weights()

    assert set(weights) == {"hybrid", "keyword", "semantic"}
    assert all(set(table.columns) <= columns for table in weights.values())
    assert "cosine_met" not in weights["keyword"].columns
    assert "title" not in weights["semantic"].columns


def test_a_longer_query_that_is_held_whole_is_surer():
    shorter, longer = replace(evidence(**STRONG), typed=1), replace(evidence(**STRONG), typed=6)

    assert confidences(longer) > confidences(shorter)

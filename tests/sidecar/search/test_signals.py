"""What speaks for a note is weighed, and the weights of each query make a whole."""

import tomllib
from importlib.resources import files

import numpy as np
import pytest
from builders import Vault
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quarry.engine import Engine
from quarry.options import SearchOptions
from quarry.search.signals import (
    RERANKED,
    SCORE_DIGITS,
    SIGNAL_NAMES,
    WORD_SIGNALS,
    YIELDS_TO_DENSE,
    Signals,
    SignalWeights,
    blend,
    default_signal_weights,
    effective_weights,
    max_normalize,
    min_max_normalize,
)

DEFAULTS = default_signal_weights()
EQUAL = {"keyword": 1.0, "dense": 1.0}
ALONE = {"keyword": {"keyword": 1.0, "dense": 0.0}, "dense": {"keyword": 0.0, "dense": 1.0}}
share = st.floats(0, 1)
weight = st.floats(0.01, 100)


def signals(**columns: list[float]) -> Signals:
    """These signals; the others are 0."""
    count = len(next(iter(columns.values())))
    return Signals(**{name: np.array(columns.get(name, [0.0] * count)) for name in SIGNAL_NAMES})


# --- weights ---------------------------------------------------------------------------------------


def test_the_weights_that_ship_name_every_signal_and_nothing_else():
    table = tomllib.loads(files("quarry.search").joinpath("weights.toml").read_text("utf-8"))
    weights = DEFAULTS

    assert set(table) == set(SignalWeights.__struct_fields__)
    assert {*WORD_SIGNALS, "meaning", "max_sim"} == set(SIGNAL_NAMES)
    for words in (weights.words, weights.words_beside_meaning):
        assert set(words) == set(WORD_SIGNALS)
        assert all(value > 0 for value in words.values())
    assert 0 <= weights.meaning_min <= 1
    assert 0 <= weights.no_coverage < weights.full_coverage <= 1
    assert weights.max_sim > 0


# --- shares ----------------------------------------------------------------------------------------


@given(share, share, weight, weight)
def test_shares_are_a_whole(bm25_coverage: float, vocabulary_coverage: float, keyword: float, dense: float):
    given = effective_weights(DEFAULTS, bm25_coverage, 1, vocabulary_coverage, {"keyword": keyword, "dense": dense})

    assert tuple(sorted(given)) == tuple(sorted(SIGNAL_NAMES))
    assert all(value >= 0 for value in given.values())
    assert sum(given.values()) == pytest.approx(1)


@given(share, share)
@example(0.5, 0.0)  # meaning alone is the whole score, however little the model knows of the query
def test_a_muted_leg_leaves_all_to_the_other(bm25_coverage: float, vocabulary_coverage: float):
    weights = DEFAULTS
    only_words, only_meaning = (
        effective_weights(weights, bm25_coverage, 1, vocabulary_coverage, ALONE[retriever])
        for retriever in ("keyword", "dense")
    )

    assert only_words["meaning"] == 0
    assert sum(only_words.values()) == pytest.approx(1)
    assert {name: value for name, value in only_meaning.items() if value} == {"meaning": 1}
    total = sum(weights.words.values())
    assert {name: only_words[name] * total for name in weights.words} == pytest.approx(dict(weights.words))


@given(share, share, share)
def test_the_less_the_words_account_for_the_more_meaning_counts(one: float, other: float, vocabulary_coverage: float):
    def beside_the_words(bm25_coverage: float) -> float:  # MaxSim ends where the words account for everything
        given = effective_weights(DEFAULTS, bm25_coverage, 1, vocabulary_coverage, EQUAL)
        return given["meaning"] / (1 - given["max_sim"])

    less, more = sorted((one, other))

    assert beside_the_words(less) >= beside_the_words(more) - 1e-12


@given(share, share, share)
def test_the_more_the_model_knows_of_the_query_the_more_meaning_counts(one: float, other: float, bm25_coverage: float):
    less, more = sorted((one, other))
    weights = DEFAULTS

    of_less, of_more = (effective_weights(weights, bm25_coverage, 1, known, EQUAL)["meaning"] for known in (less, more))

    assert of_less <= of_more + 1e-12


def test_from_a_full_account_on_words_do_not_count_more():
    weights = DEFAULTS

    assert effective_weights(weights, weights.full_coverage, 1, 1.0, EQUAL) == effective_weights(
        weights, 1.0, 1, 1.0, EQUAL
    )


@given(share, share, st.floats(1, 50))
def test_a_leg_that_the_user_prefers_counts_more(bm25_coverage: float, vocabulary_coverage: float, times: float):
    weights = DEFAULTS

    more, equal = (
        effective_weights(weights, bm25_coverage, 1, vocabulary_coverage, {"keyword": 1.0, "dense": dense})["meaning"]
        for dense in (times, 1.0)
    )

    assert more >= equal - 1e-12


def test_words_that_account_for_next_to_nothing_leave_all_of_passage_and_note_to_meaning():
    given = effective_weights(DEFAULTS, DEFAULTS.no_coverage, 1, 1.0, EQUAL)

    assert [given[name] for name in sorted(YIELDS_TO_DENSE)] == [0, 0]
    assert given["meaning"] > 0


@pytest.mark.parametrize(
    ("bm25_coverage", "retrievers", "is_asked"),
    [(0.3, EQUAL, True), (1.0, EQUAL, False), (0.3, ALONE["keyword"], False), (0.3, ALONE["dense"], False)],
    ids=["part", "all of it", "words alone", "meaning alone"],
)
def test_max_sim_counts_beside_words_that_account_for_a_part(
    bm25_coverage: float, retrievers: dict[str, float], is_asked: bool
):
    assert (effective_weights(DEFAULTS, bm25_coverage, 1, 1.0, retrievers)["max_sim"] > 0) == is_asked


# --- sums ------------------------------------------------------------------------------------------


def test_a_score_is_the_weighted_sum_of_the_signals():
    found = signals(passage=[1.0, 0.5], title=[0.0, 1.0], meaning=[0.25, 0.75])
    given = effective_weights(DEFAULTS, 0.5, 1, 1.0, EQUAL)

    scores = blend(found, given)

    for at, score in enumerate(scores):
        assert score == pytest.approx(sum(getattr(found, name)[at] * given[name] for name in SIGNAL_NAMES), abs=1e-6)
        assert score == round(score, SCORE_DIGITS)


def test_a_score_of_all_signals_is_one():
    assert blend(
        signals(**{name: [1.0] for name in SIGNAL_NAMES}), effective_weights(DEFAULTS, 0.3, 1, 1.0, EQUAL)
    ) == [1.0]


def test_of_equal_words_the_note_whose_name_is_the_query_wins():
    found = signals(passage=[1.0, 0.9], note=[1.0, 1.0], meaning=[1.0, 0.9], title=[0.0, 1.0], exact_title=[0.0, 1.0])

    for bm25_coverage in (0.0, 0.5, 1.0):
        other, named = blend(found, effective_weights(DEFAULTS, bm25_coverage, 1, 1.0, EQUAL))
        assert named > other


# --- scales ----------------------------------------------------------------------------------------


numbers = arrays(np.float64, st.integers(0, 30), elements=st.floats(0, 1e6, allow_subnormal=False))


@given(numbers)
def test_relative_numbers_end_at_one_and_keep_their_order_and_zeros(values: np.ndarray):
    scaled = max_normalize(values)

    assert len(scaled) == len(values)
    assert all(0 <= value <= 1 for value in scaled)
    assert not values.any() or scaled.max() == 1
    assert all(scaled[values == 0] == 0)
    assert (np.argsort(scaled, kind="stable") == np.argsort(values, kind="stable")).all() or values.max() > 1e5


@given(arrays(np.float64, st.integers(0, 30), elements=st.floats(-1, 1)))
def test_stretched_numbers_lie_between_nothing_and_one(values: np.ndarray):
    scaled = min_max_normalize(values)

    assert len(scaled) == len(values)
    assert np.isfinite(scaled).all()
    assert all(0 <= value <= 1 for value in scaled)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], []), ([0.5], [0]), ([0.5, 0.5], [0, 0]), ([0.2, 0.4, 0.3], [0, 1, 0.5]), ([-1, 1], [0, 1])],
)
def test_stretching_goes_from_the_lowest_to_the_highest(values: list[float], expected: list[float]):
    assert min_max_normalize(np.array(values)).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(("values", "expected"), [([], []), ([0, 0], [0, 0]), ([2, 1], [1, 0.5]), ([3], [1])])
def test_relative_numbers_are_shares_of_the_highest(values: list[float], expected: list[float]):
    assert max_normalize(np.array(values, dtype=float)).tolist() == pytest.approx(expected)


def test_words_account_for_more_of_a_long_query():
    weights, coverage = default_signal_weights(), 0.3
    few, as_few, many = (
        effective_weights(weights, coverage, words, 1.0, EQUAL)["meaning"] for words in (1, weights.few_words, 20)
    )

    assert few == as_few > many


def shares(engine: Engine, typed: str, **options: object) -> dict[str, float]:
    """What `max_sim` adds to the score of each hit, by path."""
    request = SearchOptions(query=typed, limit=50, detail="scan", expand_small_results=False, **options)
    return {hit.path: hit.shares["max_sim"] for hit in engine.search(request).hits}


@pytest.fixture
def trees(vault: Vault, open_engine) -> Engine:
    """Notes of which one holds two words of three and others one."""
    vault.write_all({f"{n:02}.md": f"walnut number {n}" for n in range(RERANKED + 10)} | {"both.md": "walnut oil"})
    return open_engine()


def test_of_the_first_notes_the_one_with_most_of_the_words_gains_most_and_the_rest_nothing(trees: Engine):
    found = shares(trees, "walnut oil zebra")

    assert max(found, key=found.__getitem__) == "both.md"
    assert sum(share > 0 for share in found.values()) <= RERANKED < len(found)
    assert all(share >= 0 for share in found.values())


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        ("walnut oil zebra", {"mode": "keyword"}),
        ("walnut oil zebra", {"mode": "semantic"}),
        ('walnut zebra "walnut oil"', {}),
    ],
    ids=["by words alone", "by meaning alone", "with a phrase"],
)
def test_nothing_is_looked_at_again_where_it_would_tell_nothing(trees: Engine, typed: str, options: dict[str, str]):
    assert not any(shares(trees, typed, **options).values())


def test_one_note_is_not_compared_with_itself(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut"})

    assert shares(open_engine(), "walnut zebra yak") == {"a.md": 0}

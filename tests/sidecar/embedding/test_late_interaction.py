import numpy as np
import pytest
from numpy.typing import NDArray

from quarry.embedding.late_interaction import TokenVectors, max_similarities
from quarry.embedding.static import StaticEncoder

TABLE = np.array([[3, 4], [4, -3], [0, 5], [0, 0]], dtype=np.int8)
"""The first two rows are at a right angle; the cosine of the first with the third is .8."""


def ids(*rows: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64)


def compared(words: list[NDArray[np.int64]], weights: list[float], texts: list[NDArray[np.int64]], table=TABLE):
    return max_similarities(TokenVectors(lambda rows: table.take(rows, axis=0), len(table)), words, weights, texts)


def similarities(wanted: NDArray[np.int64], weights: list[float], texts: list[NDArray[np.int64]], table=TABLE):
    """The means over words of one token each."""
    return compared([wanted[at : at + 1] for at in range(len(wanted))], weights, texts, table).means.tolist()


def test_each_token_counts_as_far_as_its_nearest_token_is_near():
    assert similarities(ids(0), [1.0], [ids(0, 1), ids(1, 2), ids(1)]) == pytest.approx([1, 0.8, 0])


def test_tokens_count_by_their_weights_and_lengths():
    longer = TABLE * np.array([[2], [1], [1], [1]], dtype=np.int8)

    assert similarities(ids(0, 1), [3.0, 1.0], [ids(0)]) == pytest.approx([0.75])
    assert similarities(ids(0, 1), [3.0, 1.0], [ids(0)], longer) == pytest.approx([6 / 7])


def test_a_text_without_tokens_and_a_query_without_any_are_near_nothing():
    assert similarities(ids(0), [1.0], [ids(), ids(0), ids()]) == pytest.approx([0, 1, 0])
    assert similarities(ids(0), [1.0], []) == []
    assert similarities(ids(), [], [ids(0)]) == [0]
    assert similarities(ids(0), [0.0], [ids(0)]) == [0]


def test_a_token_that_the_model_has_no_direction_for_is_near_nothing():
    assert similarities(ids(0), [1.0], [ids(3)]) == [0]


def test_float_tables_give_what_int8_tables_give():
    texts = [ids(0, 2), ids(1)]

    assert similarities(ids(0, 1), [1.0, 2.0], texts, TABLE.astype(np.float32)) == pytest.approx(
        similarities(ids(0, 1), [1.0, 2.0], texts)
    )


def test_a_text_with_the_words_is_nearer_than_one_with_like_words_and_that_than_another(bundled: StaticEncoder):
    texts = ["repair of accordions", "mending an old harmonium", "tax return of last year", ""]

    same, alike, other, nothing = bundled.max_similarities({"repair": 3.0, "accordion": 5.0}, texts).means.tolist()

    assert same > alike > other > nothing == 0


def test_a_word_that_counts_more_decides(bundled: StaticEncoder):
    texts = ["repair", "accordion"]

    first, second = (
        bundled.max_similarities({"repair": weight, "accordion": 1 - weight}, texts).means for weight in (0.9, 0.1)
    )

    assert first[0] > first[1]
    assert second[0] < second[1]


def test_words_of_another_script_are_near_what_they_mean(bundled: StaticEncoder):
    near, far = bundled.max_similarities({"собака": 5.0}, ["the dog sleeps", "a tax return"]).means.tolist()

    assert near > far


def test_texts_do_not_change_each_other(bundled: StaticEncoder):
    words, texts = {"winter": 2.0, "tyres": 4.0}, ["snow chains", "Зимние шины", "summer", ""]

    together = bundled.max_similarities(words, texts)
    alone = [bundled.max_similarities(words, [text]) for text in texts]

    assert together.means.tolist() == [one.means[0] for one in alone]
    assert together.of_words.T.tolist() == [one.of_words[:, 0].tolist() for one in alone]


def test_each_word_is_as_near_as_its_tokens_are_and_as_long_as_they_are_together():
    found = compared([ids(0), ids(2, 0), ids()], [1.0, 0.0, 1.0], [ids(0), ids(1), ids()])

    assert found.of_words == pytest.approx(np.array([[1, 0, 0], [0.9, -0.3, 0], [0, 0, 0]]))
    assert found.lengths == pytest.approx([5, np.sqrt(50), 0])


def test_a_word_that_every_text_holds_is_shorter_than_one_that_few_do(bundled: StaticEncoder):
    found = bundled.max_similarities({"something": 1.0, "accordion": 1.0}, [])

    assert found.lengths[0] < 0.5 < found.lengths[1]

from concurrent.futures import ThreadPoolExecutor

import pytest

from quarry.index.stemming import stem


@pytest.mark.parametrize(
    ("word", "token"),
    [("Jumping", "jump"), ("Résumés", "resum"), ("foo-bars", "foo bar"), ("😀", ""), ("日本", "日本")],
)
def test_a_word_is_what_the_keyword_index_makes_of_it(word, token):
    assert stem(word) == token


def test_half_a_surrogate_pair_is_no_error():
    assert stem("x\udcff") == "x"


def test_many_threads_may_ask():
    words = [f"running{n}s" for n in range(500)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem, words)) == [f"running{n}" for n in range(500)]

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.unique_words import MAX_SHORT, unique_words

LETTERS = st.sampled_from([b"a", b"b", b"\0", "ü".encode(), "机".encode(), b"\xff"])
WORDS = st.lists(st.lists(LETTERS, min_size=1, max_size=20).map(b"".join), max_size=60)


def numbered(words):
    ends = np.cumsum([len(word) + 1 for word in words], dtype=np.int64) - 1
    starts = ends - np.array([len(word) for word in words], np.int64)
    first, which = unique_words(b" ".join(words), starts, ends)
    return [words[at] for at in first], which.tolist()


@given(WORDS)
def test_every_word_has_the_number_of_the_first_that_reads_the_same(words):
    different = list(dict.fromkeys(words))

    assert numbered(words) == (different, [different.index(word) for word in words])


def test_zero_bytes_and_what_stands_behind_a_word_are_no_part_of_it():
    words = [b"a", b"a\0", b"a\0\0", b"\0", b"\0\0", b"a"]

    assert numbered(words) == (words[:5], [0, 1, 2, 3, 4, 0])


def test_words_that_differ_behind_what_is_compared_at_once_are_told_apart():
    words = [b"x" * MAX_SHORT + tail for tail in (b"", b"y", b"z", b"y")] + [b"x" * 7 + b"y" * 9] * 2

    assert numbered(words)[1] == [0, 1, 2, 1, 3, 3]


def test_many_words_for_few_slots_are_told_apart():
    words = [str(number).encode() for number in range(200_000)]

    assert numbered(words + words) == (words, [*range(200_000)] * 2)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.tokenizer import (
    MAX_SHORT,
    TOKEN,
    ascii_words,
    coarse_tokens,
    identifiers,
    split_token,
    unique_words,
)

ASCII = st.text(alphabet=st.characters(max_codepoint=0x7F))
BELOW_THAI = st.text(st.characters(max_codepoint=0xE00) | st.just("’"))


def pieces(text):
    return [(piece.kind, piece.text) for token in TOKEN.findall(text) for piece in split_token(token)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case, it's v1.2", ["snake", "case", "it's", "v1", "2"]),
        ("don’t O'Reilly x's2", ["don’t", "O", "Reilly", "x", "s2"]),
        ("**bold** [[Link|label]] `code`", ["bold", "Link", "label", "code"]),
        ("naïve e\u0301te", ["naïve", "e\u0301te"]),
        ("हिन्दी की", ["हिन्दी", "की"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("用Python写", ["用", "Python", "写"]),
        ("Python은 좋다", ["Python", "은", "좋다"]),
        ("2023年", ["2023", "年"]),
        ("👩‍💻👍🏽❤️", ["👩‍💻", "👍🏽", "❤️"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("1️⃣ → 42 €", ["1️⃣", "→", "42", "€"]),
        ("├── src │ • – … ! ?", ["src"]),
        ("ｶﾞｷ", ["ｶﾞｷ"]),
    ],
)
def test_text_is_cut_into_words_runs_and_signs(text, expected):
    assert [found for _, found in pieces(text)] == expected


def test_pieces_say_what_they_are_and_where():
    found = [(piece.kind, piece.start, piece.end) for piece in split_token("用Py은→")]

    assert found == [("unspaced", 0, 1), ("word", 1, 3), ("korean", 3, 4), ("sign", 4, 5)]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("C++", ["C++"]),
        ("C#.", ["C#"]),
        (".NET", [".NET"]),
        ("--no-verify", ["--no-verify"]),
        ("...and", ["and"]),
        ("@user", ["@user"]),
        ("user@host.org.", ["user@host.org"]),
        ("std::vector", ["std::vector"]),
        ("C:\\Users\\me", ["C", "Users\\me"]),
        ("https://a.b/c", ["https", "a.b/c"]),
        ("-item", ["item"]),
        ("_emphasis_", ["emphasis"]),
    ],
)
def test_names_are_words_with_what_is_joined_to_them(token, expected):
    assert identifiers(token) == expected


def is_cut_as_any_text(text: str) -> bool:
    tokens = TOKEN.findall(text)
    in_general = [f"{token}•" for token in tokens]  # beyond the simpler patterns, and in no word
    return all(
        list(split_token(token)) == list(split_token(general)) and identifiers(token) == identifiers(general)
        for token, general in zip(tokens, in_general, strict=True)
    )


@given(ASCII | BELOW_THAI)
def test_text_below_the_scripts_without_spaces_is_cut_as_any_text_is(text: str):
    assert is_cut_as_any_text(text)


def test_each_character_below_the_scripts_without_spaces_is_cut_as_in_any_text():
    texts = [f"{char}a {char}{char} a{char}b-{char}c’s x's{char}" for char in map(chr, range(0xE01))]

    assert [text for text in texts if not is_cut_as_any_text(text)] == []


def test_the_first_letter_of_a_script_without_spaces_is_above_them():
    assert pieces("กาé") == [("unspaced", "กา"), ("word", "é")]


@given(ASCII)
def test_the_words_of_ascii_are_its_sub_tokens(text: str):
    for token in TOKEN.findall(text):
        assert ascii_words(token) == [piece.text for piece in split_token(token)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "a-" * 10**6,
        "-" * 10**6,
        "'s" * 10**6,
        "学" * 10**6,
        "é\u0301" * 10**6,
        "→\u200d" * 10**6,
        "🇩" * 10**6,
    ],
)
def test_the_worst_text_takes_linear_time(text):
    found = list(split_token(text))

    assert len(found) <= len(text)
    assert len("".join(identifiers(text))) <= len(text)


@given(st.text(st.one_of(st.sampled_from(" \n\t\0\x1c\x85\xa0\u2003\u3000-.,“”。a1é机\ud800"), st.characters())))
def test_rough_tokens_are_cut_to_the_same_tokens_as_the_text(text):
    assert [token for rough in coarse_tokens(text) for token in TOKEN.findall(rough)] == TOKEN.findall(text)


def test_rough_tokens_of_ascii_are_its_tokens():
    text = "".join(chr(code) for code in range(128)) * 2 + "[a](b.md) don't-stop"

    assert coarse_tokens(text) == TOKEN.findall(text)


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

"""Words are compared without case and accents."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.text.words import WORD, folded


@pytest.mark.parametrize(
    ("word", "expected"), [("CAFÉ", "cafe"), ("Straße", "strasse"), ("naïve", "naive"), ("数据", "数据"), ("가", "가")]
)
def test_words_are_folded(word: str, expected: str) -> None:
    assert folded(word) == expected


def test_words_are_runs_of_letters_and_digits() -> None:
    assert WORD.findall("snake_case, it's v1.2 – naïve 数据库!") == [
        "snake",
        "case",
        "it",
        "s",
        "v1",
        "2",
        "naïve",
        "数据库",
    ]


# Letters that have been letters in every version of Unicode that either side knows.
LETTERS = st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x04FF)


@given(st.text(alphabet=st.one_of(LETTERS, st.sampled_from(list(" _-.,'\"#:/+\n数据ひカ한")))))
def test_words_are_those_of_the_keyword_index(text: str) -> None:
    tokenizer = apsw.Connection(":memory:").fts5_tokenizer("unicode61", ["remove_diacritics", "2"])
    known = tokenizer(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=True)

    found = [(len(text[: word.start()].encode()), len(text[: word.end()].encode())) for word in WORD.finditer(text)]

    assert found == [(start, end) for start, end, *_ in known]

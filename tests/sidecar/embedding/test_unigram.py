"""Pieces of words, beside those that the `tokenizers` library finds in the same file."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from quarry.analysis.scripts import CYRILLIC, HAN, HANGUL, KANA
from quarry.embedding.extension import UNKNOWN_ID
from quarry.embedding.model_files import BUNDLED, EXTENSION_TOKENIZER_FILE
from quarry.embedding.unigram import UnigramTokenizer

CONTENT = (BUNDLED.path / EXTENSION_TOKENIZER_FILE).read_bytes()
LETTERS = st.from_regex(f"[{HAN}{KANA}{HANGUL}{CYRILLIC}\u0300-\u0310\u2581\u3099]{{1,20}}", fullmatch=True)
COMMON = st.text(
    st.sampled_from("的一是不了人我在有他这中大来上国ноаеитсвлкрмдпуяыь노트한국어시간のたはにをデー▁"), max_size=40
)


@pytest.fixture(scope="module")
def ours() -> UnigramTokenizer:
    return UnigramTokenizer(CONTENT)


@pytest.fixture(scope="module")
def library() -> Tokenizer:
    return Tokenizer.from_str(CONTENT.decode())


def known(numbers: list[int]) -> list[int]:
    """*numbers* without those of unknown characters, which the library makes one of."""
    return [number for number in numbers if number != UNKNOWN_ID]


@settings(max_examples=400)
@given(word=LETTERS | COMMON)
def test_the_pieces_of_a_word_are_those_of_the_library(ours: UnigramTokenizer, library: Tokenizer, word: str) -> None:
    assert known(ours.ids(word)) == known(library.encode(word, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    "word", ["▁Москва", "▁республикасынын", "机器学习笔记本", "ﾉｰﾄ", "안녕하세요", "и\u0306", "▁", ""]
)
def test_words_that_are_met(ours: UnigramTokenizer, library: Tokenizer, word: str) -> None:
    assert ours.ids(word) == library.encode(word, add_special_tokens=False).ids


def test_every_piece_has_its_number(ours: UnigramTokenizer, library: Tokenizer) -> None:
    assert ours.pieces == [library.id_to_token(number) for number in range(library.get_vocab_size())]


def test_half_a_surrogate_pair_is_an_unknown_character(ours: UnigramTokenizer) -> None:
    assert known(ours.ids("笔\ud83d")) == known(ours.ids("笔"))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"normalizer": None}, "normalises"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "of whole words"),
        ({"added_tokens": [{"id": 0, "content": "[PAD]"}]}, "of whole words"),
        ({"model": {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 1}}, "unknown characters"),
        ({"model": {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 0, "byte_fallback": True}}, "of whole words"),
        ({"model": {"type": "BPE", "vocab": [["a", 0.0]], "unk_id": 0}}, "of whole words"),
        ({"model": None}, "object"),
    ],
)
def test_a_tokenizer_that_splits_in_another_way_is_refused(changed: dict[str, object], reason: str) -> None:
    file = json.loads(CONTENT)

    with pytest.raises(ValueError, match=reason):
        UnigramTokenizer(json.dumps({**file, **changed}).encode())


def test_a_file_that_is_no_tokenizer_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        UnigramTokenizer(b"not JSON")

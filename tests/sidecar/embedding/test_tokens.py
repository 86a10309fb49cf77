import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE
from tokenizers.normalizers import BertNormalizer, Lowercase
from tokenizers.pre_tokenizers import Whitespace

from quarry.embedding import tokens
from quarry.embedding.model_files import BUNDLED, TOKENIZER_FILE
from quarry.embedding.tokens import (
    MANY_TEXTS,
    MAX_CACHED_WORD_CHARS,
    MAX_TEXT_CHARS,
    MAX_TOKENS,
    BatchTokenizer,
    TokenIdCache,
    WordCacheTokenizer,
    is_word_based,
    make_tokenizer,
    word_tokenizer,
)

UNKNOWN = "[UNK]"
VAULT = Path(__file__).parents[2] / "retrieval" / "vault"

# A sentence or more of every script that people take notes in, and what else is found in files.
UNUSUAL = [
    "Größe, œuvre, naïve Åse — ‘quoted’ “text” … •\u00a0bullet",
    "Привет, мир! Ёлка и йод. ΑΒΓ ΣΊΣΥΦΟΣ; Οδός ΛΌΓΟΣ.",
    "机器学习笔记本，第二章。「引用」《书名》【注】 ＡＢＣ１２３！？",
    "東京タワーへ行きました。ひらがな・カタカナ ﾊﾝｶｸ　全角空白",
    "안녕하세요 세계, 한국어 노트 \u1112\u1161\u11ab",
    "שלום עולם מרחבא مرحبا بالعالم، كيف الحال؟ नमस्ते दुनिया। สวัสดีชาวโลก ภาษาไทย",
    "İstanbul ığdır ǅ ﬁne Ⅳ x² ½ ß ẞ ŉ ǰ Å \u212b \ufb03",
    "e\u0301te\u0301, \u0301a ,\u0301b 中\u0301文 a\u0323\u0307 \u0307\u0323 क\u093c \ufa0e \uf900",
    "🌱 👩‍👩‍👧‍👦 🏳️‍🌈 ❤️ 🇫🇷 👍🏽 \U0001f9d1\u200d\U0001f4bb \U00020000\U0002a6d6 \U0001d4d0",
    "a\x00b\x01c\x07d\x0be\x0cf\x1cg\x1dh\x1ei\x1fj\x7fk\x85l\u200bm\ufeffn\ufffdo\u2028p\u2029q\u202er\xads\u2060t",
    "before \ud83d after\udc00x \ud83d\udc00",
    "tab\there\r\nand\rthere\u3000and\u2009thin\u202fspaces\u1680ogham\u205fmath",
    "[PAD] [UNK] [CLS] [SEP] [pad] [PAD]x",
    "see [UNK]nown",
    "getStaleFiles snake_case kebab-case C++ a.b.c https://example.org/?q=1&r=%20#top ```js\nlet x=`${y}`\n```",
    "x" * 99 + " " + "y" * 100 + " " + "z" * 101 + " " + "w" * 300,
    "supercalifragilisticexpialidocious-" * 20,
    "antidisestablishmentarianism" * 40,
    "本" * 700,
    "é" * 700 + " tail",
    "word " * 600,
    "stone, " * 300,
    "unheardofly ꙮ " * 200,
    "ꙮ " * 511 + "stone violin",
    "ꙮ" * 50 + ", stone",
    " " * (MAX_TEXT_CHARS - 4) + "violin",
    "x, " * MAX_TEXT_CHARS,
    "",
    " ",
    "\n\n",
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(BUNDLED.path / TOKENIZER_FILE))


@pytest.fixture(scope="module")
def word_by_word(tokenizer: Tokenizer) -> WordCacheTokenizer:
    reader = make_tokenizer(tokenizer, tokenizer.token_to_id(UNKNOWN))
    assert isinstance(reader, WordCacheTokenizer)
    return reader


@pytest.fixture(scope="module")
def reference() -> Callable[[Iterable[str]], list[list[int]]]:
    """What the tokenizer's own library gives for whole texts, cut as promised."""
    plain = Tokenizer.from_file(str(BUNDLED.path / TOKENIZER_FILE))
    plain.no_truncation()
    plain.no_padding()
    unknown_id = plain.token_to_id(UNKNOWN)

    def read(texts: Iterable[str]) -> list[list[int]]:
        encodable = [text[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        found = [plain.encode(text, add_special_tokens=False).ids[:MAX_TOKENS] for text in encodable]
        return [[token_id for token_id in ids if token_id != unknown_id] for ids in found]

    return read


Reference = Callable[[Iterable[str]], list[list[int]]]


def read_as_lists(reader: tokens.BatchTokenizer, texts: list[str]) -> list[list[int]]:
    """Each by itself, and as one of many, which is another way to the same."""
    alone = [ids.tolist() for text in texts for ids in reader.read([text])]
    among_many = [ids.tolist() for ids in reader.read([*texts, *[""] * MANY_TEXTS])]

    assert among_many == alone + [[]] * MANY_TEXTS
    return alone


# --- the same as the whole ---------------------------------------------------------------------------------------


def test_real_notes_give_the_tokens_of_the_whole(word_by_word: WordCacheTokenizer, reference: Reference) -> None:
    notes = [path.read_text(encoding="utf-8", errors="surrogateescape") for path in sorted(VAULT.rglob("*.md"))]

    assert len(notes) > 50
    assert read_as_lists(word_by_word, notes) == reference(notes)


@pytest.mark.parametrize("text", UNUSUAL, ids=range(len(UNUSUAL)))
def test_unusual_text_gives_the_tokens_of_the_whole(
    word_by_word: WordCacheTokenizer, reference: Reference, text: str
) -> None:
    assert read_as_lists(word_by_word, [text]) == reference([text])


@pytest.mark.slow
def test_every_character_gives_the_tokens_of_the_whole_wherever_it_stands(
    word_by_word: WordCacheTokenizer, reference: Reference
) -> None:
    # All but the bulk of what is made by rule (Hangul) or holds no characters yet.
    points = [*range(0xAC00), *range(0xAC00, 0xF900, 97), *range(0xF900, 0x10000), *range(0x10000, 0x30000, 13)]
    # Inside a word, beside a mark, and before a combining accent, which the tokenizer drops from its letter.
    around = [f"a{char}b {char}, {char}\u0301c" for char in map(chr, points)]

    assert read_as_lists(word_by_word, around) == reference(around)


_ODD = (
    "aZé0 \t\n\r\x0b\x0c\x00,._-#[]'’“”—…•\u00a0\u3000\u0301\u0323\u200b\ufeff\ufffd"
    "中文。，「」（ｆはカ한ΣςİßﬁЁй🌱\u200d\ufe0f\ud83d\udc00"
)


@pytest.mark.slow
@settings(max_examples=300)
@given(text=st.text(st.sampled_from(_ODD), max_size=80) | st.text(max_size=80))
@example("[PAD]")
def test_whatever_is_written_gives_the_tokens_of_the_whole(
    word_by_word: WordCacheTokenizer, reference: Reference, text: str
) -> None:
    assert read_as_lists(word_by_word, [text]) == reference([text])


@pytest.mark.slow
@settings(max_examples=40)
@given(
    words=st.lists(
        st.sampled_from(["stone", "unheardofly", "ꙮ", ",", "\u200b", "中文", "C++"]), min_size=150, max_size=400
    ),
    repeats=st.integers(1, 5),
)
def test_the_cut_falls_after_the_same_token(
    word_by_word: WordCacheTokenizer, reference: Reference, words: list[str], repeats: int
) -> None:
    text = " ".join(words * repeats)

    assert read_as_lists(word_by_word, [text]) == reference([text])


def test_many_texts_are_read_some_at_a_time(tokenizer: Tokenizer, reference: Reference) -> None:
    texts = [*UNUSUAL, *(f"stone {number}" for number in range(3 * MANY_TEXTS))]
    reader = WordCacheTokenizer(tokenizer, tokenizer.token_to_id(UNKNOWN), batch_chars=50 * MANY_TEXTS)

    assert read_as_lists(reader, texts) == reference(texts)


def test_whole_texts_give_the_tokens_of_the_whole(tokenizer: Tokenizer, reference: Reference) -> None:
    reader = BatchTokenizer(tokenizer, tokenizer.token_to_id(UNKNOWN))

    assert read_as_lists(reader, UNUSUAL) == reference(UNUSUAL)


# --- what is remembered ------------------------------------------------------------------------------------------


def test_words_beyond_the_bound_are_forgotten_and_found_again(tokenizer: Tokenizer, reference: Reference) -> None:
    reader = WordCacheTokenizer(tokenizer, tokenizer.token_to_id(UNKNOWN), max_cached_words=3)
    texts = ["one two three four five", "five four, three; two. one", "one one one"]

    assert read_as_lists(reader, texts) == reference(texts)


def test_so_many_words_are_cached_at_most_and_no_long_one(tokenizer: Tokenizer) -> None:
    words = TokenIdCache(word_tokenizer(tokenizer), max_words=3)
    long_word = "x" * (MAX_CACHED_WORD_CHARS + 1)

    first = [words[word] for word in ("stone", ",", "stone", long_word)]
    assert set(words) == {"stone", ","}
    assert [words[word] for word in ("stone", ",", "stone", long_word)] == first

    for number in range(10):
        assert words[f"stone{number}"]
        assert len(words) <= 3


def test_threads_may_read_while_words_are_forgotten(tokenizer: Tokenizer, reference: Reference) -> None:
    reader = WordCacheTokenizer(tokenizer, tokenizer.token_to_id(UNKNOWN), max_cached_words=5)
    texts = [f"note number {number} of unheardofly many, {number * 7}" for number in range(300)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: read_as_lists(reader, texts), range(8)))

    assert all(result == reference(texts) for result in results)


# --- which tokenizers --------------------------------------------------------------------------------------------


def changed(tokenizer: Tokenizer, change: Callable[[Tokenizer], Any]) -> Tokenizer:
    """A copy of *tokenizer* after *change*."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    change(copy)
    return copy


@pytest.mark.parametrize(
    "change",
    [
        lambda it: setattr(it, "normalizer", Lowercase()),
        lambda it: setattr(it, "normalizer", BertNormalizer(handle_chinese_chars=False)),
        lambda it: setattr(it, "normalizer", BertNormalizer(clean_text=False)),
        lambda it: setattr(it, "pre_tokenizer", Whitespace()),
        lambda it: setattr(it, "model", BPE({"a": 0}, [])),
        lambda it: it.add_tokens([AddedToken("new york", normalized=True)]),
        lambda it: it.add_tokens([AddedToken("what?", normalized=False)]),
    ],
    ids=["normalizer", "ideographs", "control characters", "pre-tokenizer", "model", "added token", "question mark"],
)
def test_any_other_is_asked_for_whole_texts(tokenizer: Tokenizer, change: Callable[[Tokenizer], Any]) -> None:
    other = changed(tokenizer, change)

    assert not is_word_based(other)
    assert isinstance(make_tokenizer(other, None), BatchTokenizer)


def test_a_tokenizer_without_parts_is_asked_for_whole_texts(tokenizer: Tokenizer) -> None:
    parts = json.loads(tokenizer.to_str()) | {"normalizer": None, "pre_tokenizer": None}

    assert not is_word_based(Tokenizer.from_str(json.dumps(parts)))


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [True, False, None])
def test_case_and_accents_may_be_kept(tokenizer: Tokenizer, lowercase: bool, strip_accents: bool | None) -> None:
    normalizer = BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    other = changed(tokenizer, lambda it: setattr(it, "normalizer", normalizer))
    unknown_id = other.token_to_id(UNKNOWN)

    reader = make_tokenizer(other, unknown_id)

    assert isinstance(reader, WordCacheTokenizer)
    assert read_as_lists(reader, UNUSUAL) == read_as_lists(BatchTokenizer(other, unknown_id), UNUSUAL)


def test_a_written_token_of_more_than_letters_is_found_as_the_tokenizer_finds_it(tokenizer: Tokenizer) -> None:
    other = changed(tokenizer, lambda it: it.add_tokens([AddedToken("new york", normalized=False, single_word=True)]))
    texts = ["in new york, in New York", "renew yorkshire", "new yorkers"]

    reader = make_tokenizer(other, None)

    assert isinstance(reader, WordCacheTokenizer)
    assert read_as_lists(reader, texts) == read_as_lists(BatchTokenizer(other, None), texts)

"""
The token ids of a text, as its tokenizer gives them, found word by word where that gives the same ids.

A BERT tokenizer normalises character by character, and then tokenises word by word. So a text may be split at
characters that are always tokens of their own, and each word between them is tokenised once and cached: words recur in
notes, and looking one up takes a fifteenth of the time of tokenising it.
"""

import string
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from quarry.analysis.tokenizer import unique_words
from quarry.lazy_pattern import lazy_pattern

MAX_TOKENS = 512  # model2vec's own limit; the mean hardly moves after that, and the cost is linear
# Four times a full chunk, and 512 tokens of prose are 2,500 characters: only text that holds no words is cut here,
# before a megabyte of it on one line is tokenised to keep 512 tokens.
MAX_TEXT_CHARS = 8_192
BATCH_SIZE = 512  # texts tokenised at once; enough to keep every core busy, and the tokens of 512 take a few MB
# About 150 bytes a word: 10 MB. 65 million characters of notes have 136,000 words, and forgetting them all at every
# 65,536 costs a fifteenth more than keeping them; the common ones are back within a few notes.
MAX_CACHED_WORDS = 65_536
MAX_CACHED_WORD_CHARS = 32  # what is longer (99.3 % of words are not) is a link or a script without spaces, seen once

# The characters at which a text may be split without changing its tokens: whitespace, which separates words and is
# dropped, and marks, each a word of its own. The list need not be complete: any other character stays with the letters
# beside it, for the tokenizer to split.
_BLANKS = " \t\n\r\u00a0\u3000"  # not \v and \f, which the tokenizer drops without separating words
_MARKS = (
    r"!-/:-@\[-`{-~"  # ASCII
    r"\u2010-\u2027"  # dashes, quotation marks, bullets, the ellipsis
    r"\u3001-\u3003\u3008-\u3011\uff01-\uff03\uff08\uff09\uff0c-\uff0f\uff1a\uff1b\uff1f"  # Chinese, Japanese
    r"\u4e00-\u9fff"  # the common ideographs, which the tokenizer separates
)
_WORDS = lazy_pattern(f"[^{_BLANKS}{_MARKS}]+|[{_MARKS}]")
# For bytes of UTF-8, by their ASCII characters only; a word with others is then split by `_WORDS`.
_IS_MARK = np.array([chr(byte) in string.punctuation for byte in range(256)])
_IS_LETTER = np.array([chr(byte) not in string.punctuation + " \t\n\r" for byte in range(256)])
MANY_TEXTS = 16  # fewer texts are read faster one by one, unless they have so many characters together:
LONG_TEXTS = 6_500  # 15 passages in .35 ms, where one by one takes .45
MANY_CHARS = 400_000  # of texts read together: 500 chunks; 10 MB of memory, or 40 if they were all marks

TokenIds: TypeAlias = NDArray[np.int64]
"""Token ids of one text, in order, without those of unknown words."""


class BatchTokenizer:
    """Turns texts into token ids: passes them whole to any tokenizer, in batches. Safe to share between threads."""

    def __init__(self, tokenizer: Tokenizer, unknown_id: int | None) -> None:
        """Take a *tokenizer* that truncates to MAX_TOKENS and does not pad; *unknown_id* stands for unknown words."""
        self._tokenizer = tokenizer
        self._unknown_id = -1 if unknown_id is None else unknown_id

    def read(self, texts: Sequence[str]) -> Iterator[TokenIds]:
        """Yield for each text the known tokens among the first MAX_TOKENS of its first MAX_TEXT_CHARS characters."""
        for start in range(0, len(texts), BATCH_SIZE):
            batch = [encodable(text[:MAX_TEXT_CHARS]) for text in texts[start : start + BATCH_SIZE]]
            for encoding in self._tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                ids = np.array(encoding.ids, dtype=np.int64)
                yield ids[ids != self._unknown_id]


class WordCacheTokenizer(BatchTokenizer):
    """Passes each word once to a BERT tokenizer, and caches its token ids."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        unknown_id: int | None,
        *,
        max_cached_words: int = MAX_CACHED_WORDS,
        batch_chars: int = MANY_CHARS,
    ) -> None:
        """
        Take a *tokenizer* as `BatchTokenizer` does, one that `is_word_based`.

        Args:
            max_cached_words: The cache is emptied when it has so many.
            batch_chars: The size of the batches in which texts are split into words.
        """
        super().__init__(tokenizer, unknown_id)
        self._added = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
        self._words = TokenIdCache(word_tokenizer(tokenizer), max_cached_words)
        self._batch_chars = batch_chars

    def read(self, texts: Sequence[str]) -> Iterator[TokenIds]:
        """See `BatchTokenizer`."""
        for batch in _text_batches(texts, self._batch_chars):
            is_large = len(batch) >= MANY_TEXTS or sum(map(len, batch)) >= LONG_TEXTS
            read = self._read_many if is_large else self._read_few
            for text, ids in zip(batch, read(batch), strict=True):
                if any(map(text.__contains__, self._added)):  # `[PAD]`: matched before words
                    yield from super().read([text])
                else:
                    counted = ids[:MAX_TOKENS]
                    yield counted[counted != self._unknown_id]

    def _read_few(self, texts: Sequence[str]) -> Iterator[TokenIds]:
        for text in texts:
            yield np.frombuffer(self._packed(text), dtype=np.int64)

    def _read_many(self, texts: Sequence[str]) -> Iterator[TokenIds]:
        """As `_read_few`: each distinct word of *texts* is looked up once. Encoding takes 63 % of the time so."""
        written = [text.encode("utf-8", "replace") for text in texts]
        data = b"\n".join(written)
        letters = np.frombuffer(data, np.uint8)
        is_mark, is_letter = _IS_MARK[letters], _IS_LETTER[letters]
        is_inner = np.zeros(len(data) + 1, np.bool_)  # whether the byte and the one before belong to one word
        is_inner[1:-1] = is_letter[1:] & is_letter[:-1]
        starts = np.flatnonzero((is_letter | is_mark) & ~is_inner[:-1])
        ends = np.flatnonzero((is_letter | is_mark) & ~is_inner[1:]) + 1
        first, which = unique_words(data, starts, ends)
        words = [
            data[start:end].decode() for start, end in zip(starts[first].tolist(), ends[first].tolist(), strict=True)
        ]
        packed = [self._words[word] if word.isascii() else self._packed(word) for word in words]
        ids, counts = np.frombuffer(b"".join(packed), np.int64), np.array([len(word) // 8 for word in packed], np.int64)
        befores = np.cumsum(counts) - counts  # offsets into `ids` of each word's ids
        counts, until = counts[which], np.cumsum(counts[which])
        ids = ids[np.repeat(befores[which] - until + counts, counts) + np.arange(counts.sum())]
        text_ends = np.cumsum([len(text) + 1 for text in written])
        cuts = np.append(0, until)[np.searchsorted(starts, text_ends)]
        return iter(np.split(ids, cuts[:-1]))

    def _packed(self, text: str) -> bytes:
        return b"".join(map(self._words.__getitem__, _WORDS.findall(text)))


class TokenIdCache(dict[str, bytes]):
    """
    Word -> its token ids as bytes of int64, tokenised when first looked up.

    Threads share it without a lock: all of them compute the same bytes for a word, and every operation on the
    dictionary is atomic in CPython.
    """

    __slots__ = ("_max_words", "_tokenize")

    def __init__(self, tokenize: Callable[[str], Sequence[int]], max_words: int) -> None:
        """Create an empty cache of at most *max_words*, which is emptied when it is full."""
        super().__init__()
        self._tokenize = tokenize
        self._max_words = max_words

    def __missing__(self, word: str) -> bytes:
        packed = array("q", self._tokenize(word)).tobytes()
        if len(word) <= MAX_CACHED_WORD_CHARS:
            if len(self) >= self._max_words:
                self.clear()
            self[word] = packed
        return packed


def word_tokenizer(tokenizer: Tokenizer) -> Callable[[str], list[int]]:
    """Return the function that gives the token ids of a word by *tokenizer*, one that `is_word_based`."""
    model, is_lower = tokenizer.model, tokenizer.normalizer.lowercase

    def tokenize(word: str) -> list[int]:
        if word.isascii() and word.isalnum():  # only its case can change: a quarter of the time
            normal = word.lower() if is_lower else word
            whole = model.token_to_id(normal)  # of all that a word begins with, the longest is its token: a fifth
            return [token.id for token in model.tokenize(normal)] if whole is None else [whole]
        ids: list[int] = tokenizer.encode(encodable(word), add_special_tokens=False).ids
        return ids

    return tokenize


def _text_batches(texts: Sequence[str], batch_chars: int) -> Iterator[list[str]]:
    """Yield *texts*, each cut to MAX_TEXT_CHARS, in batches of about *batch_chars*."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text[:MAX_TEXT_CHARS])
        size += len(batch[-1])
        if size >= batch_chars:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def make_tokenizer(tokenizer: Tokenizer, unknown_id: int | None) -> BatchTokenizer:
    """Enable truncation on *tokenizer*, and return what reads texts by it fastest."""
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    kind = WordCacheTokenizer if is_word_based(tokenizer) else BatchTokenizer
    return kind(tokenizer, unknown_id)


def is_word_based(tokenizer: Tokenizer) -> bool:
    """
    Whether the tokens of a text are those of its words, concatenated.

    Added tokens are matched first. That must be in the text as written: if they are matched in the normalised text,
    they cannot be recognised without normalising it.
    """
    normalizer = tokenizer.normalizer
    return (
        isinstance(tokenizer.model, WordPiece)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(normalizer, BertNormalizer)
        and normalizer.clean_text
        and normalizer.handle_chinese_chars
        # `encodable` writes a question mark for half a surrogate pair, which the text searched for added tokens has
        # not.
        and not any(token.normalized or "?" in token.content for token in tokenizer.get_added_tokens_decoder().values())
    )


def encodable(text: str) -> str:
    """Replace lone surrogates, on which the tokenizer raises TypeError."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")

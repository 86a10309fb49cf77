"""
A static encoder: a text is the mean of its tokens' stored vectors. No neural network runs: thousands a second.

The letters of some scripts may have their tokens in an extension (`extension.py`), all others in the model's own table.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from tokenizers import Tokenizer

from quarry.embedding.encoder import Fingerprint, Fingerprinted, FloatMatrix
from quarry.embedding.extension import Extension, has_runs, read_extension, without_runs
from quarry.embedding.late_interaction import TokenVectors, WordSimilarities, max_similarities
from quarry.embedding.model_files import (
    BUNDLED_NAME,
    CONFIG_FILE,
    TRANSLATIONS_FILE,
    ModelFolder,
    Table,
    find_model,
    hash_model,
    read_table,
)
from quarry.embedding.sentence_modules import read_json
from quarry.embedding.tokens import BATCH_SIZE, MAX_TEXT_CHARS, TokenIds, make_tokenizer
from quarry.embedding.translations import Translations
from quarry.errors import ModelDamaged

# Latin, an emoji and a letter that no vocabulary has: whatever path a broken tokenizer fails on, it fails at loading.
_PROBE = "Quarry finds notes 💡 ꙮ"
_PROBE_WITH_RUNS = f"{_PROBE} 笔记"
LENGTHS_READ = 128  # vectors whose median length stands for that of all
_INT16_ROWS = 256  # rows of int8 whose sum fits int16, the type with the fastest additions


class StaticEncoder(Fingerprinted):
    """
    A model in the format of model2vec, or a `StaticEmbedding` of sentence-transformers, as an `Encoder`.

    model2vec itself is not used: its import takes four times as long as the rest of loading, and its `encode` changes
    the tokenizer's truncation at every call, although other threads may be using it.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        unknown_id: int | None,
        table: Table,
        extension: Extension | None,
        fingerprint: Fingerprint,
        translations: Translations | None = None,
    ) -> None:
        """
        Take *table*, shape (vocabulary size, dim), as one row a token id; *unknown_id* is for unknown words.

        Args:
            extension: Rows of the same dim and unit for the runs of `extension.py`; None: *table* has them as well.
        """
        self._tokenizer = tokenizer
        self._tokens = make_tokenizer(tokenizer, unknown_id)
        self._table = table
        self._extension = extension
        self._fingerprint = fingerprint
        self._translations = translations

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """
        Embed *texts* in order; of each, the first MAX_TOKENS tokens of its first MAX_TEXT_CHARS characters.

        Of the extension it is the first MAX_PIECES, which are counted apart from the others.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. An empty text, or one without a single token the
            model knows, gives a zero row. With an int8 table the bytes are the same on every machine.
        """
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        own_texts = _add_extension_rows(self._extension, texts, rows) if self._extension else texts
        for row, token_ids in zip(rows, self._tokens.read(own_texts), strict=True):
            _add_rows(self._table, token_ids, row)
        for start in range(0, len(texts), BATCH_SIZE):
            _scale_to_unit(rows[start : start + BATCH_SIZE])
        return rows

    def vocabulary_coverage(self, text: str) -> float:
        """
        The share of the letters and digits of *text* that are in tokens of two or more of them.

        A letter with a row of its own in the extension counts where it is a word or a syllable.
        """
        letters = sum(map(str.isalnum, text))
        if not letters:
            return 0.0
        known = 0
        if self._extension and has_runs(text):
            read = text[:MAX_TEXT_CHARS]
            known, text = self._extension.known_letters(read), without_runs(read)
        [token_ids] = self._tokens.read([text])
        tokens = [self._tokenizer.id_to_token(token_id) or "" for token_id in token_ids.tolist()]
        lengths = [sum(map(str.isalnum, token)) for token in tokens]
        return min(1.0, (known + sum(length for length in lengths if length > 1)) / letters)

    def max_similarities(self, words: Mapping[str, float], texts: Sequence[str]) -> WordSimilarities:
        """See `Encoder`."""
        tokens_of_words, tokens_of_texts = self._row_numbers([*words]), self._row_numbers(texts)
        found = max_similarities(self._vectors, tokens_of_words, [*words.values()], tokens_of_texts)
        return replace(found, lengths=found.lengths / self._usual_length)

    @cached_property
    def _vectors(self) -> TokenVectors:
        """Numbered as by `_row_numbers`."""
        return TokenVectors(self._rows, len(self._table) + (len(self._extension.table) if self._extension else 0))

    @cached_property
    def _usual_length(self) -> float:
        """The median length of the vectors, of some that lie far apart: reading all would keep them in memory."""
        rows = self._table[:: max(1, len(self._table) // LENGTHS_READ)].astype(np.float64)
        lengths = np.sort(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
        middle = len(lengths) // 2, (len(lengths) - 1) // 2
        return float(lengths.take(middle).mean()) or 1.0  # `numpy.median` imports masked arrays, 8 ms

    def is_word(self, word: str) -> bool:
        """Whether *word*, in lower case, is one token; SentencePiece prefixes it with `▁`."""
        if self._extension and has_runs(word):
            return not without_runs(word).strip() and len(self._extension.read(word)) == 1
        lower = word.lower()
        try:
            whole = lower.isalpha() and self._tokenizer.token_to_id(lower) is not None
            return whole or self._tokenizer.token_to_id(f"▁{lower}") is not None
        except UnicodeEncodeError:  # half a surrogate pair, which no vocabulary can hold
            return False

    def in_english(self, text: str, words: Sequence[str]) -> str:
        """See `Encoder`."""
        return self._translations.in_english(text, words, self.is_word) if self._translations else text

    def _row_numbers(self, texts: Sequence[str]) -> list[TokenIds]:
        """The token ids of each text; those of the extension are counted on from the model's own."""
        if self._extension is None or not any(map(has_runs, texts)):
            return [*self._tokens.read(texts)]
        own = self._tokens.read([without_runs(text[:MAX_TEXT_CHARS]) for text in texts])
        others = [self._extension.read(text[:MAX_TEXT_CHARS]) + len(self._table) for text in texts]
        return [np.concatenate(both) for both in zip(own, others, strict=True)]

    def _rows(self, row_numbers: TokenIds) -> Table:
        """The vectors of these tokens, numbered as by `_row_numbers`."""
        is_other = row_numbers >= len(self._table)
        if self._extension is None or not is_other.any():
            return self._table.take(row_numbers, axis=0)
        rows = np.empty((len(row_numbers), self.dim), self._table.dtype)
        rows[~is_other] = self._table.take(row_numbers[~is_other], axis=0)
        rows[is_other] = self._extension.table.take(row_numbers[is_other] - len(self._table), axis=0)
        return rows


def load_static_encoder(name: str = BUNDLED_NAME) -> StaticEncoder:
    """
    Load the model called *name*: `bundled`, a folder, or a Hugging Face name such as `minishlab/potion-base-8M`.

    Only a Hugging Face name that is not in its cache opens a connection. Takes 40 ms: 20 the tokenizer's file, 7 its
    library, 6 hashing.

    Raises:
        ModelMissing: There is no such model here, and it could not be fetched.
        ModelDamaged: Its files are there but are not a whole model.
    """
    folder = find_model(name)
    weights_sha256 = hash_model(folder)
    try:
        encoder = _open(folder, weights_sha256)
        # What ships is whole by its hash, and its extension stays closed until a text needs it.
        encoder.encode([_PROBE if folder.must_have_manifest else _PROBE_WITH_RUNS])
    except Exception as error:  # safetensors, tokenizers and json each raise their own, some bare
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are not a usable embedding model ({error}); {folder.way_out}"
        ) from error
    return encoder


def _open(folder: ModelFolder, weights_sha256: str) -> StaticEncoder:
    """Read the files in *folder*, which are known to exist."""
    # Nothing in it is needed, but what is no JSON object was never a model's, or is no longer.
    if folder.module is None:
        read_json(folder.path / CONFIG_FILE, dict)
    tokenizer = Tokenizer.from_file(str(folder.path / folder.tokenizer))
    table = read_table(folder.path / folder.weights, tokenizer.get_vocab_size(), may_map=folder.stays_as_it_is)
    if folder.dim is not None:
        table = table[:, : folder.dim]
    if not folder.must_have_manifest:  # what ships is whole by its hash and was looked at: listing it takes 10 ms
        _check_ids(tokenizer, table)
    extension = read_extension(folder) if folder.has_extension else None
    if extension and extension.table.shape[1] != table.shape[1]:
        raise ValueError(f"its extension has {extension.table.shape[1]} dimensions, its weights have {table.shape[1]}")
    row_count = len(table) + (len(extension.table) if extension else 0)
    fingerprint = Fingerprint(folder.name, row_count, table.shape[1], weights_sha256)
    translations = Translations(folder.path / TRANSLATIONS_FILE) if folder.must_have_translations else None
    return StaticEncoder(tokenizer, _unknown_id(tokenizer), table, extension, fingerprint, translations)


def _check_ids(tokenizer: Tokenizer, table: Table) -> None:
    """
    Refuse a tokenizer that knows tokens without a row.

    Raises:
        ValueError: It does.
    """
    highest_id = max(tokenizer.get_vocab().values())
    if highest_id >= len(table):
        raise ValueError(f"its tokenizer goes up to token {highest_id}, its weights have {len(table)} rows")


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    """The id of the token for words outside the vocabulary; None if there is none, as with byte tokens."""
    if hasattr(tokenizer.model, "unk_token"):
        token: str | None = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    unigram: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    return unigram.get("unk_id")


def _add_extension_rows(extension: Extension, texts: Sequence[str], rows: FloatMatrix) -> list[str]:
    """Add to *rows* the extension's rows of the runs in *texts*, and return the texts without them."""
    own_texts = list(texts)
    for at, text in enumerate(texts):
        if has_runs(text):
            read = text[:MAX_TEXT_CHARS]
            _add_rows(extension.table, extension.read(read), rows[at])
            own_texts[at] = without_runs(read)
    return own_texts


def _add_rows(table: Table, token_ids: TokenIds, total: NDArray[np.float32]) -> None:
    """
    Add the tokens' rows to *total*, shape (dim,).

    Over int8 rows the sums (of both tables at most 1,536 * 128) are whole numbers that float32 holds exactly, so the
    order of additions does not matter.
    """
    rows = table.take(token_ids, axis=0)
    if rows.dtype != np.int8:
        total += rows.sum(axis=0, dtype=np.float32)
        return
    for start in range(0, len(rows), _INT16_ROWS):
        total += np.add.reduce(rows[start : start + _INT16_ROWS], axis=0, dtype=np.int16)


def _scale_to_unit(rows: FloatMatrix) -> None:
    """
    Scale each of *rows* to unit length in place; a zero row stays.

    Sum and mean point the same way, so a sum is not divided by its count. The squared length of a sum of int8 rows is
    a whole number that float64 holds exactly.
    """
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1
    rows[:] = rows.astype(np.float64) / lengths

"""A static encoder: a text is the mean of its tokens' stored vectors. No neural network runs: thousands a second."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quarry.embedding.encoder import Fingerprint, FloatMatrix
from quarry.embedding.late_interaction import max_similarities
from quarry.embedding.model_files import (
    BUNDLED_NAME,
    CONFIG_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    ModelFolder,
    find_model,
    hash_model,
)
from quarry.embedding.tokens import BATCH_SIZE, TokenIds, make_tokenizer
from quarry.embedding.weights import Table, read_table
from quarry.errors import ModelDamaged

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Latin, CJK, an emoji and a letter no vocabulary has: whatever path a broken tokenizer fails on, it fails at loading.
_PROBE = "Quarry finds notes 笔记 💡 ꙮ"
_INT16_ROWS = 256  # rows of int8 whose sum fits int16, the type with the fastest additions


class StaticEncoder:
    """
    A model in model2vec's format as an `Encoder`.

    model2vec itself is not used: its import takes four times as long as the rest of loading, and its `encode` changes
    the tokenizer's truncation at every call, although other threads may be using it.
    """

    def __init__(self, tokenizer: "Tokenizer", unknown_id: int | None, table: Table, fingerprint: Fingerprint) -> None:
        """Take *table*, shape (vocabulary size, dim), as one row a token id; *unknown_id* is for unknown words."""
        self._tokenizer = tokenizer
        self._tokens = make_tokenizer(tokenizer, unknown_id)
        self._table = table
        self._fingerprint = fingerprint

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._fingerprint.dim

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity."""
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """
        Embed *texts* in order; of each, the first MAX_TOKENS tokens of its first MAX_TEXT_CHARS characters.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. An empty text, or one without a single token the
            model knows, gives a zero row. With an int8 table the bytes are the same on every machine.
        """
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, token_ids in zip(rows, self._tokens.read(texts), strict=True):
            _add_rows(self._table, token_ids, row)
        for start in range(0, len(texts), BATCH_SIZE):
            _scale_to_unit(rows[start : start + BATCH_SIZE])
        return rows

    def vocabulary_coverage(self, text: str) -> float:
        """The share of the letters and digits of *text* that are in tokens of two or more of them."""
        letters = sum(map(str.isalnum, text))
        if not letters:
            return 0.0
        [token_ids] = self._tokens.read([text])
        tokens = [self._tokenizer.id_to_token(token_id) or "" for token_id in token_ids.tolist()]
        lengths = [sum(map(str.isalnum, token)) for token in tokens]
        return min(1.0, sum(length for length in lengths if length > 1) / letters)

    def max_similarities(self, words: Mapping[str, float], texts: Sequence[str]) -> NDArray[np.float64]:
        """See `Encoder`."""
        weight_of: dict[int, float] = {}
        for weight, token_ids in zip(words.values(), self._tokens.read(list(words)), strict=True):
            for token_id in token_ids.tolist():
                weight_of[token_id] = max(weight, weight_of.get(token_id, 0.0))
        wanted = np.array([*weight_of], dtype=np.int64)
        return max_similarities(self._table, wanted, [*weight_of.values()], [*self._tokens.read(texts)])

    def is_word(self, word: str) -> bool:
        """Whether *word*, in lower case, is one token; SentencePiece prefixes it with `▁`."""
        lower = word.lower()
        try:
            whole = lower.isalpha() and self._tokenizer.token_to_id(lower) is not None
            return whole or self._tokenizer.token_to_id(f"▁{lower}") is not None
        except UnicodeEncodeError:  # half a surrogate pair, which no vocabulary can hold
            return False


def load_encoder(name: str = BUNDLED_NAME) -> StaticEncoder:
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
        encoder.encode([_PROBE])
    except Exception as error:  # safetensors, tokenizers and json each raise their own, some bare
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are not a usable embedding model ({error}); {folder.way_out}"
        ) from error
    return encoder


def _open(folder: ModelFolder, weights_sha256: str) -> StaticEncoder:
    """Read the three files in *folder*, which are known to exist."""
    from tokenizers import Tokenizer  # 7 ms that a sidecar without a model does without

    # Nothing in it is needed, but what is no JSON object was never a model's, or is no longer.
    if not isinstance(json.loads((folder.path / CONFIG_FILE).read_text(encoding="utf-8")), dict):
        raise ValueError(f"its {CONFIG_FILE} does not contain a JSON object")
    tokenizer = Tokenizer.from_file(str(folder.path / TOKENIZER_FILE))
    table = read_table(folder.path / WEIGHTS_FILE, tokenizer.get_vocab_size(), may_map=folder.stays_as_it_is)
    if not folder.must_have_manifest:  # what ships is whole by its hash and was looked at: listing it takes 10 ms
        _check_ids(tokenizer, table)
    fingerprint = Fingerprint(folder.name, len(table), table.shape[1], weights_sha256)
    return StaticEncoder(tokenizer, _unknown_id(tokenizer), table, fingerprint)


def _check_ids(tokenizer: "Tokenizer", table: Table) -> None:
    """
    Refuse a tokenizer that knows tokens without a row.

    Raises:
        ValueError: It does.
    """
    highest_id = max(tokenizer.get_vocab().values())
    if highest_id >= len(table):
        raise ValueError(f"its tokenizer goes up to token {highest_id}, its weights have {len(table)} rows")


def _unknown_id(tokenizer: "Tokenizer") -> int | None:
    """The id of the token for words outside the vocabulary; None if there is none, as with byte tokens."""
    if hasattr(tokenizer.model, "unk_token"):
        token: str | None = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    unigram: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    return unigram.get("unk_id")


def _add_rows(table: Table, token_ids: TokenIds, total: NDArray[np.float32]) -> None:
    """
    Add the tokens' rows to *total*, shape (dim,), which is zero.

    Over int8 rows the sums (at most 512 * 128) are whole numbers that float32 holds exactly, so the order of
    additions does not matter.
    """
    rows = table.take(token_ids, axis=0)
    if rows.dtype != np.int8:
        total += rows.sum(axis=0, dtype=np.float32)
        return
    total[:] = np.add.reduce(rows[:_INT16_ROWS], axis=0, dtype=np.int16)
    for start in range(_INT16_ROWS, len(rows), _INT16_ROWS):
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

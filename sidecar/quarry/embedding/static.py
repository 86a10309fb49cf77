"""Embeds texts as the mean of one stored row a token: no neural network runs, so a CPU does thousands a second."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quarry.embedding.encoder import Fingerprint, FloatMatrix
from quarry.embedding.model_files import BUNDLED_NAME, ModelFolder, find_model, hash_model
from quarry.errors import ModelDamaged

if TYPE_CHECKING:
    from model2vec import StaticModel

MAX_TOKENS = 512  # model2vec's own limit; the mean hardly moves after that, and the cost is linear
# Four times a full chunk, and 512 tokens of prose are 2,500 characters: only text that holds no words is cut here,
# before a megabyte of it on one line is tokenised to keep 512 tokens.
MAX_TEXT_CHARS = 8_192
BATCH_SIZE = 512  # texts tokenised at once; enough to keep every core busy, and the tokens of 512 take a few MB
MAX_WEIGHT = 1e30  # MAX_TOKENS of these still add up in float32; a flipped exponent bit gives about 1e38
# Latin, CJK, an emoji and a letter no vocabulary has: whatever path a broken tokenizer fails on, it fails at loading.
_PROBE = "Quarry finds notes 笔记 💡 ꙮ"

_Table = NDArray[np.generic]


class StaticEncoder:
    """
    A `model2vec` model as an `Encoder`.

    Of the model only `tokenize` is called, which reads and changes nothing. `StaticModel.encode` sets the shared
    tokenizer's truncation at every call, which is no way to treat what other threads are using, and computes in the
    table's own type, so that a float16 table gives float16 rows.
    """

    def __init__(self, model: "StaticModel", table: _Table, fingerprint: Fingerprint) -> None:
        """Take *table*, shape (vocabulary size, dim), as one row a token id of *model*'s tokenizer."""
        self._model = model
        self._table = table
        self._fingerprint = fingerprint
        self._words = _whole_words(model)
        self._lengths = _letter_counts(model, len(table))

    @property
    def dim(self) -> int:
        """Length of a row."""
        return self._fingerprint.dim

    @property
    def fingerprint(self) -> Fingerprint:
        """Which model this is."""
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """
        Embed *texts* in order; of each, the first MAX_TOKENS tokens of its first MAX_TEXT_CHARS characters.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. An empty text, or one without a single token the
            model knows, gives a zero row. With an int8 table the bytes are the same on every machine.
        """
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), BATCH_SIZE):
            batch = [_acceptable(text) for text in texts[start : start + BATCH_SIZE]]
            for number, token_ids in enumerate(self._model.tokenize(batch), start):
                rows[number] = _unit_mean(self._table, token_ids)
        return rows

    def familiarity(self, text: str) -> float:
        """Share of the letters and digits of *text* that stand in tokens of two or more of them."""
        letters = sum(map(str.isalnum, text))
        [token_ids] = self._model.tokenize([_acceptable(text)])
        known = sum(length for length in map(self._lengths.__getitem__, token_ids) if length > 1)
        return min(1.0, known / letters) if letters else 0.0

    def is_word(self, word: str) -> bool:
        """Whether *word*, in lower case, is a token of its own."""
        return word.lower() in self._words


def load_encoder(name: str = BUNDLED_NAME) -> StaticEncoder:
    """
    Load the model called *name*: `bundled`, a folder, or a Hugging Face name such as `minishlab/potion-base-8M`.

    Only a Hugging Face name that is not in its cache opens a connection. Takes 0.3 s, most of it importing.

    Raises:
        ModelMissing: There is no such model here, and it could not be fetched.
        ModelDamaged: Its files are there but are not a whole model.
    """
    folder = find_model(name)
    weights_sha256 = hash_model(folder)
    try:
        model = _open(folder)
        table = _token_table(model)
        fingerprint = Fingerprint(folder.name, len(table), table.shape[1], weights_sha256)
        encoder = StaticEncoder(model, table, fingerprint)
        encoder.encode([_PROBE])
    except Exception as error:  # safetensors, tokenizers, json and model2vec each raise their own, some bare
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are no usable embedding model ({error}); {folder.way_out}"
        ) from error
    return encoder


def _open(folder: ModelFolder) -> "StaticModel":
    """Load with model2vec. The folder is known to exist, or model2vec would ask Hugging Face for its name."""
    from model2vec import StaticModel  # 90 ms and 25 MB that a sidecar without a model does without

    return StaticModel.from_pretrained(folder.path, max_length=MAX_TOKENS, force_download=False)


def _token_table(model: "StaticModel") -> _Table:
    """
    Give one row a token, shape (vocabulary size, dim), int8 or float32.

    Models whose vocabulary was quantised share rows between tokens and weigh them; that is undone here, so that
    there is one way to encode.

    Raises:
        ValueError: The tensors do not fit each other or the tokenizer, or hold values no model has.
    """
    table: NDArray[Any] = model.embedding
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"its weights have the shape {table.shape}, not (tokens, dimensions)")
    if model.token_mapping is not None:
        if model.token_mapping.min(initial=0) < 0:
            raise ValueError("its token mapping points before the first row")
        table = table[model.token_mapping]
    if model.weights is not None:
        table = table.astype(np.float32) * model.weights.astype(np.float32)[:, None]
    if table.dtype != np.int8:
        with np.errstate(over="ignore"):  # a float64 too large becomes infinite, and is refused below
            table = table.astype(np.float32)
    highest_id = max(model.tokenizer.get_vocab().values())
    if highest_id >= len(table):
        raise ValueError(f"its tokenizer goes up to token {highest_id}, its weights have {len(table)} rows")
    # Written so that a NaN, which compares as false, is refused too.
    if not (table.max() <= MAX_WEIGHT and table.min() >= -MAX_WEIGHT):
        raise ValueError("its weights hold NaN, infinite or absurdly large values")
    return table


def _whole_words(model: "StaticModel") -> frozenset[str]:
    """The tokens that are whole words; `▁` in front of them is how SentencePiece writes that."""
    return frozenset(
        token.removeprefix("▁") for token in model.tokenizer.get_vocab() if token.isalpha() or token[:1] == "▁"
    )


def _letter_counts(model: "StaticModel", size: int) -> list[int]:
    """How many letters and digits each token stands for, by token id."""
    counts = [0] * size
    for token, token_id in model.tokenizer.get_vocab().items():
        counts[token_id] = sum(map(str.isalnum, token))
    return counts


def _acceptable(text: str) -> str:
    """Bound the length, and replace lone surrogates, on which the tokenizer raises TypeError."""
    return text[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")


def _unit_mean(table: _Table, token_ids: Sequence[int]) -> NDArray[np.float32]:
    """
    Mean of the tokens' rows, scaled to unit length; zeros for no tokens.

    Sum and mean point the same way, so the division by the count is left out. Over int8 rows the sum (at most
    512 * 127) and its squared length are whole numbers that float32 and float64 hold exactly, so the order in
    which a machine adds them does not show.
    """
    total = table[token_ids].sum(axis=0, dtype=np.float32) if token_ids else np.zeros(table.shape[1], np.float32)
    length = np.sqrt(np.square(total, dtype=np.float64).sum())
    return (total / length).astype(np.float32) if length > 0 else total

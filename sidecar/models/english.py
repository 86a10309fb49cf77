"""Reads the bundled English model, as the sidecar does: the space that other scripts are fitted into."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

MAX_TOKENS = 512  # of a text, as in the sidecar
BATCH_TEXTS = 1_000

BUNDLED = Path(__file__).resolve().parent.parent / "quarry" / "embedding" / "bundled"


@cache
def english_table() -> NDArray[np.float32]:
    """The rows of the model, shape (token count, dim), whole numbers of 8 bits."""
    return load_file(BUNDLED / "model.safetensors")["embeddings"].astype(np.float32)


def english_token_ids(texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """The known tokens of each of *texts*."""
    tokenizer = _tokenizer()
    unknown_id = tokenizer.token_to_id("[UNK]")
    found = []
    for start in range(0, len(texts), BATCH_TEXTS):
        for encoding in tokenizer.encode_batch_fast(list(texts[start : start + BATCH_TEXTS]), add_special_tokens=False):
            ids = np.array(encoding.ids, np.int64)
            found.append(ids[ids != unknown_id])
    return found


def english_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed *texts*, shape (len(texts), dim), rows of unit length; a text without a known token has a zero row."""
    return unit_rows(summed_rows(english_table(), english_token_ids(texts)))


def summed_rows(table: NDArray[np.float32], ids_of_texts: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
    """The sum of the rows of each text."""
    rows = np.zeros((len(ids_of_texts), table.shape[1]), np.float32)
    for row, ids in zip(rows, ids_of_texts, strict=True):
        row[:] = table[ids].sum(axis=0)
    return rows


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale to unit length; a zero row stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


@cache
def is_token(word: str) -> bool:
    """Whether *word*, in lower case, is one token."""
    return _tokenizer().token_to_id(word) is not None


@cache
def _tokenizer() -> Any:
    tokenizer = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer

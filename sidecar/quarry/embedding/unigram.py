"""
Which pieces of a vocabulary does a word consist of? Those whose probabilities have the highest product.

The unigram language model of Kudo ("Subword Regularization", ACL 2018), with Viterbi's search for the best path, over
the file format of the `tokenizers` library and with its results. That library makes a tree of 40 MB of a vocabulary of
42,000 pieces, in every process that reads one letter; as a dictionary they take 8.
"""

import math
import re
import unicodedata
from array import array
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder  # noqa: TID251 - no message: a file of a model, in a fifth of the time of `json`

NO_PIECE = -1  # the number of what only begins a piece
UNKNOWN_PENALTY = 10.0  # below the least score of a piece, as SentencePiece has it
_ACCENTS = re.compile("[\u0300-\u036f]")
# How a word is normalised before it is split; `_normalised` does the same.
_NORMALIZER = {
    "type": "Sequence",
    "normalizers": [
        {"type": "NFKC"},
        {"type": "Lowercase"},
        {"type": "Replace", "pattern": {"Regex": "[\u0300-\u036f]"}, "content": ""},
    ],
}


class _Model(Struct):
    type: str
    vocab: list[tuple[str, float]]
    unk_id: int
    byte_fallback: bool = False


class _File(Struct):
    model: _Model
    normalizer: dict[str, Any] | None = None
    pre_tokenizer: dict[str, Any] | None = None
    added_tokens: tuple[dict[str, Any], ...] = ()


_FILE = Decoder(_File)


class UnigramTokenizer:
    """Splits words into the pieces of a vocabulary. Never changes, so that threads may share it."""

    def __init__(self, content: bytes | memoryview) -> None:
        """
        Read *content*, a `tokenizer.json`.

        Raises:
            ValueError: It is none, or one that splits in another way.
        """
        file = _FILE.decode(content)
        model = file.model
        if model.type != "Unigram" or model.byte_fallback or file.pre_tokenizer or file.added_tokens:
            raise ValueError("its extension has no Unigram tokenizer of whole words")
        if file.normalizer != _NORMALIZER:
            raise ValueError("the tokenizer of its extension normalises words in another way than NFKC, in lower case")
        if not 0 <= model.unk_id < len(model.vocab):
            raise ValueError("the tokenizer of its extension has no piece for unknown characters")
        self.pieces = [piece for piece, _ in model.vocab]
        self._unknown_id = model.unk_id
        # Each piece with its number, and each beginning of one: what is no key begins no piece.
        self._ids = {piece[:length]: NO_PIECE for piece in self.pieces for length in range(1, len(piece))}
        self._ids.update(zip(self.pieces, range(len(self.pieces)), strict=True))
        self._scores = array("d", [score for _, score in model.vocab])
        self._unknown_score = min(self._scores) - UNKNOWN_PENALTY

    def ids(self, word: str) -> list[int]:
        """The numbers of the pieces of *word*, in order; one of an unknown character for each that is in no piece."""
        text = _normalised(word)
        size, number_of, scores = len(text), self._ids.get, self._scores
        best = [0.0, *[-math.inf] * size]  # the score of the best pieces that end before each character
        begins, chosen = [0] * (size + 1), [0] * (size + 1)  # of the last of these pieces: where it begins, its number
        for start in range(size):
            here, end = best[start], start + 1
            number = number_of(text[start:end])
            if number is None or number == NO_PIECE:  # the character alone is none
                score = here + self._unknown_score
                if score > best[end]:
                    best[end], begins[end], chosen[end] = score, start, self._unknown_id
            while number is not None:
                if number != NO_PIECE:
                    score = here + scores[number]
                    if score > best[end]:
                        best[end], begins[end], chosen[end] = score, start, number
                if end == size:
                    break
                end += 1
                number = number_of(text[start:end])
        path: list[int] = []
        end = size
        while end:
            path.append(chosen[end])
            end = begins[end]
        path.reverse()
        return path


def _normalised(word: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKC", word).lower())

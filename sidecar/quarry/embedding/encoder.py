"""What the rest of the engine knows of an embedding model: texts go in, unit rows come out."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

FloatMatrix: TypeAlias = NDArray[np.float32]
"""Embeddings, shape (text count, dim), one row a text."""


class Fingerprint(Struct, frozen=True):
    """
    Which model made a vector. The index stores it, so that vectors of two models never meet.

    The hash alone tells models apart; the other fields are there to be shown, and a model that is known
    by another name (a copied folder) counts as another model.
    """

    name: str  # "bundled", a Hugging Face name, or the folder's own name
    vocabulary_size: int
    dim: int
    weights_sha256: str  # over what decides a vector: the weights file and the tokenizer's


class Encoder(Protocol):
    """A model that places texts in a space where near means alike. Safe to share between threads."""

    @property
    def dim(self) -> int:
        """Length of a row."""
        ...

    @property
    def fingerprint(self) -> Fingerprint:
        """Which model this is; constant for its life."""
        ...

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """
        Embed *texts* in order.

        A text gives the same bytes whichever others it is encoded with.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. An empty text, or one without a single
            token the model knows, gives a zero row, which the dense index leaves out.
        """
        ...

    def vocabulary_coverage(self, text: str) -> float:
        """
        How much of *text* the model knows as more than single letters, 0 to 1.

        A model of English takes Chinese apart into characters and `C++` into signs: it has little to say of them.
        """
        ...

    def is_word(self, word: str) -> bool:
        """Whether the model knows *word* whole: then it is hardly a slip of the finger."""
        ...

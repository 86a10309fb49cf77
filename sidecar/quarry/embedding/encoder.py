"""The interface of an embedding model: texts in, unit rows out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.embedding.late_interaction import WordSimilarities

FloatMatrix: TypeAlias = NDArray[np.float32]
"""Embeddings, shape (text count, dim), one row a text."""

FloatVector: TypeAlias = NDArray[np.float32]
"""One embedding, shape (dim,)."""


class Fingerprint(Struct, frozen=True):
    """
    Identifies the model of a vector. The index stores it, so that vectors of different models are never compared.

    The hash alone distinguishes models; the other fields are for display, but a model under another name
    (a copied folder) counts as another model.
    """

    name: str  # "bundled", a Hugging Face name, or the folder's own name
    vocabulary_size: int
    dim: int
    weights_sha256: str  # over the weights and the tokenizer, and those of the extension, which determine a vector


class Fingerprinted:
    """An encoder that has its fingerprint, and with it the number of dimensions."""

    _fingerprint: Fingerprint

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._fingerprint.dim

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity, which never changes."""
        return self._fingerprint


class Encoder(Protocol):
    """A model that maps texts to vectors whose cosine measures similarity. Safe to share between threads."""

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        ...

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity, which never changes."""
        ...

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """
        Embed *texts* in order.

        The bytes of a row do not depend on the other texts.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. An empty text, or one without a single
            token the model knows, gives a zero row, which the dense index leaves out.
        """
        ...

    def vocabulary_coverage(self, text: str) -> float:
        """
        The share of *text* that the vocabulary covers by tokens of two or more letters, 0 to 1.

        A model splits `C++` into signs, and scripts that it does not know into characters, and represents neither well.
        """
        ...

    def max_similarities(self, words: Mapping[str, float], texts: Sequence[str]) -> WordSimilarities:
        """
        How near each of *texts* comes to *words*, word by word; see `late_interaction.max_similarities`.

        The lengths of words are relative to the median of the model's vectors: less than 1 for a word that says little.

        Args:
            words: The weight of each word, at least 0.
        """
        ...

    def is_word(self, word: str) -> bool:
        """Whether *word* is in the vocabulary as a whole, and so is hardly a typo."""
        ...

    def in_english(self, text: str, words: Sequence[str]) -> str:
        """
        *text* with English words in the place of those of *words*, in lower case, that are of another language.

        As it is where the model has English words for none of them.
        """
        ...


class ContextualEncoder(Protocol):
    """
    A transformer that maps texts to vectors whose cosine measures similarity. Safe to share between threads.

    It takes a thousand times as long as an `Encoder`, so its vectors are made in idle time, beside the static ones.
    """

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        ...

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity, which never changes."""
        ...

    @property
    def trouble(self) -> str | None:
        """Why it cannot embed anything at the moment, and what happens now; None while it can."""
        ...

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """
        Embed *texts*, which are passages to be found, in order.

        Args:
            check: Called between batches of a few texts. What it raises ends the call.

        Returns:
            float32, shape (len(texts), dim), rows of unit length. A text without a single token the model knows gives
            a zero row, which the dense index leaves out.

        Raises:
            ModelDamaged: The network fails on a text.
            ModelUnreachable: Another program runs the network, and does not answer now.
        """
        ...

    def encode_query(self, text: str) -> FloatVector:
        """
        Embed *text*, which is a query.

        Returns:
            float32, shape (dim,), of unit length, or zero as for a passage.

        Raises:
            ModelDamaged, ModelUnreachable: As `encode_passages`.
        """
        ...

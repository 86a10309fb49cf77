"""A transformer as an encoder: it reads a text as a whole, and so tells apart what its words mean in it."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from quarry.embedding.contextual_config import read_config
from quarry.embedding.contextual_files import ContextualFolder, find_contextual, hash_contextual, is_contextual
from quarry.embedding.encoder import ContextualEncoder, Fingerprint, FloatMatrix, FloatVector
from quarry.embedding.network import Network
from quarry.embedding.pooling import Pooling, pool
from quarry.embedding.token_windows import HEAD_TOKENS, OVERLAP, WindowTokenizer
from quarry.errors import ModelDamaged, ModelMissing

EXTRA = "quarry-search[transformer]"

# Latin, CJK, an emoji and a letter no vocabulary has: what a broken model fails on, it fails on at loading.
_PROBE = "Quarry finds notes 笔记 💡 ꙮ"


class TransformerEncoder:
    """
    A transformer in ONNX as a `ContextualEncoder`.

    The bytes of a row are the same whatever other texts are embedded with it. They depend on the processor and the
    version of ONNX Runtime in their last digits.
    """

    def __init__(
        self,
        network: Network,
        tokenizer: WindowTokenizer,
        pooling: Pooling | None,
        name: str,
        weights_sha256: str,
    ) -> None:
        """
        Take the parts of a model; *pooling* is None where the network gives vectors of texts.

        Raises:
            ModelDamaged: They do not give vectors.
        """
        self._network = network
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._name = name
        dim = len(self._window_vector(tokenizer.any_window(_PROBE)))
        self._fingerprint = Fingerprint(name, tokenizer.vocabulary_size, dim, weights_sha256)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._fingerprint.dim

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity."""
        return self._fingerprint

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """See `ContextualEncoder`; *check* is called before each window, whose mean is the vector of a text."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._mean(self._tokenizer.passage(text), check)
        return rows

    def encode_query(self, text: str) -> FloatVector:
        """See `ContextualEncoder`; of a query longer than one window, the first is read."""
        window = self._tokenizer.query(text)
        return self._mean([window] if window else [])

    def _mean(self, windows: Iterable[Sequence[int]], check: Callable[[], None] = lambda: None) -> FloatVector:
        total = np.zeros(self.dim, np.float64)
        for window in windows:
            check()
            total += self._window_vector(window)
        return _unit(total)

    def _window_vector(self, window: Sequence[int]) -> FloatVector:
        """The unit vector of one window."""
        try:
            states = self._network.run(window)
        except Exception as error:  # ONNX Runtime's own, which have no common base class
            raise ModelDamaged(
                f"the embedding model {self._name!r} failed on a text of {len(window)} tokens ({error})"
            ) from error
        vector = states[0] if self._pooling is None else pool(states, self._pooling)
        if not np.isfinite(vector).all():
            raise ModelDamaged(f"the embedding model {self._name!r} gave a vector with numbers that are not finite")
        return _unit(vector)


def load_contextual_encoder(name: str) -> ContextualEncoder | None:
    """
    Load the model called *name*, or return None if that is a static one.

    Only a Hugging Face name that is not in its cache opens a connection. Takes .3 s for 90 MB of weights.

    Raises:
        ModelMissing: Files are missing, the download failed, or the extra that runs such models is not installed.
        ModelDamaged: Its files are there but are not a whole model, or not one that Quarry can run.
    """
    if not is_contextual(name):
        return None
    try:  # before anything is downloaded
        import onnxruntime  # type: ignore[import-untyped]  # noqa: F401
    except ImportError as error:
        raise ModelMissing(
            f"the embedding model {name!r} is a transformer, and what runs one cannot be imported ({error}); install "
            f'it with `uv tool install --force "{EXTRA}"` or `pip install "{EXTRA}"`'
        ) from error
    folder = find_contextual(name)
    try:
        return _open(folder)
    except ModelMissing:
        raise
    except Exception as error:  # ONNX Runtime, tokenizers and json each raise their own, some bare
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are not an embedding model that Quarry can run ({error}); "
            f"{folder.way_out}"
        ) from error


def _open(folder: ContextualFolder) -> TransformerEncoder:
    """Read the files in *folder*, which are known to exist."""
    from tokenizers import Tokenizer

    network = Network(folder.graph)
    config = read_config(folder.path, folder.name, is_pooled=network.is_pooled)
    weights_sha256 = hash_contextual(folder, (config, OVERLAP, HEAD_TOKENS))
    tokenizer = WindowTokenizer(Tokenizer.from_file(str(folder.tokenizer)), config)
    return TransformerEncoder(network, tokenizer, config.pooling, folder.name, weights_sha256)


def _unit(vector: NDArray[np.floating]) -> FloatVector:
    """*vector* scaled to unit length; a zero vector stays."""
    length = np.sqrt(np.square(vector, dtype=np.float64).sum())
    return np.asarray(vector if length == 0 else vector / length, np.float32)

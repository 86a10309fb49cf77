"""Texts in, float32 rows out. Importing this loads no model and nothing that runs a network."""

from quarry.embedding.contextual import load_contextual_encoder
from quarry.embedding.contextual_files import is_contextual
from quarry.embedding.encoder import ContextualEncoder, Encoder, Fingerprint, FloatMatrix, FloatVector
from quarry.embedding.model_files import BUNDLED_NAME, is_known_word, is_spelled_like_words
from quarry.embedding.static import load_static_encoder

__all__ = [
    "BUNDLED_NAME",
    "ContextualEncoder",
    "Encoder",
    "Fingerprint",
    "FloatMatrix",
    "FloatVector",
    "is_known_word",
    "is_spelled_like_words",
    "load_contextual_encoder",
    "load_encoder",
]


def load_encoder(name: str = BUNDLED_NAME) -> Encoder:
    """Load the static model called *name*, or the bundled one if *name* is a contextual model; raises as `static`."""
    return load_static_encoder(BUNDLED_NAME if is_contextual(name) else name)

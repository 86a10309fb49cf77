"""Texts in, float32 rows out. Importing this loads no model and nothing that runs one."""

from quarry.embedding.encoder import ContextualEncoder, Encoder, Fingerprint, FloatMatrix, FloatVector
from quarry.embedding.known_words import is_known_word
from quarry.embedding.model_names import BUNDLED_NAME

__all__ = [
    "BUNDLED_NAME",
    "ContextualEncoder",
    "Encoder",
    "Fingerprint",
    "FloatMatrix",
    "FloatVector",
    "is_known_word",
    "load_contextual_encoder",
    "load_encoder",
]


def load_encoder(name: str = BUNDLED_NAME) -> Encoder:
    """
    Load the static model called *name*, or the bundled one if *name* is a contextual model.

    See `static.load_encoder`, which is imported only when a model is loaded.
    """
    from quarry.embedding import contextual_files, static

    return static.load_encoder(BUNDLED_NAME if contextual_files.is_contextual(name) else name)


def load_contextual_encoder(name: str) -> ContextualEncoder | None:
    """Load the contextual model called *name*, None if that is static; see `contextual.load_contextual_encoder`."""
    from quarry.embedding import contextual

    return contextual.load_contextual_encoder(name)

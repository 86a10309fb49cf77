"""Texts in, float32 rows out. Importing this loads no model and nothing that runs one."""

from quarry.embedding.encoder import Encoder, Fingerprint, FloatMatrix
from quarry.embedding.model_files import BUNDLED_NAME

__all__ = ["BUNDLED_NAME", "Encoder", "Fingerprint", "FloatMatrix", "load_encoder"]


def load_encoder(name: str = BUNDLED_NAME) -> Encoder:
    """Load the model called *name*; see `static.load_encoder`, which is imported only when a model is loaded."""
    from quarry.embedding import static

    return static.load_encoder(name)

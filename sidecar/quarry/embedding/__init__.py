"""Texts in, float32 rows out. Importing this loads no model and none of the libraries that run one."""

from quarry.embedding.encoder import Encoder, Fingerprint, FloatMatrix
from quarry.embedding.model_files import BUNDLED_NAME
from quarry.embedding.static import StaticEncoder, load_encoder

__all__ = ["BUNDLED_NAME", "Encoder", "Fingerprint", "FloatMatrix", "StaticEncoder", "load_encoder"]

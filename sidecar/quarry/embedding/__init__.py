"""Texts in, float32 rows out. Importing this loads no model and nothing that runs a network."""

from quarry.embedding.contextual import load_transformer
from quarry.embedding.contextual_files import is_contextual
from quarry.embedding.encoder import ContextualEncoder, Encoder, Fingerprint, FloatMatrix, FloatVector
from quarry.embedding.endpoint_name import is_endpoint
from quarry.embedding.model_files import BUNDLED_NAME, is_known_word, is_spelled_like_words
from quarry.embedding.static import load_static_encoder
from quarry.errors import NotConfirmed

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


def _load_endpoint(name: str) -> ContextualEncoder:
    from quarry.embedding.endpoint import load_endpoint  # here: http.client is a tenth of a start, and few need it

    return load_endpoint(name)


_CONTEXTUAL = (
    (is_endpoint, _load_endpoint),
    (is_contextual, load_transformer),
)  # what tells a contextual model by its name, and what loads it


def load_contextual_encoder(name: str) -> ContextualEncoder | None:
    """
    Load the model called *name*, or return None if that is a static one.

    Raises:
        ModelMissing, ModelDamaged: See what loads it.
    """
    return next((load(name) for is_its, load in _CONTEXTUAL if is_its(name)), None)


def load_encoder(name: str = BUNDLED_NAME) -> Encoder:
    """
    Load the static model called *name*; the bundled one if that is contextual, or not confirmed by the user of this
    device. Raises as `static`.
    """
    try:
        return load_static_encoder(BUNDLED_NAME if any(is_its(name) for is_its, _ in _CONTEXTUAL) else name)
    except NotConfirmed:
        return load_static_encoder(BUNDLED_NAME)

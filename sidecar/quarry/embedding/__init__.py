"""Texts in, float32 rows out. Importing this loads no model and nothing that runs a network."""

from types import ModuleType

from quarry.consent import Request
from quarry.embedding.contextual import load_transformer
from quarry.embedding.contextual_files import find_contextual, is_contextual, is_whole
from quarry.embedding.encoder import ContextualEncoder, Encoder, Fingerprint, FloatMatrix, FloatVector
from quarry.embedding.endpoint_name import PulledModel, is_endpoint, is_of_usual_ollama, parse_endpoint, remote_origin
from quarry.embedding.known_models import known_models
from quarry.embedding.model_files import (
    BUNDLED_NAME,
    find_model,
    is_hub_name,
    is_known_word,
    is_spelled_like_words,
    needs_download,
)
from quarry.embedding.static import load_static_encoder
from quarry.errors import ModelMissing

__all__ = [
    "BUNDLED_NAME",
    "ContextualEncoder",
    "Encoder",
    "Fingerprint",
    "FloatMatrix",
    "FloatVector",
    "is_known_word",
    "is_spelled_like_words",
    "known_models",
    "load_contextual_encoder",
    "load_encoder",
    "ollama_models",
    "refuse_unpulled",
    "remote_origin",
    "requests_for",
]


def _endpoint() -> ModuleType:
    from quarry.embedding import endpoint  # here: http.client is a tenth of a start, and few need it

    return endpoint


def _load_endpoint(name: str) -> ContextualEncoder:
    encoder: ContextualEncoder = _endpoint().load_endpoint(name)
    return encoder


def ollama_models() -> list[PulledModel] | None:
    """The models of the Ollama on this machine, those too that cannot embed texts; None where none runs."""
    models: list[PulledModel] | None = _endpoint().ollama_models()
    return models


def refuse_unpulled(name: str) -> None:
    """
    Return unless the Ollama on this machine runs and has no model called *name*.

    Raises:
        ModelMissing: That is so.
    """
    if not is_of_usual_ollama(name) or (models := ollama_models()) is None:
        return
    if name.removesuffix(":latest") not in {model.chosen_as for model in models}:
        model = name.partition(":")[2]
        raise ModelMissing(f"Ollama has no model {model!r} here; pull it first: ollama pull {model}")


def requests_for(name: str) -> tuple[Request, ...]:
    """
    All that the user of this device has to confirm for the model called *name*, confirmed or not.

    Raises:
        ModelMissing: The name cannot be read, or is that of no folder with a model in it.
    """
    if is_endpoint(name):
        return parse_endpoint(name).requests
    if not is_hub_name(name):
        (find_contextual if is_contextual(name) else find_model)(name)
    return (("download", name),) if needs_download(name, is_whole) else ()


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
    Load the static model called *name*; the bundled one if that is contextual.

    Raises:
        ModelMissing, ModelDamaged: As `static`. What answers then is for the caller to say: see `ModelSlot`.
    """
    return load_static_encoder(BUNDLED_NAME if any(is_its(name) for is_its, _ in _CONTEXTUAL) else name)

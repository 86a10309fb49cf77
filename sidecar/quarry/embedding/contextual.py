"""A transformer as an encoder: it reads a text as a whole, and so tells apart what its words mean in it."""

from quarry.embedding.contextual_files import is_contextual
from quarry.embedding.encoder import ContextualEncoder
from quarry.errors import ModelMissing


def load_contextual_encoder(name: str) -> ContextualEncoder | None:
    """
    Load the model called *name*, or return None if that is a static one.

    Raises:
        ModelMissing: Files are missing, the download failed, or the extra that runs such models is not installed.
        ModelDamaged: Its files are there but are not a whole model.
    """
    if not is_contextual(name):
        return None
    raise ModelMissing(f"the contextual model {name!r} cannot be run by this version")

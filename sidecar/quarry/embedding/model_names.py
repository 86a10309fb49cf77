"""
Which folder does the name of a model stand for?

What exists on disk, or is not spelled `owner/name`, is a folder, relative to the working directory, with `~` for the
home folder: a mistyped path causes no network request. The rest are Hugging Face names, taken from its cache when they
are there. `bundled` is the model inside this package and is not looked up here.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from quarry.errors import ModelMissing
from quarry.lazy_pattern import lazy_pattern

BUNDLED_NAME = "bundled"

# `owner/name`; neither part starts with a dot, so `./model` and `../model` are folders.
_HUGGING_FACE_NAME = lazy_pattern(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
CHOICES = (
    f'set `embedding.model` to "{BUNDLED_NAME}", to a folder with model.safetensors, tokenizer.json, config.json, '
    "to one with the ONNX weights of a sentence-transformers model, or to a Hugging Face name such as "
    '"minishlab/potion-base-8M"'
)


class NamedFolder(Struct, frozen=True):
    """The folder that a name stands for."""

    path: Path
    name: str  # shown to users and stored in the index
    way_out: str  # what to do if files are missing or damaged; ends a message
    is_download: bool  # in the Hugging Face cache: its files are replaced, never overwritten


def find_folder(name: str, files: Sequence[str], is_whole: Callable[[Path], bool]) -> NamedFolder:
    """
    Return the folder that *name* stands for, downloading *files* of a repository that is not cached.

    Args:
        files: What to download of a Hugging Face repository, as patterns of its paths.
        is_whole: Whether a cached snapshot has all that is needed; if not, the repository is asked for *files*.

    Raises:
        ModelMissing: No such folder, or the download failed.
    """
    try:
        path = Path(name).expanduser()
        exists, is_folder = path.exists(), path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # too long, a home that does not exist, a NUL
        raise ModelMissing(f"embedding model {name!r} is not a usable path ({error}); {CHOICES}") from error
    if not exists and _HUGGING_FACE_NAME.fullmatch(name):
        return _fetch(name, files, is_whole)
    if not is_folder:
        raise ModelMissing(
            f"embedding model folder {str(path)!r} {'is not a folder' if exists else 'does not exist'}; {CHOICES}"
        )
    return NamedFolder(path, path.resolve().name, CHOICES, is_download=False)


def _fetch(name: str, files: Sequence[str], is_whole: Callable[[Path], bool]) -> NamedFolder:
    """Find *name* in the Hugging Face cache, or download *files* into it."""
    try:
        # The cache first, without a network request: a cached model is used as it is.
        cached = _snapshot(name, files, local_files_only=True)
        if is_whole(cached.path):
            return cached
    except Exception:  # noqa: S110  not in the cache: what follows fetches it
        pass
    try:
        return _snapshot(name, files, local_files_only=False)
    except Exception as error:  # its errors (HTTP, validation, cache, offline) have no common base class
        reason = str(error).strip().partition("\n")[0]
        raise ModelMissing(
            f"embedding model {name!r} is not on this machine and could not be downloaded "
            f"({type(error).__name__}: {reason}); connect to the network and try again, or {CHOICES}"
        ) from error


def _snapshot(name: str, files: Sequence[str], *, local_files_only: bool) -> NamedFolder:
    """Ask `huggingface_hub` for *files* of *name*, from its cache alone or from the network too."""
    # Imported here and not above: it costs 50 ms, and the bundled model does not need it.
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]  # exported lazily

    disable_progress_bars()  # programs read what a sidecar prints
    path = snapshot_download(name, allow_patterns=list(files), local_files_only=local_files_only)
    return NamedFolder(Path(path), name, f"delete {path} to have it downloaded again, or {CHOICES}", is_download=True)

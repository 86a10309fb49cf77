"""
Where are the files of a named model, and are they complete and undamaged?

A model is a folder of three files: `model.safetensors`, `tokenizer.json`, `config.json`. Beside them may lie the two of
an extension for other scripts. No other format is read, so no setting can reach a format that runs code when it is
loaded (pickle, skops).
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from quarry.errors import ModelDamaged, ModelMissing

BUNDLED_NAME = "bundled"

WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
MODEL_FILES = (WEIGHTS_FILE, TOKENIZER_FILE, CONFIG_FILE)
EXTENSION_WEIGHTS_FILE = "extension.safetensors"
EXTENSION_TOKENIZER_FILE = "extension.tokenizer.json"
EXTENSION_FILES = (EXTENSION_WEIGHTS_FILE, EXTENSION_TOKENIZER_FILE)
MANIFEST_FILE = "SHA256SUMS"  # as `sha256sum` writes it: hexadecimal, two spaces, name

# The largest static model published (500,000 tokens, 256 dimensions, float32) has 0.5 GB, its tokenizer 30 MB.
# Anything far above is another kind of model, whose weights are not worth hashing to find that out.
MAX_FILE_BYTES = 1 << 30

# `owner/name`; neither part starts with a dot, so `./model` and `../model` are folders.
_HUGGING_FACE_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
_CHOICES = (
    f'set `embedding.model` to "{BUNDLED_NAME}", to a folder with {", ".join(MODEL_FILES)}, or to a Hugging Face name '
    'such as "minishlab/potion-base-8M"'
)


class ModelFolder(Struct, frozen=True):
    """A folder that should hold a model."""

    path: Path
    name: str  # shown to users and stored in the index
    way_out: str  # what to do if files are missing or damaged; ends a message
    must_have_manifest: bool = False
    must_have_extension: bool = False
    stays_as_it_is: bool = False  # installed or downloaded: its files are replaced, never overwritten

    @property
    def has_extension(self) -> bool:
        """Whether a file of an extension lies in it; all of them must, then."""
        return self.must_have_extension or any((self.path / name).exists() for name in EXTENSION_FILES)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files it must have."""
        return MODEL_FILES + EXTENSION_FILES if self.has_extension else MODEL_FILES


BUNDLED = ModelFolder(
    Path(__file__).with_name("bundled"),
    BUNDLED_NAME,
    "reinstall quarry-search",
    must_have_manifest=True,
    must_have_extension=True,
    stays_as_it_is=True,
)


def find_model(name: str) -> ModelFolder:
    """
    Return the folder of the model called *name*, downloading it if it is a Hugging Face name that is not cached.

    `bundled` is the model inside this package. What exists on disk, or is not spelled `owner/name`, is a folder,
    relative to the working directory, with `~` for the home folder: a mistyped path causes no
    network request. The rest are Hugging Face names, taken from its cache when they are there.

    Raises:
        ModelMissing: No such folder, files missing from it, or the download failed.
    """
    if name == BUNDLED_NAME:
        return _complete(BUNDLED)
    try:
        path = Path(name).expanduser()
        exists, is_folder = path.exists(), path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # too long, a home that does not exist, a NUL
        raise ModelMissing(f"embedding model {name!r} is not a usable path ({error}); {_CHOICES}") from error
    if not exists and _HUGGING_FACE_NAME.fullmatch(name):
        return _fetch(name)
    if not is_folder:
        raise ModelMissing(
            f"embedding model folder {str(path)!r} {'is not a folder' if exists else 'does not exist'}; {_CHOICES}"
        )
    return _complete(ModelFolder(path, path.resolve().name, _CHOICES))


def hash_model(folder: ModelFolder) -> str:
    """
    Hash the files in *folder*, compare them with its manifest, and return one SHA-256 of all that makes a vector.

    That is the weights and the tokenizer, and those of the extension, whether or not it is ever opened.

    The bundled model must have a manifest. Elsewhere it is optional: without it, a flipped bit in
    the weights cannot be distinguished from another model.

    Raises:
        ModelDamaged: A file is not the one the manifest names, or far too large to be a static model.
        ModelMissing: A file cannot be read.
    """
    try:
        found = {name: _hash_file(folder, name) for name in folder.files}
        manifest = folder.path / MANIFEST_FILE
        if folder.must_have_manifest or manifest.exists():
            _compare(folder, _read_manifest(manifest), found)
    except OSError as error:
        raise ModelMissing(f"embedding model {folder.name!r} cannot be read ({error}); {folder.way_out}") from error
    digests = [found[name] for name in folder.files if name != CONFIG_FILE]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _complete(folder: ModelFolder) -> ModelFolder:
    """Return *folder* if it has every file of a model, and of an extension if it has one of that."""
    missing = [name for name in folder.files if not (folder.path / name).is_file()]
    if missing:
        raise ModelMissing(f"embedding model folder {str(folder.path)!r} has no {', '.join(missing)}; {folder.way_out}")
    return folder


def _fetch(name: str) -> ModelFolder:
    """Find *name* in the Hugging Face cache, or download its three files into it."""
    try:
        # The cache first, without a network request: a cached model is used as it is.
        return _complete(_snapshot(name, local_files_only=True))
    except Exception:  # noqa: S110  not in the cache, or not all of it: what follows fetches what is missing
        pass
    try:
        folder = _snapshot(name, local_files_only=False)
    except Exception as error:  # its errors (HTTP, validation, cache, offline) have no common base class
        reason = str(error).strip().partition("\n")[0]
        raise ModelMissing(
            f"embedding model {name!r} is not on this machine and could not be downloaded "
            f"({type(error).__name__}: {reason}); connect to the network and try again, or {_CHOICES}"
        ) from error
    return _complete(folder)


def _snapshot(name: str, *, local_files_only: bool) -> ModelFolder:
    """Ask `huggingface_hub` for the three files of *name*, from its cache alone or from the network too."""
    # Imported here and not above: it costs 50 ms, and the bundled model does not need it.
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]  # exported lazily

    disable_progress_bars()  # programs read what a sidecar prints
    path = snapshot_download(name, allow_patterns=list(MODEL_FILES), local_files_only=local_files_only)
    way_out = f"delete {path} to have it downloaded again, or {_CHOICES}"
    return ModelFolder(Path(path), name, way_out, stays_as_it_is=True)


def _hash_file(folder: ModelFolder, name: str) -> str:
    """SHA-256 of a file, in hexadecimal."""
    path = folder.path / name
    size_bytes = path.stat().st_size
    if size_bytes > MAX_FILE_BYTES:
        raise ModelDamaged(
            f"{str(path)!r} has {size_bytes} bytes; a static model's files have at most {MAX_FILE_BYTES}; {_CHOICES}"
        )
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_manifest(path: Path) -> dict[str, str]:
    """Read file name -> SHA-256. Other lines are skipped, so a file without such a line fails the comparison."""
    pairs = (line.split(maxsplit=1) for line in path.read_text(encoding="ascii", errors="replace").splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def _compare(folder: ModelFolder, expected: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Refuse the folder when a file's hash is not the manifest's."""
    damaged = [name for name, digest in found.items() if expected.get(name) != digest]
    if damaged:
        raise ModelDamaged(
            f"{str(folder.path)!r} does not match its {MANIFEST_FILE} ({', '.join(damaged)}); {folder.way_out}"
        )

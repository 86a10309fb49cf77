"""
Where are the files of a named model, and are they complete and undamaged?

A model is a folder of three files: `model.safetensors`, `tokenizer.json`, `config.json`. Beside them may lie the two of
an extension for other scripts. No other format is read, so no setting can reach a format that runs code when it is
loaded (pickle, skops).
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from quarry.embedding.model_names import BUNDLED_NAME, CHOICES, find_folder
from quarry.errors import ModelDamaged, ModelMissing

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

# Bytes. `hashlib.file_digest` takes the interpreter back 75 times for the bundled model: 34 ms beside searches, not 14.
HASHED_AT_ONCE = 4 << 20


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
    Return the folder of the model called *name*; see `model_names.find_folder`.

    Raises:
        ModelMissing: No such folder, files missing from it, or the download failed.
    """
    if name == BUNDLED_NAME:
        return _complete(BUNDLED)
    found = find_folder(name, MODEL_FILES, lambda path: all((path / file).is_file() for file in MODEL_FILES))
    return _complete(ModelFolder(found.path, found.name, found.way_out, stays_as_it_is=found.is_download))


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


def _hash_file(folder: ModelFolder, name: str) -> str:
    """SHA-256 of a file, in hexadecimal."""
    path = folder.path / name
    size_bytes = path.stat().st_size
    if size_bytes > MAX_FILE_BYTES:
        raise ModelDamaged(
            f"{str(path)!r} has {size_bytes} bytes; a static model's files have at most {MAX_FILE_BYTES}; {CHOICES}"
        )
    digest, buffer = hashlib.sha256(), memoryview(bytearray(HASHED_AT_ONCE))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
    return digest.hexdigest()


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

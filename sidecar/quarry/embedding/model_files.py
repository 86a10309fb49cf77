"""
The files of a static model: found by the model's name, checked, and its weights read as one row a token.

A name that exists on disk, or is not spelled `owner/name`, is a folder, relative to the working directory, with `~` for
the home folder: a mistyped path causes no network request. The rest are Hugging Face names, taken from its cache when
they are there. `bundled` is the model inside this package.

A model is a folder of three files: `model.safetensors`, `tokenizer.json`, `config.json`. Beside them may be the two of
an extension for other scripts. With `modules.json` in place of the last, it is one of sentence-transformers with the
module `StaticEmbedding`, whose two files are there or in a folder of their own. No other format is read, so no setting
can reach a format that runs code when it is loaded (pickle, skops).
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from safetensors import safe_open

from quarry import consent
from quarry.embedding.sentence_modules import (
    MODULES_FILE,
    RETRIEVAL_FILE,
    read_if_there,
    read_modules,
    refused,
    truncated_dim,
)
from quarry.errors import ModelDamaged, ModelMissing
from quarry.lazy_pattern import lazy_pattern

BUNDLED_NAME = "bundled"

# `owner/name`; neither part starts with a dot, so `./model` and `../model` are folders.
_HUGGING_FACE_NAME = lazy_pattern(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
CHOICES = (
    f'set `embedding.model` to "{BUNDLED_NAME}", to a folder with model.safetensors, tokenizer.json, config.json, '
    "to one with the ONNX weights of a sentence-transformers model, or to a Hugging Face name such as "
    '"minishlab/potion-base-8M", or to "ollama:NAME"'
)

_NOT_PUBLIC = frozenset({"RepositoryNotFoundError", "GatedRepoError", "HFValidationError"})  # of `huggingface_hub`


def find_folder(name: str, files: Sequence[str], is_whole: Callable[[Path], bool]) -> "ModelFolder":
    """
    Return the folder that *name* stands for, downloading *files* of a repository that is not cached.

    Args:
        files: What to download of a Hugging Face repository, as patterns of its paths.
        is_whole: Whether a cached snapshot has all that is needed; if not, the repository is asked for *files*.

    Raises:
        ModelMissing: No such folder, or the download failed.
        NotConfirmed: It is to be downloaded, to which the user of this device has not said yes.
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
    return ModelFolder(path, path.resolve().name, CHOICES)


def is_hub_name(name: str) -> bool:
    """Whether *name* is a Hugging Face name, and no file or folder here."""
    try:
        return _HUGGING_FACE_NAME.fullmatch(name) is not None and not Path(name).exists()
    except OSError:  # too long
        return False


def needs_download(name: str, is_whole: Callable[[Path], bool]) -> bool:
    """
    Whether *name* is a Hugging Face name of which not all is cached, as *is_whole* says of a snapshot.

    The first call takes the time of an import.
    """
    if not is_hub_name(name):
        return False
    try:
        return not is_whole(_snapshot(name, [CONFIG_FILE], local_files_only=True).path)
    except Exception:  # its errors have no common base class
        return True


def _fetch(name: str, files: Sequence[str], is_whole: Callable[[Path], bool]) -> "ModelFolder":
    """Find *name* in the Hugging Face cache, or download *files* into it."""
    try:
        # The cache first, without a network request: a cached model is used as it is.
        cached = _snapshot(name, files, local_files_only=True)
        if is_whole(cached.path):
            return cached
    except Exception:  # noqa: S110  not in the cache: what follows fetches it
        pass
    consent.require([("download", name)], name)
    try:
        return _snapshot(name, files, local_files_only=False)
    except Exception as error:  # its errors (HTTP, validation, cache, offline) have no common base class
        if type(error).__name__ in _NOT_PUBLIC:
            raise ModelMissing(f"Hugging Face has no public model {name!r}; {CHOICES}") from error
        reason = getattr(error, "strerror", None)  # such as a full disk
        raise ModelMissing(
            f"embedding model {name!r} is not on this machine and could not be downloaded"
            f"{f' ({reason})' if reason else ''}; connect to the network and try again, or {CHOICES}"
        ) from error


def _snapshot(name: str, files: Sequence[str], *, local_files_only: bool) -> "ModelFolder":
    """Ask `huggingface_hub` for *files* of *name*, from its cache alone or from the network too."""
    # Imported here and not above: it costs 50 ms, and the bundled model does not need it.
    import huggingface_hub.utils

    huggingface_hub.utils.disable_progress_bars()  # type: ignore[attr-defined]  # exported lazily; programs read what a sidecar prints
    path = huggingface_hub.snapshot_download(name, allow_patterns=list(files), local_files_only=local_files_only)
    way_out = f"delete {path} to have it downloaded again, or {CHOICES}"
    return ModelFolder(Path(path), name, way_out, stays_as_it_is=True)


WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
MODEL_FILES = (WEIGHTS_FILE, TOKENIZER_FILE, CONFIG_FILE)
EXTENSION_WEIGHTS_FILE = "extension.safetensors"
EXTENSION_TOKENIZER_FILE = "extension.tokenizer.json"
EXTENSION_FILES = (EXTENSION_WEIGHTS_FILE, EXTENSION_TOKENIZER_FILE)
# Of a model of sentence-transformers; before version 5.5 its module had a folder of its own.
_MODULE_FILES = (
    MODULES_FILE,
    RETRIEVAL_FILE,
    f"*_StaticEmbedding/{WEIGHTS_FILE}",
    f"*_StaticEmbedding/{TOKENIZER_FILE}",
)
TRANSLATIONS_FILE = "translations.tsv"
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
    must_have_translations: bool = False
    stays_as_it_is: bool = False  # installed or downloaded: its files are replaced, never overwritten
    module: str | None = (
        None  # the folder, "" or with a slash behind it, of a StaticEmbedding; None: model2vec's format
    )
    dim: int | None = None  # that its vectors are cut to

    @property
    def weights(self) -> str:
        """The name of the file of its weights."""
        return (self.module or "") + WEIGHTS_FILE

    @property
    def tokenizer(self) -> str:
        """The name of the file of its tokenizer."""
        return (self.module or "") + TOKENIZER_FILE

    @property
    def has_extension(self) -> bool:
        """Whether a file of an extension is in it; all of them must, then."""
        return self.must_have_extension or any((self.path / name).exists() for name in EXTENSION_FILES)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files it must have."""
        if self.module is not None:
            return (self.weights, self.tokenizer)
        own = MODEL_FILES + EXTENSION_FILES if self.has_extension else MODEL_FILES
        return (*own, TRANSLATIONS_FILE) if self.must_have_translations else own


BUNDLED = ModelFolder(
    Path(__file__).with_name("bundled"),
    BUNDLED_NAME,
    "reinstall quarry-search",
    must_have_manifest=True,
    must_have_extension=True,
    must_have_translations=True,
    stays_as_it_is=True,
)


def find_model(name: str) -> ModelFolder:
    """
    Return the folder of the model called *name*; see `find_folder`.

    Raises:
        ModelMissing: No such folder, files missing from it, or the download failed.
    """
    if name == BUNDLED_NAME:
        return _complete(BUNDLED)
    return _complete(_with_module(find_folder(name, [*MODEL_FILES, *_MODULE_FILES], is_whole_static)))


def is_whole_static(path: Path) -> bool:
    """Whether a cached snapshot has all that a static model needs."""
    try:
        folder = _with_module(ModelFolder(path, "", ""))
    except (ModelDamaged, OSError):
        return False
    return all((path / file).is_file() for file in folder.files)


def _with_module(folder: ModelFolder) -> ModelFolder:
    """
    Return *folder*, with the place of its module where it is of sentence-transformers.

    Raises:
        ModelDamaged: It asks for what Quarry does not do.
    """
    if (folder.path / CONFIG_FILE).is_file() or not (folder.path / MODULES_FILE).is_file():
        return folder
    try:
        first, *rest = read_modules(folder.path)
        for module in rest:
            if module.kind not in ("Normalize", "Dropout"):
                raise refused(module.kind)
        if first.kind != "StaticEmbedding":
            raise refused(first.kind)
        retrieval = read_if_there(folder.path / RETRIEVAL_FILE)
        prompts = retrieval.get("prompts")
        if isinstance(prompts, dict) and any(prompts.values()):
            raise ValueError("it asks for prompts, which Quarry gives to contextual models alone")
        return replace(folder, module=f"{first.place}/" if first.place else "", dim=truncated_dim(retrieval))
    except (ValueError, TypeError) as error:
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are not a static model that Quarry can run ({error}); {folder.way_out}"
        ) from error


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
    digests = [found[name] for name in folder.files if name not in (CONFIG_FILE, TRANSLATIONS_FILE)]
    if folder.dim is not None:
        digests.append(f"cut to {folder.dim}")
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


MIN_WORDS_WITH_THREE = 20  # known words; of three letters that a slip brought together most are in fewer
VOCABULARY_FILE = Path(__file__).with_name(BUNDLED_NAME) / "tokenizer.json"


def is_known_word(word: str) -> bool:
    """Whether *word*, letters in any case, is known. The first call reads the vocabulary, which takes 20 ms."""
    return word.lower() in _known_words()


def is_spelled_like_words(word: str) -> bool:
    """Whether every three letters side by side in *word*, in lower case, are in many known words: `router`, `brot`."""
    bounded = f" {word} "
    threes = [bounded[at : at + 3] for at in range(len(bounded) - 2)]
    return all(_written_words().count(three) >= MIN_WORDS_WITH_THREE for three in threes)


@cache
def _written_words() -> str:
    return f" {' '.join(_known_words())} "


@cache
def _known_words() -> frozenset[str]:
    vocabulary = json.loads(VOCABULARY_FILE.read_text("utf-8"))
    return frozenset(token for token in vocabulary["model"]["vocab"] if token.isalpha())


MAX_WEIGHT = 1e30  # 512 tokens of these still add up in float32; a flipped exponent bit gives about 1e38

Table: TypeAlias = NDArray[np.int8] | NDArray[np.float32]
"""Shape (token count, dim): row i is what token i means."""

_WEIGHTS, _MAPPING = "weights", "mapping"  # the names model2vec gives to its tensors
_ROWS = ("embeddings", "embedding.weight")  # and to the rows; the other is that of sentence-transformers
_MAPPABLE: dict[str, np.dtype[Any]] = {"I8": np.dtype("i1"), "F32": np.dtype("<f4")}  # safetensors stores little-endian


def read_table(path: Path, token_count: int | None = None, *, may_map: bool) -> Table:
    """
    Read the weights file at *path*.

    Models whose vocabulary was quantised share rows between tokens and weight them; that is expanded here, so that
    all models are encoded in one way.

    Args:
        path: A safetensors file.
        token_count: How many tokens its tokenizer has; None where that is not known yet.
        may_map: Whether the file may be mapped, because it is never overwritten while in use: an overwritten file would
            change a mapped table, and a truncated one would kill the process.

    Raises:
        ValueError: The tensors do not fit each other or the tokenizer, or hold values no model has.
    """
    with safe_open(path, framework="numpy") as file:  # refuses a truncated file, and tensors outside of it
        names = frozenset(file.keys())
        rows_name = next((name for name in _ROWS if name in names), _ROWS[0])
        is_mapped = may_map and file.get_slice(rows_name).get_dtype() in _MAPPABLE
        rows = _map_rows(path, rows_name) if is_mapped else file.get_tensor(rows_name)
        weights = file.get_tensor(_WEIGHTS) if _WEIGHTS in names else None
        mapping = file.get_tensor(_MAPPING) if _MAPPING in names else None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"its weights have the shape {rows.shape}, not (tokens, dimensions)")
    if mapping is None and token_count not in (None, len(rows)):
        raise ValueError(f"its tokenizer has {token_count} tokens, its weights have {len(rows)} rows")
    return _checked(_token_rows(rows, weights, mapping))


def _map_rows(path: Path, name: str) -> NDArray[Any]:
    """Map the tensor called *name* of the file at *path*, which has been validated."""
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(header_bytes))[name]
    offset = 8 + header_bytes + int(entry["data_offsets"][0])
    mapped = np.memmap(str(path), dtype=_MAPPABLE[entry["dtype"]], mode="r", offset=offset, shape=tuple(entry["shape"]))
    return np.asarray(mapped)


def _token_rows(rows: NDArray[Any], weights: NDArray[Any] | None, mapping: NDArray[Any] | None) -> Table:
    """Expand to one row per token, int8 or float32."""
    if mapping is not None:
        if mapping.min(initial=0) < 0:
            raise ValueError("its token mapping points before the first row")
        rows = rows[mapping]
    if weights is not None:
        rows = rows.astype(np.float32) * weights.astype(np.float32)[:, None]
    if rows.dtype == np.int8:
        return rows
    with np.errstate(over="ignore"):  # a float64 that is too large becomes infinite, which `_checked` refuses
        return rows.astype(np.float32, copy=False)


def _checked(table: Table) -> Table:
    """Return *table* if its values are safe to sum, as those of int8 always are."""
    # Written so that a NaN, which compares as false, is refused too.
    if table.dtype != np.int8 and not (table.max() <= MAX_WEIGHT and table.min() >= -MAX_WEIGHT):
        raise ValueError("its weights contain NaN, infinite or absurdly large values")
    return table

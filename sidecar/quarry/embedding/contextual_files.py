"""
Is a named model contextual, and which of its files make a vector?

A contextual model is a transformer in the layout of sentence-transformers, with its network as an ONNX graph: weights
and a plan of arithmetic, without code. Other formats (pickle, code of the repository's own) are never downloaded or
opened.
"""

import hashlib
import json
import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from quarry.embedding.model_names import BUNDLED_NAME, NamedFolder, find_folder
from quarry.errors import ModelDamaged, ModelMissing

CONFIG_FILE = "config.json"
TOKENIZER_FILE = "tokenizer.json"
STATIC_TYPE = "model2vec"  # the `model_type` of a static model

# Where sentence-transformers looks for a graph, in this order. Its repositories have others beside it, optimised or
# quantised for one processor (`model_O4.onnx`, `model_qint8_avx512.onnx`); the plain one runs everywhere.
_GRAPH_FILES = ("model.onnx", "onnx/model.onnx")
_QUANTIZED_GRAPH_FILE = "onnx/model_quantized.onnx"  # as Optimum and Transformers.js name one for any processor
_DESCRIPTIONS = (
    CONFIG_FILE,
    TOKENIZER_FILE,
    "tokenizer_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "*_Pooling/config.json",
)
# Graphs of more than 2 GB keep their weights in a file beside them, of one of two names.
_WEIGHTS_SUFFIXES = ("_data", ".data")
_MAX_JSON_BYTES = 16 << 20  # a config with the names of 20,000 classes has 2 MB
_MAX_BYTES = 4 << 30  # the largest that a CPU can run in idle time have 2.3 GB

# An entry of a tensor's `external_data` in the protobuf: the key "location", the length of a file's name, the name.
_LOCATION = re.compile(rb"\n\x08location\x12([\x00-\x7f])")

Json = TypeVar("Json", dict[str, Any], list[Any])


class ContextualFolder(Struct, frozen=True):
    """A folder that should hold a contextual model."""

    path: Path
    name: str  # shown to users and stored in the index
    way_out: str  # what to do if files are missing or damaged; ends a message
    graph: Path

    @property
    def tokenizer(self) -> Path:
        """The file of the tokenizer."""
        return self.path / TOKENIZER_FILE


def is_contextual(name: str) -> bool:
    """
    Whether the model called *name* is contextual: its `config.json` names the type of a network.

    Of a Hugging Face name that is not cached, that file alone is downloaded. What cannot be read is not contextual:
    loading it as a static model says what is wrong with it.
    """
    if name == BUNDLED_NAME:
        return False
    try:
        folder = find_folder(name, [CONFIG_FILE], lambda path: (path / CONFIG_FILE).is_file())
        config = read_json(folder.path / CONFIG_FILE, dict)
    except (ModelMissing, OSError, ValueError):
        return False
    model_type = config.get("model_type")
    return isinstance(model_type, str) and model_type != STATIC_TYPE


def find_contextual(name: str) -> ContextualFolder:
    """
    Return the folder of the contextual model called *name*, downloading what is needed of it.

    Raises:
        ModelMissing: No such folder, files missing from it, or the download failed.
        ModelDamaged: It is far too large, or its graph names files that it must not.
    """
    found = find_folder(name, [*_DESCRIPTIONS, *_with_weights(_GRAPH_FILES)], _is_whole)
    if found.is_download and _find_graph(found.path) is None:
        found = find_folder(name, [*_DESCRIPTIONS, *_with_weights([_QUANTIZED_GRAPH_FILE])], _is_whole)
    return _complete(found)


def hash_contextual(folder: ContextualFolder, settings: object) -> str:
    """
    One SHA-256 of all that makes a vector: the graph, its weights, the tokenizer, and *settings* by their `repr`.

    Raises:
        OSError: A file cannot be read.
    """
    digests = [_hash_file(path) for path in (folder.graph, *_weights_files(folder.graph), folder.tokenizer)]
    return hashlib.sha256("\n".join([*digests, repr(settings)]).encode()).hexdigest()


def read_json(path: Path, kind: type[Json]) -> Json:
    """
    The JSON in a file, which is to be an object (*kind* is `dict`) or an array (`list`).

    Raises:
        OSError: It cannot be read.
        ValueError: It holds something else.
    """
    if path.exists() and not path.is_file():  # opening a pipe would block, and a device has no end
        raise ValueError(f"its {path.name} is not a regular file")
    with path.open("rb") as file:
        data = file.read(_MAX_JSON_BYTES + 1)
    if len(data) > _MAX_JSON_BYTES:
        raise ValueError(f"its {path.name} has more than {_MAX_JSON_BYTES} bytes")
    try:
        value = json.loads(data)
    except RecursionError as error:
        raise ValueError(f"its {path.name} is nested too deeply") from error
    if not isinstance(value, kind):
        raise ValueError(f"its {path.name} does not contain a JSON {'object' if kind is dict else 'array'}")
    return value


def _with_weights(graphs: tuple[str, ...] | list[str]) -> list[str]:
    return [graph + suffix for graph in graphs for suffix in ("", *_WEIGHTS_SUFFIXES)]


def _is_whole(path: Path) -> bool:
    """Whether a cached snapshot has all that is needed."""
    graph = _find_graph(path)
    return graph is not None and all(file.is_file() for file in (path / TOKENIZER_FILE, *_weights_files(graph)))


def _complete(found: NamedFolder) -> ContextualFolder:
    """Return *found* if it has every file without which there are no vectors."""
    graph = _find_graph(found.path)
    if graph is None:
        raise ModelMissing(
            f"embedding model {found.name!r} has no ONNX weights ({' or '.join(_GRAPH_FILES)}); choose one that has, "
            f"or export it with Optimum; {found.way_out}"
        )
    try:
        files = [graph, found.path / TOKENIZER_FILE, *_weights_files(graph)]
        missing = [path.name for path in files if not path.is_file()]
        size_bytes = 0 if missing else sum(path.stat().st_size for path in files)
    except OSError as error:
        raise ModelMissing(f"embedding model {found.name!r} cannot be read ({error}); {found.way_out}") from error
    if missing:
        raise ModelMissing(f"embedding model folder {str(found.path)!r} has no {', '.join(missing)}; {found.way_out}")
    if size_bytes > _MAX_BYTES:
        raise ModelDamaged(
            f"the model in {str(found.path)!r} has {size_bytes} bytes; Quarry runs those of at most {_MAX_BYTES}; "
            f"{found.way_out}"
        )
    return ContextualFolder(found.path, found.name, found.way_out, graph)


def _find_graph(path: Path) -> Path | None:
    """The graph in a folder: the plain one, else the quantised one for any processor, else the only one there is."""
    for name in (*_GRAPH_FILES, _QUANTIZED_GRAPH_FILE):
        if (path / name).is_file():
            return path / name
    others = [*path.glob("*.onnx"), *path.glob("onnx/*.onnx")]
    return others[0] if len(others) == 1 else None


def _weights_files(graph: Path) -> list[Path]:
    """
    The files beside *graph* that it reads weights from, by name.

    Raises:
        OSError: It cannot be read.
        ModelDamaged: It names a file in another folder.
    """
    names = sorted(set(_locations(graph)))
    for name in names:
        if name in {"", ".", ".."} or re.search(r"[/\\:\0]", name):
            raise ModelDamaged(f"{str(graph)!r} reads weights from {name!r}, which is not a file beside it")
    return [graph.with_name(name) for name in names]


def _locations(graph: Path) -> Iterator[str]:
    with graph.open("rb") as file:
        if not graph.stat().st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for match in _LOCATION.finditer(data):
                yield data[match.end() : match.end() + match[1][0]].decode(errors="replace")


def _hash_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""
The files of a contextual model: which of them make a vector, and what they say about how texts become vectors.

A contextual model is a transformer in the layout of sentence-transformers, with its network as an ONNX graph: weights
and a plan of arithmetic, without code. Other formats (pickle, code of the repository's own) are never downloaded or
opened.
"""

import hashlib
import math
import mmap
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from msgspec import Struct

from quarry.embedding.known_models import Prompts, family_prompts
from quarry.embedding.model_files import (
    BUNDLED_NAME,
    CONFIG_FILE,
    TOKENIZER_FILE,
    ModelFolder,
    find_folder,
    is_whole_static,
)
from quarry.embedding.sentence_modules import (
    MODULES_FILE,
    RETRIEVAL_FILE,
    DenseLayer,
    read_if_there,
    read_json,
    read_layer,
    read_modules,
    refused,
    truncated_dim,
)
from quarry.errors import ModelDamaged, ModelMissing, NotConfirmed

STATIC_TYPE = "model2vec"  # the `model_type` of a static model

# Where sentence-transformers looks for a graph, in this order. Its repositories have others beside it, optimised or
# quantised for one processor (`model_O4.onnx`, `model_qint8_avx512.onnx`); the plain one runs everywhere.
_GRAPH_FILES = ("model.onnx", "onnx/model.onnx")
_QUANTIZED_GRAPH_FILE = "onnx/model_quantized.onnx"  # as Optimum and Transformers.js name one for any processor
_DESCRIPTIONS = (
    CONFIG_FILE,
    TOKENIZER_FILE,
    "tokenizer_config.json",
    MODULES_FILE,
    "sentence_bert_config.json",
    RETRIEVAL_FILE,
    "*_Pooling/config.json",
    "*_Dense/config.json",
    "*_Dense/model.safetensors",
)
# Graphs of more than 2 GB keep their weights in a file beside them, of one of two names.
_WEIGHTS_SUFFIXES = ("_data", ".data")
_MAX_LAYERS = 4  # behind the pooling; published models have two at most
_MAX_BYTES = 4 << 30  # the largest that a CPU can run in idle time have 2.3 GB

# An entry of a tensor's `external_data` in the protobuf: the key "location", the length of a file's name, the name.
_LOCATION = re.compile(rb"\n\x08location\x12([\x00-\x7f])")


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

    Raises:
        NotConfirmed: It would have to be downloaded, to which the user of this device has not said yes.
    """
    if name == BUNDLED_NAME:
        return False
    try:
        folder = find_folder(name, [CONFIG_FILE], lambda path: (path / CONFIG_FILE).is_file())
    except NotConfirmed:
        raise
    except ModelMissing:
        return False
    return _is_network(folder.path)


def is_whole(path: Path) -> bool:
    """Whether a cached snapshot has all that a model of its kind needs."""
    return (_is_whole if _is_network(path) else is_whole_static)(path)


def _is_network(path: Path) -> bool:
    try:
        model_type = read_json(path / CONFIG_FILE, dict).get("model_type")
    except (OSError, ValueError):
        return False
    return isinstance(model_type, str) and model_type != STATIC_TYPE


def find_contextual(name: str) -> ContextualFolder:
    """
    Return the folder of the contextual model called *name*, downloading what is needed of it.

    Raises:
        ModelMissing: No such folder, files missing from it, or the download failed.
        ModelDamaged: It is far too large, or its graph names files that it must not.
    """
    found = find_folder(name, [*_DESCRIPTIONS, *_with_weights(_GRAPH_FILES)], _is_whole)
    if found.stays_as_it_is and _find_graph(found.path) is None:
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


def _with_weights(graphs: tuple[str, ...] | list[str]) -> list[str]:
    return [graph + suffix for graph in graphs for suffix in ("", *_WEIGHTS_SUFFIXES)]


def _is_whole(path: Path) -> bool:
    """Whether a cached snapshot has all that is needed."""
    graph = _find_graph(path)
    return graph is not None and all(file.is_file() for file in (path / TOKENIZER_FILE, *_weights_files(graph)))


def _complete(found: ModelFolder) -> ContextualFolder:
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


# --- what they say -----------------------------------------------------------------------------------

Pooling: TypeAlias = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
"""A way to pool, as sentence-transformers names it."""

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)

# The longest chunk has some 900 tokens. What a model could read beyond costs memory by the square of the length.
MAX_TOKENS = 1_024
_DEFAULT_MAX_TOKENS = 512  # what BERT reads, where no file says how much it is

# Of these, positions are counted from behind the number of the padding token.
_ROBERTA_TYPES = frozenset({"camembert", "longformer", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl", "xmod"})
_PASSAGE_PROMPTS = ("document", "passage", "corpus")  # the names that sentence-transformers tries, in this order
_POOLING_FLAGS: Mapping[str, Pooling] = {  # as versions before 5.4 wrote it: a flag for each
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


class ContextualConfig(Struct, frozen=True):
    """How texts are prepared for the network, and how its output is pooled. Part of the model's identity."""

    max_tokens: int  # read at once, with the marks at the ends of a text
    prompts: Prompts
    is_lowercased: bool
    unknown_token: str | None
    pooling: Pooling | None  # see `Head`


class Head(Struct, frozen=True):
    """What makes a vector of a text of the network's output."""

    pooling: Pooling | None = None  # None where the network's own vectors are those of texts
    layers: tuple[DenseLayer, ...] = ()
    dim: int | None = None  # of the vector, which is cut to it

    @property
    def identity(self) -> tuple[object, ...]:
        """What determines a vector besides the pooling; empty for most models."""
        layers = [
            hashlib.sha256(b"".join(part.tobytes() for part in (layer.weight, layer.bias) if part is not None))
            for layer in self.layers
        ]
        parts = [(each.hexdigest(), layer.activation) for each, layer in zip(layers, self.layers, strict=True)]
        return (*parts, *([] if self.dim is None else [self.dim]))


def read_config(folder: Path, name: str, pooling: Pooling | None) -> ContextualConfig:
    """
    Read the description of the model called *name* in *folder*, which has that *pooling*.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is not what it should be, or asks for what Quarry does not do.
    """
    transformer = read_if_there(folder / "sentence_bert_config.json")
    tokenizer = read_if_there(folder / "tokenizer_config.json")
    retrieval = read_if_there(folder / RETRIEVAL_FILE)
    unknown = tokenizer.get("unk_token")
    if isinstance(unknown, dict):
        unknown = unknown.get("content")
    return ContextualConfig(
        _max_tokens(read_json(folder / CONFIG_FILE, dict), transformer, tokenizer),
        _prompts(retrieval, name),
        transformer.get("do_lower_case") is True,
        unknown if isinstance(unknown, str) else None,
        pooling,
    )


def _max_tokens(config: Mapping[str, Any], transformer: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    """The least of what the files allow; `tokenizer_config.json` may say 1e30, which is no limit."""
    allowed = _count(transformer.get("max_seq_length")) or _count(tokenizer.get("model_max_length"))
    positions = _count(config.get("max_position_embeddings"))
    if positions and config.get("model_type") in _ROBERTA_TYPES:
        padding = config.get("pad_token_id")
        positions -= 1 + (padding if isinstance(padding, int) else 1)
    return min(allowed or positions or _DEFAULT_MAX_TOKENS, positions or MAX_TOKENS, MAX_TOKENS)


def _count(value: object) -> int:
    """*value* as a number of tokens, 0 if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value < math.inf else 0


def _prompts(config: Mapping[str, Any], name: str) -> Prompts:
    """The prompts in *config*, else those that the family of the model called *name* is known for."""
    given = config.get("prompts")
    own = {key: value for key, value in given.items() if isinstance(value, str)} if isinstance(given, dict) else {}
    passage = next((own[key] for key in _PASSAGE_PROMPTS if key in own), "")
    if passage or own.get("query"):
        return Prompts(own.get("query", ""), passage)
    return family_prompts(name)


def read_head(folder: Path, *, is_pooled: bool) -> Head:
    """
    Read what makes a vector of a text of the network's output in *folder*.

    Args:
        is_pooled: Whether its network gives vectors of texts, so that nothing needs to be known of pooling.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is not what it should be, or asks for what Quarry does not do.
        Exception: What safetensors raises.
    """
    retrieval = read_if_there(folder / RETRIEVAL_FILE)
    dim = truncated_dim(retrieval)
    if is_pooled:
        return Head(dim=dim)
    if not (folder / MODULES_FILE).is_file():
        raise ValueError(f"it has no {MODULES_FILE}, so nothing says how the vectors of tokens become that of a text")
    pooling: Pooling | None = None
    places: list[str] = []
    is_normalized = False
    for module in read_modules(folder):
        match module.kind:
            case "Transformer" if not module.place:
                pass
            case "Pooling" if pooling is None and module.place:
                pooling = _pooling(read_json(folder / module.place / CONFIG_FILE, dict))
            case "Dense" if pooling and module.place and not is_normalized and len(places) < _MAX_LAYERS:
                places.append(module.place)
            case "Normalize":
                is_normalized = True
            case "Dropout":  # for training
                pass
            case _:
                raise refused(module.kind)
    if pooling is None:
        raise ValueError(f"its {MODULES_FILE} names no pooling")
    similarity = retrieval.get("similarity_fn_name")
    if similarity not in (None, "cosine") and not is_normalized:
        raise ValueError(f"its vectors are compared by {similarity!r}; Quarry compares by cosine")
    return Head(pooling, tuple(read_layer(folder / place) for place in places), dim)


def _pooling(config: Mapping[str, Any]) -> Pooling:
    modes = config.get("pooling_mode") or [mode for flag, mode in _POOLING_FLAGS.items() if config.get(flag) is True]
    if isinstance(modes, list):
        modes = modes[0] if len(modes) == 1 else modes or "mean"
    if modes not in POOLINGS:
        raise ValueError(f"it pools by {modes!r}; Quarry knows {', '.join(POOLINGS)}")
    if config.get("include_prompt") is False:
        raise ValueError("it leaves prompts out of its pooling, which Quarry does not do")
    return cast("Pooling", modes)

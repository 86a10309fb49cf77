"""
The modules of a sentence-transformers model: what its `modules.json` names, and the layers behind its pooling.

A dense layer multiplies the pooled vector by a matrix; some models (EmbeddingGemma, LEAF) have one or two. A model that
was trained for it (Matryoshka) may say that only the first numbers of a vector are used.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from safetensors import safe_open

MODULES_FILE = "modules.json"
RETRIEVAL_FILE = "config_sentence_transformers.json"
_CONFIG_FILE, _WEIGHTS_FILE = "config.json", "model.safetensors"

_MAX_JSON_BYTES = 16 << 20  # a config with the names of 20,000 classes has 2 MB
MAX_FEATURES = 8_192  # of a vector; the largest models published have 4,096
_MAX_KIND = 100  # characters of the name of a class, which messages repeat
_HEADER_BYTES = 1 << 20  # more than safetensors writes before two tensors
_ACTIVATIONS: Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "torch.nn.modules.linear.Identity": lambda vector: vector,
    "torch.nn.modules.activation.Tanh": np.tanh,
}
_DEFAULT_ACTIVATION = "torch.nn.modules.activation.Tanh"  # where nothing is written

Json = TypeVar("Json", dict[str, Any], list[Any])


def read_json(path: Path, kind: type[Json]) -> Json:
    """
    The JSON in a file, which is to be an object (*kind* is `dict`) or an array (`list`).

    Raises:
        OSError: It cannot be read.
        ValueError: It contains something else.
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


def read_if_there(path: Path) -> dict[str, Any]:
    """The JSON object in a file, empty where there is none; raises as `read_json`."""
    return read_json(path, dict) if path.is_file() else {}


class Module(Struct, frozen=True):
    """An entry of `modules.json`."""

    kind: str  # the name of its class
    place: str  # the folder of its files; "": that of the model


def read_modules(folder: Path) -> list[Module]:
    """
    The modules of the model in *folder*, in order.

    Raises:
        OSError, ValueError: The file cannot be read, or is not what it should be.
    """
    found = []
    for entry in read_json(folder / MODULES_FILE, list):
        if not isinstance(entry, dict) or "type" not in entry:
            raise ValueError(f"its {MODULES_FILE} asks for a nameless module in a way that Quarry does not run")
        kind, place = str(entry["type"]).rpartition(".")[2][:_MAX_KIND], entry.get("path", "")
        if not isinstance(place, str) or not re.fullmatch(r"\w*|\.", place):
            raise refused(kind)
        found.append(Module(kind, "" if place == "." else place))
    return found


def refused(kind: str) -> ValueError:
    """The error for a module that Quarry does not run, or not there."""
    return ValueError(f"its {MODULES_FILE} asks for a {kind} module in a way that Quarry does not run")


def truncated_dim(retrieval: Mapping[str, Any]) -> int | None:
    """How many of the first numbers of a vector are used, by `config_sentence_transformers.json`; None: all."""
    dim = retrieval.get("truncate_dim")
    if dim is None:
        return None
    if isinstance(dim, bool) or not isinstance(dim, int) or not 0 < dim <= MAX_FEATURES:
        raise ValueError(f"its vectors are to be cut to {dim!r} numbers")
    return dim


class DenseLayer(Struct, frozen=True):
    """A dense layer: shapes (out, in) and (out,)."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    activation: str

    def apply(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The layer's output for *vector*, shape (in,)."""
        if len(vector) != self.weight.shape[1]:
            raise ValueError(f"a dense layer of {self.weight.shape[1]} features is given {len(vector)}")
        output = self.weight @ vector
        return _ACTIVATIONS[self.activation](output if self.bias is None else output + self.bias)


def read_layer(folder: Path) -> DenseLayer:
    """
    Read the dense layer in *folder*.

    Raises:
        OSError, ValueError: A file cannot be read, or asks for what Quarry does not do.
        Exception: What safetensors raises.
    """
    config = read_json(folder / _CONFIG_FILE, dict)
    activation = config.get("activation_function", _DEFAULT_ACTIVATION)
    if activation not in _ACTIVATIONS:
        raise ValueError(f"a dense layer has the activation {activation!r}; Quarry knows {', '.join(_ACTIVATIONS)}")
    sizes: tuple[Any, ...] = (config.get("out_features"), config.get("in_features"))
    if not all(type(size) is int and 0 < size <= MAX_FEATURES for size in sizes):
        raise ValueError(f"a dense layer has {sizes[1]!r} features, and {sizes[0]!r} of its output")
    names = {config.get(f"module_{end}_name") or "sentence_embedding" for end in ("input", "output")}
    if config.get("use_residual") or names != {"sentence_embedding"}:
        raise refused("Dense")
    shapes = {"linear.weight": sizes, **({"linear.bias": sizes[:1]} if config.get("bias", True) else {})}
    path = folder / _WEIGHTS_FILE
    if not path.is_file():  # safetensors would wait for a pipe, and all threads with it
        raise ValueError("a dense layer has no file of weights")
    if path.stat().st_size > 8 * (sizes[0] * sizes[1] + sizes[0]) + _HEADER_BYTES:
        raise ValueError(f"the weights of a dense layer have {path.stat().st_size} bytes")
    with safe_open(path, framework="numpy") as file:
        if {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()} != shapes:  # noqa: SIM118
            raise ValueError(f"the weights of a dense layer are not {shapes}")
        weight, *bias = [file.get_tensor(name).astype(np.float32) for name in shapes]
    if not all(np.isfinite(tensor).all() for tensor in (weight, *bias)):
        raise ValueError("the weights of a dense layer are not finite")
    return DenseLayer(weight, bias[0] if bias else None, activation)

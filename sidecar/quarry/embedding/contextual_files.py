"""
Is a named model contextual, and where are its files?

A contextual model is a transformer in the layout of sentence-transformers, with its network as an ONNX graph.
"""

import json
from pathlib import Path
from typing import Any

from quarry.embedding.model_names import BUNDLED_NAME, find_folder
from quarry.errors import ModelMissing

CONFIG_FILE = "config.json"
STATIC_TYPE = "model2vec"  # the `model_type` of a static model


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
        config = read_json(folder.path / CONFIG_FILE)
    except (ModelMissing, OSError, ValueError):
        return False
    model_type = config.get("model_type")
    return isinstance(model_type, str) and model_type != STATIC_TYPE


def read_json(path: Path) -> dict[str, Any]:
    """
    The JSON object in a file.

    Raises:
        OSError: It cannot be read.
        ValueError: It holds something else.
    """
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"its {path.name} does not contain a JSON object")
    return value

"""
Models for these tests.

Static ones: the bundled one, a copy of it to damage, and a tiny one saved by model2vec itself. Contextual ones: one
layer of all-MiniLM-L6-v2 (tests/models), and tiny graphs in which the state of a token is a row of a table.
"""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from model2vec import StaticModel
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

sys.path.insert(0, str(Path(__file__).parent))

from hugging_face_cache import HuggingFaceCache

from quarry.embedding import ContextualEncoder, load_contextual_encoder
from quarry.embedding.model_files import BUNDLED
from quarry.embedding.static import StaticEncoder, load_static_encoder

WORDS = ("[UNK]", "alpha", "beta", "gamma", "delta")

Tensor = NDArray[np.generic]
SaveModel = Callable[..., Path]
SaveGraph = Callable[..., Path]

MINILM_LAYER = Path(__file__).parents[2] / "models" / "minilm-1-layer"
TABLE = np.array([[0, 0], [1, 0], [0, 1], [3, 4], [-1, 0]], np.float32)  # of the words above, in a tiny graph


@pytest.fixture(scope="session")
def bundled() -> StaticEncoder:
    return load_static_encoder()


@pytest.fixture
def bundled_copy(tmp_path: Path) -> Path:
    """The bundled folder, where its bytes may be changed."""
    return Path(shutil.copytree(BUNDLED.path, tmp_path / "copy"))


@pytest.fixture
def save_model(tmp_path: Path) -> SaveModel:
    """Save a model of five words with the given rows, and give its folder."""

    def save(
        rows: Tensor,
        folder: Path = tmp_path / "tiny",
        token_mapping: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> Path:
        tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
        tokenizer.pre_tokenizer = Whitespace()
        StaticModel(rows, tokenizer, token_mapping=token_mapping, weights=weights).save_pretrained(folder)
        return folder

    return save


@pytest.fixture
def cache(tmp_path: Path) -> HuggingFaceCache:
    """An empty one."""
    return HuggingFaceCache(tmp_path / "cache")


@pytest.fixture(scope="session")
def minilm() -> ContextualEncoder:
    encoder = load_contextual_encoder(str(MINILM_LAYER))
    assert encoder is not None
    return encoder


@pytest.fixture
def minilm_copy(tmp_path: Path) -> Path:
    """The folder of `minilm`, where its files may be changed."""
    return Path(shutil.copytree(MINILM_LAYER, tmp_path / "minilm"))


@pytest.fixture
def save_graph(tmp_path: Path) -> SaveGraph:
    """Save a contextual model of the five words, and give its folder."""

    def save(
        folder: Path = tmp_path / "graph",
        *,
        table: Tensor = TABLE,
        graph: str = "onnx/model.onnx",
        inputs: Sequence[str] = ("input_ids", "attention_mask"),
        integer: int = TensorProto.INT64,
        output: str = "last_hidden_state",
        shape: Sequence[str | int] = ("batch", "tokens"),
        pooling: str = "mean",
        **files: object,
    ) -> Path:
        (folder / graph).parent.mkdir(parents=True, exist_ok=True)
        (folder / "1_Pooling").mkdir()
        onnx.save(table_graph(table, inputs, integer, output, shape), folder / graph)
        tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        descriptions: dict[str, object] = {
            "config": {"model_type": "bert", "max_position_embeddings": 8},
            "tokenizer_config": {"unk_token": WORDS[0]},
            "modules": [
                {"type": "sentence_transformers.models.Transformer", "path": ""},
                {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
            ],
            "1_Pooling/config": {"pooling_mode": pooling},
        }
        for name, description in (descriptions | files).items():
            if description is not None:
                (folder / f"{name}.json").write_text(json.dumps(description), encoding="utf-8")
        return folder

    return save


def table_graph(
    table: Tensor, inputs: Sequence[str], integer: int, output: str, shape: Sequence[str | int]
) -> onnx.ModelProto:
    """A graph that looks up the row of each token; an output called `sentence_embedding` is that of the first alone."""
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if output == "sentence_embedding":
        nodes.append(helper.make_node("Gather", ["rows", "first"], [output], axis=1))
    else:
        nodes.append(helper.make_node("Identity", ["rows"], [output]))
    sizes = [shape[0], table.shape[1]] if output == "sentence_embedding" else [*shape, table.shape[1]]
    kind = helper.np_dtype_to_tensor_dtype(table.dtype)
    graph = helper.make_graph(
        nodes,
        "table",
        [helper.make_tensor_value_info(name, integer, list(shape)) for name in inputs],
        [helper.make_tensor_value_info(output, kind, sizes)],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array(0), "first")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

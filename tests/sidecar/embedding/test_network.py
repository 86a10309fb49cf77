from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from quarry.embedding.network import Network

SaveGraph = Callable[..., Path]
IDS = [3, 1, 3]


def load(folder: Path) -> Network:
    return Network(folder / "onnx" / "model.onnx")


@pytest.mark.parametrize("integer", [TensorProto.INT32, TensorProto.INT64])
@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_a_graph_is_given_the_inputs_it_wants(save_graph: SaveGraph, integer: int, inputs: tuple[str, ...]) -> None:
    network = load(save_graph(integer=integer, inputs=inputs))

    assert network.run(IDS).tolist() == [[3, 4], [1, 0], [3, 4]]
    assert not network.is_pooled


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings", "states"])
def test_the_states_of_tokens_are_found_under_any_name(save_graph: SaveGraph, output: str) -> None:
    assert load(save_graph(output=output)).run(IDS).shape == (3, 2)


def test_a_graph_may_pool_by_itself(save_graph: SaveGraph) -> None:
    network = load(save_graph(output="sentence_embedding"))

    assert network.is_pooled
    assert network.run(IDS).tolist() == [[3, 4]]


def test_half_precision_is_widened(save_graph: SaveGraph) -> None:
    states = load(save_graph(table=np.ones((5, 2), np.float16))).run(IDS)

    assert states.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"inputs": ("input_ids", "past_key_values")}, "an input that Quarry does not have: past_key_values"),
        ({"shape": ("batch", 128)}, "texts of one length only"),
        ({"inputs": ("input_ids", "attention_mask"), "shape": ("tokens",)}, "texts of one length only"),
    ],
)
def test_a_graph_of_another_kind_is_refused(save_graph: SaveGraph, options: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        load(save_graph(**options))

"""
Writes BERT as an ONNX graph: token ids in, one vector a token out, with the inputs and the output of Optimum's exports.

The graph is put together node by node and not traced by torch, whose export is another one with every version: from the
same weights come the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
OPSET = 20  # the first with GELU; LayerNormalization came with 17
IR_VERSION = 10

Weights = Mapping[str, NDArray[np.float32]]
"""By names as in BERT of `transformers`, without its pooler: `embeddings.LayerNorm.bias`, `encoder.layer.0.…`"""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the shapes of the weights do not tell."""

    layers: int
    heads: int
    epsilon: float


def bert_graph(weights: Weights, shape: Shape, *, is_quantized: bool = False) -> ModelProto:
    """
    BERT with *weights*.

    Args:
        is_quantized: Store matrices in int8 with a scale for each row or column, a quarter of the size. The runtime
            turns them into float32 when the graph is loaded; it computes in that either way.
    """
    writer = _Writer(weights, is_quantized)
    states = writer.embeddings(shape)
    mask = writer.mask()
    for number in range(shape.layers):
        states = writer.layer(states, mask, f"encoder.layer.{number}", shape)
    writer.nodes[-1].output[0] = OUTPUT
    dims = ["batch_size", "sequence_length"]
    width = weights["embeddings.LayerNorm.bias"].shape[0]
    graph = helper.make_graph(
        writer.nodes,
        "bert",
        [helper.make_tensor_value_info(name, TensorProto.INT64, dims) for name in INPUTS],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [*dims, width])],
        writer.tensors,
    )
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION, producer_name="quarry")


class _Writer:
    """Collects the nodes and weights of one graph; a value in it is known by its name."""

    def __init__(self, weights: Weights, is_quantized: bool) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []
        self._weights = weights
        self._is_quantized = is_quantized

    def embeddings(self, shape: Shape) -> str:
        """The sum of what each token, its place and its segment mean."""
        length = self._node("Shape", "input_ids", start=1, end=2)
        last = self._node("Squeeze", length, self._constant("axis_0", np.array([0], np.int64)))
        places = self._node("Range", self._constant("zero", np.int64(0)), last, self._constant("one", np.int64(1)))
        tokens = self._node("Gather", self._matrix("embeddings.word_embeddings.weight", axis=0), "input_ids")
        segments = self._node("Gather", self._float("embeddings.token_type_embeddings.weight"), "token_type_ids")
        positions = self._node("Gather", self._float("embeddings.position_embeddings.weight"), places)
        summed = self._node("Add", self._node("Add", tokens, segments), positions)
        return self._normed(summed, "embeddings.LayerNorm", shape.epsilon)

    def mask(self) -> str:
        """What is added to a score of attention: nothing, or so much for padding that nothing is left of it."""
        is_text = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        is_padding = self._node("Sub", self._constant("one_float", np.float32(1)), is_text)
        scores = self._node("Mul", is_padding, self._constant("lowest", np.finfo(np.float32).min))
        return self._node("Unsqueeze", scores, self._constant("axes_1_2", np.array([1, 2], np.int64)))

    def layer(self, states: str, mask: str, name: str, shape: Shape) -> str:
        """Attention, then the network of two layers, each added to its input."""
        width = self._weights[f"{name}.attention.self.query.bias"].shape[0]
        scale = self._constant("head_scale", np.float32(1 / np.sqrt(width // shape.heads)))
        query, key, value = (
            self._heads(
                self._linear(states, f"{name}.attention.self.{part}"), shape.heads, width, flipped=part == "key"
            )
            for part in ("query", "key", "value")
        )
        scores = self._node("Add", self._node("Mul", self._node("MatMul", query, key), scale), mask)
        mixed = self._node("MatMul", self._node("Softmax", scores, axis=-1), value)
        joined = self._node("Transpose", mixed, perm=[0, 2, 1, 3])
        joined = self._node("Reshape", joined, self._constant("joined", np.array([0, 0, width], np.int64)))
        attended = self._node("Add", self._linear(joined, f"{name}.attention.output.dense"), states)
        states = self._normed(attended, f"{name}.attention.output.LayerNorm", shape.epsilon)
        inner = self._node("Gelu", self._linear(states, f"{name}.intermediate.dense"))
        outer = self._node("Add", self._linear(inner, f"{name}.output.dense"), states)
        return self._normed(outer, f"{name}.output.LayerNorm", shape.epsilon)

    def _heads(self, states: str, heads: int, width: int, *, flipped: bool) -> str:
        sizes = self._constant("heads", np.array([0, 0, heads, width // heads], np.int64))
        return self._node(
            "Transpose", self._node("Reshape", states, sizes), perm=[0, 2, 3, 1] if flipped else [0, 2, 1, 3]
        )

    def _linear(self, states: str, name: str) -> str:
        product = self._node("MatMul", states, self._matrix(f"{name}.weight", axis=1, transposed=True))
        return self._node("Add", product, self._float(f"{name}.bias"))

    def _normed(self, states: str, name: str, epsilon: float) -> str:
        inputs = (states, self._float(f"{name}.weight"), self._float(f"{name}.bias"))
        return self._node("LayerNormalization", *inputs, axis=-1, epsilon=epsilon)

    def _node(self, operator: str, *inputs: str, **attributes: object) -> str:
        output = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def _matrix(self, name: str, *, axis: int, transposed: bool = False) -> str:
        """A matrix of weights, with a scale for each place on *axis* if it is to be small."""
        matrix = self._weights[name].T if transposed else self._weights[name]
        if not self._is_quantized:
            return self._constant(name, np.ascontiguousarray(matrix))
        scales = np.abs(matrix).max(axis=1 - axis) / 127
        scales[scales == 0] = 1
        whole = np.rint(matrix / np.expand_dims(scales, 1 - axis)).astype(np.int8)
        inputs = (self._constant(name, whole), self._constant(f"{name}.scale", scales.astype(np.float32)))
        return self._node("DequantizeLinear", *inputs, axis=axis)

    def _float(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        if all(tensor.name != name for tensor in self.tensors):
            self.tensors.append(numpy_helper.from_array(np.asarray(value), name))
        return name

"""
A transformer's network as an ONNX graph, run by ONNX Runtime on the processor, one text at a time.

One at a time there is no padding, so what comes out of a text does not depend on the texts beside it, even where a
quantised graph scales its numbers by the largest of all. It is also the fastest: for passages of some 150 tokens,
batches of 8 and 32 take 1.1 and 1.6 times the CPU time (all-MiniLM-L6-v2, sorted by length, one thread).
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quarry.embedding.encoder import FloatMatrix

_TYPES: dict[str, type[np.signedinteger]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_POOLED = "sentence_embedding"  # as Optimum names the output of a whole sentence-transformers model
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_MATRIX_RANK, _TOKENS_RANK = 2, 3  # texts by dimensions, texts by tokens by dimensions
_FATAL = 4  # the only messages that ONNX Runtime prints; the others come with its exceptions


class Network:
    """A graph that is ready to run. Safe to share between threads."""

    def __init__(self, graph: Path) -> None:
        """
        Load *graph* and the weights beside it.

        Raises:
            ImportError: ONNX Runtime is not installed.
            ValueError: The graph has inputs or outputs that no text encoder has.
            Exception: ONNX Runtime refuses the graph.
        """
        import onnxruntime  # type: ignore[import-untyped]

        onnxruntime.disable_telemetry_events()  # which its builds for Windows have
        options = onnxruntime.SessionOptions()
        # Half of the cores: searches go on while vectors are made. Idle threads are not to spin in wait of the next.
        options.intra_op_num_threads = max(1, (os.cpu_count() or 1) // 2)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_mem_pattern = False  # which is for texts of one length
        options.log_severity_level = _FATAL
        self._session: Any = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._types = {wanted.name: _input_type(wanted) for wanted in self._session.get_inputs()}
        if "input_ids" not in self._types:
            raise ValueError("its graph does not read token ids")
        self._output, self.is_pooled = _output(self._session.get_outputs())

    def run(self, token_ids: Sequence[int]) -> FloatMatrix:
        """
        Run the network over one text.

        Returns:
            float32, shape (len(token_ids), dim), or (1, dim) where `is_pooled`: the vector of the text.

        Raises:
            Exception: ONNX Runtime cannot run it.
        """
        values = {
            "input_ids": token_ids,
            "attention_mask": np.ones(len(token_ids)),
            "token_type_ids": np.zeros(len(token_ids)),
        }
        inputs = {name: np.array([values[name]], dtype) for name, dtype in self._types.items()}
        [output] = self._session.run([self._output], inputs)
        return np.asarray(output if self.is_pooled else output[0], np.float32)


def _input_type(wanted: Any) -> type[np.signedinteger]:
    """The type of the numbers that an input of a graph takes, if it is one that a text encoder has."""
    if wanted.name not in {"input_ids", "attention_mask", "token_type_ids"} or wanted.type not in _TYPES:
        raise ValueError(f"its graph wants an input that Quarry does not have: {wanted.name}, {wanted.type}")
    if len(wanted.shape) != _MATRIX_RANK or isinstance(wanted.shape[1], int):
        raise ValueError(f"its graph reads texts of one length only: the shape of {wanted.name} is {wanted.shape}")
    return _TYPES[wanted.type]


def _output(outputs: Sequence[Any]) -> tuple[str, bool]:
    """The output to read, and whether it is the vector of the text and not those of its tokens."""
    ranks = {output.name: len(output.shape) for output in outputs}
    if ranks.get(_POOLED) == _MATRIX_RANK:
        return _POOLED, True
    names = [name for name in (*_TOKEN_OUTPUTS, *ranks) if ranks.get(name) == _TOKENS_RANK]
    if not names:
        raise ValueError(f"its graph gives no vectors of tokens, only {', '.join(ranks)}")
    return names[0], False

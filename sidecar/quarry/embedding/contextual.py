"""
A transformer as an encoder: it reads a text as a whole, and so tells apart what its words mean in it.

Its network, an ONNX graph, runs on the processor, one text at a time. So there is no padding, and the vector of a text
does not depend on the texts beside it, even where a quantised graph scales its numbers by the largest of all. It is
also the fastest: for passages of some 150 tokens, batches of 8 and 32 take 1.1 and 1.6 times the CPU time
(all-MiniLM-L6-v2, sorted by length, one thread).

A text that is longer than what the network reads at once is read in windows. Each begins with the prompt and the head
of the text, as a passage begins with its title and heading, without which the rest says less. Windows overlap, so that
the end of one is read in its context by the next. Each is marked at both ends as a text of its own.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from quarry.embedding.contextual_files import (
    ContextualConfig,
    ContextualFolder,
    Head,
    Pooling,
    find_contextual,
    hash_contextual,
    read_config,
    read_head,
)
from quarry.embedding.encoder import ContextualEncoder, Fingerprint, Fingerprinted, FloatMatrix, FloatVector
from quarry.embedding.tokens import MAX_TEXT_CHARS, encodable
from quarry.errors import ModelDamaged, ModelMissing

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
        onnxruntime = _onnxruntime()
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


def _onnxruntime() -> Any:
    """ONNX Runtime, which an extra installs; raises ImportError where it is not."""
    import onnxruntime  # type: ignore[import-untyped]

    return onnxruntime


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


OVERLAP = 1 / 8  # of a window's own tokens
# Repeated in every window: nDCG@10 by meaning is .733 with it, .693 without, .727 with the first window alone
# (anthropic-docs, all-MiniLM-L6-v2; decision 018).
HEAD_TOKENS = 32
MAX_HEAD = 1 / 4  # of a window


class WindowTokenizer:
    """Turns texts into windows of token ids. Safe to share between threads."""

    def __init__(self, tokenizer: Tokenizer, config: ContextualConfig) -> None:
        """
        Take a *tokenizer*, whose truncation and padding are turned off here.

        Raises:
            ValueError: The marks and prompts of the model leave no room for a text.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._config = config
        self._unknown_id = None if config.unknown_token is None else tokenizer.token_to_id(config.unknown_token)
        self._before, self._after = _marks(tokenizer)
        for prompt in (config.prompts.query, config.prompts.passage):
            if self._room(self._read("a", prompt)[0]) < 1:
                raise ValueError(f"of {config.max_tokens} tokens its prompt {prompt!r} leaves none for a text")

    @property
    def vocabulary_size(self) -> int:
        """The number of tokens it knows."""
        return self._tokenizer.get_vocab_size()

    def passage(self, text: str) -> list[list[int]]:
        """The windows of a passage, as many tokens in each; none if *text* has no token that the model knows."""
        prompt_ids, ids = self._read(text, self._config.prompts.passage)
        room = self._room(prompt_ids)
        if self._is_unknown(ids):
            return []
        if len(ids) <= room:
            return [self._marked(prompt_ids, ids)]
        cut = min(HEAD_TOKENS, int(room * MAX_HEAD))
        head, rest = ids[:cut], ids[cut:]
        return [self._marked(prompt_ids, [*head, *window]) for window in split_evenly(rest, room - cut)]

    def query(self, text: str) -> list[int]:
        """The first window of a query; empty if *text* has no token that the model knows."""
        prompt_ids, ids = self._read(text, self._config.prompts.query)
        return [] if self._is_unknown(ids) else self._marked(prompt_ids, ids[: self._room(prompt_ids)])

    def any_window(self, text: str) -> list[int]:
        """A window of *text*, even if none of its tokens is known: to try a network on."""
        prompt_ids, ids = self._read(text, self._config.prompts.passage)
        return self._marked(prompt_ids, ids[: self._room(prompt_ids)])

    def _read(self, text: str, prompt: str) -> tuple[list[int], list[int]]:
        """The token ids of *prompt*, and those of *text* behind it."""
        text = encodable(text[:MAX_TEXT_CHARS])
        whole = prompt + (text.lower() if self._config.is_lowercased else text)
        encoding = self._tokenizer.encode(whole, add_special_tokens=False)
        # They are read together, as a space between them may belong to either.
        prompt_end = len(prompt.rstrip())
        cut = sum(start < prompt_end for start, _ in encoding.offsets)
        return encoding.ids[:cut], encoding.ids[cut:]

    def _is_unknown(self, ids: Sequence[int]) -> bool:
        return all(token_id == self._unknown_id for token_id in ids)

    def _room(self, prompt_ids: Sequence[int]) -> int:
        return self._config.max_tokens - len(self._before) - len(prompt_ids) - len(self._after)

    def _marked(self, prompt_ids: Sequence[int], ids: Sequence[int]) -> list[int]:
        return [*self._before, *prompt_ids, *ids, *self._after]


def split_evenly(ids: Sequence[int], room: int) -> list[Sequence[int]]:
    """
    Split *ids* into as few windows of at most *room* as overlap by OVERLAP, all of one length, give or take a few.

    So each of them counts the same in the mean, and none is a rest of a few words.
    """
    if len(ids) <= room:
        return [ids]
    overlap = int(room * OVERLAP)
    count = -(-(len(ids) - overlap) // (room - overlap))
    step = -(-(len(ids) - overlap) // count)
    return [ids[start : start + step + overlap] for start in range(0, step * count, step)]


def _marks(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The token ids that *tokenizer* puts before and after every text."""
    encoding = tokenizer.encode("a")
    is_mark = encoding.special_tokens_mask
    first, last = is_mark.index(0), len(is_mark) - is_mark[::-1].index(0)
    return encoding.ids[:first], encoding.ids[last:]


def pool(states: FloatMatrix, pooling: Pooling) -> FloatVector:
    """
    Pool *states*, shape (token count, dim), of at least one token.

    Returns:
        float32, shape (dim,), of any length: all are compared by their direction, in which `mean_sqrt_len_tokens` is
        `mean`.
    """
    match pooling:
        case "cls":
            vector = states[0]
        case "lasttoken":
            vector = states[-1]
        case "max":
            vector = states.max(axis=0)
        case "mean" | "mean_sqrt_len_tokens":
            vector = states.mean(axis=0)
        case "weightedmean":  # later tokens have read more: Muennighoff, SGPT, https://arxiv.org/abs/2202.08904
            weights = np.arange(1, len(states) + 1, dtype=np.float32)
            vector = weights @ states / weights.sum()
    return np.asarray(vector, np.float32)


# --- texts to vectors -------------------------------------------------------------------------------

# Latin, CJK, an emoji and a letter no vocabulary has: what a broken model fails on, it fails on at loading.
_PROBE = "Quarry finds notes 笔记 💡 ꙮ"


class TransformerEncoder(Fingerprinted):
    """
    A transformer in ONNX as a `ContextualEncoder`.

    The bytes of a row are the same whatever other texts are embedded with it. They depend on the processor and the
    version of ONNX Runtime in their last digits.
    """

    trouble = None  # what it needs is in this process

    def __init__(
        self,
        network: Network,
        tokenizer: WindowTokenizer,
        head: Head,
        name: str,
        weights_sha256: str,
    ) -> None:
        """
        Take the parts of a model.

        Raises:
            ModelDamaged: They do not give vectors.
        """
        self._network = network
        self._tokenizer = tokenizer
        self._head = head
        self._name = name
        dim = len(self._window_vector(tokenizer.any_window(_PROBE)))
        self._fingerprint = Fingerprint(name, tokenizer.vocabulary_size, dim, weights_sha256)

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """See `ContextualEncoder`; *check* is called before each window, whose mean is the vector of a text."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._mean(self._tokenizer.passage(text), check)
        return rows

    def encode_query(self, text: str) -> FloatVector:
        """See `ContextualEncoder`; of a query longer than one window, the first is read."""
        window = self._tokenizer.query(text)
        return self._mean([window] if window else [])

    def _mean(self, windows: Iterable[Sequence[int]], check: Callable[[], None] = lambda: None) -> FloatVector:
        total = np.zeros(self.dim, np.float64)
        for window in windows:
            check()
            total += self._window_vector(window)
        return _unit(total)

    def _window_vector(self, window: Sequence[int]) -> FloatVector:
        """The unit vector of one window."""
        try:
            states = self._network.run(window)
        except Exception as error:  # ONNX Runtime's own, which have no common base class
            raise ModelDamaged(
                f"the embedding model {self._name!r} failed on a text of {len(window)} tokens ({error})"
            ) from error
        vector = states[0] if self._head.pooling is None else pool(states, self._head.pooling)
        for layer in self._head.layers:
            vector = layer.apply(vector)
        vector = vector[: self._head.dim]
        if not np.isfinite(vector).all():
            raise ModelDamaged(f"the embedding model {self._name!r} gave a vector with numbers that are not finite")
        return _unit(vector)


def load_transformer(name: str) -> ContextualEncoder:
    """
    Load the transformer called *name*.

    Only a Hugging Face name that is not in its cache opens a connection. Takes .3 s for 90 MB of weights.

    Raises:
        ModelMissing: Files are missing, the download failed, or the extra that runs such models is not installed.
        ModelDamaged: Its files are there but are not a whole model, or not one that Quarry can run.
    """
    try:  # before anything is downloaded
        _onnxruntime()
    except ImportError as error:
        raise ModelMissing(
            f"the embedding model {name!r} is a transformer, and what runs one cannot be imported ({error}); install "
            'it with `uv tool install --force "./sidecar[transformer]"` in a copy of the repository'
        ) from error
    folder = find_contextual(name)
    try:
        return _open(folder)
    except ModelMissing:
        raise
    except Exception as error:  # ONNX Runtime, tokenizers and json each raise their own, some bare
        raise ModelDamaged(
            f"the files in {str(folder.path)!r} are not an embedding model that Quarry can run ({error}); "
            f"{folder.way_out}"
        ) from error


def _open(folder: ContextualFolder) -> TransformerEncoder:
    """Read the files in *folder*, which are known to exist."""
    network = Network(folder.graph)
    head = read_head(folder.path, is_pooled=network.is_pooled)
    config = read_config(folder.path, folder.name, head.pooling)
    weights_sha256 = hash_contextual(folder, (config, OVERLAP, HEAD_TOKENS, *head.identity))
    tokenizer = WindowTokenizer(Tokenizer.from_file(str(folder.tokenizer)), config)
    return TransformerEncoder(network, tokenizer, head, folder.name, weights_sha256)


def _unit(vector: NDArray[np.floating]) -> FloatVector:
    """*vector* scaled to unit length; a zero vector stays."""
    length = np.sqrt(np.square(vector, dtype=np.float64).sum())
    return np.asarray(vector if length == 0 else vector / length, np.float32)

"""How do the files of a contextual model say that a text becomes a vector?"""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from quarry.embedding.contextual_files import CONFIG_FILE, read_json
from quarry.embedding.pooling import POOLINGS, Pooling

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


class Prompts(Struct, frozen=True):
    """The prefixes that a model expects before a query and before a passage."""

    query: str = ""
    passage: str = ""


# What model cards ask for and the repositories' files do not say, by the names of the models.
_FAMILY_PROMPTS: tuple[tuple[re.Pattern[str], Prompts], ...] = (
    # https://huggingface.co/intfloat/multilingual-e5-small; its -instruct models have their own, in their files
    (re.compile(r"(?<![a-z])e5-(small|base|large)(?!.*instruct)"), Prompts("query: ", "passage: ")),
    # https://huggingface.co/BAAI/bge-small-en-v1.5 and bge-small-zh-v1.5
    (re.compile(r"bge-(small|base|large)-en"), Prompts("Represent this sentence for searching relevant passages: ")),
    (re.compile(r"bge-(small|base|large)-zh"), Prompts("为这个句子生成表示以用于检索相关文章：")),
    # https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
    (re.compile(r"nomic-embed-text"), Prompts("search_query: ", "search_document: ")),
)


class ContextualConfig(Struct, frozen=True):
    """How texts are prepared for the network, and how its output is pooled. Part of the model's identity."""

    max_tokens: int  # read at once, with the marks at the ends of a text
    prompts: Prompts
    is_lowercased: bool
    unknown_token: str | None
    pooling: Pooling | None  # None where the network's own vectors are those of texts


def read_config(folder: Path, name: str, *, is_pooled: bool) -> ContextualConfig:
    """
    Read the description of the model called *name* in *folder*.

    Args:
        is_pooled: Whether its network gives vectors of texts, so that nothing needs to be known of pooling.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is not what it should be, or asks for what Quarry does not do.
    """
    transformer = _read_if_there(folder / "sentence_bert_config.json")
    tokenizer = _read_if_there(folder / "tokenizer_config.json")
    retrieval = _read_if_there(folder / "config_sentence_transformers.json")
    unknown = tokenizer.get("unk_token")
    if isinstance(unknown, dict):
        unknown = unknown.get("content")
    return ContextualConfig(
        _max_tokens(read_json(folder / CONFIG_FILE, dict), transformer, tokenizer),
        _prompts(retrieval, name),
        transformer.get("do_lower_case") is True,
        unknown if isinstance(unknown, str) else None,
        None if is_pooled else _read_pooling(folder, retrieval.get("similarity_fn_name")),
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
    family = name.lower().rpartition("/")[2]
    return next((prompts for pattern, prompts in _FAMILY_PROMPTS if pattern.search(family)), Prompts())


def _read_pooling(folder: Path, similarity: object) -> Pooling:
    """
    The pooling that `modules.json` names.

    Args:
        similarity: What the model's vectors are compared by, if its files say so.

    Raises:
        ValueError: There is none, or it is followed by what Quarry does not do.
    """
    path = folder / "modules.json"
    if not path.is_file():
        raise ValueError("it has no modules.json, so nothing says how the vectors of tokens become that of a text")
    pooling: Pooling | None = None
    is_normalized = False
    for module in read_json(path, list):
        kind = str(module["type"]).rpartition(".")[2] if isinstance(module, dict) and "type" in module else "nameless"
        match kind, module.get("path", "") if isinstance(module, dict) else None:
            case "Transformer", "":
                pass
            case "Pooling", str(place) if pooling is None and re.fullmatch(r"\w+", place):
                pooling = _pooling(read_json(folder / place / CONFIG_FILE, dict))
            case "Normalize", _:
                is_normalized = True
            case "Dropout", _:  # for training
                pass
            case _:
                raise ValueError(f"its modules.json asks for a {kind} module in a way that Quarry does not run")
    if pooling is None:
        raise ValueError("its modules.json names no pooling")
    if similarity not in (None, "cosine") and not is_normalized:
        raise ValueError(f"its vectors are compared by {similarity!r}; Quarry compares by cosine")
    return pooling


def _pooling(config: Mapping[str, Any]) -> Pooling:
    modes = config.get("pooling_mode") or [mode for flag, mode in _POOLING_FLAGS.items() if config.get(flag) is True]
    if isinstance(modes, list):
        modes = modes[0] if len(modes) == 1 else modes or "mean"
    if modes not in POOLINGS:
        raise ValueError(f"it pools by {modes!r}; Quarry knows {', '.join(POOLINGS)}")
    if config.get("include_prompt") is False:
        raise ValueError("it leaves prompts out of its pooling, which Quarry does not do")
    return cast("Pooling", modes)


def _read_if_there(path: Path) -> dict[str, Any]:
    return read_json(path, dict) if path.is_file() else {}

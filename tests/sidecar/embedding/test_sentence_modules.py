"""Dense layers behind the pooling, vectors that are cut, and static models in the layout of sentence-transformers."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from quarry.embedding import ContextualEncoder, Encoder, load_contextual_encoder, load_encoder
from quarry.errors import ModelDamaged, ModelMissing

TRANSFORMER = {"type": "sentence_transformers.models.Transformer", "path": ""}
POOLING = {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}
TANH, IDENTITY = "torch.nn.modules.activation.Tanh", "torch.nn.modules.linear.Identity"
WIDE = np.array([[1, 2], [0, -1], [0.5, 0]], np.float32)  # two features to three
BIAS = np.array([0.1, 0, -0.2], np.float32)
NARROW = np.array([[1, 0, -1], [2, 1, 0]], np.float32)

WORDS = ("[UNK]", "alpha", "beta", "gamma", "delta")
TABLE = np.array([[0, 0], [1, 0], [0, 1], [3, 4], [-1, 0]], np.float32)  # their rows, as `save_graph` writes them

Rows = NDArray[np.float32]
SaveGraph = Callable[..., Path]


def dense(folder: Path, place: str, tensors: dict[str, Any], **config: object) -> dict[str, str]:
    """Write a dense layer below *folder*; gives its entry in `modules.json`."""
    (folder / place).mkdir(parents=True, exist_ok=True)
    out_features, in_features = tensors["linear.weight"].shape
    own = {"in_features": in_features, "out_features": out_features, "bias": "linear.bias" in tensors}
    (folder / place / "config.json").write_text(json.dumps(own | config), encoding="utf-8")
    save_file(
        {name: np.ascontiguousarray(part) for name, part in tensors.items()}, folder / place / "model.safetensors"
    )
    return {"type": "sentence_transformers.models.Dense", "path": place}


def load(folder: Path) -> ContextualEncoder:
    encoder = load_contextual_encoder(str(folder))
    assert encoder is not None
    return encoder


def unit(vector: Rows) -> Rows:
    return vector / np.linalg.norm(vector)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return tmp_path / "graph"


@pytest.fixture
def two_layers(save_graph: SaveGraph, graph: Path) -> Path:
    """A model with two dense layers, as EmbeddingGemma has them."""
    layers = [
        dense(graph, "2_Dense", {"linear.weight": WIDE, "linear.bias": BIAS}, activation_function=TANH),
        dense(graph, "3_Dense", {"linear.weight": NARROW}, activation_function=IDENTITY),
    ]
    normalize = {"type": "sentence_transformers.models.Normalize", "path": "4_Normalize"}
    return save_graph(modules=[TRANSFORMER, POOLING, *layers, normalize])


def test_dense_layers_follow_the_pooling(two_layers: Path):
    encoder = load(two_layers)

    rows = encoder.encode_passages(["alpha gamma", "delta"])

    pooled = [TABLE[[1, 3]].mean(axis=0), TABLE[4]]
    expected = [unit(NARROW @ np.tanh(WIDE @ vector + BIAS)) for vector in pooled]
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    assert (encoder.dim, encoder.encode_query("delta").shape) == (2, (2,))


def test_the_activation_is_tanh_where_nothing_is_written(save_graph: SaveGraph, graph: Path):
    layer = dense(graph, "2_Dense", {"linear.weight": NARROW[:, :2]})

    encoder = load(save_graph(modules=[TRANSFORMER, POOLING, layer]))

    np.testing.assert_allclose(encoder.encode_query("gamma"), unit(np.tanh(NARROW[:, :2] @ TABLE[3])), atol=1e-6)


def test_a_graph_that_gives_vectors_of_texts_has_its_layers_inside(save_graph: SaveGraph, two_layers: Path):
    encoder = load(save_graph(two_layers.with_name("pooled"), output="sentence_embedding", modules=None))

    np.testing.assert_allclose(encoder.encode_query("gamma"), unit(TABLE[3]), atol=1e-6)


def test_vectors_are_cut_where_the_files_say_so(save_graph: SaveGraph, graph: Path):
    layer = dense(graph, "2_Dense", {"linear.weight": WIDE}, activation_function=IDENTITY)

    encoder = load(save_graph(modules=[TRANSFORMER, POOLING, layer], config_sentence_transformers={"truncate_dim": 2}))

    assert encoder.dim == 2
    np.testing.assert_allclose(encoder.encode_query("gamma"), unit((WIDE @ TABLE[3])[:2]), atol=1e-6)


def test_whatever_decides_a_vector_is_part_of_the_fingerprint(two_layers: Path):
    hashes = [load(two_layers).fingerprint.weights_sha256]
    for change in (
        lambda: dense(two_layers, "3_Dense", {"linear.weight": -NARROW}, activation_function=IDENTITY),
        lambda: dense(two_layers, "3_Dense", {"linear.weight": -NARROW}, activation_function=TANH),
        lambda: dense(two_layers, "2_Dense", {"linear.weight": WIDE}, activation_function=TANH),
        lambda: (two_layers / "config_sentence_transformers.json").write_text('{"truncate_dim": 1}', "utf-8"),
    ):
        change()
        hashes.append(load(two_layers).fingerprint.weights_sha256)

    assert len(set(hashes)) == len(hashes)
    (two_layers / "2_Dense" / "config.json").write_text(
        json.dumps({"comment": "x", "in_features": 2, "out_features": 3, "bias": False, "activation_function": TANH})
    )
    assert load(two_layers).fingerprint.weights_sha256 == hashes[-1]


@pytest.mark.parametrize(
    ("tensors", "config", "reason"),
    [
        (
            {},
            {"activation_function": "torch.nn.modules.activation.GELU"},
            "activation 'torch.nn.modules.activation.GELU'",
        ),
        ({}, {"activation_function": "os.system"}, "activation 'os.system'"),
        ({}, {"in_features": 3}, "weights of a dense layer are not"),
        ({}, {"in_features": 9_000}, "9000 features"),
        ({}, {"out_features": "2"}, "'2' of its output"),
        ({}, {"bias": True}, "weights of a dense layer are not"),
        ({}, {"use_residual": True}, "a Dense module"),
        ({}, {"module_input_name": "token_embeddings"}, "a Dense module"),
        ({"residual.weight": WIDE}, {}, "weights of a dense layer are not"),
        ({"linear.weight": np.full((2, 2), np.nan, np.float32)}, {}, "not finite"),
        ({"linear.weight": np.zeros((2, 3), np.float32)}, {}, "is given 2"),
    ],
)
def test_a_layer_that_quarry_does_not_run_is_refused(
    save_graph: SaveGraph, graph: Path, tensors: dict[str, Rows], config: dict[str, object], reason: str
):
    layer = dense(graph, "2_Dense", {"linear.weight": NARROW[:, :2], **tensors}, **config)

    with pytest.raises(ModelDamaged, match=reason):
        load(save_graph(modules=[TRANSFORMER, POOLING, layer]))


def test_more_layers_than_any_model_has_are_refused(save_graph: SaveGraph, graph: Path):
    layer = dense(graph, "2_Dense", {"linear.weight": NARROW[:, :2]})

    with pytest.raises(ModelDamaged, match="a Dense module"):
        load(save_graph(modules=[TRANSFORMER, POOLING, *[layer] * 5]))


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe in a folder")
def test_a_pipe_in_place_of_weights_is_not_waited_for(save_graph: SaveGraph, graph: Path):
    layer = dense(graph, "2_Dense", {"linear.weight": NARROW[:, :2]})
    weights = graph / "2_Dense" / "model.safetensors"
    weights.unlink()
    os.mkfifo(weights)

    with pytest.raises(ModelDamaged, match="no file of weights"):
        load(save_graph(modules=[TRANSFORMER, POOLING, layer]))


def test_weights_that_are_no_safetensors_are_not_opened(save_graph: SaveGraph, graph: Path):
    layer = dense(graph, "2_Dense", {"linear.weight": NARROW[:, :2]})
    weights = graph / "2_Dense" / "model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))

    with pytest.raises(ModelDamaged, match="no file of weights"):
        load(save_graph(modules=[TRANSFORMER, POOLING, layer]))
    weights.write_bytes(bytes(4 << 20))
    with pytest.raises(ModelDamaged, match="have 4194304 bytes"):
        load(graph)


# --- static models -------------------------------------------------------------------------------


def save_static(
    folder: Path,
    place: str = "",
    rows: Rows = TABLE,
    modules: tuple[str, ...] = ("StaticEmbedding",),
    **retrieval: object,
) -> Path:
    """Write a static model of the five words as sentence-transformers does; before version 5, *place* had a name."""
    folder.mkdir(parents=True)
    (folder / place).mkdir(exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / place / "tokenizer.json"))
    save_file({"embedding.weight": rows}, folder / place / "model.safetensors")
    entries = [
        {"type": f"sentence_transformers.models.{kind}", "path": f"{n}_{kind}"} for n, kind in enumerate(modules)
    ]
    entries[0]["path"] = place
    (folder / "modules.json").write_text(json.dumps(entries), encoding="utf-8")
    (folder / "config_sentence_transformers.json").write_text(json.dumps(retrieval), encoding="utf-8")
    return folder


def is_static(folder: Path) -> Encoder:
    """The static model in *folder*."""
    assert load_contextual_encoder(str(folder)) is None
    return load_encoder(str(folder))


@pytest.mark.parametrize("place", ["", "0_StaticEmbedding"])
def test_a_static_embedding_is_the_mean_of_its_rows(tmp_path: Path, place: str):
    encoder = is_static(save_static(tmp_path / "model", place, modules=("StaticEmbedding", "Normalize")))

    rows = encoder.encode(["alpha gamma gamma", "delta unheard", "unheard"])

    np.testing.assert_allclose(rows, [unit(TABLE[[1, 3, 3]].mean(axis=0)), TABLE[4], [0, 0]], atol=1e-6)
    assert (encoder.fingerprint.name, encoder.dim, encoder.is_word("alpha")) == ("model", 2, True)


def test_the_rows_of_a_static_model_are_cut_where_the_files_say_so(tmp_path: Path):
    rows = np.arange(15, dtype=np.float32).reshape(5, 3)
    whole = is_static(save_static(tmp_path / "whole" / "model", rows=rows))
    cut = is_static(save_static(tmp_path / "cut" / "model", rows=rows, truncate_dim=2))

    assert (whole.dim, cut.dim) == (3, 2)
    np.testing.assert_allclose(cut.encode(["alpha beta"]), [unit((rows[1] + rows[2])[:2])], atol=1e-6)
    assert cut.fingerprint.weights_sha256 != whole.fingerprint.weights_sha256


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"modules": ("StaticEmbedding", "Dense")}, "a Dense module"),
        ({"modules": ("BoW",)}, "a BoW module"),
        ({"modules": ("StaticEmbedding", "StaticEmbedding")}, "a StaticEmbedding module"),
        ({"place": "../model"}, "a StaticEmbedding module"),
        ({"prompts": {"query": "query: ", "document": ""}}, "prompts"),
        ({"truncate_dim": 0}, "cut to 0"),
        ({"truncate_dim": "8"}, "cut to '8'"),
        ({"rows": TABLE[:3]}, "3 rows"),
        ({"rows": np.full((5, 2), np.inf, np.float32)}, "infinite"),
    ],
)
def test_a_static_model_that_quarry_does_not_run_is_refused(tmp_path: Path, options: dict[str, Any], reason: str):
    folder = save_static(tmp_path / "model", **options)

    with pytest.raises(ModelDamaged, match=reason):
        load_encoder(str(folder))


def test_a_static_model_without_its_weights_says_which_file_is_missing(tmp_path: Path):
    folder = save_static(tmp_path / "model", "0_StaticEmbedding")
    (folder / "0_StaticEmbedding" / "model.safetensors").unlink()

    with pytest.raises(ModelMissing, match=r"has no 0_StaticEmbedding/model\.safetensors"):
        load_encoder(str(folder))


def test_a_message_repeats_little_of_a_models_files_and_says_what_to_do(tmp_path: Path):
    folder = save_static(tmp_path / "model", truncate_dim="8" * 1_000_000)

    with pytest.raises(ModelDamaged, match=r"cut to .888.* … .*set `embedding\.model` to") as error:
        load_encoder(str(folder))

    assert len(str(error.value)) < 2_100

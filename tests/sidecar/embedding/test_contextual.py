import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from quarry.embedding import ContextualEncoder, load_contextual_encoder
from quarry.errors import ModelDamaged, ModelMissing

SaveGraph = Callable[..., Path]

VAULT = Path(__file__).parents[2] / "retrieval" / "vault"
PASSAGES = ["Sourdough bread needs a warm kitchen.", "How to rename a branch in git.", "The dentist is open on Monday."]


class Stopped(Exception):
    pass


def load(folder: Path) -> ContextualEncoder:
    encoder = load_contextual_encoder(str(folder))
    assert encoder
    return encoder


# --- vectors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("query", "expected"), [("baking", 0), ("change the name of a git branch", 1)])
def test_the_passage_that_answers_a_query_is_the_nearest(minilm: ContextualEncoder, query: str, expected: int) -> None:
    similarities = minilm.encode_passages(PASSAGES) @ minilm.encode_query(query)

    assert similarities.argmax() == expected


def test_the_vector_of_a_word_depends_on_its_context(minilm: ContextualEncoder) -> None:
    vectors = minilm.encode_passages(["a branch of git", "git of a branch"])

    assert 0.5 < vectors[0] @ vectors[1] < 0.999


def test_rows_are_of_unit_length_in_float32(minilm: ContextualEncoder) -> None:
    rows = minilm.encode_passages([*PASSAGES, "word " * 500])

    assert rows.shape == (4, 384) == (4, minilm.dim)
    assert rows.dtype == minilm.encode_query("git").dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n\t", "笔记"])
def test_a_text_without_a_known_token_gives_zeros(minilm: ContextualEncoder, text: str) -> None:
    assert not minilm.encode_passages([text]).any()
    assert not minilm.encode_query(text).any()
    assert minilm.encode_query(text).shape == (384,)


def test_half_a_surrogate_pair_is_no_obstacle(minilm: ContextualEncoder) -> None:
    assert minilm.encode_query("git \ud83d").any()


def test_no_texts_give_a_matrix_without_rows(minilm: ContextualEncoder) -> None:
    assert minilm.encode_passages([]).shape == (0, 384)


def test_a_row_is_the_same_whatever_other_texts_are_encoded(minilm: ContextualEncoder) -> None:
    texts = [path.read_text(encoding="utf-8")[:600] for path in sorted(VAULT.rglob("*.md"))[:12]]
    together = minilm.encode_passages([*texts, "short", "word " * 400])

    alone = [minilm.encode_passages([text])[0] for text in texts]
    with ThreadPoolExecutor(4) as threads:
        at_once = list(threads.map(lambda text: minilm.encode_passages([text])[0], texts))

    assert [row.tobytes() for row in alone] == [row.tobytes() for row in together[: len(texts)]]
    assert [row.tobytes() for row in at_once] == [row.tobytes() for row in alone]


def test_the_end_of_a_long_passage_counts(minilm: ContextualEncoder) -> None:
    filler = "The dentist is open on Monday and on Tuesday and in the evening. " * 20

    without, at_end = minilm.encode_passages([filler, filler + "How to rename a branch in git. " * 10])

    query = minilm.encode_query("rename a git branch")
    assert at_end @ query > without @ query + 0.05


def test_every_passage_is_checked_before_it_is_encoded(minilm: ContextualEncoder) -> None:
    checks = iter(range(2))

    def check() -> None:
        if next(checks, None) is None:
            raise Stopped

    with pytest.raises(Stopped):
        minilm.encode_passages(PASSAGES, check)


def test_prompts_and_pooling_are_those_of_the_files(save_graph: SaveGraph) -> None:
    prompts = {"query": "alpha ", "document": "beta "}
    encoder = load(save_graph(pooling="max", config_sentence_transformers={"prompts": prompts}))

    assert encoder.encode_query("alpha").tolist() == [1, 0]
    np.testing.assert_allclose(encoder.encode_query("beta"), [0.5**0.5, 0.5**0.5])  # of 1, 0 and 0, 1
    assert encoder.encode_passages(["beta"]).tolist() == [[0, 1]]


def test_a_graph_that_pools_by_itself_needs_no_modules(save_graph: SaveGraph) -> None:
    encoder = load(save_graph(output="sentence_embedding", modules=None))

    np.testing.assert_allclose(encoder.encode_query("gamma alpha"), [0.6, 0.8])


def test_passages_of_several_windows_are_the_mean_of_their_vectors(save_graph: SaveGraph) -> None:
    encoder = load(save_graph(pooling="lasttoken"))  # reads 8 tokens at once

    np.testing.assert_allclose(encoder.encode_passages(["alpha " * 8 + "beta " * 6]), [[0.5**0.5] * 2])


def test_the_fingerprint_tells_models_apart(save_graph: SaveGraph, tmp_path: Path) -> None:
    encoders = [
        load(save_graph(tmp_path / name / "model", **options))
        for name, options in {
            "a": {},
            "b": {},
            "c": {"pooling": "cls"},
            "d": {"config_sentence_transformers": {"prompts": {"query": "alpha "}}},
            "e": {"config": {"model_type": "bert", "max_position_embeddings": 7}},
            "f": {"integer": TensorProto.INT32},
        }.items()
    ]

    fingerprints = [encoder.fingerprint for encoder in encoders]
    assert fingerprints[0] == fingerprints[1]
    assert len({*fingerprints}) == 5
    assert fingerprints[0].name == "model"
    assert (fingerprints[0].dim, fingerprints[0].vocabulary_size) == (2, 5)


# --- what cannot be loaded ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bundled", "/nowhere/model"])
def test_a_static_model_is_not_loaded_as_a_contextual_one(name: str) -> None:
    assert load_contextual_encoder(name) is None


def test_without_the_extra_the_command_that_installs_it_is_given(
    minilm_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(ModelMissing, match=r'uv tool install --force "quarry-search\[transformer\]"'):
        load_contextual_encoder(str(minilm_copy))


@pytest.mark.parametrize("content", [b"", b"torn", b"\x00" * 1_000, b"\x08\x0a\x3a\xff\xff\xff\xff\x0f"])
@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_broken_file_is_refused(minilm_copy: Path, name: str, content: bytes) -> None:
    (minilm_copy / name).write_bytes(content)

    with pytest.raises(ModelDamaged, match="are not an embedding model that Quarry can run"):
        load_contextual_encoder(str(minilm_copy))


@pytest.mark.parametrize("kept", [0.01, 0.5, 0.99])
def test_a_truncated_graph_is_refused(minilm_copy: Path, kept: float) -> None:
    graph = minilm_copy / "onnx" / "model.onnx"
    content = graph.read_bytes()
    graph.write_bytes(content[: int(len(content) * kept)])

    with pytest.raises(ModelDamaged):
        load_contextual_encoder(str(minilm_copy))


def test_a_graph_with_operators_of_its_own_is_refused(minilm_copy: Path) -> None:
    graph = minilm_copy / "onnx" / "model.onnx"
    graph.write_bytes(graph.read_bytes().replace(b"\x22\x04Gelu", b"\x22\x04Evil"))

    with pytest.raises(ModelDamaged, match="Evil"):
        load_contextual_encoder(str(minilm_copy))


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused(save_graph: SaveGraph, number: float) -> None:
    with pytest.raises(ModelDamaged, match="not finite"):
        load_contextual_encoder(str(save_graph(table=np.full((5, 2), number, np.float32))))


def test_a_tokenizer_with_more_words_than_the_network_is_told_apart_when_it_fails(save_graph: SaveGraph) -> None:
    encoder = load(save_graph(table=np.ones((3, 2), np.float32)))

    with pytest.raises(ModelDamaged, match="failed on a text of 1 tokens"):
        encoder.encode_query("delta")


def test_a_folder_of_pickled_parts_holds_no_model(save_graph: SaveGraph) -> None:
    folder = save_graph()
    (folder / "onnx" / "model.onnx").unlink()
    for name in ("pytorch_model.bin", "model.pkl", "modeling_custom.py"):
        (folder / name).write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")

    with pytest.raises(ModelMissing, match="has no ONNX weights"):
        load_contextual_encoder(str(folder))


@pytest.mark.slow
def test_onnx_runtime_is_imported_for_a_contextual_model_only() -> None:
    code = (
        "import sys; from quarry.embedding import load_contextual_encoder, load_encoder; load_encoder('bundled'); "
        "load_contextual_encoder('bundled'); print('onnxruntime' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"

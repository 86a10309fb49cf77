import itertools
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer, Metaspace, Sequence, WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from quarry.embedding import ContextualEncoder, load_contextual_encoder
from quarry.embedding.contextual import OVERLAP, Network, WindowTokenizer, pool, split_evenly
from quarry.embedding.contextual_files import POOLINGS, ContextualConfig, Pooling, Prompts
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

    with pytest.raises(ModelMissing, match=r'uv tool install --force "\./sidecar\[transformer\]"'):
        load_contextual_encoder(str(minilm_copy))


@pytest.mark.parametrize("content", [b"", b"torn", b"\x00" * 1_000, b"\x08\x0a\x3a\xff\xff\xff\xff\x0f"])
@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_broken_file_is_refused(minilm_copy: Path, name: str, content: bytes) -> None:
    (minilm_copy / name).write_bytes(content)

    with pytest.raises(ModelDamaged, match="are not an embedding model that Quarry can run"):
        load_contextual_encoder(str(minilm_copy))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        *((lambda graph, kept=kept: graph[: int(len(graph) * kept)], None) for kept in (0.01, 0.5, 0.99)),
        (lambda graph: graph.replace(b"\x22\x04Gelu", b"\x22\x04Evil"), "Evil"),  # an operator of its own
    ],
)
def test_a_changed_graph_is_refused(minilm_copy: Path, change: Callable[[bytes], bytes], reason: str | None) -> None:
    graph = minilm_copy / "onnx" / "model.onnx"
    graph.write_bytes(change(graph.read_bytes()))

    with pytest.raises(ModelDamaged, match=reason):
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


IDS = [3, 1, 3]


def load_network(folder: Path) -> Network:
    return Network(folder / "onnx" / "model.onnx")


@pytest.mark.parametrize("integer", [TensorProto.INT32, TensorProto.INT64])
@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_a_graph_is_given_the_inputs_it_wants(save_graph: SaveGraph, integer: int, inputs: tuple[str, ...]) -> None:
    network = load_network(save_graph(integer=integer, inputs=inputs))

    assert network.run(IDS).tolist() == [[3, 4], [1, 0], [3, 4]]
    assert not network.is_pooled


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings", "states"])
def test_the_states_of_tokens_are_found_under_any_name(save_graph: SaveGraph, output: str) -> None:
    assert load_network(save_graph(output=output)).run(IDS).shape == (3, 2)


def test_a_graph_may_pool_by_itself(save_graph: SaveGraph) -> None:
    network = load_network(save_graph(output="sentence_embedding"))

    assert network.is_pooled
    assert network.run(IDS).tolist() == [[3, 4]]


def test_half_precision_is_widened(save_graph: SaveGraph) -> None:
    states = load_network(save_graph(table=np.ones((5, 2), np.float16))).run(IDS)

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
        load_network(save_graph(**options))


UNKNOWN, START, END, QUERY, PASSAGE, A, B = range(7)


def tokenizer(**config: object) -> WindowTokenizer:
    """Of the words `▁a` and `▁b`, with marks at both ends."""
    words = ("<unk>", "<s>", "</s>", "▁query:", "▁passage:", "▁a", "▁b")
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = Sequence([WhitespaceSplit(), Metaspace()])
    made.add_special_tokens(["<s>", "</s>"])
    made.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", START), ("</s>", END)])
    made.enable_truncation(2)  # as files of tokenizers have it
    made.enable_padding(length=128)
    settings: dict[str, object] = {"prompts": Prompts("query: ", "passage: "), "max_tokens": 11} | config
    return WindowTokenizer(
        made, ContextualConfig(is_lowercased=False, unknown_token="<unk>", pooling="mean", **settings)
    )


def test_a_text_is_read_behind_its_prompt_and_between_marks() -> None:
    assert tokenizer().passage("a b") == [[START, PASSAGE, A, B, END]]
    assert tokenizer().query("a b") == [START, QUERY, A, B, END]
    assert tokenizer(prompts=Prompts()).query("a b") == [START, A, B, END]


@pytest.mark.parametrize("text", ["", " \n", "c", "c d"])
def test_a_text_without_a_known_token_has_no_window(text: str) -> None:
    assert tokenizer().passage(text) == []
    assert tokenizer().query(text) == []


def test_a_network_can_be_tried_on_unknown_tokens() -> None:
    assert tokenizer().any_window("c") == [START, PASSAGE, UNKNOWN, END]


def test_a_long_passage_has_overlapping_windows_each_with_prompt_head_and_marks() -> None:
    windows = tokenizer(max_tokens=19).passage(" ".join(["a"] * 4 + ["b"] * 30))

    assert len(windows) > 1
    assert all(window[:6] == [START, PASSAGE, A, A, A, A] for window in windows)
    assert all(window[-1] == END and len(window) <= 19 for window in windows)
    assert [token for window in windows for token in window].count(B) > 30


def test_of_a_long_query_the_first_window_is_read() -> None:
    assert tokenizer().query("a " * 50) == [START, QUERY, *[A] * 8, END]


def test_a_text_is_lowercased_where_the_model_wants_it() -> None:
    assert tokenizer(max_tokens=8).passage("A") == []

    shouted = Tokenizer(WordLevel({"a": 0, "?": 1}, unk_token="?"))
    config = ContextualConfig(8, Prompts(), is_lowercased=True, unknown_token="?", pooling="mean")

    assert WindowTokenizer(shouted, config).passage("A") == [[0]]


def test_a_prompt_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="of 3 tokens its prompt 'query: ' leaves none"):
        tokenizer(max_tokens=3)


@given(length=st.integers(0, 600), room=st.integers(1, 80))
def test_windows_cover_all_tokens_and_are_of_one_length(length: int, room: int) -> None:
    windows = split_evenly(range(length), room)

    lengths = [len(window) for window in windows]
    assert {token for window in windows for token in window} == set(range(length))
    assert max(lengths) <= room
    assert max(lengths) - min(lengths) <= len(windows)


@given(length=st.integers(81, 600))
def test_neighbouring_windows_overlap(length: int) -> None:
    windows = split_evenly(range(length), 80)

    overlaps = [len({*one} & {*other}) for one, other in itertools.pairwise(windows)]
    assert overlaps
    assert min(overlaps) == max(overlaps) == 80 * OVERLAP


def test_the_offsets_of_a_normalised_text_find_its_prompt() -> None:
    made = Tokenizer(WordLevel({"query": 0, ":": 1, "a": 2, "?": 3}, unk_token="?"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = BertPreTokenizer()
    config = ContextualConfig(8, Prompts("Query: "), is_lowercased=False, unknown_token="?", pooling="mean")

    assert WindowTokenizer(made, config).query("a a") == [0, 1, 2, 2]
    assert WindowTokenizer(made, config).query("x") == []


STATES = np.array([[1, 0], [2, 6], [6, 3]], np.float32)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("cls", [1, 0]),
        ("lasttoken", [6, 3]),
        ("max", [6, 6]),
        ("mean", [3, 3]),
        ("mean_sqrt_len_tokens", [3, 3]),  # which is longer, and points the same way
        ("weightedmean", [23 / 6, 21 / 6]),
    ],
)
def test_states_are_pooled(pooling: Pooling, expected: list[float]) -> None:
    vector = pool(STATES, pooling)

    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, expected)


@pytest.mark.parametrize("pooling", get_args(Pooling))
def test_the_vector_of_a_single_token_is_its_state(pooling: Pooling) -> None:
    assert pool(STATES[1:2], pooling).tolist() == [2, 6]


def test_all_poolings_are_listed() -> None:
    assert set(POOLINGS) == set(get_args(Pooling))

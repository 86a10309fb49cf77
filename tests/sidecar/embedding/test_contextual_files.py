import json
import os
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from hugging_face_cache import HuggingFaceCache
from onnx.external_data_helper import convert_model_to_external_data

from quarry import consent
from quarry.embedding import load_contextual_encoder, load_encoder
from quarry.embedding.contextual_files import (
    MAX_TOKENS,
    Prompts,
    find_contextual,
    hash_contextual,
    is_contextual,
    read_config,
    read_head,
)
from quarry.embedding.model_files import BUNDLED
from quarry.embedding.sentence_modules import read_json
from quarry.errors import ModelDamaged, ModelMissing

SaveGraph = Callable[..., Path]

WEIGHTS_FILES = ["model.onnx_data", "model.onnx.data", "weights"]


def store_weights_beside(graph: Path, name: str) -> None:
    """Move the weights of *graph* into a file called *name* beside it."""
    model = onnx.load(graph)
    convert_model_to_external_data(model, location=name, size_threshold=0)
    onnx.save(model, graph)


def hash_of(folder: Path, settings: object = None) -> str:
    return hash_contextual(find_contextual(str(folder)), settings)


# --- which models are contextual -------------------------------------------------------------------------------


@pytest.mark.parametrize("model_type", ["bert", "xlm-roberta", "mpnet"])
def test_a_folder_whose_config_names_a_network_is_contextual(save_graph: SaveGraph, model_type: str) -> None:
    assert is_contextual(str(save_graph(config={"model_type": model_type})))


@pytest.mark.parametrize("config", ['{"model_type": "model2vec"}', "{}", "[]", '{"model_type": 3}', "torn {"])
def test_any_other_config_is_of_a_static_model(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")

    assert not is_contextual(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_a_config_without_an_end_is_not_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "config.json")

    assert not is_contextual(str(tmp_path))
    with pytest.raises(ModelMissing, match=r"config\.json"):
        load_encoder(str(tmp_path))


@pytest.mark.parametrize("name", ["bundled", str(BUNDLED.path), "/nowhere/model", "a\x00b"])
def test_what_is_static_or_not_there_is_not_contextual(name: str) -> None:
    assert not is_contextual(name)


def test_a_static_model_with_a_graph_of_its_own_stays_static(save_graph: SaveGraph) -> None:
    assert not is_contextual(str(save_graph(config={"model_type": "model2vec"})))  # as those of minishlab have one


# --- which files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graphs", "expected"),
    [
        (["model.onnx", "onnx/model.onnx"], "model.onnx"),
        (["onnx/model.onnx", "onnx/model_O4.onnx", "onnx/model_quantized.onnx"], "onnx/model.onnx"),
        (["onnx/model_O4.onnx", "onnx/model_quantized.onnx"], "onnx/model_quantized.onnx"),
        (["onnx/model_quint8_avx2.onnx"], "onnx/model_quint8_avx2.onnx"),
        (["encoder.onnx"], "encoder.onnx"),
    ],
)
def test_the_plain_graph_is_chosen(save_graph: SaveGraph, graphs: list[str], expected: str) -> None:
    folder = save_graph(graph=graphs[0])
    for name in graphs[1:]:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((folder / graphs[0]).read_bytes())

    assert find_contextual(str(folder)).graph == folder / expected


@pytest.mark.parametrize("graphs", [[], ["model_O1.onnx", "model_O4.onnx"]])
def test_without_a_graph_to_choose_there_is_no_model(save_graph: SaveGraph, graphs: list[str]) -> None:
    folder = save_graph()
    graph = folder / "onnx" / "model.onnx"
    for name in graphs:
        graph.with_name(name).write_bytes(graph.read_bytes())
    graph.unlink()

    with pytest.raises(ModelMissing, match=r"has no ONNX weights \(model\.onnx or onnx/model\.onnx\)"):
        find_contextual(str(folder))


def test_a_missing_tokenizer_is_named(save_graph: SaveGraph) -> None:
    folder = save_graph()
    (folder / "tokenizer.json").unlink()

    with pytest.raises(ModelMissing, match=r"has no tokenizer\.json"):
        find_contextual(str(folder))


def test_files_far_too_large_are_refused_unread(save_graph: SaveGraph) -> None:
    folder = save_graph()
    with (folder / "tokenizer.json").open("r+b") as file:
        file.truncate((4 << 30) + 1)  # sparse: takes no room

    with pytest.raises(ModelDamaged, match="Quarry runs those of at most 4294967296"):
        find_contextual(str(folder))


# --- weights beside the graph ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHTS_FILES)
def test_weights_may_lie_beside_the_graph(save_graph: SaveGraph, name: str) -> None:
    folder = save_graph()
    expected = load_contextual_encoder(str(folder))
    store_weights_beside(folder / "onnx" / "model.onnx", name)

    encoder = load_contextual_encoder(str(folder))

    assert (folder / "onnx" / name).is_file()
    assert expected
    assert encoder
    assert encoder.encode_query("gamma").tolist() == expected.encode_query("gamma").tolist()


def test_missing_weights_are_named(save_graph: SaveGraph) -> None:
    folder = save_graph()
    store_weights_beside(folder / "onnx" / "model.onnx", "weights")
    (folder / "onnx" / "weights").unlink()

    with pytest.raises(ModelMissing, match="has no weights"):
        find_contextual(str(folder))


@pytest.mark.parametrize("name", ["../weights", "/etc/passwd", "..", "a/../../b", "C:\\secret", "part/weights"])
def test_weights_in_another_folder_are_not_read(save_graph: SaveGraph, name: str) -> None:
    folder = save_graph()
    graph = folder / "onnx" / "model.onnx"
    model = onnx.load(graph)
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=name)
    graph.write_bytes(model.SerializeToString())

    with pytest.raises(ModelDamaged, match="which is not a file beside it"):
        find_contextual(str(folder))


# --- identity ----------------------------------------------------------------------------------------------------


def test_all_that_makes_a_vector_is_in_the_hash(save_graph: SaveGraph, tmp_path: Path) -> None:
    folder = save_graph()
    hashes = [hash_of(folder), hash_of(folder, "other settings")]
    (folder / "tokenizer.json").write_text("{}", encoding="ascii")
    hashes.append(hash_of(folder))
    store_weights_beside(folder / "onnx" / "model.onnx", "weights")
    hashes.append(hash_of(folder))
    weights = bytearray((folder / "onnx" / "weights").read_bytes())
    weights[0] ^= 1
    (folder / "onnx" / "weights").write_bytes(weights)
    hashes.append(hash_of(folder))

    assert len({*hashes}) == 5


def test_what_makes_no_vector_is_not(save_graph: SaveGraph) -> None:
    folder = save_graph()
    before = hash_of(folder)
    (folder / "README.md").write_text("about", encoding="ascii")
    (folder / "config.json").write_text('{"model_type": "bert", "transformers_version": "5"}', encoding="ascii")

    assert hash_of(folder) == before


# --- JSON --------------------------------------------------------------------------------------------------------


def test_a_description_far_too_large_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "config.json").touch()
    os.truncate(tmp_path / "config.json", 1 << 30)

    with pytest.raises(ValueError, match="has more than 16777216 bytes"):
        read_json(tmp_path / "config.json", dict)


# --- Hugging Face names ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, "model.onnx_data"])
def test_a_name_in_the_cache_loads_without_a_network(
    save_graph: SaveGraph, cache: HuggingFaceCache, weights: str | None
) -> None:
    folder = save_graph()
    if weights:
        store_weights_beside(folder / "onnx" / "model.onnx", weights)
    cache.put(folder, "someone/tiny-transformer")

    assert cache.load("someone/tiny-transformer") == "loaded someone/tiny-transformer"


@pytest.mark.slow
def test_a_name_that_is_cached_without_its_graph_is_no_model(save_graph: SaveGraph, cache: HuggingFaceCache) -> None:
    snapshot = cache.put(save_graph(), "someone/tiny-transformer")
    (snapshot / "onnx" / "model.onnx").unlink()
    cache.confirm("someone/tiny-transformer")

    printed = cache.load("someone/tiny-transformer")

    assert printed.startswith("ModelMissing embedding model 'someone/tiny-transformer' has no ONNX weights")
    assert f"delete {snapshot}" in printed


def test_only_files_that_are_needed_are_downloaded(
    save_graph: SaveGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked of the library is recorded, as there is no network to ask."""
    asked: list[list[str]] = []

    def download(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        if local_files_only:
            raise FileNotFoundError(name)
        asked.append(allow_patterns)
        return str(folder)

    folder = save_graph(graph="onnx/model_quantized.onnx")
    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))
    consent.confirm([("download", "someone/tiny-transformer")])

    assert find_contextual("someone/tiny-transformer").graph.name == "model_quantized.onnx"
    patterns = [pattern.replace("*_Pooling/", "").replace("*_Dense/", "") for each in asked for pattern in each]
    assert not any("*" in pattern for pattern in patterns)


# --- beside the static model ------------------------------------------------------------------------------------


def test_the_bundled_model_answers_beside_a_contextual_one(save_graph: SaveGraph) -> None:
    assert load_encoder(str(save_graph())).fingerprint == load_encoder().fingerprint


TRANSFORMER = {"type": "sentence_transformers.models.Transformer", "path": ""}
POOLING = {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}
NORMALIZE = {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}
BERT = {"model_type": "bert", "max_position_embeddings": 512}
E5 = Prompts("query: ", "passage: ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The descriptions of a model that pools by mean and reads 256 tokens."""
    write(tmp_path, "config", BERT)
    write(tmp_path, "sentence_bert_config", {"max_seq_length": 256, "do_lower_case": False})
    write(tmp_path, "modules", [TRANSFORMER, POOLING, NORMALIZE])
    write(tmp_path, "1_Pooling/config", {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    return tmp_path


def write(folder: Path, name: str, description: object) -> None:
    path = folder / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(description), encoding="utf-8")


# --- length ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "transformer", "tokenizer", "expected"),
    [
        (BERT, {"max_seq_length": 256}, {"model_max_length": 512}, 256),
        (BERT, {"max_seq_length": None}, {"model_max_length": 384}, 384),
        (BERT, {}, {"model_max_length": 1e30}, 512),
        (BERT, {"max_seq_length": 4096}, {}, 512),
        (BERT, {"max_seq_length": True}, {}, 512),
        ({"model_type": "bert"}, {}, {}, 512),
        ({"model_type": "bert"}, {}, {"model_max_length": 1e30}, MAX_TOKENS),
        ({"model_type": "modernbert", "max_position_embeddings": 8192}, {}, {}, MAX_TOKENS),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, {}, {}, 512),
        ({"model_type": "mpnet", "max_position_embeddings": 514}, {"max_seq_length": 384}, {}, 384),
    ],
)
def test_the_shortest_limit_in_the_files_holds(
    folder: Path, config: object, transformer: object, tokenizer: object, expected: int
) -> None:
    write(folder, "config", config)
    write(folder, "sentence_bert_config", transformer)
    write(folder, "tokenizer_config", tokenizer)

    assert read_config(folder, "a", None).max_tokens == expected


# --- prompts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ({"query": "search: ", "document": "text: "}, Prompts("search: ", "text: ")),
        ({"query": "search: ", "passage": "text: "}, Prompts("search: ", "text: ")),
        ({"query": "search: ", "corpus": "text: ", "passage": "passage: "}, Prompts("search: ", "passage: ")),
        ({"query": "search: ", "document": ""}, Prompts("search: ")),
        ({"query": 3, "clustering": "group: "}, Prompts()),
        (None, Prompts()),
        ([], Prompts()),
    ],
)
def test_prompts_are_those_of_the_model(folder: Path, prompts: object, expected: Prompts) -> None:
    write(folder, "config_sentence_transformers", {"prompts": prompts})

    assert read_config(folder, "a", None).prompts == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/multilingual-e5-small", E5),
        ("intfloat/e5-base-v2", E5),
        ("my-E5-Large", E5),
        ("intfloat/multilingual-e5-large-instruct", Prompts()),
        ("me5-small", Prompts()),
        ("e5-small/all-MiniLM-L6-v2", Prompts()),
        ("BAAI/bge-small-en-v1.5", Prompts("Represent this sentence for searching relevant passages: ")),
        ("BAAI/bge-m3", Prompts()),
        ("nomic-ai/nomic-embed-text-v1.5", Prompts("search_query: ", "search_document: ")),
        ("sentence-transformers/all-MiniLM-L6-v2", Prompts()),
    ],
)
@pytest.mark.parametrize("prompts", [{}, {"query": "", "document": ""}])
def test_prompts_that_only_a_model_card_asks_for_are_known_by_name(
    folder: Path, name: str, expected: Prompts, prompts: dict[str, str]
) -> None:
    write(folder, "config_sentence_transformers", {"prompts": prompts})

    assert read_config(folder, name, None).prompts == expected


def test_prompts_in_the_files_go_before_those_of_the_family(folder: Path) -> None:
    write(folder, "config_sentence_transformers", {"prompts": {"query": "ask: "}})

    assert read_config(folder, "intfloat/e5-small", None).prompts == Prompts("ask: ")


# --- pooling ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_lasttoken": True}, "lasttoken"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode_cls_token": False}, "mean"),
        ({}, "mean"),
        ({"pooling_mode": "cls", "embedding_dimension": 384}, "cls"),
        ({"pooling_mode": ["weightedmean"]}, "weightedmean"),
    ],
)
def test_the_pooling_is_that_of_the_files(folder: Path, config: object, expected: str) -> None:
    write(folder, "1_Pooling/config", config)

    assert read_head(folder, is_pooled=False).pooling == expected


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode": "attention"},
        {"pooling_mode": ["cls", "mean"]},
        {"pooling_mode": {}, "pooling_mode_cls_token": "yes", "include_prompt": False},
        {"pooling_mode": "mean", "include_prompt": False},
    ],
)
def test_another_way_to_pool_is_refused(folder: Path, config: object) -> None:
    write(folder, "1_Pooling/config", config)

    with pytest.raises(ValueError, match=r"it (pools by|leaves prompts out)"):
        read_head(folder, is_pooled=False)


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        ([TRANSFORMER, {"type": "sentence_transformers.models.Dense", "path": "1_Dense"}, POOLING], "a Dense module"),
        ([TRANSFORMER, POOLING, NORMALIZE, {"type": "a.Dense", "path": "3_Dense"}], "a Dense module"),
        ([TRANSFORMER, POOLING, {"type": "a.LSTM", "path": "2_LSTM"}], "a LSTM module"),
        ([{**TRANSFORMER, "path": "0_Transformer"}, POOLING], "a Transformer module"),
        ([TRANSFORMER, {**POOLING, "path": "../1_Pooling"}], "a Pooling module"),
        ([TRANSFORMER, {**POOLING, "path": "/etc"}], "a Pooling module"),
        ([TRANSFORMER, POOLING, POOLING], "a Pooling module"),
        ([TRANSFORMER, NORMALIZE], "names no pooling"),
        (["Transformer"], "a nameless module"),
        ([{}], "a nameless module"),
        ({"0": TRANSFORMER}, "does not contain a JSON array"),
    ],
)
def test_modules_that_quarry_does_not_run_are_refused(folder: Path, modules: object, reason: str) -> None:
    write(folder, "modules", modules)

    with pytest.raises(ValueError, match=reason):
        read_head(folder, is_pooled=False)


def test_without_modules_nothing_is_guessed(folder: Path) -> None:
    (folder / "modules.json").unlink()

    with pytest.raises(ValueError, match=r"no modules\.json, so nothing says"):
        read_head(folder, is_pooled=False)


def test_a_network_that_pools_needs_no_modules(folder: Path) -> None:
    (folder / "modules.json").unlink()

    assert read_head(folder, is_pooled=True).pooling is None


def test_vectors_that_are_compared_by_more_than_direction_are_refused(folder: Path) -> None:
    write(folder, "config_sentence_transformers", {"similarity_fn_name": "dot"})
    assert read_head(folder, is_pooled=False).pooling == "mean"  # as they are scaled to unit length

    write(folder, "modules", [TRANSFORMER, POOLING])
    with pytest.raises(ValueError, match="compared by 'dot'"):
        read_head(folder, is_pooled=False)


# --- the rest --------------------------------------------------------------------------------------------------


def test_modules_may_be_named_as_newer_versions_name_them(folder: Path) -> None:
    names = ("base.modules.transformer.Transformer", "sentence_transformer.modules.pooling.Pooling")
    kinds = [f"sentence_transformers.{name}" for name in names]
    write(folder, "modules", [{**TRANSFORMER, "type": kinds[0]}, {**POOLING, "type": kinds[1]}])

    assert read_head(folder, is_pooled=False).pooling == "mean"


@pytest.mark.parametrize("token", ["[UNK]", {"content": "[UNK]", "lstrip": False}])
def test_the_unknown_token_is_written_in_two_ways(folder: Path, token: object) -> None:
    write(folder, "tokenizer_config", {"unk_token": token})

    assert read_config(folder, "a", None).unknown_token == "[UNK]"


def test_a_text_is_lowercased_only_where_the_files_say_so(folder: Path) -> None:
    assert not read_config(folder, "a", None).is_lowercased

    write(folder, "sentence_bert_config", {"do_lower_case": True})
    assert read_config(folder, "a", None).is_lowercased


@pytest.mark.parametrize("text", ["", "torn {", "[]", "3", "[" * 100_000])
def test_a_file_that_is_no_description_is_refused(folder: Path, text: str) -> None:
    (folder / "sentence_bert_config.json").write_text(text, encoding="ascii")

    with pytest.raises(ValueError, match=r"Expecting value|JSON object|nested too deeply|Expecting property"):
        read_config(folder, "a", None)

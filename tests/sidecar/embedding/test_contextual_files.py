import json
from pathlib import Path

import pytest

from quarry.embedding import load_encoder
from quarry.embedding.contextual_files import is_contextual
from quarry.embedding.model_files import BUNDLED


def folder_with_config(path: Path, text: str) -> str:
    (path / "config.json").write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("model_type", ["bert", "xlm-roberta", "mpnet"])
def test_a_folder_whose_config_names_a_network_is_contextual(tmp_path: Path, model_type: str) -> None:
    assert is_contextual(folder_with_config(tmp_path, json.dumps({"model_type": model_type})))


@pytest.mark.parametrize("config", ['{"model_type": "model2vec"}', "{}", "[]", '{"model_type": 3}', "torn {"])
def test_any_other_config_is_of_a_static_model(tmp_path: Path, config: str) -> None:
    assert not is_contextual(folder_with_config(tmp_path, config))


@pytest.mark.parametrize("name", ["bundled", str(BUNDLED.path), "/nowhere/model", "a\x00b"])
def test_what_is_static_or_not_there_is_not_contextual(name: str) -> None:
    assert not is_contextual(name)


def test_the_bundled_model_answers_beside_a_contextual_one(tmp_path: Path) -> None:
    contextual = folder_with_config(tmp_path, '{"model_type": "bert"}')

    assert load_encoder(contextual).fingerprint == load_encoder().fingerprint

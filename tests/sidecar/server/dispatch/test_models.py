"""The models to choose from, as a sidecar lists them on this machine."""

import pytest

from quarry.server.encode import model_choices


def test_a_model_that_takes_more_memory_than_is_free_says_so(owner, tmp_path, monkeypatch: pytest.MonkeyPatch):
    def obstacles() -> dict[str, str]:
        models = owner.result("models/list")["models"]
        return {model["name"]: (model["obstacle"] or {}).get("code", "") for model in models}

    plenty, little = tmp_path / "plenty", tmp_path / "little"
    plenty.write_text("MemTotal: 99000000 kB\nMemFree: 1 kB\nMemAvailable: 64000000 kB\n")
    little.write_text("MemTotal: 99000000 kB\nMemFree: 1 kB\nMemAvailable: 200000 kB\n")
    large = "minishlab/potion-multilingual-128M"
    monkeypatch.setattr(model_choices, "MEMORY_FILE", plenty)
    assert "obstacle.needs-memory" not in obstacles().values()

    monkeypatch.setattr(model_choices, "MEMORY_FILE", little)

    assert obstacles()[large] == "obstacle.needs-memory"
    assert obstacles()["bundled"] == ""


def test_the_memory_is_known_where_the_system_says_it(tmp_path, monkeypatch: pytest.MonkeyPatch):
    free = model_choices.available_bytes()
    monkeypatch.setattr(model_choices, "MEMORY_FILE", tmp_path / "gone")
    whole = model_choices.available_bytes()

    assert free is None or whole is None or 0 < free <= whole

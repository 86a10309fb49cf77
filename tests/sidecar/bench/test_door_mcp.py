"""The figures of the MCP server are those of a real process."""

import shutil
from pathlib import Path

import pytest

from quarry.bench import door_mcp

SAMPLE_VAULT = Path(__file__).resolve().parents[2] / "retrieval" / "vault"


@pytest.mark.slow
def test_the_start_is_measured_without_a_sidecar(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(door_mcp, "TURNS", 1)
    vault = Path(shutil.copytree(SAMPLE_VAULT, tmp_path / "vault"))

    cpu_ms, peak_mb = door_mcp.initialize_cost(vault)
    tokens = door_mcp.tools_list_tokens(vault)

    assert cpu_ms > 1
    assert peak_mb > 1
    assert 500 < tokens < 1600
    assert not list((tmp_path / "home").rglob("*.json"))  # nothing was asked of any sidecar

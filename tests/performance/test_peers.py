import sys

import peers
import pytest


def test_tantivy_is_measured_on_the_same_chunks(vault, tmp_path):
    pytest.importorskip("tantivy")

    found = peers.measure_tantivy(vault, tmp_path / "tantivy", ["kettle week", "-> odd (syntax"])

    assert found["chunks"] > 8
    assert found["query_cpu_ms"].keys() == {"p50", "p95", "p99"}
    assert found["disk_mb"] > 0


def test_ripgrep_is_measured_where_it_is_installed(vault):
    found = peers.measure_ripgrep(vault, ["kettle", "nothing"])

    assert found.keys() in ({"query_wall_ms"}, {"missing"})


def test_a_peer_that_is_not_installed_is_told_of(vault, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    monkeypatch.setattr("shutil.which", lambda _: None)

    assert "quarry-search[dev]" in peers.measure_tantivy(vault, tmp_path / "tantivy", ["kettle"])["missing"]
    assert "rg" in peers.measure_ripgrep(vault, ["kettle"])["missing"]

import sys

import peers
import pytest


def test_tantivy_is_measured_on_the_same_chunks(topics_vault, tmp_path):
    pytest.importorskip("tantivy")

    found = peers.measure_tantivy(topics_vault, tmp_path / "tantivy", ["kettle week", "-> odd (syntax"])

    assert found["chunks"] > 8
    assert found["query_cpu_ms"].keys() == {"p50", "p95", "p99"}
    assert found["disk_mb"] > 0


def test_ripgrep_is_measured_where_it_is_installed(topics_vault):
    found = peers.measure_ripgrep(topics_vault, ["kettle", "nothing"])

    assert found.keys() in ({"query_wall_ms"}, {"missing"})


def test_a_peer_that_is_not_installed_is_told_of(topics_vault, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    monkeypatch.setattr("shutil.which", lambda _: None)

    assert "quarry-search[dev]" in peers.measure_tantivy(topics_vault, tmp_path / "tantivy", ["kettle"])["missing"]
    assert "rg" in peers.measure_ripgrep(topics_vault, ["kettle"])["missing"]

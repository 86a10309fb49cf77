"""The published design and the peers, on a few notes: what they find, and that each has its figures."""

import baseline
import minisearch_peer
import peers
import pytest
from benchmark.corpora import questions
from published import PATTERNS, fused, scrubbed
from size_table import measure_size

from quarry.errors import ExtraMissing

SPREAD = {"p50", "p95", "p99"}


@pytest.mark.slow
def test_the_published_design_has_every_figure_that_ours_has(topics_vault, tmp_path):
    path = tmp_path / "published.db"
    texts = questions(topics_vault, 4)

    made = baseline.index_whole(topics_vault, path)
    row = baseline.measure_queries(path, texts, ["kettle", "violin"])
    starts = baseline.first_answers_ms(path, texts[0])

    assert made["files"] == 8
    assert row["chunks"] == made["chunks"] > 8
    assert all(row[name].keys() == SPREAD for name in ("legs_cpu_ms", "engine_cpu_ms", "prefix_cpu_ms"))
    assert 0 < starts["keyword"] < starts["hybrid"]
    assert baseline.unchanged_ms(topics_vault, path) > 0
    assert baseline.save_notes(topics_vault, path, 3)["wall"].keys() == {"p50", "p99"}


def test_the_published_design_finds_by_word_and_by_meaning(published):
    assert published.search("violin week")[0].path == "Folder 0/violin.md"
    assert {row.path for row in published.search("bread dough", 3)} == {"Folder 0/sourdough.md"}
    assert published.lexical("harbour") == published.lexical("HARBOURS") != []
    assert published.lexical("xylophone") == []
    assert fused([1, 2, 3], [3, 4]) == [3, 1, 2, 4]


def test_the_published_design_redacts_by_34_patterns():
    assert len(PATTERNS) == 34
    assert scrubbed("key AKIAABCDEFGHIJKLMNOP and ghp_" + "a" * 36) == "key [redacted] and [redacted]"


def test_a_saved_note_is_found_by_its_new_text(published, topics_vault):
    (topics_vault / "Folder 0" / "kettle.md").write_text("# The samovar\n\nA samovar wants charcoal.\n", "utf-8")

    published.save(topics_vault, "Folder 0/kettle.md")

    assert published.search("samovar")[0].path == "Folder 0/kettle.md"


def test_tantivy_is_measured_on_the_same_chunks(topics_vault, tmp_path):
    pytest.importorskip("tantivy")

    found = peers.measure_tantivy(topics_vault, tmp_path / "tantivy", ["kettle week", "-> odd (syntax"])

    assert found["chunks"] > 8
    assert found["query_cpu_ms"].keys() == SPREAD


@pytest.mark.slow  # six processes
def test_a_size_has_every_figure(topics_vault, tmp_path):
    row = measure_size(topics_vault, tmp_path, 6, 3)

    assert (row.notes, row.chunks >= 6) == (6, True)
    assert min(row.disk_mb, row.full_index_s, row.incremental_s, row.save_ms, row.keyword_ms, row.query_ms) > 0


def test_minisearch_is_measured_beside_ours(topics_vault, tmp_path):
    try:
        found = minisearch_peer.compare_cost(topics_vault, tmp_path / "work", 5)
    except ExtraMissing as error:
        pytest.skip(str(error))

    assert found["peer"]["notes"] == found["quarry"]["notes"] == 8
    for one in found.values():
        assert one["query_cpu_ms"].keys() == one["key_cpu_ms"].keys() == {"p50", "p99", "p100"}

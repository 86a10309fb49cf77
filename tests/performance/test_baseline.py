import baseline
import pytest

from quarry.bench.corpora import questions

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


@pytest.mark.slow
def test_one_who_searches_while_it_indexes_anew_is_answered(topics_vault, tmp_path):
    baseline.index_whole(topics_vault, tmp_path / "published.db")

    taken = baseline.search_while_indexing(
        topics_vault, tmp_path / "published.db", tmp_path / "anew.db", ["kettle"], 0.0
    )

    assert taken.keys() == {"p50", "p99"}
    assert [file.name for file in tmp_path.glob("*.db*")] == ["published.db"]


def test_it_is_cut_to_as_many_chunks(topics_vault, tmp_path):
    assert 6 <= baseline.index_whole(topics_vault, tmp_path / "published.db", 6)["chunks"] < 12

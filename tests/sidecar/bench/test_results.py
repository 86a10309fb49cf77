import pytest

from quarry.bench.results import compare, empty, figure, figures, read, write
from quarry.errors import BadRequest

KEYS = {"index", "query", "save_ms", "start_ms", "unchanged_ms", "while_indexing_ms"}


def test_a_result_has_every_key_before_anything_is_measured():
    document = empty(("50k", "1m"))

    assert document.keys() == {*KEYS, "door", "baseline", "notes"}
    assert document["baseline"].keys() == KEYS
    assert document["index"].keys() == {"files", "chunks", "cpu_s", "wall_s", "peak_rss_mb", "disk_mb", "stages"}
    assert list(document["query"]) == ["50k", "1m"]
    assert document["query"]["1m"].keys() == {
        "legs_cpu_ms", "engine_cpu_ms", "socket_wall_ms", "prefix_cpu_ms", "rss_mb", "python_calls"
    }  # fmt: skip
    assert list(figures(document)) == []


def test_what_is_written_is_read_again(tmp_path):
    document = {**empty(("50k",)), "unchanged_ms": 12.5}
    write(document, tmp_path / "a.json")

    assert read(tmp_path / "a.json") == document


def test_two_results_are_compared_by_what_both_have():
    first, second = empty(("50k",)), empty(("50k", "150k"))
    first["save_ms"], second["save_ms"] = {"p50": 4.0, "p99": 8.0}, {"p50": 1.0}
    first["unchanged_ms"] = second["unchanged_ms"] = 0
    first["baseline"]["index"]["cpu_s"], second["baseline"]["index"]["cpu_s"] = 40.0, 50.0

    rows = {row.name: row.ratio for row in compare(first, second)}

    assert rows == {"save_ms.p50": 0.25, "unchanged_ms": None, "baseline.index.cpu_s": 1.25}


def test_a_figure_is_found_by_its_keys_or_is_not_there():
    document = {**empty(("50k",)), "start_ms": {"keyword": 180}}

    assert figure(document, "start_ms", "keyword") == 180.0
    assert figure(document, "start_ms", "hybrid") is None
    assert figure(document, "query", "50k", "legs_cpu_ms", "p50") is None


@pytest.mark.parametrize("text", ["", "[]", '{"index": {}}'])
def test_what_is_no_result_is_refused_by_name(tmp_path, text):
    (tmp_path / "a.json").write_text(text, "utf-8")

    with pytest.raises(BadRequest, match=r"a\.json"):
        read(tmp_path / "a.json")

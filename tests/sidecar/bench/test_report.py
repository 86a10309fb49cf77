from quarry.bench.report import comparison, number, overview, peers
from quarry.bench.results import Ratio, empty


def row_of(table, beginning):
    line = next(line for line in table.splitlines() if line.startswith(f"| {beginning}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_each_figure_stands_beside_its_goal_and_the_published_design():
    document = empty(("50k",))
    document["index"]["cpu_s"], document["baseline"]["index"]["cpu_s"] = 8.0, 48.0
    document["query"]["50k"]["engine_cpu_ms"] = {"p50": 3.5, "p95": 5.0, "p99": 7.0}

    table = overview(document)

    assert row_of(table, "full index, CPU") == ["full index, CPU s", ">= 3x", "8.00", "48.0", "6.0x"]
    assert row_of(table, "50k: whole query, CPU ms p99")[1:] == [">= 13x", "7.00", "-", "-"]
    assert "save to searchable" not in table


def test_what_the_socket_adds_to_the_engine_is_shown_by_itself():
    result = empty(("50k",))
    result["query"]["50k"] |= {"socket_wall_ms": {"p50": 11.5}, "engine_wall_ms": {"p50": 10.0}}

    row = row_of(overview(result), "50k: over the socket beyond the engine")

    assert row[1:3] == ["<= 0.8", "1.50"]


def test_the_ways_in_have_goals_of_their_own():
    document = empty(("50k",))
    document["door"] = {"search": {"cpu_ms": {"p50": 45.0}}, "mcp": {"peak_mb": 20.5}}

    table = overview(document)

    assert row_of(table, "quarry search")[1:] == ["<= 100", "45.0", "-", "-"]
    assert row_of(table, "MCP, peak memory")[1:3] == ["<= 40", "20.5"]


def test_a_size_without_a_goal_is_shown_without_one():
    document = empty(("2k",))
    document["query"]["2k"]["rss_mb"] = 90.0

    assert row_of(overview(document), "2k: serving")[1:3] == ["", "90.0"]


def test_peers_are_shown_where_they_were_measured():
    found = {"tantivy": {"query_cpu_ms": {"p50": 0.1, "p95": 0.2, "p99": 0.3}}, "ripgrep": {"missing": "no rg"}}

    assert row_of(peers({"peers": found}), "tantivy")[1:] == ["0.10", "0.20", "0.30"]
    assert "ripgrep" not in peers({"peers": found})
    assert peers({}) == ""


def test_a_comparison_shows_ratios():
    table = comparison([Ratio("save_ms.p50", 4.0, 1.0), Ratio("unchanged_ms", 0.0, 1.0)])

    assert row_of(table, "save_ms.p50")[1:] == ["4.00", "1.00", "0.25"]
    assert row_of(table, "unchanged_ms")[3] == "-"


def test_numbers_have_as_many_digits_as_tell_something():
    assert [number(value) for value in (None, 0.123, 12.34, 1234.5)] == ["-", "0.12", "12.3", "1,234"]

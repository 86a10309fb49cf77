"""How is a result shown to a person? As Markdown tables: each figure with its goal and the published design's."""

from collections.abc import Iterable

from benchmark.results import Ratio, Result, figure
from quarry.evaluation.results import markdown_table

NOT_MEASURED = "-"

Row = tuple[str, str, tuple[str, ...]]
"""What is measured; its goal, a bound or a ratio to the published design in the same run; the keys of the figure."""

OF_THE_VAULT: tuple[Row, ...] = (
    ("full index, CPU s", ">= 3x", ("index", "cpu_s")),
    ("full index, wall s", ">= 4.5x", ("index", "wall_s")),
    ("nothing changed, start to up to date, wall ms", "<= 200", ("unchanged_ms",)),
    ("index on disk, MB", ">= 2x", ("index", "disk_mb")),
    ("peak memory of a full index, MB", "<= 600", ("index", "peak_rss_mb")),
)
OF_A_SIZE: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("both retrievers and fusion, CPU ms p50", {"50k": ">= 45x"}, ("legs_cpu_ms", "p50")),
    ("both retrievers and fusion, CPU ms p99", {}, ("legs_cpu_ms", "p99")),
    ("whole query, CPU ms p50", {"50k": ">= 12x", "1m": "<= 20"}, ("engine_cpu_ms", "p50")),
    ("whole query, CPU ms p99", {"50k": ">= 13x", "1m": "<= 40"}, ("engine_cpu_ms", "p99")),
    ("whole query, Python calls, mean", {"50k": "< 5,000"}, ("python_calls", "mean")),
    ("whole query, Python calls, p50", {}, ("python_calls", "p50")),
    ("over the socket, wall ms p50", {}, ("socket_wall_ms", "p50")),
    ("one word and prefix, CPU ms p50", {"50k": ">= 8x"}, ("prefix_cpu_ms", "p50")),
    ("index on disk, MB", {"50k": ">= 1.9x"}, ("disk_mb",)),
    ("serving, private memory, MB", {"50k": "<= 130", "1m": "<= 500"}, ("rss_mb",)),
)
OF_CHANGES: tuple[Row, ...] = (
    ("searching during a full rebuild, wall ms p99", ">= 10x", ("while_indexing_ms", "p99")),
    ("save to searchable, wall ms p50", ">= 4x", ("save_ms", "p50")),
    ("save to searchable, wall ms p99", ">= 5x", ("save_ms", "p99")),
    ("start to first keyword answer, wall ms", ">= 1.3x", ("start_ms", "keyword")),
    ("start to first hybrid answer, wall ms", ">= 2x", ("start_ms", "hybrid")),
)
OF_THE_DOOR: tuple[Row, ...] = (
    ("hook, warm, CPU ms p95", "<= 60", ("door", "hook", "warm", "cost", "cpu_ms", "p95")),
    ("hook, warm, wall ms p50", "", ("door", "hook", "warm", "cost", "wall_ms", "p50")),
    ("hook, warm, wall ms p95", "<= 150", ("door", "hook", "warm", "cost", "wall_ms", "p95")),
    ("hook, warm, wall ms p99", "", ("door", "hook", "warm", "cost", "wall_ms", "p99")),
    ("hook, no sidecar, CPU ms p95", "<= 60", ("door", "hook", "cold", "cost", "cpu_ms", "p95")),
    ("quarry search, warm, CPU ms p50", "<= 150", ("door", "search", "cpu_ms", "p50")),
    ("quarry capture to found, wall ms p95", "<= 1,000", ("door", "capture", "wall_ms", "p95")),
    ("MCP, initialize, CPU ms", "<= 150", ("door", "mcp", "initialize_cpu_ms")),
    ("MCP, peak memory until then, MB", "<= 40", ("door", "mcp", "peak_mb")),
    ("MCP, tools/list, tokens", "<= 1,600", ("door", "mcp", "tools_list_tokens")),
    ("MCP, search, wall ms p50", "", ("door", "mcp", "search_ms")),
    ("MCP, list_notes beside three slow searches, wall ms p50", "<= 50", ("door", "mcp", "list_beside_slow_ms")),
)
BEYOND_ENGINE_GOALS = {"50k": "<= 0.8"}


def overview(result: Result) -> str:
    """A row for each measured figure: its goal, ours, the published design's, and how many times less ours is."""
    rows = [*OF_THE_VAULT]
    for size in result["query"]:
        rows += [(f"{size}: {what}", goals.get(size, ""), ("query", size, *keys)) for what, goals, keys in OF_A_SIZE]
    rows += [*OF_CHANGES, *OF_THE_DOOR]
    cells = []
    for what, goal, keys in rows:
        ours, published = figure(result, *keys), figure(result, "baseline", *keys)
        if ours is None and published is None:
            continue
        cells.append([what, goal, number(ours), number(published), _ratio(ours, published)])
    for size in result["query"]:
        if (beyond := _beyond_engine_ms(result, size)) is not None:
            goal = BEYOND_ENGINE_GOALS.get(size, "")
            what = f"{size}: over the socket beyond the engine, wall ms p50"
            cells.append([what, goal, number(beyond), NOT_MEASURED, NOT_MEASURED])
    return markdown_table(["what", "goal", "measured", "published design", "ratio"], cells)


def _ratio(ours: float | None, published: float | None) -> str:
    if not ours or published is None:
        return NOT_MEASURED
    ratio = published / ours
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def _beyond_engine_ms(result: Result, size: str) -> float | None:
    """Median time over the socket minus median time in the process of the engine, in milliseconds."""
    socket, engine = (figure(result, "query", size, key, "p50") for key in ("socket_wall_ms", "engine_wall_ms"))
    return None if socket is None or engine is None else socket - engine


def peers(result: Result) -> str:
    """A row for each peer; empty where none was measured."""
    cells = []
    for name, found in result.get("peers", {}).items():
        figures = ((key, found[key]) for key in ("query_cpu_ms", "query_wall_ms") if key in found)
        cells += [[f"{name}, {key}", *(number(one.get(p)) for p in ("p50", "p95", "p99"))] for key, one in figures]
    return markdown_table(["peers", "p50", "p95", "p99"], cells) if cells else ""


def comparison(rows: Iterable[Ratio]) -> str:
    """A row for each figure of two results; below 1 the second is faster or smaller."""
    cells = [
        [row.name, number(row.first), number(row.second), NOT_MEASURED if row.ratio is None else f"{row.ratio:.2f}"]
        for row in rows
    ]
    return markdown_table(["figure", "first", "second", "second / first"], cells)


def number(value: float | None) -> str:
    """*value* with two or three significant digits."""
    if value is None:
        return NOT_MEASURED
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"

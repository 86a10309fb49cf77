"""How does a result look to a person? Markdown tables: each figure with its goal and with the published design's."""

from collections.abc import Iterable, Sequence

from quarry.bench.results import Document, Ratio, figure

UNTOLD = "-"

GOALS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("full index, CPU s", "<= 9", ("index", "cpu_s")),
    ("full index, wall s", "<= 8", ("index", "wall_s")),
    ("nothing changed, start to up to date, ms", "<= 200", ("unchanged_ms",)),
    ("database and derived files, MB", "<= 110", ("index", "disk_mb")),
    ("peak memory of a full index, MB", "<= 600", ("index", "peak_rss_mb")),
)
OF_A_SIZE: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("legs and fusion, CPU ms p50", {"50k": "<= 1.5", "150k": "<= 3", "1m": "<= 10"}, ("legs_cpu_ms", "p50")),
    ("legs and fusion, CPU ms p99", {"50k": "<= 3", "150k": "<= 6", "1m": "<= 20"}, ("legs_cpu_ms", "p99")),
    ("whole query, CPU ms p50", {"50k": "<= 4", "150k": "<= 6", "1m": "<= 14"}, ("engine_cpu_ms", "p50")),
    ("whole query, CPU ms p99", {"50k": "<= 8", "150k": "<= 12", "1m": "<= 28"}, ("engine_cpu_ms", "p99")),
    ("over the socket, wall ms p50", {"50k": "<= 5"}, ("socket_wall_ms", "p50")),
    ("one word and prefix, CPU ms p50", {"50k": "<= 2"}, ("prefix_cpu_ms", "p50")),
    ("serving, private memory, MB", {"50k": "<= 150", "1m": "<= 500"}, ("rss_mb",)),
)
AFTER: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("searching during a full rebuild, wall ms p99", "<= 30", ("while_indexing_ms", "p99")),
    ("save to searchable, wall ms p50", "<= 3", ("save_ms", "p50")),
    ("save to searchable, wall ms p99", "<= 15", ("save_ms", "p99")),
    ("start to first answer by keyword, wall ms", "<= 200", ("start_ms", "keyword")),
    ("start to first hybrid answer, wall ms", "<= 400", ("start_ms", "hybrid")),
)


def overview(document: Document) -> str:
    """A row a figure that was measured: its goal, ours, the published design's beside it, and how much less ours is."""
    rows = [*GOALS]
    for size in document["query"]:
        rows += [(f"{size}: {what}", goals.get(size, ""), ("query", size, *keys)) for what, goals, keys in OF_A_SIZE]
    rows += AFTER
    cells = []
    for what, goal, keys in rows:
        ours, published = figure(document, *keys), figure(document, "baseline", *keys)
        if ours is None and published is None:
            continue
        ratio = f"{published / ours:.1f}x" if ours and published is not None else UNTOLD
        cells.append([what, goal, number(ours), number(published), ratio])
    return table(["what", "goal", "measured", "published design", "ratio"], cells)


def peers(document: Document) -> str:
    """A row a peer; empty where none was measured."""
    cells = []
    for name, found in document.get("peers", {}).items():
        figures = ((key, found[key]) for key in ("query_cpu_ms", "query_wall_ms") if key in found)
        cells += [[f"{name}, {key}", *(number(one.get(p)) for p in ("p50", "p95", "p99"))] for key, one in figures]
    return table(["peers", "p50", "p95", "p99"], cells) if cells else ""


def comparison(rows: Iterable[Ratio]) -> str:
    """A row a figure of two results; below 1 the second is faster or smaller."""
    cells = [
        [row.name, number(row.first), number(row.second), UNTOLD if row.ratio is None else f"{row.ratio:.2f}"]
        for row in rows
    ]
    return table(["figure", "first", "second", "second / first"], cells)


def number(value: float | None) -> str:
    """*value* with as many digits as tell something."""
    if value is None:
        return UNTOLD
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    widths = [max(3, *(len(row[column]) for row in (head, *rows))) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *rest = (
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join((first, *rest))} |"

    rule = "|".join("-" * (width + 1) + ":" if column else "-" * (width + 2) for column, width in enumerate(widths))
    return "\n".join([line(head), f"|{rule}|", *map(line, rows)])

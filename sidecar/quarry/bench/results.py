"""
What was measured, as a document: the keys that every result has, and two results side by side.

A figure that was not measured is null, so that every document has the same shape; `notes` says why.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.errors import BadRequest

INDEX_KEYS = ("files", "chunks", "cpu_s", "wall_s", "peak_rss_mb", "disk_mb", "stages")
QUERY_KEYS = ("legs_cpu_ms", "engine_cpu_ms", "socket_wall_ms", "prefix_cpu_ms", "rss_mb")
PLAIN_KEYS = ("save_ms", "start_ms", "unchanged_ms", "while_indexing_ms")

Document = dict[str, Any]


def empty(sizes: tuple[str, ...]) -> Document:
    """A result before anything was measured."""
    return {**_side(sizes), "baseline": _side(sizes), "notes": []}


def write(document: Mapping[str, Any], file: Path) -> None:
    """Write *document* as JSON."""
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read(file: Path) -> Document:
    """
    What `write` wrote.

    Raises:
        BadRequest: It is no result of the benchmark.
    """
    try:
        document = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadRequest(f"{file} cannot be read as a result of `quarry bench --json`: {error}") from error
    if not isinstance(document, dict) or not {"index", "query", *PLAIN_KEYS} <= document.keys():
        raise BadRequest(f"{file} is no result of `quarry bench --json`")
    return document


class Ratio(Struct, frozen=True):
    """One figure of two results."""

    name: str
    first: float
    second: float

    @property
    def ratio(self) -> float | None:
        """How many times as much the second is; below 1 it is better. None where the first is 0."""
        return self.second / self.first if self.first else None


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Ratio]:
    """Every figure that both have, in the order of the first."""
    others = dict(figures(second))
    return [Ratio(name, value, others[name]) for name, value in figures(first) if name in others]


def figures(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The figures that every result has, each by the keys that lead to it; those not measured are left out."""
    for key in ("index", "query", *PLAIN_KEYS, "baseline"):
        yield from _numbers(key, document.get(key))


def figure(document: Mapping[str, Any], *keys: str) -> float | None:
    """The figure that *keys* lead to; None where it was not measured."""
    found: Any = document
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def _numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(f"{name}.{key}", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, float(value)


def _side(sizes: tuple[str, ...]) -> Document:
    return {
        "index": dict.fromkeys(INDEX_KEYS),
        "query": {size: dict.fromkeys(QUERY_KEYS) for size in sizes},
        **dict.fromkeys(PLAIN_KEYS),
    }

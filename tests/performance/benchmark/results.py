"""
What does a result look like as JSON? The keys that every result has, and the comparison of two results.

A figure that was not measured is null, so that all results have the same shape; `notes` says why.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.errors import BadRequest

INDEX_KEYS = ("files", "chunks", "cpu_s", "wall_s", "peak_rss_mb", "disk_mb", "stages")
QUERY_KEYS = ("legs_cpu_ms", "engine_cpu_ms", "socket_wall_ms", "prefix_cpu_ms", "rss_mb", "python_calls")
PLAIN_KEYS = ("save_ms", "start_ms", "unchanged_ms", "while_indexing_ms")
OWN_KEYS = ("door",)  # what the published design has nothing like

Result = dict[str, Any]


def empty(sizes: tuple[str, ...]) -> Result:
    """A result without any figures."""
    return {**_side(sizes), **dict.fromkeys(OWN_KEYS), "baseline": _side(sizes), "notes": []}


def write(document: Mapping[str, Any], file: Path) -> None:
    """Write *document* to *file* as JSON."""
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read(file: Path) -> Result:
    """
    Read what `write` wrote.

    Raises:
        BadRequest: The file is not a result of the benchmark.
    """
    try:
        document = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadRequest(f"{file} cannot be read as a result of `npm run bench --json`: {error}") from error
    if not isinstance(document, dict) or not {"index", "query", *PLAIN_KEYS} <= document.keys():
        raise BadRequest(f"{file} is not a result of `npm run bench --json`")
    return document


class Ratio(Struct, frozen=True):
    """A figure of two results."""

    name: str
    first: float
    second: float

    @property
    def ratio(self) -> float | None:
        """Second divided by first; below 1 the second is better. None where the first is 0."""
        return self.second / self.first if self.first else None


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Ratio]:
    """The figures that both results have, in the order of the first."""
    others = dict(figures(second))
    return [Ratio(name, value, others[name]) for name, value in figures(first) if name in others]


def figures(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The measured figures of a result, each by the path of its keys, joined by dots."""
    for key in ("index", "query", *PLAIN_KEYS, *OWN_KEYS, "baseline"):
        yield from _numbers(key, document.get(key))


def figure(document: Mapping[str, Any], *keys: str) -> float | None:
    """The figure at the path *keys*; None where it was not measured."""
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


def _side(sizes: tuple[str, ...]) -> Result:
    return {
        "index": dict.fromkeys(INDEX_KEYS),
        "query": {size: dict.fromkeys(QUERY_KEYS) for size in sizes},
        **dict.fromkeys(PLAIN_KEYS),
    }

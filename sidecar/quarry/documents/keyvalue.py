"""
How is structured data in a note indexed: as lines like `server.port: 8080`?

JSON and YAML blocks and front matter are flattened to `key.path: value`, so that a key is found together with the keys
above it and with its value. The size is bounded: large data is for machines, and its own text is indexed anyway.
"""

import json
from collections.abc import Iterator, Mapping

from quarry.documents.frontmatter import read_properties
from quarry.types import PropertyValue

MAX_CHARS = 2_000  # of lines from one block
MAX_SOURCE_CHARS = 65_536  # of a block; a longer one is not read
MAX_VALUE_CHARS = 300  # of one value; the rest is found as text

_JSON_LANGUAGES = frozenset({"json", "jsonc", "json5", "geojson", "jsonld"})
_YAML_LANGUAGES = frozenset({"yaml", "yml"})


def is_data(language: str) -> bool:
    """Whether a fence in this *language* holds data that `flatten_block` reads."""
    return language in _JSON_LANGUAGES or language in _YAML_LANGUAGES


def flatten_block(language: str, source: str) -> tuple[str, ...]:
    """The lines for a JSON or YAML block; none if it cannot be read, is too long, or is in another *language*."""
    if len(source) > MAX_SOURCE_CHARS:
        return ()
    if language in _JSON_LANGUAGES:
        return _bounded(_flat_json(source))
    if language in _YAML_LANGUAGES:
        properties, _ = read_properties(source)
        return flatten_properties(properties)
    return ()


def flatten_properties(
    properties: Mapping[str, PropertyValue], *, leave_out: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """The lines for *properties*, except those named in *leave_out* (lower case)."""
    return _bounded(
        (name, ", ".join(value) if isinstance(value, tuple) else _shown(value))
        for name, value in properties.items()
        if name.lower() not in leave_out
    )


def _bounded(pairs: Iterator[tuple[str, str]]) -> tuple[str, ...]:
    """`key: value` lines of at most 2,000 characters together, each on one line, with long values cut."""
    lines: list[str] = []
    room = MAX_CHARS
    for name, value in pairs:
        line = " ".join(f"{name}: {value[:MAX_VALUE_CHARS]}".split())
        room -= len(line) + 1
        if room < 0:
            break
        if value:
            lines.append(line)
    return tuple(lines)


def _flat_json(source: str) -> Iterator[tuple[str, str]]:
    """The leaves of a JSON text in order, by dotted path; items of a list share the path of the list."""
    try:
        root = json.loads(source)
    except (ValueError, RecursionError):  # comments, an excerpt, numbers of 5,000 digits, brackets without end
        return
    stack: list[tuple[str, object]] = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack += reversed([(f"{path}.{name}" if path else str(name), inner) for name, inner in value.items()])
        elif isinstance(value, list):
            stack += reversed([(path, inner) for inner in value])
        elif value is not None and path:
            yield path, _shown(value)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

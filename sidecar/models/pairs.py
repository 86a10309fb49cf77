"""Reads texts with their English translations."""

import json
import lzma
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and its English translation."""

    language: str
    text: str
    english: str


def read_pairs(path: Path) -> list[Pair]:
    """
    Read one pair a line of JSON (`lang`, `text`, `english`), compressed by xz.

    Raises:
        KeyError, ValueError, lzma.LZMAError: The file does not hold such lines.
    """
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return [Pair(row["lang"], row["text"], row["english"]) for row in rows]

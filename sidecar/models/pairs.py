"""Reads texts with their English translations."""

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

# Those in the scripts of the extension. Kazakh and the other languages of the corpus would take rows from these.
LANGUAGES = frozenset(("zh", "zh-Hant", "ja", "ko", "ru", "uk", "bg", "sr", "mk"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and its English translation."""

    text: str
    english: str


def read_pairs(path: Path) -> list[Pair]:
    """
    Read the pairs in LANGUAGES: one a line of JSON (`lang`, `text`, `english`), compressed by xz.

    Raises:
        KeyError, ValueError, lzma.LZMAError: The file does not hold such lines.
    """
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return [Pair(row["text"], row["english"]) for row in rows if row["lang"] in LANGUAGES]

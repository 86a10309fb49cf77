"""
English words for words of de, es, fr, it, pl, pt and tr, from a file beside the model that they were chosen for.

A static model of English splits such words into pieces that mean nothing. Only queries are translated, and of them only
words that are in no note: a note in another language is found by its own words. The file has a line for each word, in
order: the word, a tab, one to four English words that the model has as a whole.
"""

from functools import cached_property
from pathlib import Path

from quarry.lazy_pattern import lazy_pattern

_LETTERS = lazy_pattern(r"[^\W\d_]+")


class Translations:
    """The words of one file, 1 MB, which is read when the first is asked for. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _lines(self) -> bytes:
        return b"\n" + self._path.read_bytes()

    def english(self, word: str) -> str:
        """The English words for *word*, in lower case, with a space between them; empty if there are none."""
        key = f"\n{word}\t".encode("utf-8", "replace")
        start = self._lines.find(key) + len(key)
        return self._lines[start : self._lines.index(b"\n", start)].decode() if start >= len(key) else ""

    def in_english(self, text: str, words: tuple[str, ...]) -> str:
        """*text* with English words in the place of those of *words*, in lower case, that have them."""
        parts = {part for word in words for part in _LETTERS.findall(word)}
        meant = {part: english for part in parts if (english := self.english(part))}
        return _LETTERS.sub(lambda found: meant.get(found[0].lower(), found[0]), text) if meant else text

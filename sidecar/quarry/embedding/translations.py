"""
English words for words of de, es, fr, it, pl, pt and tr, from a file beside the model that they were chosen for.

A static model of English splits such words into pieces that mean nothing. Only queries are translated, and of them only
words that are in no note: notes in another language are found by its own words. The file has a line for each word, in
order: the word, a tab, one to four English words that the model has as a whole.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from quarry.lazy_pattern import lazy_pattern

# An inflected form goes by the first word that begins alike: a mean nDCG@10 of .45 in seven languages, not .39. With a
# stem of four letters or six it is the same.
MIN_STEM = 5
MAX_ENDING = 3  # letters behind it, of either word

_LETTERS = lazy_pattern(r"[^\W\d_]+")


class Translations:
    """The words of one file, 4 MB of memory once the first is looked up. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _lines(self) -> list[str]:
        return self._path.read_text("utf-8").split("\n")  # the last is empty, and sorts nowhere: nothing reaches it

    def english(self, word: str) -> str:
        """The English words for *word*, in lower case, with a space between them; empty if there are none."""
        found, _, english = self._first_from(f"{word}\t")
        if found == word:
            return english
        for length in range(len(word) - 1, max(MIN_STEM, len(word) - MAX_ENDING) - 1, -1):
            stem = word[:length]
            found, _, english = self._first_from(stem)
            if found.startswith(stem) and len(found) <= length + MAX_ENDING:
                return english
        return ""

    def in_english(self, text: str, words: Sequence[str], is_word: Callable[[str], bool]) -> str:
        """
        *text* with English words in the place of those of *words*, in lower case, that have them.

        If any has, those without are left out, unless they *are words* of the model: their pieces would mean anything.
        """
        parts = {part for word in words for part in _LETTERS.findall(word) if not is_word(part)}
        meant = {part: self.english(part) for part in parts}
        return _LETTERS.sub(lambda found: meant.get(found[0].lower(), found[0]), text) if any(meant.values()) else text

    def _first_from(self, start: str) -> tuple[str, str, str]:
        """The first line that is not before *start*: its word, a tab, its English words."""
        at = bisect_left(self._lines, start, hi=len(self._lines) - 1)
        return self._lines[at].partition("\t")

"""
How is a word normalised to its term? Without case, accents, width and vowel points; English words by their stem.

`index/folding.py` normalises names and paths, which have no stem.
"""

import threading
import unicodedata
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # ships no types

from quarry.lazy_pattern import lazy_pattern
from quarry.terms.scripts import JOINERS, SKIN_TONES, VARIATIONS

MAX_TERM_CHARS = 64  # characters; what is longer is data, and its beginning is the term

CACHED_WORDS = 30_000  # words recur, most of all within names; 6 MB

# Accents (of Latin, Greek, Cyrillic), the points of Hebrew and Arabic, which are mostly omitted in writing, and
# invisible characters. The vowel signs of other scripts are kept, like letters.
_IGNORED_MARKS = lazy_pattern(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    f"{JOINERS}{VARIATIONS}{SKIN_TONES}]+"
)


class _Stemmers(threading.local):
    """A stemmer per thread, as one must not be shared."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter", 0)  # without a cache of its own


_stemmers = _Stemmers()


def fold(text: str) -> str:
    """*text* in lower case and normal width (NFKC), without accents, points and invisible characters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    folded = unicodedata.normalize("NFC", _IGNORED_MARKS.sub("", decomposed))
    return folded if " " in text else folded.replace(" ", "")  # ligatures of several words come apart: ﷺ


@lru_cache(maxsize=CACHED_WORDS)
def stem(word: str) -> str:
    """The term of one *word*: folded, and if it is ASCII letters, stemmed (Porter 1980): `Résumés` is `resum`."""
    folded = fold(word)[:MAX_TERM_CHARS]
    if len(folded) > 2 and folded.isascii() and folded.isalpha():  # the stem of "s" would be nothing
        stemmed: str = _stemmers.porter.stemWord(folded)
        return stemmed
    return folded

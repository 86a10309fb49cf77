"""
How is a word normalised to its term? Without case, accents, width and vowel points; English and Russian words by their
stem.

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


_CYRILLIC = lazy_pattern("[\u0400-\u04ff]{3,}+")
# A vowel that some forms of a word lack: заметок, заметки; отец, отца. In 7,000 Russian texts 56 of the 58 stems that
# become one without it are of one word; before other consonants it is two of three. Behind a vowel й takes its place:
# копеек, копейки.
_FLEETING_VOWEL = lazy_pattern("(?<=.[бвгджзйклмнпрстфхцчшщь])[ео](?=[кц]$)")
_FLEETING_BEHIND_VOWEL = lazy_pattern("(?<=[аеиоуыэюя])е(?=к$)")


class _Stemmers(threading.local):
    """A stemmer per thread, as one must not be shared."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter", 0)  # without a cache of its own
        self.russian = Stemmer.Stemmer("russian", 0)


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
    """
    The term of one *word*: folded, and stemmed if it is letters of one script: `resum` of `Résumés`, `отц` of `отец`.

    ASCII is stemmed as English (Porter 1980), Cyrillic as Russian (Snowball), whatever the language.
    """
    folded = fold(word)[:MAX_TERM_CHARS]
    if len(folded) > 2:  # the stem of "s" would be nothing
        if folded.isascii():
            if folded.isalpha():
                stemmed: str = _stemmers.porter.stemWord(folded)
                return stemmed
        elif _CYRILLIC.fullmatch(folded):
            return _russian_stem(word)
    return folded


def _russian_stem(word: str) -> str:
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
    written = _IGNORED_MARKS.sub("", composed).replace("ё", "е")  # й is one character here, and endings have it
    stemmed: str = _stemmers.russian.stemWord(written[:MAX_TERM_CHARS])
    return fold(_FLEETING_BEHIND_VOWEL.sub("й", _FLEETING_VOWEL.sub("", stemmed)))

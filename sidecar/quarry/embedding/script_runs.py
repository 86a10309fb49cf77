"""
Which letters of a text does the extension read, and what is left for the model's own tokenizer?

The extension has rows for Chinese, Japanese, Korean and Cyrillic letters. They are taken out of a text in *runs*:
letters of those scripts in a row, with their combining marks. A space stays in the place of each, so that the words
beside it are tokenised as if it were not there.
"""

from quarry.analysis.scripts import CYRILLIC, HAN, HANGUL, KANA
from quarry.lazy_pattern import lazy_pattern

WORD_START = "▁"  # as SentencePiece marks the first piece of a word

_UNSPACED = HAN + KANA
_SPACED = HANGUL + CYRILLIC
_MARKS = "\u0300-\u036f\u0483-\u0487\u3099\u309a"  # accents in decomposed text, and the voiced signs of kana
_LETTER = lazy_pattern(f"[{_UNSPACED}{_SPACED}]")
_RUN = lazy_pattern(f"[{_UNSPACED}][{_UNSPACED}{_MARKS}]*+|[{_SPACED}][{_SPACED}{_MARKS}]*+")
_IS_SPACED = lazy_pattern(f"[{_SPACED}]")
_CYRILLIC = lazy_pattern(f"[{CYRILLIC}]")


def has_runs(text: str) -> bool:
    """Whether *text* has a letter of the extension's scripts."""
    return not text.isascii() and _LETTER.search(text) is not None


def find_runs(text: str) -> list[str]:
    """The runs of *text* in order; those of scripts written with spaces are words, and begin with WORD_START."""
    return [WORD_START + run if _IS_SPACED.match(run) else run for run in _RUN.findall(text)]


def without_runs(text: str) -> str:
    """*text* with a space in the place of each run."""
    return _RUN.sub(" ", text)


def stands_alone(letter: str) -> bool:
    """Whether one *letter* of a run is a word or a syllable: all but the Cyrillic ones are."""
    return not _CYRILLIC.match(letter)

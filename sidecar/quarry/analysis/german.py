"""
The stem of a German word: CISTEM (Weissweiler and Fraser, Developing a Stemmer for German Based on a Comparative
Analysis of Publicly Available Stemmers, 2017), without regard to capitals.

Unlike Snowball's, it takes off the `ge-` and `-t` of participles: `gekauft`, `kaufe`, `kaufen` are `kauf`. Its one rule
too many is changed, by which any `s` goes and `Haus` is `hauen`: as in Snowball's, it goes behind some letters only.
"""

from quarry.lazy_pattern import lazy_pattern

LEAST = 3  # letters of a stem
LONG = 5  # letters of a word from which `em`, `er` and `nd` may go

# An umlaut as two letters, as it is typed where the keyboard has none; not the `ue` of `neue`, `Bauer` and `Quelle`.
_UMLAUTS = lazy_pattern("([ao])e|(?<![aeiouq])(u)e")
_PARTICIPLE = lazy_pattern("ge(?=.{4})")
_DOUBLE = lazy_pattern(r"(.)\1")
_HALVED = lazy_pattern(r"(.)\*")
_ONE_SOUND = (("sch", "$"), ("ei", "%"), ("ie", "&"))  # letters that endings do not divide
_BEFORE_S = frozenset("bdefghklmnrt")
_WITHOUT_MARKS = str.maketrans("äöü", "aou")


def german_stem(word: str) -> str:
    """The stem of a *word* in lower case, with `ss` for `ß`; in the letters a to z where the word has no others."""
    stem = _UMLAUTS.sub(r"\1\2", word.translate(_WITHOUT_MARKS))
    if len(stem) > LONG and _PARTICIPLE.match(stem):
        stem = stem[2:]
    for letters, sign in _ONE_SOUND:
        stem = stem.replace(letters, sign)
    stem = _DOUBLE.sub(r"\1*", stem)
    while len(stem) > LEAST:
        if len(stem) > LONG and stem.endswith(("em", "er", "nd")):
            stem = stem[:-2]
        elif stem[-1] in "ten" or (stem[-1] == "s" and stem[-2] in _BEFORE_S):
            stem = stem[:-1]
        else:
            break
    stem = _HALVED.sub(r"\1\1", stem)
    for letters, sign in _ONE_SOUND:
        stem = stem.replace(sign, letters)
    return stem

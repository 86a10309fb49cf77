"""
Normalises a word to its term: without case, accents, width and vowel points, and stemmed in the language of its text.

A stem of another language than English ends in a capital that says of which, its *tag*: `Haus` in a German note is
`hausÀ`, in an English one `hau`. So the words of two languages never meet by chance (`Eis`, ice, is `ei` to the English
stemmer, the German egg), and a note in English is found as it would be in a vault without any other language. A word
that is not stemmed, as the settings say, has a tag too: `running` never meets a stem, while some notes have stems.

`index/keys.py` normalises names and paths, which have no stem.
"""

import threading
import unicodedata
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # ships no types

from quarry.analysis.british import american
from quarry.analysis.languages import ENGLISH, LANGUAGES, UNSTEMMED, snowball_stemmer
from quarry.analysis.scripts import JOINERS, SKIN_TONES, VARIATIONS
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
    """
    The stem of a *word* in lower case, with `ss` for `ß`; in the letters a to z where the word has no others.

    It is CISTEM's (Weissweiler and Fraser, Developing a Stemmer for German Based on a Comparative Analysis of Publicly
    Available Stemmers, 2017), without regard to capitals. Unlike Snowball's, it takes off the `ge-` and `-t` of
    participles: `gekauft`, `kaufe`, `kaufen` are `kauf`. With Snowball's, nDCG@10 of the German judged set is .709 by
    words and .759 by default, not .793 and .818. CISTEM strips every final `s`, so that `Haus` is `hauen`; like
    Snowball, this strips it only after certain letters.
    """
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


MAX_TERM_CHARS = 64  # characters; what is longer is data, and its beginning is the term

CACHED_WORDS = 30_000  # words recur, most of all within names; 6 MB

# Accents (of Latin, Greek, Cyrillic), the points of Hebrew and Arabic, which are mostly omitted in writing, and
# invisible characters. The vowel signs of other scripts are kept, like letters.
_IGNORED_MARKS = lazy_pattern(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    f"{JOINERS}{VARIATIONS}{SKIN_TONES}]+"
)


_CYRILLIC = lazy_pattern("[\u0400-\u04ff]{3,}+")
_STEMMED = lazy_pattern("[a-z\xdf-\xf6\xf8-\u024f]++|[\u0400-\u04ff]{3,}+")
_LATIN = lazy_pattern("[a-z\xdf-\xf6\xf8-\u024f]++")

TAGS = {language: chr(0xC0 + number) for number, language in enumerate((*LANGUAGES, UNSTEMMED))}
"""
The last character of the stems of each language but English, and of words without a stem: a capital, which folding
leaves in no term.
"""
LANGUAGE_OF_TAG = {tag: language for language, tag in TAGS.items()}
# https://tartarus.org/martin/PorterStemmer, "points of difference from the published algorithm": bli > ble, logi > log
# behind a vowel with a consonant behind it; y is a vowel behind a consonant. FTS5's stemmer has them, too, but
# for `ie`, which is typed before the s of `technologies`.
_LATER_ENDINGS = ("bly", "bli", "logy", "logi", "blies", "blie", "blis", "blys", "logies", "logie", "logis", "logys")
_LATER_RULE = lazy_pattern(r"(.*(?:[aeiou]|(?<=[^aeiou])y)[^aeiou].*)(bl|log)(?:[yi]s?|ies?)")
_LATER_REPLACEMENTS = {"bl": "ble", "log": "log"}
# A vowel that some forms of a word lack: заметок, заметки; отец, отца. In 7,000 Russian texts 56 of the 58 stems that
# become one without it are of one word; before other consonants it is two of three. Behind a vowel й takes its place:
# копеек, копейки.
_FLEETING_VOWEL = lazy_pattern("(?<=.[бвгджзйклмнпрстфхцчшщь])[ео](?=[кц]$)")
_FLEETING_BEHIND_VOWEL = lazy_pattern("(?<=[аеиоуыэюя])е(?=к$)")


class _Stemmers(threading.local):
    """Stemmers per thread, as one must not be shared."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter", 0)  # without a cache of its own
        self._by_language: dict[str, Stemmer.Stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        """The stem of a *word* in lower case."""
        if language == "de":
            return german_stem(word)
        stemmer = self._by_language.get(language)
        if stemmer is None:
            stemmer = self._by_language[language] = Stemmer.Stemmer(snowball_stemmer(language), 0)
        stemmed: str = stemmer.stemWord(word)
        return stemmed


_stemmers = _Stemmers()


def fold(text: str) -> str:
    """*text* in lower case and normal width (NFKC), without accents, points and invisible characters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    folded = unicodedata.normalize("NFC", _IGNORED_MARKS.sub("", decomposed))
    return folded if " " in text else folded.replace(" ", "")  # ligatures of several words come apart: ﷺ


def stem(word: str, language: str = ENGLISH) -> str:
    """
    The term of one *word* in a text in *language*: folded, and stemmed if it is letters of one script.

    Latin letters are stemmed in *language*, in English by Porter's rules (1980, and those that he added later), without
    accents and as American English spells them: `Résumés` is `resum`, `colours` is `color`. Cyrillic letters are
    stemmed as Russian, whatever the language. In
    `UNSTEMMED` no letters are.
    """
    if language == ENGLISH:
        return english_stem(word)
    return _foreign_stem(word, language) if language != UNSTEMMED else _unstemmed(word)


@lru_cache(maxsize=CACHED_WORDS)
def english_stem(word: str) -> str:
    """`stem` of a *word* in a text in English, a little faster."""
    folded = fold(word)[:MAX_TERM_CHARS]
    if len(folded) < 3:  # the stem of "s" would be nothing
        return folded
    if folded.isascii():
        if folded.isalpha():
            stemmed: str = _stemmers.porter.stemWord(_by_later_rules(american(folded)))
            return stemmed
    elif _CYRILLIC.fullmatch(folded):
        stemmed = _stemmers.stem(_composed(word).replace("ё", "е"), "ru")
        return fold(_FLEETING_BEHIND_VOWEL.sub("й", _FLEETING_VOWEL.sub("", stemmed)))
    return folded


def _by_later_rules(word: str) -> str:
    """
    *word* as it is before the third step of the stemmer, if one of the two rules that Porter added later changes it.

    `possibly` is stemmed as `possible`, `technology` as `technological`. Snowball's stemmer has the rules as published.
    """
    if not word.endswith(_LATER_ENDINGS):
        return word
    found = _LATER_RULE.fullmatch(word)
    return found[1] + _LATER_REPLACEMENTS[found[2]] if found else word


@lru_cache(maxsize=CACHED_WORDS)
def _foreign_stem(word: str, language: str) -> str:
    folded = fold(word)[:MAX_TERM_CHARS]
    if not _LATIN.fullmatch(folded):
        return english_stem(word)
    stemmed = fold(_stemmers.stem(_composed(word), language)) if len(folded) > 2 else folded
    return (stemmed if len(stemmed) > 1 else folded) + TAGS[language]


def _unstemmed(word: str) -> str:
    folded = fold(word)[:MAX_TERM_CHARS]
    return folded + TAGS[UNSTEMMED] if _STEMMED.fullmatch(folded) else folded


def plain_stem(word: str, language: str) -> str:
    """The term of *word* if it is typed without its accents: `comia` of `comía`, whose own is `com`."""
    return stem(fold(word), language)


def language_of_term(term: str) -> str:
    """The language that *term* was stemmed in; English also where its characters have no stem."""
    return LANGUAGE_OF_TAG.get(term[-1:], ENGLISH)


def untagged(term: str) -> str:
    """*term* without its tag."""
    return term[:-1] if term[-1:] in LANGUAGE_OF_TAG else term


def _composed(word: str) -> str:
    """
    *word* in lower case, with its accents as part of their letters: endings have some, such as `й` and `é`.

    Other marks are left out: the stress of Russian words in primers, soft hyphens.
    """
    if word.isascii():
        return word.lower()[:MAX_TERM_CHARS]
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
    return _IGNORED_MARKS.sub("", composed)[:MAX_TERM_CHARS]

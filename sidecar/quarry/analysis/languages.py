"""
The language of a text, of those whose words can be stemmed, and the words that are too common to rank by.

A language is recognised by function words: no text of some length lacks them, and few are in two languages. English is
what is not recognised as anything else, as code, lists and names have none. Scripts other than Latin need no
recognition: their words are stemmed by script (`normalize.py`).
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

ENGLISH = "en"
MIN_WORDS = 3  # function words and letters of a language in a text of it; 2 in a short one without English words
SHORT = 40  # words of a text
MIN_SHARE = 20  # one in so many words is a function word; in most texts every second
MARGIN = 1.5  # times as many as of English
SAMPLE_CHARS = 800  # of a text that are looked at
CHARS_A_THE = 200  # in which English prose has at least one "the"
MOST_LETTERS = 2  # that count: one foreign name has as many
_DECLARED_BY = ("lang", "language")  # properties
UNSTEMMED = "und"  # undetermined, to ISO 639-2
"""Stands for the language of a text whose words are not stemmed, as the vault's settings say."""


class _Language(Struct, frozen=True, forbid_unknown_fields=True):
    """What tells a language, and how it is stemmed; `languages.toml` describes the fields."""

    names: str
    stemmer: str
    letters: str
    words: str
    common: str = ""


class _English(Struct, frozen=True, forbid_unknown_fields=True):
    words: str
    uninflected: str
    telling: str  # in no other language, or in so few that the margin bears it


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    languages: dict[str, _Language]
    english: _English
    stop_words: dict[str, str]


_FILE = msgspec.convert(tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8")), _File)
LANGUAGES = tuple(_FILE.languages)
"""Languages in Latin script, other than English, whose words are stemmed, in the order of their tags; ISO 639-1."""
STOP_WORDS = frozenset(" ".join(_FILE.stop_words.values()).split())
"""Words that are too common to rank by."""
UNINFLECTED = frozenset(_FILE.english.uninflected.split())
"""English words that no ending makes other words of."""


class _Signs(NamedTuple):
    """The letters and function words that a language is recognised by."""

    languages_of_word: Mapping[str, tuple[str, ...]]
    languages_of_letter: Mapping[str, tuple[str, ...]]
    english: frozenset[str]
    known: frozenset[str]  # words of any of them


@cache
def _signs() -> _Signs:
    """Made when a note is first read: a search needs none."""
    every_english = frozenset(_FILE.english.words.split())
    of_word = _by_sign(
        {
            code: {word for word in language.words.split() if len(word) > 1} - every_english
            for code, language in _FILE.languages.items()
        }
    )
    english = frozenset(_FILE.english.telling.split())
    of_letter = _by_sign({code: language.letters for code, language in _FILE.languages.items()})
    return _Signs(of_word, of_letter, english, english | of_word.keys())


def _by_sign(signs: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Each word or letter with the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for language, of_language in signs.items():
        for sign in of_language:
            found[sign] = (*found.get(sign, ()), language)
    return found


def language_of(text: str) -> str | None:
    """
    The language of *text*: one of `LANGUAGES`, or English; None where too little tells.

    Of texts of eight sentences, 98 in 100 are told right over all these languages; of three, 85; of one, 44, the others
    being taken for none. Of 58,000 passages in English none is taken for another.
    """
    sample = text[:SAMPLE_CHARS].lower()
    if sample.count(" the ") * CHARS_A_THE > len(sample):
        return ENGLISH
    words = sample.split()  # those beside punctuation are left to the others
    signs = _signs()
    found = signs.known.intersection(words)
    english = len(found & signs.english)
    counts = Counter([language for word in found for language in signs.languages_of_word.get(word, ())])
    letters: Counter[str] = Counter()
    if counts and not sample.isascii():
        letters.update([language for letter in {*sample} for language in signs.languages_of_letter.get(letter, ())])
    scores = {language: counts[language] + min(MOST_LETTERS, letters[language]) for language in counts}
    best = max(scores, key=lambda language: (scores[language], counts[language], language), default=None)
    if best is not None and counts[best] > 1 and counts[best] * MIN_SHARE >= len(words):
        least = MIN_WORDS if english or len(words) > SHORT else MIN_WORDS - 1
        if scores[best] >= max(least, MARGIN * english):
            return best
    return ENGLISH if english >= MIN_WORDS else None


def hinted_languages(text: str) -> frozenset[str]:
    """
    The languages that a short *text* may be in, as far as a single function word or letter with an accent tells.

    English is one of them where it has an English function word; none where nothing tells. Words of one letter do not
    tell, as `a` is one in many languages.
    """
    words, signs = {word for word in text.lower().split() if len(word) > 1}, _signs()
    hinted = {language for word in words for language in signs.languages_of_word.get(word, ())}
    letters = {language for letter in {*text.lower()} for language in signs.languages_of_letter.get(letter, ())}
    return frozenset(hinted | letters | ({ENGLISH} if words & signs.english else set()))


def snowball_stemmer(language: str) -> str:
    """The name of Snowball's stemmer for one of `LANGUAGES`; Russian, for Cyrillic letters, has one as well."""
    return "russian" if language == "ru" else _FILE.languages[language].stemmer


def function_words(language: str) -> frozenset[str]:
    """The function words of one of `LANGUAGES`, by which a text in it is not ranked."""
    return frozenset(f"{_FILE.languages[language].words} {_FILE.languages[language].common}".split())


def declared_language(properties: Mapping[str, object]) -> str | None:
    """
    The language that the property `lang` or `language` declares, as `de`, `de-AT` or `German`; None if none does.

    One whose words are not stemmed is English: its words keep the terms that they have.
    """
    for name, value in properties.items():
        if name.lower() in _DECLARED_BY and isinstance(value, str) and (written := value.strip().lower()):
            spelled = {written, written.replace("_", "-").partition("-")[0]}
            declared = (code for code, known in _FILE.languages.items() if spelled & {code, *known.names.split()})
            return next(declared, ENGLISH)
    return None

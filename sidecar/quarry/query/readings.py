"""
Readings of a request that is no query: what it asks about, without the words for what it asks for.

An instruction ("write a short mail to the team about the new oven") says in most of its words what is to be done; a
task of several sentences has its subject in one of them; a follow-up ("and how long?") has it in the request before. No
note contains the words beside the subject, so that each reading is asked by itself, and a note is as likely to answer
as the best of them says, a sentence counting as far as the subject is in it. The request before only chooses among
the notes that a follow-up finds by itself: else a new subject in few words would bring up the old one.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from quarry.analysis.analysis import Languages, ranking_terms, split_alternatives
from quarry.analysis.languages import ENGLISH, STOP_WORDS, function_words
from quarry.lazy_pattern import SENTENCE_END, lazy_pattern

MAX_READINGS = 3  # each is a search
MIN_WORDS = 2  # about something, of a sentence that is a reading by itself
MIN_SHARE = 0.3  # of the request's such words that the sentence has
FOLLOW_UP = 5  # such words of a request, at most, that may depend on the one before
CYRILLIC = "ru"  # whose words are stemmed in every vault

_WORD = lazy_pattern(r"[^\W_](?:\S*[^\W_])?[+#]*")
_FILE = lazy_pattern(r"(\S+)\.([a-z]\w{0,4})")
_PARTS = lazy_pattern(r"[\W_]+")


class _Words(Struct, frozen=True, forbid_unknown_fields=True):
    verbs: str
    made: str
    errands: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    endings: str
    languages: dict[str, _Words]


class _AskedFor(NamedTuple):
    """The words for what is asked for, in the languages of a vault."""

    verbs: frozenset[str]  # as they are written, in small letters
    made: frozenset[str]  # terms
    errands: frozenset[str]  # verbs of work on a program
    common: frozenset[str]  # words that say nothing by themselves
    endings: frozenset[str]


class _Sentence(NamedTuple):
    text: str  # of what it is about
    weight: int  # how many words of it say something by themselves


class Readings(NamedTuple):
    """The queries that a request may be read as, each with the share of its subject that it has."""

    queries: Mapping[str, float]  # the whole request first; none where it asks about nothing
    follow_up: str = ""  # the request behind the words of the one before it, where it may depend on these


def readings(text: str, earlier: str, languages: Languages) -> Readings:
    """
    Read a request.

    Args:
        text: A request, its sentences and what is pasted into it each on a line, or with their punctuation.
        earlier: The words of the requests before it; "" if there are none.
        languages: Of the vault, besides English.
    """
    sentences, is_instruction = _sentences(text, languages)
    weight = sum([sentence.weight for sentence in sentences])
    if is_instruction and (not weight or (weight == 1 and _is_errand(text, languages))):
        return Readings({})
    found, follow_up = {_joined(sentences): 1.0}, ""
    if earlier and not is_instruction and 0 < weight <= FOLLOW_UP:
        follow_up = f"{_joined(_sentences(earlier, languages)[0])} {text}"
    if len(sentences) > 1:
        least = max(MIN_WORDS, MIN_SHARE * weight)
        telling = sorted([one for one in sentences if one.weight >= least], key=lambda one: -one.weight)
        found = found | {one.text: one.weight / weight for one in telling[: MAX_READINGS - 1] if one.text not in found}
    return Readings(found, follow_up)


def _joined(sentences: Sequence[_Sentence]) -> str:
    return "\n".join([sentence.text for sentence in sentences if sentence.text])


def _sentences(text: str, languages: Languages) -> tuple[list[_Sentence], bool]:
    """The sentences of *text*, and whether it is an instruction: one of them begins with a verb of work."""
    asked = _asked_for(languages)
    parts = [part.strip() for part in SENTENCE_END.split(text) if part and not part.isspace()]
    words = [_WORD.findall(part) for part in parts]
    if any(_begins_with_work(of_part, asked, languages) for of_part in words):
        about = [_about(of_part, asked, languages) for of_part in words]
        return [_Sentence(" ".join(kept), _weight(kept, asked)) for kept in about], True
    return [_Sentence(part, _weight(of_part, asked)) for part, of_part in zip(parts, words, strict=True)], False


def _weight(words: Sequence[str], asked: _AskedFor) -> int:
    return len([word for word in words if word.lower() not in asked.common])


def _begins_with_work(words: Sequence[str], asked: _AskedFor, languages: Languages) -> bool:
    """Whether the first of *words* is a verb of work, but for courtesy."""
    for word in words:
        if word.lower() in asked.verbs:
            return True
        if word.lower() not in asked.common and not _is_made(word, asked, languages):
            return False
    return False


def _is_errand(text: str, languages: Languages) -> bool:
    """Whether *text* only asks for work on a program, and the word beside ("to the server") is no name: no subject."""
    asked, words = _asked_for(languages), _WORD.findall(text)
    verbs = {word.lower() for word in words} & asked.verbs
    return verbs <= asked.errands and all(word.islower() for word in words if word.lower() not in verbs | asked.common)


def _about(words: Sequence[str], asked: _AskedFor, languages: Languages) -> list[str]:
    """*words* without those for what is asked for; a file to be written is about what its name says."""
    about: list[str] = []
    for word in words:
        if word.lower() not in asked.verbs and not _is_made(word, asked, languages):
            file = _FILE.fullmatch(word)
            about += _PARTS.split(file[1]) if file and file[2] in asked.endings else [word]
    return about


def _is_made(word: str, asked: _AskedFor, languages: Languages) -> bool:
    if word.isdecimal():
        return True
    terms = ranking_terms(word, languages)
    return len(terms) == 1 and not asked.made.isdisjoint(split_alternatives(terms[0]))


@lru_cache(maxsize=8)
def _asked_for(languages: Languages) -> _AskedFor:
    file = msgspec.convert(tomllib.loads(Path(__file__).with_name("instructions.toml").read_text("utf-8")), _File)
    lists = [file.languages[code] for code in (ENGLISH, CYRILLIC, *languages) if code in file.languages]
    made = [term for one in lists for word in one.made.split() for term in ranking_terms(word, languages)]
    common = [function_words(code) for code in languages if code in file.languages]
    return _AskedFor(
        verbs=frozenset([verb for one in lists for verb in one.verbs.split()]),
        made=frozenset([alternative for term in made for alternative in split_alternatives(term)]),
        errands=frozenset([verb for one in lists for verb in one.errands.split()]),
        common=STOP_WORDS.union(*common),
        endings=frozenset(file.endings.split()),
    )

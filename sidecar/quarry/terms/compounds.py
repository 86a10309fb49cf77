"""
What else is a name known by? `snake_case` by `snakecase`, `path/to/file.md` by `file.md`, `getStaleFiles` by `stale`.

Letters in upper case say where a name's parts are, but never what a word is: `GitHub` is one word, as it is `github` to
whoever types it. What punctuation joins is several words, and the whole is a compound.
"""

import re
from collections.abc import Iterator

from quarry.terms.normalize import MAX_TERM, fold, term_of
from quarry.terms.tokenizer import ascii_words, cut, names

MAX_NAME = 256  # characters of a name that is looked into; longer ones are data
MAX_JOINED = 6  # words that are one when joined; more are a sentence written with hyphens, as in addresses

_PLACES = re.compile(r"::|->|[/:@\\#]")  # between the parts of a path or address
_STEPS = re.compile(r"[.&+~]")  # between the parts of a file's name, a version, an attribute
_HYPHENS = re.compile("[-_]")
_HUMPS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_HAS_HUMPS = re.compile("[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_NUMBERED = re.compile("([A-Za-z]{3,})[0-9]{1,4}")  # python3
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")  # U.S.A


def wholes_of(token: str) -> list[str]:
    """The terms of names that are several words, in *token*; the same one may come twice."""
    bare = token.rstrip(".:'-_/")
    if bare.isalnum() and bare.isascii():  # most are plain words
        return []
    found: list[str] = []
    for name in names(token):
        if not name.isalnum() and len(name) <= MAX_NAME:
            _add_name(name, found)
    return found


def parts_of(token: str) -> list[str]:
    """The terms of the parts of words like `getStaleFiles` in *token*."""
    if token.islower() and not _NUMBERED.search(token):
        return []
    if token.isascii():
        words = [token] if token.isalnum() else ascii_words(token)
    else:
        words = [piece.text for piece in cut(token) if piece.kind == "word"]
    return [term_of(word[start:end]) for word in words for start, end in humps(word)]


def has_humps(word: str) -> bool:
    """Whether capitals within *word* begin parts of it."""
    return _HAS_HUMPS.search(word) is not None


def humps(word: str) -> Iterator[tuple[int, int]]:
    """Where the parts of a word like `getStaleFiles` or `python3` stand in it; single letters are none."""
    if len(word) > MAX_NAME or not word.isascii() or (word.istitle() and word.isalpha()):
        return
    if has_humps(word):
        yield from (match.span() for match in _HUMPS.finditer(word) if len(match[0]) > 1)
    elif numbered := _NUMBERED.fullmatch(word):
        yield numbered.span(1)


def _add_name(name: str, found: list[str]) -> None:
    places = [place for place in _PLACES.split(name) if place]
    if len(places) > 1 or name[0] in "@-" or name[-1] in "#+":
        found.append(_whole(name))
    for place in places if len(places) > 1 else (name,):
        if not place.isalnum():
            _add_place(place, found)


def _add_place(place: str, found: list[str]) -> None:
    """The compounds of a part of a path: a name with dots and hyphens."""
    if place[1:2] == "." and _INITIALS.fullmatch(place):
        found.append(term_of(place.replace(".", "")))
        return
    steps = [step for step in _STEPS.split(place) if step]
    if len(steps) > 1 or place[0] == ".":
        found.append(_whole(place))
    for step in steps:
        if step.isalnum():
            continue
        words = [word for word in _HYPHENS.split(step) if word]
        if 1 < len(words) <= MAX_JOINED:
            joined = "".join(words)
            found.append(_whole(step) if joined.isdigit() else term_of(joined))


def _whole(name: str) -> str:
    return fold(name).replace("\\", "/")[:MAX_TERM]

"""
By which further terms is a name indexed? `snake_case` by `snakecase`, `path/to/file.md` by `file.md`, `getStaleFiles`
by `stale`.

Capitals separate the parts of a word but do not make it several: `GitHub` is one word, as people also type `github`.
Words joined by punctuation are several, and the joined form is a compound.
"""

from collections.abc import Iterator

from quarry.analysis.languages import ENGLISH
from quarry.analysis.normalize import MAX_TERM_CHARS, fold, stem
from quarry.analysis.tokenizer import ascii_words, identifiers, split_token
from quarry.lazy_pattern import lazy_pattern

MAX_IDENTIFIER_CHARS = 256  # a longer name is data and has no compounds
MAX_JOINED_WORDS = 6  # more words with hyphens are a sentence, as in addresses

_PATH_SEPARATORS = lazy_pattern(r"::|->|[/:@\\#]")  # between the parts of a path or address
_DOT_SEPARATORS = lazy_pattern(r"[.&+~]")  # between the parts of a file's name, a version, an attribute
_HYPHENS = lazy_pattern("[-_]")
_CAMEL_CASE_PARTS = lazy_pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IS_CAMEL_CASE = lazy_pattern("[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_NUMBERED = lazy_pattern("([A-Za-z]{3,})[0-9]{1,4}")  # python3
_INITIALS = lazy_pattern(r"[^\W\d_](?:\.[^\W\d_])+")  # U.S.A


def joined_forms(token: str, language: str = ENGLISH) -> list[str]:
    """The terms of the joined names in *token*, perhaps with repeats: `snakecase`, `path/to/file.md`."""
    bare = token.rstrip(".:'-_/")
    if bare.isalnum() and bare.isascii():  # most are plain words
        return []
    found: list[str] = []
    for name in identifiers(token):
        if not name.isalnum() and len(name) <= MAX_IDENTIFIER_CHARS:
            _add_joined_forms(name, found, language)
    return found


def part_terms(token: str, language: str = ENGLISH) -> list[str]:
    """The terms of the parts of words like `getStaleFiles` in *token*."""
    if token.islower() and not _NUMBERED.search(token):
        return []
    if token.isascii():
        words = [token] if token.isalnum() else ascii_words(token)
    else:
        words = [piece.text for piece in split_token(token) if piece.kind == "word"]
    return [stem(word[start:end], language) for word in words for start, end in camel_case_parts(word)]


def is_camel_case(word: str) -> bool:
    """Whether capitals separate *word* into parts."""
    return _IS_CAMEL_CASE.search(word) is not None


def camel_case_parts(word: str) -> Iterator[tuple[int, int]]:
    """The spans of the parts of a word like `getStaleFiles` or `python3`, without single letters."""
    if len(word) > MAX_IDENTIFIER_CHARS or not word.isascii() or (word.istitle() and word.isalpha()):
        return
    if is_camel_case(word):
        yield from (match.span() for match in _CAMEL_CASE_PARTS.finditer(word) if len(match[0]) > 1)
    elif numbered := _NUMBERED.fullmatch(word):
        yield numbered.span(1)


def _add_joined_forms(name: str, found: list[str], language: str) -> None:
    places = [place for place in _PATH_SEPARATORS.split(name) if place]
    if len(places) > 1 or name[0] in "@-" or name[-1] in "#+":
        found.append(_joined_form(name))
    for place in places if len(places) > 1 else (name,):
        if not place.isalnum():
            _add_segment_forms(place, found, language)


def _add_segment_forms(place: str, found: list[str], language: str) -> None:
    """Add the compounds of one segment of a path: a name with dots and hyphens."""
    if place[1:2] == "." and _INITIALS.fullmatch(place):
        found.append(stem(place.replace(".", ""), language))
        return
    steps = [step for step in _DOT_SEPARATORS.split(place) if step]
    if len(steps) > 1 or place[0] == ".":
        found.append(_joined_form(place))
    for step in steps:
        if step.isalnum():
            continue
        words = [word for word in _HYPHENS.split(step) if word]
        if 1 < len(words) <= MAX_JOINED_WORDS:
            joined = "".join(words)
            found.append(_joined_form(step) if joined.isdigit() else stem(joined, language))


def _joined_form(name: str) -> str:
    return fold(name).replace("\\", "/")[:MAX_TERM_CHARS]

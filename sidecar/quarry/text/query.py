"""
What does a typed query ask for?

Words, `"phrases"`, `-word`, `-"phrase"`, `path:`, `folder:` and `tag:` (or a bare `#tag`), each also with `-` in front
and with quotes around a value that has spaces. Anything else with a colon is an ordinary word, and so is `--force`.
A query is read while it is being typed: a quote without its partner reaches to the end, an operator without a value
is not there yet.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from quarry.errors import BadQuery
from quarry.text.stopwords import STOP_WORDS
from quarry.text.words import WORD
from quarry.types import Query, Scope

MAX_CHARS = 4_096  # longer is a pasted document: search for a passage of it
MAX_TERMS = 32  # ranking costs a microsecond a term and matching chunk; 5,000 terms took 19 s
MAX_STRICT_WORDS = 32  # in all phrases and exclusions together; none of these may be dropped silently
MAX_FILTERS = 100  # as many as the wire takes

_EVERYTHING = Scope()
_TYPOGRAPHIC_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\x00": " "})
_PART = re.compile(
    r"(?P<minus>-(?![\s-]|\Z))?"
    r"(?:(?P<operator>(?i:path|folder|tag)):(?:\"(?P<quoted>[^\"]*)\"?|(?P<value>[^\s\"]*))"
    r"|\"(?P<phrase>[^\"]*)\"?"
    r"|\#(?P<tag>[^\s\"#]+)"
    r"|(?P<word>[^\s\"]+))"
)

FIRST_SYMBOL = "\u2190"  # arrows; below it stand letters and punctuation


@dataclass(slots=True)
class _Parts:
    """What was found so far."""

    said: list[str] = field(default_factory=list)  # words and phrases in order, as typed
    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    filters: dict[str, list[str]] = field(default_factory=dict)  # field of Scope -> values
    first_exclusion: int = 0


def parse_query(typed: str, extra: Scope = _EVERYTHING) -> Query:
    """
    Read a query.

    Args:
        typed: What the user typed.
        extra: Filters set elsewhere; those in the query add to them.

    Raises:
        BadQuery: It is longer than 4,096 characters, has more than 32 words in phrases and exclusions or more than 100
            filters, or only says what not to find. The position is where that begins.
    """
    if len(typed) > MAX_CHARS:
        raise BadQuery(f"the query has {len(typed):,} characters, {MAX_CHARS:,} are read: search for less", MAX_CHARS)
    parts = _Parts()
    strict_words = 0
    for found in _PART.finditer(typed.translate(_TYPOGRAPHIC_QUOTES)):
        strict_words += _add(parts, found)
        if strict_words > MAX_STRICT_WORDS:
            message = f"more than {MAX_STRICT_WORDS} words in quotes or behind a minus: quote fewer words"
            raise BadQuery(message, found.start())
        if sum(map(len, parts.filters.values())) > MAX_FILTERS:
            raise BadQuery(f"more than {MAX_FILTERS} filters: leave some out", found.start())
    scope = _scope(extra, parts.filters)
    if parts.excluded and not parts.said and scope.is_everything:
        message = f"the query only says what to leave out (-{parts.excluded[0]}): add a word to look for, or a filter"
        raise BadQuery(message, parts.first_exclusion)
    return Query(
        text=" ".join(parts.said),
        terms=_terms(parts.words, has_phrases=bool(parts.phrases)),
        phrases=_once(parts.phrases),
        excluded=_once(parts.excluded),
        scope=scope,
    )


def _add(parts: _Parts, found: re.Match[str]) -> int:
    """Put one part of the query where it belongs; returns how many words it has that must not be dropped."""
    negated = found["minus"] is not None
    if found["operator"] or found["tag"]:
        _add_filter(parts, found, negated=negated)
        return 0
    if found["phrase"] is None and not negated:
        parts.said.append(found["word"])
        parts.words += WORD.findall(found["word"].lower()) or _symbols(found["word"])
        return 0
    content = " ".join((found["phrase"] if found["phrase"] is not None else found["word"]).split())
    words = WORD.findall(content) or ([content] if found["phrase"] is not None or _symbols(content) else [])
    if not content or not words:
        return 0
    if not negated:
        parts.said.append(content)
        parts.phrases.append(content)
    else:
        parts.first_exclusion = parts.first_exclusion if parts.excluded else found.start()
        parts.excluded.append(content.lower())
    return len(words)


def _symbols(word: str) -> list[str]:
    """*word* itself where it is an emoji or another sign that stands for something, as opposed to punctuation."""
    return [word] if any(character >= FIRST_SYMBOL for character in word) else []


def _add_filter(parts: _Parts, found: re.Match[str], *, negated: bool) -> None:
    if found["tag"]:
        name, value = "tag", found["tag"]
    else:
        name, value = found["operator"].lower(), found["quoted"] if found["quoted"] is not None else found["value"]
    value = value.strip()
    if name == "tag":
        value = value.lstrip("#").strip("/")
    elif name == "folder":
        value = value.replace("\\", "/").strip("/")
    if value:
        parts.filters.setdefault(f"not_{name}s" if negated else f"{name}s", []).append(value)


def _scope(extra: Scope, filters: dict[str, list[str]]) -> Scope:
    """Both kinds of filters together."""

    def both(known: tuple[str, ...], name: str) -> tuple[str, ...]:
        return _once((*known, *filters.get(name, ())))

    return Scope(
        folders=both(extra.folders, "folders"),
        not_folders=both(extra.not_folders, "not_folders"),
        paths=both(extra.paths, "paths"),
        not_paths=both(extra.not_paths, "not_paths"),
        tags=both(extra.tags, "tags"),
        not_tags=both(extra.not_tags, "not_tags"),
    )


def _terms(words: Iterable[str], *, has_phrases: bool) -> tuple[str, ...]:
    """The words to rank by: without stop words, unless there would be nothing left to look for."""
    every = _once(words)
    content = tuple(word for word in every if word not in STOP_WORDS)
    return (content if content or has_phrases else every)[:MAX_TERMS]


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))

"""
The words, phrases and text of a query by which notes are ranked, the dates in it, and whether it is an identifier.

Words stay whole (`c++`, `v1.2.3`, `--flag`, `path/to/file`, `snake_case`, an emoji, a run of Chinese); only surrounding
punctuation is removed. `analysis/` splits them as it splits notes.
"""

import re
from collections.abc import Iterable
from typing import get_args

from msgspec import Struct, field

from quarry.analysis.languages import STOP_WORDS
from quarry.conditions import TextOperator
from quarry.lazy_pattern import lazy_pattern
from quarry.query.grammar import GroupNode, LeafNode, OperatorNode, QueryNode, QueryToken

MAX_WORDS = 32  # ranking costs a microsecond a word and matching chunk; 5,000 words took 19 s
FIRST_SYMBOL = "\u2190"  # arrows; below it stand letters and punctuation

_BEFORE = "'\"‘’‚`´,;:!?…¡¿([{<>*|=#。、，；：！？（）「」『』【】《》"
_BEHIND = "'\"‘’‚`´,;:!?….([{]}<>*|=。、，；：！？（）「」『』【】《》"
_CAMEL_CASE = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_WORD = lazy_pattern(r"[^\W_]+")
_APOSTROPHE = lazy_pattern("['’]")
_TEXT_OPERATORS = frozenset(get_args(TextOperator))


class QueryTerms(Struct):
    """Words and phrases collected from a query's tree, in order, without exclusions and conditions on the file."""

    text: list[str] = field(default_factory=list)  # as typed
    words: list[str] = field(default_factory=list)  # as `content_word` spells them
    phrases: list[str] = field(default_factory=list)
    last_word: str | None = None
    end: int | None = None  # offset in the query; None if punctuation follows the word, or it is in an operator

    def add(self, node: QueryNode, operator: str | None = None) -> None:
        """Collect the words and phrases of *node*, the value of *operator* if that is given."""
        if isinstance(node, GroupNode):
            for part in node.parts:
                self.add(part, operator)
        elif isinstance(node, OperatorNode):
            if node.value and node.token.text in _TEXT_OPERATORS:
                self.add(node.value, node.token.text)
        elif isinstance(node, LeafNode):
            self._add_leaf(node.token, operator)

    def _add_leaf(self, token: QueryToken, operator: str | None) -> None:
        if token.kind == "phrase" and token.text:
            self.text.append(token.text)
            self.phrases.append(token.text)
        elif token.kind == "word" or (token.kind == "tag" and operator):
            self.text.append(token.text)
            self._add_word(token, operator)

    def _add_word(self, token: QueryToken, operator: str | None) -> None:
        word = content_word(token.text)
        if word is None:
            return
        self.words.append(word)
        self.last_word = word
        is_whole = operator is None and token.text.lower().endswith(word.lower())
        self.end = token.end if is_whole else None


def content_word(written: str) -> str | None:
    """
    *written* without surrounding punctuation, in lower case unless capitals separate its parts (`getStaleFiles`).

    None if it is nothing but punctuation.
    """
    word = bare_word(written)
    return word if word is None or _CAMEL_CASE.search(word) else word.lower()


def bare_word(written: str) -> str | None:
    """*written* without surrounding punctuation; None if it is nothing but punctuation."""
    word = written.removesuffix("()").lstrip(_BEFORE).rstrip(_BEHIND)
    if not (word.isalnum() or any(sign.isalnum() or sign >= FIRST_SYMBOL for sign in word)):
        return None
    return word


def content_words(words: Iterable[str], *, alone: bool = True) -> tuple[str, ...]:
    """
    The distinct words of *words* to rank by, at most 32: no stop words, unless the query has nothing else.

    Args:
        alone: Whether the query has no phrases beside the words.
    """
    every = tuple(dict.fromkeys(words))
    content = tuple(word for word in every if not is_stop_word(word))
    return (content if content or not alone else every)[:MAX_WORDS]


def is_stop_word(word: str) -> bool:
    """Whether *word* is a stop word, or several around apostrophes: `what's`, but not `to-do`."""
    return all(map(STOP_WORDS.__contains__, _APOSTROPHE.split(word)))


def word_count(phrase: str) -> int:
    """The number of words in *phrase*, at least 1."""
    return len(_WORD.findall(phrase)) or 1


# --- dates --------------------------------------------------------------------------------------

_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)} | {
    name[:3]: number for number, name in enumerate(_MONTH_NAMES, start=1)
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<{}>[0-3]?[0-9])(?:st|nd|rd|th)?"
_SPOKEN_DATE = lazy_pattern(
    rf"\b(?:{_DAY.format('before')}\s+(?:of\s+)?)?(?P<month>{_MONTH})\.?,?(?:\s+{_DAY.format('after')}(?![0-9]),?)?"
    r"\s+(?P<year>[12][0-9]{3})\b",
    re.IGNORECASE,
)


def date_phrases(text: str) -> tuple[str, ...]:
    """
    The months and days with a year that *text* names in English, as `2021 12` or `2021 12 07`.

    A query for `december 2021` thus finds a note called `2021-12-07`.
    """
    found = []
    for said in _SPOKEN_DATE.finditer(text):
        day = said["before"] or said["after"]
        month = f"{said['year']} {_MONTHS[said['month'].lower()]:02d}"
        found.append(f"{month} {int(day):02d}" if day and 1 <= int(day) <= 31 else month)
    return tuple(dict.fromkeys(found))


# --- identifiers ---------------------------------------------------------------------------------

MAX_IDENTIFIER_CHARS = 256  # a longer one is data
# What only identifiers have: signs between letters or digits, capitals behind small letters, digits beside letters, a
# sign in front or behind (`--flag`, `.vimrc`, `$HOME`, `C++`), or nothing but capitals (`ENOENT`).
_IDENTIFIER = lazy_pattern(
    r"[^\W_](?:::|->|[-._/:@&+~\\#])+[^\W_]|_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d|\d[A-Za-z]"
    r"|^(?:--?|[.@$#/\\%])\w|\w(?:\+\+|\#|\(\))$|^[A-Z]{4,}$"
)


def identifier(text: str) -> str | None:
    """The identifier, path, version, code or date that *text* is, without surrounding punctuation; None: it is none."""
    is_one = len(text) <= MAX_IDENTIFIER_CHARS and text.isascii() and len(text.split()) == 1
    return bare_word(text) if is_one and _IDENTIFIER.search(text) else None

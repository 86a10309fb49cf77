"""
How FTS5's tokenizer cuts a column of terms, so that memory holds exactly the tokens that it holds.

The columns are terms joined by single spaces, so cutting at spaces is enough; what the tokenizer does to other bytes
matters only for terms that no analysis gives today.
"""

import re
from collections.abc import Iterable

MAX_TOKEN_BYTES = 32_768  # FTS5 cuts a longer one short
_ODD = re.compile("[\\x00-\\x1f\"'\\x7fA-Z]")  # separators other than the space, and letters that are folded
_SEPARATORS = dict.fromkeys((*range(32), ord('"'), ord("'"), 127), " ")
_PLAIN = _SEPARATORS | {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def tokens_of(column: str) -> list[str]:
    """The tokens of a column in order; a run of spaces gives empty ones, which are none."""
    return column.split(" ")


def needs_fts5_tokenizer(token: str) -> bool:
    """Whether the tokenizer would make something else of what `tokens_of` gave."""
    return _ODD.search(token) is not None or len(token) * 4 > MAX_TOKEN_BYTES


def any_needs_fts5_tokenizer(tokens: Iterable[str]) -> bool:
    """Whether one of *tokens* is odd; the same in a tenth of the time where there are thousands."""
    found = list(tokens)
    return _ODD.search(" ".join(found)) is not None or max(map(len, found), default=0) * 4 > MAX_TOKEN_BYTES


def as_fts5_tokenizes(column: str) -> str:
    """*column* such that none of its tokens is odd for what it holds."""
    return column.translate(_PLAIN)


def encoded(token: str) -> bytes:
    """A token as FTS5 stores it."""
    return token.encode()[:MAX_TOKEN_BYTES]


def tokens_as_stored(column: str) -> list[str]:
    """The tokens of a column where some are odd; one that was cut within a character ends in a surrogate."""
    return [encoded(token).decode(errors="surrogateescape") for token in tokens_of(as_fts5_tokenizes(column))]

"""
Splits a column of terms as FTS5's tokenizer does, so that segments hold exactly the tokens that FTS5 holds.

Columns are terms joined by single spaces, so splitting at spaces is enough. What the tokenizer does to other bytes
matters only for terms that no analysis gives today.
"""

import re
from collections.abc import Iterable

MAX_TOKEN_BYTES = 32_768  # FTS5 cuts a longer one short
_ODD = re.compile("[\\x00-\\x1f\"'\\x7fA-Z]")  # separators other than the space, and letters that are folded
_SEPARATORS = dict.fromkeys((*range(32), ord('"'), ord("'"), 127), " ")
_PLAIN = _SEPARATORS | {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def tokens_of(column: str) -> list[str]:
    """The tokens of a column in order; a run of spaces gives empty tokens, which callers skip."""
    return column.split(" ")


def needs_fts5_tokenizer(token: str) -> bool:
    """Whether FTS5's tokenizer would change a *token* that `tokens_of` gave."""
    return _ODD.search(token) is not None or len(token) * 4 > MAX_TOKEN_BYTES


def any_needs_fts5_tokenizer(tokens: Iterable[str]) -> bool:
    """Whether `needs_fts5_tokenizer` holds for any of *tokens*; a tenth of its time for thousands of them."""
    found = list(tokens)
    return _ODD.search(" ".join(found)) is not None or max(map(len, found), default=0) * 4 > MAX_TOKEN_BYTES


def as_fts5_tokenizes(column: str) -> str:
    """*column* with separators turned into spaces and letters folded, as FTS5's tokenizer does."""
    return column.translate(_PLAIN)


def encoded(token: str) -> bytes:
    """A token in UTF-8, cut at the length at which FTS5 cuts it."""
    return token.encode()[:MAX_TOKEN_BYTES]


def tokens_as_stored(column: str) -> list[str]:
    """The tokens that FTS5 stores for a *column*; a token that is cut within a character ends in a surrogate."""
    return [encoded(token).decode(errors="surrogateescape") for token in tokens_of(as_fts5_tokenizes(column))]

"""
What the keyword index is asked: a parsed query as FTS5 expressions.

Everything typed is wrapped in double quotes, so that no character of it is syntax: raw queries are syntax errors nine
times in ten, and the tenth means something its author did not. The counts are capped because cost is not: an OR of
5,000 terms takes 19 s on 2,000 rows.
"""

import re
from collections.abc import Sequence

from quarry.errors import BadQuery
from quarry.types import Query

MAX_QUOTED = 32  # phrases and terms of a query that rank; terms beyond are dropped, phrases are refused

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # kana and Han
)


def ranking_expression(query: Query) -> str | None:
    """Any phrase or term of *query* that is indexed; None when there is none."""
    words = [word for word in (*query.phrases, *query.terms) if is_indexed(word)][:MAX_QUOTED]
    return " OR ".join(map(phrase_expression, words)) if words else None


def literal_words(query: Query) -> list[str]:
    """The phrases and terms of *query* that only the text itself can answer for."""
    words = [word.strip() for word in (*query.phrases, *query.terms) if not is_indexed(word)]
    return [word for word in words if word][:MAX_QUOTED]


def is_indexed(phrase: str) -> bool:
    """
    Whether the keyword index can say where *phrase* stands.

    It cannot for emoji and punctuation, which are no tokens, nor inside scripts written without spaces, where a whole
    run is one token. Those are looked for in the text itself.
    """
    return any(map(str.isalnum, phrase)) and not _UNSPACED.search(phrase)


def phrase_expression(phrase: str) -> str:
    """*phrase* as one quoted token string."""
    return '"' + phrase.replace("\0", " ").replace('"', '""') + '"'


def check_phrases(phrases: Sequence[str]) -> None:
    """
    Refuse what would cost too much to insist on.

    Raises:
        BadQuery: More than 32 phrases, or excluded words, in one query.
    """
    if len(phrases) > MAX_QUOTED:
        raise BadQuery(f"the query has {len(phrases)} phrases or excluded words; use at most {MAX_QUOTED}", 0)

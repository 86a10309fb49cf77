"""
What the keyword index is asked: the terms of a query as FTS5 expressions.

Every term is wrapped in double quotes, so that no character of it is syntax: raw queries are syntax errors nine times
in ten, and the tenth means something its author did not. Their count is capped because cost is not: an OR of 5,000
terms takes 19 s on 2,000 rows.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from quarry.terms.analysis import phrase_terms, ranking_terms
from quarry.terms.normalize import fold

MAX_TERMS = 32  # phrases and terms of a query that rank; what is beyond is dropped
MIN_PREFIX = 3  # letters that a word must begin with: "s" alone begins so many that ranking them takes 71 ms

Columns = str
"""A column filter: constant text. Phrases must not match among compounds, which have no order."""
CHUNK_COLUMNS: Columns = "{text section context}"
NAME_COLUMNS: Columns = "{title aliases name}"
NOTE_COLUMNS: Columns = "{title aliases name headings tags}"
BODY_COLUMNS: Columns = "{text compounds}"  # of a chunk: what it does not have from its note's title and headings


class KeywordQuery(Struct, frozen=True):
    """What to rank by: any of these is enough, more are better."""

    terms: tuple[str, ...] = ()  # of words and compounds, the most telling first
    phrases: tuple[tuple[str, ...], ...] = ()  # terms side by side, two or more
    prefix: str | None = None  # folded; what some term begins with

    @classmethod
    def of(cls, words: Iterable[str], phrases: Iterable[str] = (), prefix: str | None = None) -> "KeywordQuery":
        """
        The query for what was typed.

        Args:
            prefix: The word that is still being typed; it is one of *words*, too.
        """
        wanted = [phrase_terms(phrase) for phrase in phrases]
        terms = [term for word in words for term in ranking_terms(word)]
        terms += [term for phrase in wanted if len(phrase) == 1 for term in phrase]
        together = tuple(dict.fromkeys(phrase for phrase in wanted if len(phrase) > 1))
        return cls(tuple(dict.fromkeys(terms)), together, _prefix(prefix))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to rank by."""
        return not (self.terms or self.phrases or self.prefix)


def expression(query: KeywordQuery, columns: Columns) -> str | None:
    """Any of what *query* has, as FTS5 reads it; None when that is nothing."""
    parts = [_side_by_side(phrase, columns) for phrase in query.phrases]
    parts += map(quoted, query.terms)
    parts = parts[:MAX_TERMS]
    if query.prefix:
        parts.append(quoted(query.prefix) + " *")
    return " OR ".join(parts) if parts else None


def all_expression(terms: Sequence[str], columns: Columns) -> str:
    """All of *terms*, one or more, in whichever of the *columns* each stands."""
    return f"{columns} : ({' AND '.join(map(quoted, terms))})"


def quoted(terms: str) -> str:
    """One term, or several joined by spaces, which are then to stand side by side."""
    return '"' + terms.replace("\0", " ").replace('"', '""') + '"'


def _side_by_side(phrase: Sequence[str], columns: Columns) -> str:
    return columns + " : " + quoted(" ".join(phrase))


def _prefix(word: str | None) -> str | None:
    """What terms begin with that are about to become *word*; None where it is no single word or too short."""
    if word is None or len(phrase_terms(word)) != 1:
        return None
    folded = fold(word)
    return folded if len(folded) >= MIN_PREFIX or (folded and not folded.isascii()) else None

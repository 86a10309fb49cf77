"""The query of the keyword retriever: terms, phrases, and the prefix of a word that is being typed."""

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

from quarry.analysis.alternatives import Languages
from quarry.analysis.analysis import phrase_terms, ranking_terms
from quarry.analysis.normalize import fold
from quarry.index.postings.columns import stored

MAX_TERMS = 32  # phrases and terms of a query that rank; what is beyond is dropped
# Letters that a word in the text must begin with: "s" alone begins so many that ranking them takes 71 ms. With fewer,
# only names are searched for words that begin so.
MIN_PREFIX = 3


class QueryTerm(NamedTuple):
    """A unit that is scored as one term: a term, a phrase or a prefix, spelled as the index spells terms."""

    text: str  # of a phrase: its terms, with one space between two
    kind: Literal["term", "prefix", "name-prefix", "phrase"] = "term"

    @property
    def is_prefix(self) -> bool:
        """Whether it stands for every term that begins with it; a `name-prefix` only for those of names."""
        return self.kind in ("prefix", "name-prefix")


@lru_cache(maxsize=4_096)  # a query asks for the units of each of its words several times
def query_term(term: str) -> QueryTerm:
    """The unit for *term* as a text or a query has it."""
    return QueryTerm(stored(term))


class KeywordQuery(Struct, frozen=True, dict=True):
    """Terms, phrases and a prefix to rank by; a document needs one of them, and more are better."""

    terms: tuple[str, ...] = ()  # of words and compounds, the most telling first
    phrases: tuple[tuple[str, ...], ...] = ()  # terms side by side, two or more
    prefix: str | None = None  # folded; what some term begins with
    name_prefix: str | None = None  # folded; what some term of a name begins with; too short for texts

    @classmethod
    def of(
        cls,
        words: Iterable[str],
        phrases: Iterable[str] = (),
        prefix: str | None = None,
        languages: Languages = (),
    ) -> "KeywordQuery":
        """
        The query for what was typed.

        Args:
            prefix: The word that is still being typed; it is one of *words*, too.
            languages: Of the vault, besides English.
        """
        wanted = [phrase_terms(phrase, languages) for phrase in phrases]
        terms = [term for word in words for term in ranking_terms(word, languages)]
        terms += [term for phrase in wanted if len(phrase) == 1 for term in phrase]
        together = tuple(dict.fromkeys(phrase for phrase in wanted if len(phrase) > 1))
        begun = _prefix(prefix)
        is_short = begun is not None and is_short_prefix(begun)
        return cls(tuple(dict.fromkeys(terms)), together, *((None, begun) if is_short else (begun, None)))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to rank by."""
        return not (self.terms or self.phrases or self.prefix or self.name_prefix)

    @cached_property
    def scored(self) -> tuple[QueryTerm, ...]:
        """Everything that adds to a score; phrases and terms beyond the first `MAX_TERMS` are left out."""
        phrases = [QueryTerm(stored(" ".join(phrase)), "phrase") for phrase in self.phrases]
        terms = [query_term(term) for term in self.terms if term]
        prefix = [QueryTerm(stored(self.prefix), "prefix")] if self.prefix else []
        if self.name_prefix:
            prefix.append(QueryTerm(stored(self.name_prefix), "name-prefix"))
        return (*phrases[:MAX_TERMS], *terms[: max(0, MAX_TERMS - len(phrases))], *prefix)


def is_short_prefix(word: str) -> bool:
    """Whether *word*, which is being typed, has too few letters to say what will become of it."""
    return word.isascii() and len(word) < MIN_PREFIX


def _prefix(word: str | None) -> str | None:
    """The prefix of the terms that *word* may become; None where it is no single word."""
    if word is None or " " in word or len(phrase_terms(word)) != 1:
        return None
    return fold(word) or None

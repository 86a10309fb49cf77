"""
What does a query want marked, and by what is it found in a text?

What follows from the query alone is worked out once for all texts: the beginnings of words to look for, what stands as
it is written, the phrases.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct, field

from quarry.lazy_pattern import lazy_pattern
from quarry.terms.analysis import locate_terms

WEIGHT_UNIT = 1024  # weights are added up as whole numbers of 1/1024, so that sums do not depend on their order
KOREAN_PAIR = lazy_pattern(r"[\uac00-\ud7a3]{2}")


TermMatch: TypeAlias = tuple[int, int, str, int]
"""
A wanted term, pair or phrase in a text: where it starts and ends, its key, which is equal for the same one found twice,
and how telling it is, in 1 / UNIT. A plain tuple, as hundreds are made for one answer.
"""


class HighlightTerms(Struct, frozen=True, dict=True):
    """
    What a query wants marked.

    Of a word in a script without spaces the pairs of neighbouring characters are wanted, and a single character only
    where the word is no longer, as `ranking_terms` gives them. A name of several words is marked as one where its
    words are handed in as a phrase as well.
    """

    weights: Mapping[str, float]  # term or compound -> how telling it is
    phrases: tuple[tuple[str, ...], ...] = ()  # terms that stand next to each other
    prefix: str | None = None  # folded beginning of the word being typed

    @cached_property
    def matcher(self) -> "Matcher":
        """How to look for it, worked out once for all texts."""
        return _build_matcher(self.weights, self.phrases, self.prefix)


class HighlightPhrase(Struct, frozen=True):
    """Terms that stand next to each other."""

    terms: tuple[str, ...]
    anchor: int  # the term to look for first: the longest is met least often
    key: str


class Matcher(Struct, frozen=True):
    """What follows from a `HighlightTerms` alone, worked out once for all texts."""

    values: Mapping[str, int]
    prefixes: tuple[str, ...]  # every wanted term of plain letters begins with one of them, as it is written
    pairs: frozenset[str]  # of characters in scripts without spaces, each a term of its own
    literals: tuple[str, ...]  # compounds that are no terms: what is written with signs, pairs of Korean syllables
    phrases: Mapping[str, tuple[HighlightPhrase, ...]]  # by their anchor
    phrase_value: int  # more than all terms of a window together: who quotes, insists
    prefix: str | None
    prefix_key: str
    prefix_value: int
    known: dict[str, tuple[TermMatch, ...]] = field(default_factory=dict)  # by token; filled by `find_matches`


def _build_matcher(weights: Mapping[str, float], phrases: Sequence[tuple[str, ...]], prefix: str | None) -> Matcher:
    values = {key: max(1, round(weight * WEIGHT_UNIT)) for key, weight in weights.items() if key}
    pairs = frozenset(key for key in values if _is_pair(key))
    literals = tuple(key for key in values if key not in pairs and _is_literal(key))
    anchored: dict[str, tuple[HighlightPhrase, ...]] = {}
    for terms in phrases:
        if terms:
            anchor = max(range(len(terms)), key=lambda n: len(terms[n]))
            phrase = HighlightPhrase(terms, anchor, " ".join(("", *terms)))
            anchored[terms[anchor]] = (*anchored.get(terms[anchor], ()), phrase)
    terms_of_prefix = [term.text for term in locate_terms(prefix)] if prefix else []
    prefix_key = next((term for term in terms_of_prefix if term in values), f"{prefix}*")
    prefixes = {start for term in (*(values.keys() - set(literals)), *anchored) for start in _prefixes_of(term)}
    if prefix:
        prefixes.add(prefix)
    return Matcher(
        values,
        tuple(_shortest_prefixes(prefixes)),
        pairs,
        literals,
        anchored,
        2 * sum(values.values()) + 1,
        prefix or None,
        prefix_key,
        values.get(prefix_key, max(values.values(), default=WEIGHT_UNIT)),
    )


def _shortest_prefixes(prefixes: Iterable[str]) -> Iterator[str]:
    """*prefixes* in order without those that begin with another one."""
    last = None
    for prefix in sorted(prefixes):
        if last is None or not prefix.startswith(last):
            last = prefix
            yield prefix


def _is_word(key: str) -> bool:
    """Whether the key is a single term for sure, as nearly all are."""
    return key.isascii() and key.isalnum()


def _is_pair(key: str) -> bool:
    """Whether the key is two characters that are terms by themselves."""
    if _is_word(key):
        return False
    terms = list(locate_terms(key))
    return len(terms) == 2 and (0, len(key)) == (terms[0].start, terms[1].end) and terms[0].end == terms[1].start


def _is_literal(key: str) -> bool:
    if _is_word(key):
        return False
    return [(term.start, term.end) for term in locate_terms(key)] != [(0, len(key))] or bool(KOREAN_PAIR.fullmatch(key))


def _prefixes_of(term: str) -> tuple[str, ...]:
    """
    What a word of this term begins with, one of these.

    All of the term, but for a last letter that stemming put there: an `i` for a `y` (`happi`), an `e` that `-ing` had
    taken (`file` of `filing`), the `l` of `-bl` (`sensibl` of `sensibility`). And a contraction has an apostrophe
    before its `t`.
    """
    if len(term) < 2 or not (term.isascii() and term.isalpha()):
        return (term,)
    if term[-1] in "ei" or term.endswith("bl"):
        return (term[:-1],)
    return (term, f"{term[:-1]}'", f"{term[:-1]}’") if term[-1] == "t" else (term,)

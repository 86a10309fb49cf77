"""
What does a word ask for in a vault in several languages? All of its stems at once, as one term: its *alternatives*.

Notes are analysed in their own language, so that a typed word may stand in the index as any of its stems. They are
joined into one string, which the keyword index takes for a term whose postings are those of each, merged. No document
has stems of two languages, so none counts twice. In a vault in English a term is its only alternative.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from quarry.analysis.languages import ENGLISH

Languages: TypeAlias = tuple[str, ...]
"""The languages of a vault besides English, as `normalize.TAGS` spells them, in their order there."""

SEPARATOR = "\ue001"  # between alternatives; in no term that a text has, as it is no letter


def alternatives(terms_in: Callable[[str], Sequence[str]], languages: Languages) -> tuple[str, ...]:
    """
    The terms of a text in English and in each of *languages*, word by word joined.

    Args:
        terms_in: The terms in one language, as many in each. Those that are not stemmed are the same in all.
    """
    english = terms_in(ENGLISH)
    if not languages:
        return tuple(english)
    every = zip(english, *[terms_in(language) for language in languages], strict=True)
    return tuple([SEPARATOR.join(dict.fromkeys(of_word)) for of_word in every])


def split_alternatives(term: str) -> list[str]:
    """The terms that *term* joins, which may be only itself; English first."""
    return term.split(SEPARATOR)


def phrase_alternatives(terms: Sequence[str]) -> list[tuple[str, ...]]:
    """A phrase of joined terms in each language, and only once where no word of it is stemmed."""
    split = [split_alternatives(term) for term in terms]
    count = max(map(len, split), default=0)
    return [tuple([each[at] if len(each) > 1 else each[0] for each in split]) for at in range(count)]

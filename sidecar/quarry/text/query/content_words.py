"""
Which of the words that were typed are ranked by, and how are they spelled?

Words stay whole (`c++`, `v1.2.3`, `--flag`, `path/to/file`, `snake_case`, an emoji, a run of Chinese); only what
merely surrounds them is taken off. Taking them apart is for the keyword index, which took the notes apart the same way.
"""

import re
from collections.abc import Iterable

from quarry.terms.stopwords import STOP_WORDS

MAX_WORDS = 32  # ranking costs a microsecond a word and matching chunk; 5,000 words took 19 s
FIRST_SYMBOL = "\u2190"  # arrows; below it stand letters and punctuation

_BEFORE = "'\"‘’‚`´,;:!?…¡¿([{<>*|=#。、，；：！？（）「」『』【】《》"
_BEHIND = "'\"‘’‚`´,;:!?….([{]}<>*|=。、，；：！？（）「」『』【】《》"
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’]")


def content_word(written: str) -> str | None:
    """
    *written* as a word to rank by: lower case, unless its capitals say where its parts begin (`getStaleFiles`).

    None for what is nothing but punctuation.
    """
    word = written.removesuffix("()").lstrip(_BEFORE).rstrip(_BEHIND)
    if not (word.isalnum() or any(sign.isalnum() or sign >= FIRST_SYMBOL for sign in word)):
        return None
    return word if _HUMP.search(word) else word.lower()


def content_words(words: Iterable[str], *, alone: bool = True) -> tuple[str, ...]:
    """
    Those of *words* to rank by, each once, 32 at most: no stop words, unless nothing else is asked for.

    Args:
        alone: Whether there is nothing beside the words to look for.
    """
    every = tuple(dict.fromkeys(words))
    content = tuple(word for word in every if not is_stop_word(word))
    return (content if content or not alone else every)[:MAX_WORDS]


def is_stop_word(word: str) -> bool:
    """Whether *word* is one, or made of them around an apostrophe: `what's`, but not `to-do`."""
    return all(map(STOP_WORDS.__contains__, _APOSTROPHE.split(word)))


def word_count(phrase: str) -> int:
    """How many words *phrase* has, at least one."""
    return len(_WORD.findall(phrase)) or 1

"""
Which words, phrases and text of a query are ranked by, and how are they spelled?

Words stay whole (`c++`, `v1.2.3`, `--flag`, `path/to/file`, `snake_case`, an emoji, a run of Chinese); only what
merely surrounds them is taken off. Taking them apart is for the keyword index, which took the notes apart the same way.
"""

from collections.abc import Iterable

from msgspec import Struct, field

from quarry.lazy_pattern import lazy_pattern
from quarry.terms.stopwords import STOP_WORDS
from quarry.text.query.grammar import GroupNode, LeafNode, OperatorNode, QueryNode
from quarry.text.query.lexer import QueryToken

MAX_WORDS = 32  # ranking costs a microsecond a word and matching chunk; 5,000 words took 19 s
FIRST_SYMBOL = "\u2190"  # arrows; below it stand letters and punctuation

_BEFORE = "'\"‘’‚`´,;:!?…¡¿([{<>*|=#。、，；：！？（）「」『』【】《》"
_BEHIND = "'\"‘’‚`´,;:!?….([{]}<>*|=。、，；：！？（）「」『』【】《》"
_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_WORD = lazy_pattern(r"[^\W_]+")
_APOSTROPHE = lazy_pattern("['’]")
_TEXT_OPERATORS = frozenset({"content", "section", "line", "block", "task", "task-todo", "task-done", "ignore-case"})


class QueryTerms(Struct):
    """Words and phrases in their order, gathered from a tree; nothing of what it excludes or says of the file."""

    text: list[str] = field(default_factory=list)  # as typed
    words: list[str] = field(default_factory=list)  # as `content_word` spells them
    phrases: list[str] = field(default_factory=list)
    last_word: str | None = None
    end: int | None = None  # where the last word ends in the query; None: behind a sign, or within an operator

    def add(self, node: QueryNode, operator: str | None = None) -> None:
        """Gather what *node* says; *operator* is the one that it is the value of."""
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

"""
Which conditions does the tree of a query set?

Two readings of the same tree. *Freely*, words beside other things only rank: they are no conditions. *Strictly*, they
are: behind a minus, inside an operator, and in an alternative that has nothing else (`tag:#work OR todo`), which would
otherwise admit every note.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from quarry.conditions import (
    Condition,
    Dated,
    HasProperty,
    Holds,
    InFile,
    InFolder,
    InPath,
    Matches,
    Not,
    Tagged,
    TimeField,
    either,
    every,
)
from quarry.errors import BadQuery
from quarry.terms.patterns import BadPattern, compile_pattern
from quarry.text.query.content_words import content_word, is_stop_word, word_count
from quarry.text.query.dates import HOW_TO, is_being_typed, milliseconds, read_stretch
from quarry.text.query.grammar import Group, Leaf, Negation, Node, Operator
from quarry.text.query.lexer import Token
from quarry.text.query.passages import PASSAGES, read_passages
from quarry.text.query.properties import read_property

MAX_STRICT_WORDS = 32  # in all phrases, exclusions, sections and tasks together; none may be dropped silently
MAX_FILTERS = 100  # as many as the wire takes

_TIMES: dict[str, TimeField] = {"created": "created", "modified": "modified"}


class Insisting(Struct):
    """Reads one tree, and counts what its conditions cost."""

    length: int  # of the query: what ends there may not be finished
    now: datetime
    strict_words: int = 0
    filters: int = 0

    def conditions(self, node: Node) -> tuple[Condition, ...]:
        """
        What *node* insists on, read freely; all of it must hold.

        Raises:
            BadQuery: It asks for too much, or holds what cannot be read.
        """
        if isinstance(node, Group) and node.kind == "every":
            return tuple(condition for part in node.parts for condition in self.conditions(part))
        if isinstance(node, Group):
            return self._alternatives(node)
        if isinstance(node, Operator) and node.token.text == "ignore-case" and node.value:
            return self.conditions(node.value)
        if isinstance(node, Leaf) and node.token.kind == "word":
            return ()
        return self._strictly(node)

    def _alternatives(self, node: Group) -> tuple[Condition, ...]:
        found = [self.conditions(part) for part in node.parts]
        if not any(found):
            return ()
        insisting = [read or self._words_of(part) for part, read in zip(node.parts, found, strict=True)]
        return _one_of(insisting)

    def _words_of(self, node: Node) -> tuple[Condition, ...]:
        """Each word of an alternative that has nothing else; stop words only where it has no others."""
        every_word = self._strictly(node, lambda word: not is_stop_word(word))
        return every_word or self._strictly(node)

    def _strictly(self, node: Node, is_wanted: Callable[[str], bool] = lambda _: True) -> tuple[Condition, ...]:
        """What *node* insists on where its words do, those that are wanted."""
        if isinstance(node, Negation):
            return _not(self._strictly(node.part))
        if isinstance(node, Group):
            parts = [self._strictly(part, is_wanted) for part in node.parts]
            return _one_of(parts) if node.kind == "either" else tuple(c for part in parts for c in part)
        if isinstance(node, Operator):
            return self._operator(node)
        if node.token.kind in ("word", "phrase"):
            word = node.token.text if node.token.kind == "phrase" else content_word(node.token.text)
            return self._holds(word, node.token) if word and is_wanted(word) else ()
        return self._filter(node.token)

    def _holds(self, words: str, token: Token) -> tuple[Condition, ...]:
        self._count_words(words, token)
        return (Holds(words),)

    def _filter(self, token: Token) -> tuple[Condition, ...]:
        """What a regular expression, a tag or a property by itself insists on."""
        self._count_filter(token)
        if token.kind == "regex":
            return (self._matching(token),)
        if token.kind == "tag":
            return _tagged(token.text)
        return (read_property(token.text, token.value, self.now.date()),)

    def _matching(self, token: Token) -> Matches:
        try:
            compile_pattern(token.text)
        except BadPattern as error:
            raise BadQuery(f"the regular expression /{token.text}/ cannot be used: {error}", token.start) from error
        return Matches(token.text)

    # --- operators -----------------------------------------------------------------------------

    def _operator(self, node: Operator) -> tuple[Condition, ...]:
        name = node.token.text
        if name == "match-case":
            raise BadQuery("case never matters here: leave match-case: out", node.token.start)
        if name in PASSAGES:
            return read_passages(node, self._count_words)
        if node.value is None:
            return ()
        if name in ("content", "ignore-case"):
            return self._strictly(node.value)
        return self._spread(node.value, node.token)

    def _spread(self, value: Node, operator: Token) -> tuple[Condition, ...]:
        """An operator before parentheses stands before everything in them."""
        if isinstance(value, Negation):
            return _not(self._spread(value.part, operator))
        if isinstance(value, Group):
            parts = [self._spread(part, operator) for part in value.parts]
            return _one_of(parts) if value.kind == "either" else tuple(c for part in parts for c in part)
        token = value.token
        if isinstance(value, Operator) or token.kind == "property":
            raise BadQuery(f"{operator.text}: takes words and phrases: put {token.text} outside of it", token.start)
        self._count_filter(token)
        return self._apply(operator.text, token)

    def _apply(self, name: str, token: Token) -> tuple[Condition, ...]:
        """The condition that operator *name* sets with one word or phrase; none while that says nothing."""
        if name in _TIMES:
            return self._dated(name, token)
        if token.kind == "regex":
            if name not in ("path", "file"):
                raise BadQuery(f"{name}: takes no regular expression: only path:, file: and content: do", token.start)
            return (Matches(self._matching(token).pattern, "path" if name == "path" else "file"),)
        text = token.text.strip()
        if name == "tag":
            return _tagged(text)
        text = f"#{text}" if token.kind == "tag" else text
        if name == "folder":
            text = text.replace("\\", "/").strip("/")
        if not text:
            return ()
        simple: dict[str, Callable[[str], Condition]] = {"path": InPath, "file": InFile, "folder": InFolder}
        return (simple[name](text) if name in simple else HasProperty(name, "is", text),)

    def _dated(self, name: str, token: Token) -> tuple[Condition, ...]:
        stretch = read_stretch(token.text, self.now.date())
        if stretch is None:
            if not token.text or (token.end == self.length and is_being_typed(token.text)):
                return ()
            raise BadQuery(f"{name}: cannot read {token.text!r}: {HOW_TO}", token.start)
        first = milliseconds(stretch.first, self.now) if stretch.first else None
        behind = milliseconds(stretch.behind, self.now) if stretch.behind else None
        return (Dated(_TIMES[name], first, behind),)

    # --- bounds --------------------------------------------------------------------------------

    def _count_words(self, words: str, token: Token) -> None:
        self.strict_words += word_count(words)
        if self.strict_words > MAX_STRICT_WORDS:
            message = f"more than {MAX_STRICT_WORDS} words in quotes, behind a minus or in an OR: use fewer"
            raise BadQuery(message, token.start)

    def _count_filter(self, token: Token) -> None:
        self.filters += 1
        if self.filters > MAX_FILTERS:
            raise BadQuery(f"more than {MAX_FILTERS} filters: leave some out", token.start)


def _tagged(tag: str) -> tuple[Condition, ...]:
    name = tag.lstrip("#").strip("/")
    return (Tagged(name),) if name else ()


def _joined(conditions: tuple[Condition, ...]) -> Condition:
    together = every(conditions)
    return together.parts[0] if len(together.parts) == 1 else together


def _not(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return (Not(_joined(conditions)),) if conditions else ()


def _one_of(alternatives: list[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    """One of *alternatives*, each of which insists on several; those that insist on nothing are not there yet."""
    known = [_joined(alternative) for alternative in alternatives if alternative]
    return (either(known),) if known else ()

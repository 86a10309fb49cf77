"""What does a query say that can be ranked by: its words, its phrases, and the text whose meaning is looked for?"""

from msgspec import Struct, field

from quarry.text.query.content_words import content_word
from quarry.text.query.grammar import Group, Leaf, Node, Operator
from quarry.text.query.lexer import Token

_WITH_TEXT = frozenset({"content", "section", "line", "block", "task", "task-todo", "task-done", "ignore-case"})


class Said(Struct):
    """Words and phrases in their order, gathered from a tree; nothing of what it excludes or says of the file."""

    text: list[str] = field(default_factory=list)  # as typed
    words: list[str] = field(default_factory=list)  # as `content_word` spells them
    phrases: list[str] = field(default_factory=list)
    last_word: str | None = None
    end: int | None = None  # where the last word ends in the query; None: behind a sign, or within an operator

    def add(self, node: Node, operator: str | None = None) -> None:
        """Gather what *node* says; *operator* is the one that it is the value of."""
        if isinstance(node, Group):
            for part in node.parts:
                self.add(part, operator)
        elif isinstance(node, Operator):
            if node.value and node.token.text in _WITH_TEXT:
                self.add(node.value, node.token.text)
        elif isinstance(node, Leaf):
            self._add_leaf(node.token, operator)

    def _add_leaf(self, token: Token, operator: str | None) -> None:
        if token.kind == "phrase" and token.text:
            self.text.append(token.text)
            self.phrases.append(token.text)
        elif token.kind == "word" or (token.kind == "tag" and operator):
            self.text.append(token.text)
            self._add_word(token, operator)

    def _add_word(self, token: Token, operator: str | None) -> None:
        word = content_word(token.text)
        if word is None:
            return
        self.words.append(word)
        self.last_word = word
        is_whole = operator is None and token.text.lower().endswith(word.lower())
        self.end = token.end if is_whole else None

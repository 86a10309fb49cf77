"""
Conditions on one section, line, block or task: `section:(a "b c" -d)`, `task-todo:(call OR write)`.

The value is rewritten in disjunctive normal form: alternatives, each a list of phrases that the passage holds and a
list of phrases that it does not hold. `(a OR b) -c` is `a` without `c`, or `b` without `c`.
"""

from collections.abc import Callable
from itertools import product

from msgspec import Struct

from quarry.conditions import BlockUnit, Condition, InBlock, InSection, InTask, TaskState, any_of
from quarry.errors import BadQuery
from quarry.messages import message
from quarry.query.grammar import LeafNode, NegationNode, OperatorNode, QueryNode, QueryToken
from quarry.query.terms import content_word

MAX_ALTERNATIVES = 32  # `(a OR b) (c OR d)` has four; each is a query of its own

_TASKS: dict[str, TaskState] = {"task": "any", "task-todo": "todo", "task-done": "done"}
_UNITS: dict[str, BlockUnit] = {"line": "line", "block": "block"}
PASSAGE_OPERATORS = frozenset({"section", *_UNITS, *_TASKS})


class _Alternative(Struct, frozen=True):
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def joined(self, other: "_Alternative") -> "_Alternative":
        both = (self.phrases + other.phrases, self.without + other.without)
        return _Alternative(*[tuple(dict.fromkeys(phrases)) for phrases in both])


def passage_condition(operator: OperatorNode, count: Callable[[str, QueryToken], None]) -> tuple[Condition, ...]:
    """
    The condition of a `section:`, `line:`, `block:` or `task:` operator; none while its value is incomplete.

    Args:
        count: Called with each word or phrase; raises BadQuery if it is one too many.

    Raises:
        BadQuery: The value has anything but words and phrases, or too many alternatives.
    """
    state = _TASKS.get(operator.token.text)
    found = (
        _AlternativesReader(operator.token, count).alternatives(operator.value, negated=False) if operator.value else []
    )
    if state is not None:
        return (any_of(InTask(state, each.phrases, each.without) for each in found or [_Alternative()]),)
    found = [each for each in found if each != _Alternative()]
    if not found:
        return ()
    unit = _UNITS.get(operator.token.text)
    return (
        any_of(
            InBlock(unit, each.phrases, each.without) if unit else InSection(each.phrases, each.without)
            for each in found
        ),
    )


class _AlternativesReader(Struct, frozen=True):
    operator: QueryToken
    count: Callable[[str, QueryToken], None]

    def alternatives(self, node: QueryNode, *, negated: bool) -> list[_Alternative]:
        """*node*, or its negation, in disjunctive normal form, by De Morgan's laws."""
        if isinstance(node, NegationNode):
            return self.alternatives(node.part, negated=not negated)
        if isinstance(node, LeafNode):
            return self._single(node.token, negated=negated)
        if isinstance(node, OperatorNode):
            raise self._refusal(node.token)
        parts = [self.alternatives(part, negated=negated) for part in node.parts]
        known = [part for part in parts if part]
        if (node.kind == "either") != negated:
            found = [each for part in known for each in part]
        else:
            found = self._combined(known)
        if len(found) > MAX_ALTERNATIVES:
            raise self._too_many()
        return found

    def _combined(self, parts: list[list[_Alternative]]) -> list[_Alternative]:
        """The conjunction of *parts*: every combination of one alternative of each."""
        found = parts[:1][0] if parts else []
        for part in parts[1:]:
            if len(found) * len(part) > MAX_ALTERNATIVES:
                raise self._too_many()
            found = [left.joined(right) for left, right in product(found, part)]
        return found

    def _single(self, token: QueryToken, *, negated: bool) -> list[_Alternative]:
        if token.kind not in ("word", "phrase", "tag"):
            raise self._refusal(token)
        words = token.text if token.kind == "phrase" else content_word(token.text)
        if not words:
            return []
        self.count(words, token)
        return [_Alternative(without=(words,))] if negated else [_Alternative(phrases=(words,))]

    def _too_many(self) -> BadQuery:
        told = message("query.too-many-alternatives", operator=self.operator.text, limit=MAX_ALTERNATIVES)
        return BadQuery(told, self.operator.start)

    def _refusal(self, token: QueryToken) -> BadQuery:
        return BadQuery(message("query.no-filter-here", operator=self.operator.text, inner=token.text), token.start)

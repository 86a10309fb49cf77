"""
Parses a typed query into words, phrases and a condition, with the places of its clauses.

Words rank the notes; everything else is a condition that each hit must satisfy:

    "rate limit"  /v\\d+/                         these words next to each other; a regular expression (RE2)
    -word  -"a phrase"  -tag:x  -(a b)           not
    a OR b  ( )                                  one of them; together
    path:  file:  folder:  tag:  #tag            the note's place and its tags
    section:(a b)  line:  block:                 all of them in one section, one line, one block
    task:(a b)  task-todo:  task-done:           all of them in one task
    match-case:                                  whole words in exactly this case
    [name]  [name:value]  [name:<5]  [name:a OR b]  [name:null]    properties
    type:  domain:  status:                      properties by their name
    created:  modified:                          see `dates.py`
    updated in the last week                     the same in plain words; see `times.py`

`OR` binds looser than juxtaposition. If all alternatives are plain words, they only rank; if one of them is more than
that (`"rate limit" OR throttle`), the alternatives are a condition, and their words and phrases rank as well.

Obsidian's `content:` (words next to each other in the note) and `ignore-case:` (case does not matter anyway) are read
too.
"""

from collections.abc import Collection
from datetime import datetime
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import (
    Condition,
    HasPhrase,
    HasProperty,
    InBlock,
    InSection,
    InTask,
    MatchesPattern,
    Not,
    all_of,
    conjuncts,
    leaves,
)
from quarry.errors import BadQuery
from quarry.lazy_pattern import lazy_pattern
from quarry.limits import MAX_QUERY_CHARS
from quarry.messages import Message, message
from quarry.options import Filters, Retriever, scope_of
from quarry.query.grammar import (
    VALUELESS_OPERATORS,
    GroupNode,
    LeafNode,
    NegationNode,
    OperatorNode,
    QueryNode,
    QueryToken,
    parse_query_tree,
    tokenize_query,
)
from quarry.query.operators import ConditionBuilder
from quarry.query.terms import QueryTerms, content_words
from quarry.query.times import spoken_time
from quarry.types import Clause, ClauseKind, Query, Span

_EVERYTHING = Filters()
MAX_CLAUSES = 100  # as many as there may be filters
MAX_CHECKED = 16  # clauses for each of which a query is read again; nobody has ten

# Where these stand, the rest of a query may be read in another way when something between is cut out.
_READS_AHEAD = lazy_pattern(r"[/\[]|[^\s(-]\(")


def parse_query(typed: str, extra: Filters = _EVERYTHING, *, now: datetime, reads_times: bool = False) -> Query:
    """
    Read a query.

    Args:
        typed: The query as typed.
        extra: Filters set outside the query, which it adds to. A status in the query overrides those of the settings.
        now: The time that `today` refers to; without a zone, local time.
        reads_times: Whether plain words about time are a filter. In parentheses they never are.

    Raises:
        BadQuery: The query is longer than 4,096 characters; it has more than 32 words in phrases, exclusions, sections
            and tasks together, more than 100 filters, or parentheses nested more than 20 deep; it holds a regular
            expression or a time that cannot be read; or it only excludes. The position is where the fault begins.
    """
    if len(typed) > MAX_QUERY_CHARS:
        raise BadQuery(message("query.too-long", count=len(typed), limit=MAX_QUERY_CHARS), MAX_QUERY_CHARS)
    tree = parse_query_tree(typed)
    said = QueryTerms()
    own: tuple[Condition, ...] = ()
    time = _spoken_time(tree, typed, now) if tree and reads_times else None
    if tree:
        own = ConditionBuilder(len(typed), now).conditions(tree)
        said.add(_without_words(tree, time))
    if time and (filter_ := parse_query_tree(time.value)):
        own = (*own, *ConditionBuilder(MAX_QUERY_CHARS, now).conditions(filter_))
    if extra.status_conditions and any(_is_about_status(leaf) for each in own for leaf, _ in leaves(each)):
        extra = scope_of(extra, ())
    condition = all_of([*extra.conditions, *own])
    if not said.text and condition.parts and all(map(_only_excludes_text, condition.parts)):
        what = " ".join(typed.split())
        raise BadQuery(message("query.only-excludes", query=what), len(typed) - len(typed.lstrip()))
    words = content_words(said.words, alone=not said.phrases)
    return Query(
        text=" ".join(said.text) if words or said.phrases else "",  # a lone `-` or `?` has no meaning to compare with
        words=words,
        phrases=tuple(dict.fromkeys(said.phrases)),
        prefix=said.last_word if said.end == len(typed) and said.last_word in words else None,
        condition=condition,
        has_filter_alternative=isinstance(tree, GroupNode)
        and tree.kind == "either"
        and any(map(_is_filter_alone, tree.parts)),
        clauses=_find_clauses(tree, typed, time) if tree else (),
    )


def _spoken_time(tree: QueryNode, typed: str, now: datetime) -> Clause | None:
    """The plain words about time in the query, if its words are in one place, beside other clauses at most."""
    parts = tree.parts if isinstance(tree, GroupNode) and tree.kind == "every" and tree.around is None else (tree,)
    words = [isinstance(part, LeafNode) and part.token.kind == "word" for part in parts]
    if not any(words) or words != sorted(words, reverse=words[0]):
        return None
    run = [part.token for part in parts if isinstance(part, LeafNode) and part.token.kind == "word"]
    begin, end = run[0].start, run[-1].end
    found = spoken_time(typed[begin:end], now.date())
    if found is None:
        return None
    start, behind = begin + found.start, begin + found.end
    return Clause("time", start, behind, found.written, typed[start:behind], removable=True)


def _without_words(tree: QueryNode, time: Clause | None) -> QueryNode:
    """*tree* without the words of *time*."""
    if time is None:
        return tree
    parts = tree.parts if isinstance(tree, GroupNode) else (tree,)
    kept = [p for p in parts if not (isinstance(p, LeafNode) and time.start <= p.token.start < time.end)]
    return GroupNode("every", tuple(kept))


def _is_about_status(leaf: Condition) -> bool:
    return isinstance(leaf, HasProperty) and leaf.name.lower() == "status"


def _is_filter_alone(node: QueryNode) -> bool:
    """Whether *node* has no word or phrase, and does not only exclude: what does admits nearly all notes."""
    said = QueryTerms()
    said.add(node)
    return not said.text and not _only_excludes(node)


def _only_excludes(node: QueryNode) -> bool:
    if isinstance(node, GroupNode):
        return all(map(_only_excludes, node.parts))
    return isinstance(node, NegationNode)


def _only_excludes_text(condition: Condition) -> bool:
    """Whether *condition* only excludes text, and so admits nearly all notes."""
    kinds = HasPhrase | MatchesPattern | InSection | InBlock | InTask
    return isinstance(condition, Not) and all(
        isinstance(leaf, kinds) and not negated for leaf, negated in leaves(condition.part)
    )


def describe_query(query: Query, retrievers: Collection[Retriever] = ("keyword", "dense")) -> Message:
    """
    What *query* asks for: `notes in Work, with the tag #idea, about backoff`.

    Args:
        retrievers: Those that take part, by which it is said how the words are searched for.
    """
    in_order = sorted(conjuncts(query.condition), key=lambda part: get_args(Condition).index(type(part)))
    parts = [part.described() for part in in_order]
    if words := " ".join(query.words) if query.phrases else query.text:
        by = "both" if len(retrievers) != 1 else "words" if "keyword" in retrievers else "meaning"
        parts.append(message(f"understood.by-{'word' if by == 'words' and ' ' not in words else by}", words=words))
    return message("understood.notes", conditions=tuple(parts)) if parts else message("understood.all")


# --- clauses -------------------------------------------------------------------------------------


def _find_clauses(tree: QueryNode, typed: str, time: Clause | None) -> tuple[Clause, ...]:
    """
    The clauses of *tree*, which was read from *typed*: in order, as far as they are complete.

    A pane shows each as a chip. The text stays the truth: to take a part away is to cut its range out of it, which
    leaves the same query without that part. Of alternatives and of what parentheses negate, no part can be cut out by
    itself.
    """
    found = _Finder(typed).clauses(tree, removable=True)[:MAX_CLAUSES]
    if any(clause.removable for clause in found) and _READS_AHEAD.search(typed):
        if len(found) > MAX_CHECKED:
            found = [replace(clause, removable=False) for clause in found]
        else:
            tokens = tuple(tokenize_query(typed))
            found = [_checked(clause, typed, tokens) for clause in found]
    return tuple(sorted([*found, *filter(None, [time])], key=lambda clause: clause.start) if time else found)


class _Finder(Struct, frozen=True):
    """Finds the clauses of a tree that was read from *typed*."""

    typed: str

    def clauses(self, node: QueryNode, *, removable: bool) -> list[Clause]:
        """The clauses of *node*; *removable*: the rest of the query says the same without one of them."""
        if isinstance(node, NegationNode):
            return self._clause(node.part, Span(node.start, node.end), negated=True, removable=removable)
        if isinstance(node, LeafNode):
            span = Span(node.token.start, node.token.end)
            is_ranked = node.token.kind == "word"
            return [] if is_ranked else self._clause(node, span, negated=False, removable=removable)
        if isinstance(node, OperatorNode):
            return self._clause(node, Span(node.token.start, node.end), negated=False, removable=removable)
        is_divisible = removable and node.kind == "every"
        parts = [clause for part in node.parts for clause in self.clauses(part, removable=is_divisible)]
        if node.kind == "every" or node.around is None or not parts:  # alternatives without clauses only rank
            return parts
        return self._clause(node, node.around, negated=False, removable=removable)

    def _clause(self, node: QueryNode, span: Span, *, negated: bool, removable: bool) -> list[Clause]:
        """The clause of *node*, whose place with its minus is *span*; none while its value is incomplete."""
        value, name = self._value(node), ""
        kind: ClauseKind = "group"
        if isinstance(node, OperatorNode):
            kind = node.token.text  # type: ignore[assignment]  # the lexer knows no other operator
        elif isinstance(node, LeafNode):
            kind = node.token.kind  # type: ignore[assignment]  # the other kinds of tokens are no leaves
            name = node.token.text if kind == "property" else ""
        if not (value or name or kind in VALUELESS_OPERATORS):
            return []
        start, end = span.start, span.end
        if removable:
            start, end, removable = _cut(self.typed, start, end)
        return [Clause(kind, start, end, value, name, negated, removable)]

    def _value(self, node: QueryNode | None) -> str:
        """What *node* asks for, as typed, without delimiters."""
        if isinstance(node, OperatorNode):
            return self._value(node.value)
        if isinstance(node, GroupNode) and node.inside is not None:
            return self.typed[node.inside.start : node.inside.end]
        if isinstance(node, LeafNode):
            return node.token.value or "" if node.token.kind == "property" else node.token.text
        return ""


def _cut(typed: str, start: int, end: int) -> tuple[int, int, bool]:
    """The range to cut out of *typed*, with the spaces that separate it from one side, and whether it can be."""
    behind = end + len(typed[end:]) - len(typed[end:].lstrip())
    if behind == len(typed):
        return len(typed[:start].rstrip()), behind, True
    if start == 0 or typed[start - 1].isspace() or typed[start - 1] == "(":
        return start, behind, True
    return start, end, behind > end or typed[end] == ")"


def _checked(clause: Clause, typed: str, tokens: tuple[QueryToken, ...]) -> Clause:
    """*clause*, not removable where the rest would be read in another way without it."""
    if not clause.removable:
        return clause
    rest = [_said(token) for token in tokens if not clause.start <= token.start < clause.end]
    without = [_said(token) for token in tokenize_query(typed[: clause.start] + typed[clause.end :])]
    return replace(clause, removable=rest == without)


def _said(token: QueryToken) -> tuple[str, str, str | None, bool]:
    return token.kind, token.text, token.value, token.is_whole

"""
Parses a typed query into words, phrases and a condition.

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

`OR` binds looser than juxtaposition. If all alternatives are plain words, they only rank; if one of them is more than
that (`"rate limit" OR throttle`), the alternatives are a condition, and their words and phrases rank as well.

Obsidian's `content:` (words next to each other in the note) and `ignore-case:` (case does not matter anyway) are read
too.
"""

from collections.abc import Collection
from datetime import datetime
from typing import get_args

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
from quarry.limits import MAX_QUERY_CHARS
from quarry.messages import Message, message
from quarry.options import Filters, Retriever, scope_of
from quarry.query.clauses import find_clauses
from quarry.query.grammar import GroupNode, NegationNode, QueryNode, parse_query_tree
from quarry.query.operators import ConditionBuilder
from quarry.query.terms import QueryTerms, content_words
from quarry.types import Query

_EVERYTHING = Filters()


def parse_query(typed: str, extra: Filters = _EVERYTHING, *, now: datetime) -> Query:
    """
    Read a query.

    Args:
        typed: The query as typed.
        extra: Filters set outside the query, which it adds to. A status in the query overrides those of the settings.
        now: The time that `today` refers to; without a zone, local time.

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
    if tree:
        own = ConditionBuilder(len(typed), now).conditions(tree)
        said.add(tree)
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
        clauses=find_clauses(tree, typed) if tree else (),
    )


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

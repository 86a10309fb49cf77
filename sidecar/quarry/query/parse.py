"""
What does a typed query ask for?

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

from datetime import datetime

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    InBlock,
    InSection,
    InTask,
    MatchesPattern,
    Not,
    all_of,
)
from quarry.errors import BadQuery
from quarry.limits import MAX_QUERY_CHARS
from quarry.messages import message
from quarry.options import Filters
from quarry.query.conditions import ConditionBuilder
from quarry.query.grammar import GroupNode, NegationNode, QueryNode, parse_query_tree
from quarry.query.terms import QueryTerms, content_words
from quarry.types import Query

_EVERYTHING = Filters()


def parse_query(typed: str, extra: Filters = _EVERYTHING, *, now: datetime) -> Query:
    """
    Read a query.

    Args:
        typed: The query as typed.
        extra: Filters set outside the query, which it adds to.
        now: The time that `today` refers to; without a zone, local time.

    Raises:
        BadQuery: The query is longer than 4,096 characters; it has more than 32 words in phrases, exclusions, sections
            and tasks together, more than 100 filters, or parentheses nested more than 20 deep; it holds a regular
            expression or a time that cannot be read; or it only excludes. The position is where the fault begins.
    """
    if len(typed) > MAX_QUERY_CHARS:
        raise BadQuery(
            f"the query has {len(typed):,} characters, at most {MAX_QUERY_CHARS:,} are read: shorten it",
            MAX_QUERY_CHARS,
            message("query-too-long", count=len(typed), limit=MAX_QUERY_CHARS),
        )
    tree = parse_query_tree(typed)
    said = QueryTerms()
    conditions = list(extra.conditions)
    if tree:
        conditions += ConditionBuilder(len(typed), now).conditions(tree)
        said.add(tree)
    condition = all_of(conditions)
    if not said.text and condition.parts and all(map(_only_excludes_text, condition.parts)):
        what = " ".join(typed.split())
        raise BadQuery(
            f"the query only excludes ({what}): add a word to search for, or a filter",
            len(typed) - len(typed.lstrip()),
            message("query-only-excludes", query=what),
        )
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
    )


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
    return isinstance(condition, Not) and _is_about_text(condition.part)


def _is_about_text(condition: Condition) -> bool:
    if isinstance(condition, AllOf | AnyOf):
        return all(map(_is_about_text, condition.parts))
    return isinstance(condition, HasPhrase | MatchesPattern | InSection | InBlock | InTask)

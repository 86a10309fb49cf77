"""
What does a typed query ask for?

Words are ranked by; everything else is a condition that a hit must satisfy:

    "rate limit"  /v\\d+/                         these words side by side; a regular expression (RE2)
    -word  -"a phrase"  -tag:x  -(a b)           not
    a OR b  ( )                                  one of them; together
    path:  file:  folder:  tag:  #tag            where the note lies and what it is filed under
    section:(a b)  task:  task-todo:  task-done: together in one section, in one task
    [name]  [name:value]  [name:<5]  [name:a OR b]  [name:null]    properties
    type:  domain:  status:                      properties by their name
    created:  modified:                          see `dates.py`

`OR` binds looser than standing beside each other. Where all alternatives are mere words, they rank; where one is more
than that (`"rate limit" OR throttle`), each is a condition, and its words and phrases rank as well.

From Obsidian's own search also: `content:` (side by side in the note), `line:` and `block:` (read as `section:`, the
smallest part of a note that is known here) and `ignore-case:` (case never matters). `match-case:` is refused.
"""

from datetime import datetime

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    InSection,
    InTask,
    MatchesPattern,
    Not,
    all_of,
)
from quarry.errors import BadQuery
from quarry.text.query.conditions import ConditionBuilder
from quarry.text.query.grammar import parse_query_tree
from quarry.text.query.terms import QueryTerms, content_words
from quarry.types import Query, Scope

MAX_CHARS = 4_096  # longer is a pasted document: search for a passage of it

_EVERYTHING = Scope()


def parse_query(typed: str, extra: Scope = _EVERYTHING, *, now: datetime) -> Query:
    """
    Read a query.

    Args:
        typed: What the user typed.
        extra: Filters set elsewhere; those in the query add to them.
        now: What `today` is counted from. Without a zone it is this machine's time, summer time and all.

    Raises:
        BadQuery: It is longer than 4,096 characters; has more than 32 words in phrases, exclusions, sections and tasks
            together, more than 100 filters, or parentheses nested more than 20 deep; holds a regular expression or a
            time that cannot be read; or only says what not to find. The position is where that begins.
    """
    if len(typed) > MAX_CHARS:
        raise BadQuery(f"the query has {len(typed):,} characters, {MAX_CHARS:,} are read: search for less", MAX_CHARS)
    tree = parse_query_tree(typed)
    said = QueryTerms()
    conditions = list(extra.conditions)
    if tree:
        conditions += ConditionBuilder(len(typed), now).conditions(tree)
        said.add(tree)
    condition = all_of(conditions)
    if not said.text and condition.parts and all(map(_only_leaves_out, condition.parts)):
        what = " ".join(typed.split())
        message = f"the query only says what to leave out ({what}): add a word to look for, or a filter"
        raise BadQuery(message, len(typed) - len(typed.lstrip()))
    words = content_words(said.words, alone=not said.phrases)
    return Query(
        text=" ".join(said.text) if words or said.phrases else "",  # a lone `-` or `?` has no meaning to be near to
        words=words,
        phrases=tuple(dict.fromkeys(said.phrases)),
        prefix=said.last_word if said.end == len(typed) and said.last_word in words else None,
        condition=condition,
    )


def _only_leaves_out(condition: Condition) -> bool:
    """Whether *condition* only says which text a note must not hold, as nearly all notes do not."""
    return isinstance(condition, Not) and _speaks_of_text(condition.part)


def _speaks_of_text(condition: Condition) -> bool:
    if isinstance(condition, AllOf | AnyOf):
        return all(map(_speaks_of_text, condition.parts))
    return isinstance(condition, HasPhrase | MatchesPattern | InSection | InTask)

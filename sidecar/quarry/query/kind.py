"""
What kind of query is it, by its form alone?

    name       one identifier or date: `printf_s`, `--no-ff`, `C4996`, `2026-02-21`
    question   it asks something; see `is_question`
    words      at most `FEW_WORDS` words, as people type into a search box
    text       a longer text: a task, or a report of what happened

Evidence means something else for each: a note that has an identifier in its title is what was asked for, whatever the
rest of its words, while a word of a long text may be missing from the note that answers.
"""

from typing import Literal, TypeAlias

from quarry.lazy_pattern import lazy_pattern
from quarry.query.terms import bare_word, is_question

QueryKind: TypeAlias = Literal["name", "question", "words", "text"]

FEW_WORDS = 5  # four fifths of the queries of search logs have no more
MAX_NAME_CHARS = 256  # a longer one is data

# What only names have: signs between letters or digits, capitals behind small letters, digits beside letters, a sign in
# front or behind (`--flag`, `.vimrc`, `$HOME`, `C++`), or nothing but capitals (`ENOENT`).
_NAME = lazy_pattern(
    r"[^\W_](?:::|->|[-._/:@&+~\\#])+[^\W_]|_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d|\d[A-Za-z]"
    r"|^(?:--?|[.@$#/\\%])\w|\w(?:\+\+|\#|\(\))$|^[A-Z]{4,}$"
)


def query_kind(text: str) -> QueryKind:
    """The kind of the query *text*, which has no operators."""
    words = text.split()
    if len(words) == 1 and is_name(words[0]):
        return "name"
    if is_question(text):
        return "question"
    return "words" if len(words) <= FEW_WORDS else "text"


def is_name(word: str) -> bool:
    """Whether *word* is an identifier, a path, a version, a code or a date, and no word of a language."""
    return len(word) <= MAX_NAME_CHARS and word.isascii() and bool(bare_word(word)) and bool(_NAME.search(word))

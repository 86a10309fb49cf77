"""
Phrases that stand over the borders of a note's chunks: begun in one, ended in another, with whole chunks between.

The keyword index finds the chunks that begin with the end of a phrase; whether what stands before them ends with its
beginning is read from their texts, of which only the last words are analysed. A long phrase has too many ends for
that, but some of its words are rare: the few notes that hold these are read whole.
"""

import json
from collections.abc import Sequence
from functools import lru_cache

from quarry.index.keyword.match_query import quoted
from quarry.index.sql import SqlFragment, concat
from quarry.terms.analysis import analyse

MAX_ENDS = 16  # looked up one by one, for up to 20 ms each where all of its words are common
TELLING_TERMS = 10  # of a long phrase: a note that holds all of these is read
_CHARACTERS = 12  # of text looked at for one term: most take 6, with what is between them
_LAST_WORDS = 4  # looked at first, as nearly all texts end with something else

_WHOLE = "WITH RECURSIVE whole(id) AS MATERIALIZED ("
# `ahead` terms of the phrase are still to be found at the end of what stands before the chunk; 0: all were found.
# What is cheap to find comes first (CROSS JOIN), and what costs 3 us is asked once (MATERIALIZED). A number is looked
# for among the chunks of its note: `+` keeps SQLite from making an index over the numbers of all chunks for it.
_ACROSS = """), before(note_id, number, ahead) AS MATERIALIZED (
    SELECT p.note_id, p.number, terms_ahead(p.text, ?, s.key + 1)
    FROM json_each(?) s CROSS JOIN chunks_fts f CROSS JOIN chunks c CROSS JOIN chunks p
    WHERE f.chunks_fts MATCH s.value AND (f.rowid >> 11) NOT IN (SELECT id FROM whole)
        AND c.id = f.rowid AND p.id BETWEEN f.rowid >> 11 << 11 AND f.rowid | 2047 AND +p.number = c.number - 1
), across(note_id, number, ahead) AS (
    SELECT note_id, number, ahead FROM before WHERE ahead >= 0
    UNION ALL
    SELECT a.note_id, p.number, terms_ahead(p.text, ?, a.ahead)
    FROM across a CROSS JOIN chunks p
    WHERE a.ahead > 0 AND p.id BETWEEN a.note_id << 11 AND (a.note_id << 11) + 2047 AND +p.number = a.number - 1
) SELECT id FROM whole UNION ALL SELECT note_id FROM across WHERE ahead = 0"""
_HOLDING = "SELECT rowid >> 11 FROM chunks_fts WHERE chunks_fts MATCH ?"
_READ = """), telling(id) AS MATERIALIZED (SELECT * FROM ({telling}) EXCEPT SELECT id FROM whole)
SELECT id FROM whole UNION ALL SELECT id FROM telling t WHERE holds_phrase(
    (SELECT group_concat(c.text, char(10) ORDER BY c.number) FROM chunks c
        WHERE c.id BETWEEN t.id << 11 AND (t.id << 11) + 2047), ?
)"""
_BEFORE_TELLING, _AFTER_TELLING = _READ.split("{telling}")


def also_across(whole: SqlFragment, terms: Sequence[str]) -> SqlFragment:
    """
    The notes of *whole*, and those that hold *terms* side by side only over a border of their chunks, as a query.

    Args:
        whole: A query for the notes that hold them in one piece.
        terms: Two or more.
    """
    phrase = SqlFragment("", (" ".join(terms),))
    if len(terms) > MAX_ENDS:
        longest = sorted(set(terms), key=lambda term: (-len(term), term))[:TELLING_TERMS]
        telling = concat(" INTERSECT ", [SqlFragment(_HOLDING, ("{text} : " + quoted(term),)) for term in longest])
        rest = [telling.wrap(_BEFORE_TELLING, _AFTER_TELLING), phrase]
    else:
        ends = ["{text} : ^ " + quoted(" ".join(terms[at:])) for at in range(1, len(terms))]
        rest = [phrase, SqlFragment(_ACROSS, (json.dumps(ends),)), phrase]
    return concat("", [whole.wrap(_WHOLE), *rest])


def terms_ahead(text: str, phrase: str, ahead: int) -> int:
    """
    How many of the first *ahead* terms of *phrase* are left to find before *text*, when the last of them end it.

    Returns:
        0: *text* ends with all of them; as many as before where it has no terms; -1: it ends with something else.
    """
    wanted = _head(phrase, ahead)
    for word in reversed(text.rsplit(" ", _LAST_WORDS)[1:]):
        if last := _terms_of(word):
            if last[-1] != wanted[-1]:
                return -1
            break
    found = _last_terms(text, ahead)
    return ahead - len(found) if not found or wanted[-len(found) :] == found else -1


def holds_phrase(text: str, phrase: str) -> bool:
    """Whether the terms of *phrase* stand side by side in *text*."""
    return f" {phrase} " in f" {analyse(text).words} "


def _last_terms(text: str, count: int) -> tuple[str, ...]:
    """The last *count* terms of *text*, or all. It is cut at a space, as that is in no term."""
    size = _CHARACTERS * (count + 1)
    while size < len(text):
        _, _, rest = text[-size:].partition(" ")
        found = analyse(rest).words.split()
        if len(found) >= count:
            break
        size *= 4
    else:
        found = analyse(text).words.split()
    return tuple(found[-count:])


@lru_cache(maxsize=64)
def _head(phrase: str, count: int) -> tuple[str, ...]:
    return tuple(phrase.split(" ")[:count])


@lru_cache(maxsize=1024)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(analyse(word).words.split())

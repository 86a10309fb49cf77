"""
The words of a query that notes do not contain.

A question in Chinese or Japanese is typed as one word, a run without spaces, which no note contains as a whole. The
index has each two neighbouring characters. Of 簧片怎么调音, a note with the pair 簧片 lacks 调音: the characters of the
pairs that it contains are in the note, and the words outside of them are missing. Single characters in between join
words, and so do hiragana; question words say nothing of a note.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from quarry.analysis.normalize import fold
from quarry.analysis.tokenizer import TOKEN, split_token, unspaced_characters
from quarry.index import KeywordQuery, NoteIds, query_term
from quarry.lazy_pattern import lazy_pattern
from quarry.query.questions import CJK_QUESTION_WORDS
from quarry.query.terms import is_stop_word
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery, TermsOfNotes, identifier_query

MIN_RUN = 5  # characters; fewer are mostly one word (数据库), which is missing where not all of it is in one place
MIN_WORD = 2  # characters; most words have two, and a single one may be what joins two of them

_HAN_AND_KANA = lazy_pattern(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_JOINING = lazy_pattern("[\u3041-\u309f]+|^[的了地得之和与及在是]+|[的了吗呢吧啊]+$")


def words_missing(
    prepared: PreparedQuery, note_ids: Sequence[int], execution: SearchExecution
) -> Mapping[int, tuple[str, ...]]:
    """
    Note id -> the words of the query, as searched for, that the note contains in no form, if any.

    A word that is still being typed is in a note with any word that begins with it. A word that cannot be searched for
    by itself is missing from no note.
    """
    ascending = np.array(sorted(set(note_ids)), np.int64)
    terms = TermsOfNotes(prepared, ascending, execution)
    missing: dict[int, list[str]] = {}
    for typed, word in dict(prepared.words_used).items():
        parts = None if word.isascii() else split_runs(word)
        if parts and typed == prepared.query.prefix and not is_run(parts[-1]):
            parts = parts[:-1]  # a word to come, of which nothing is said yet
        for part in (word,) if parts is None else parts:
            if parts and is_run(part):
                for note_id, words in _missing_of_run(part, terms).items():
                    missing.setdefault(note_id, []).extend(words)
                continue
            query = _query_for(typed if part is word else part, part, prepared)
            if not query.is_empty:
                for note_id in ascending[~terms.contain(query)].tolist():
                    missing.setdefault(note_id, []).append(part)
    return {note_id: tuple(dict.fromkeys(words)) for note_id, words in missing.items()}


def notes_with_every_word(prepared: PreparedQuery, note_ids: NoteIds, execution: SearchExecution) -> NoteIds:
    """The notes of *note_ids*, ascending, with every word of the query; none if no word can be sought alone."""
    queries = [_query_for(typed, word, prepared) for typed, word in dict(prepared.words_used).items()]
    queries = [query for query in queries if not query.is_empty]
    left = note_ids if queries else note_ids[:0]
    for query in sorted(queries, key=lambda query: len(query.phrases)):  # to verify a phrase takes longest
        if len(left):
            left = left[TermsOfNotes(prepared, left, execution).contain(query)]
    return left


def _query_for(typed: str, word: str, prepared: PreparedQuery) -> KeywordQuery:
    """The query for *word* alone; empty for one or two letters that are being typed, which are no word yet."""
    if typed != prepared.query.prefix:
        return identifier_query(word, prepared.languages)
    if prepared.keyword_query.name_prefix:
        return KeywordQuery()
    return replace(identifier_query(word, prepared.languages), prefix=prepared.keyword_query.prefix)


# --- runs without spaces -------------------------------------------------------------------------


def _missing_of_run(run: str, terms: TermsOfNotes) -> dict[int, list[str]]:
    """Note id -> the words of *run* that the note does not contain, if any."""
    columns = terms.rows([query_term(pair) for pair in pairs_of(run)])
    by_note = zip(terms.note_ids.tolist(), zip(*[column.tolist() for column in columns], strict=True), strict=True)
    missing = {note_id: words_outside(run, has_pair) for note_id, has_pair in by_note}
    return {note_id: words for note_id, words in missing.items() if words}


def split_runs(word: str) -> list[str] | None:
    """The words and runs in *word*: `glue` and `とは何ですか` in `glueとは何ですか`; None if it is one word."""
    tokens = TOKEN.findall(word)
    parts = [piece.text for token in tokens for piece in split_token(token)]
    if not any(map(_HAN_AND_KANA.fullmatch, parts)):
        parts = tokens  # between other scripts, punctuation alone separates words
    content = [part for part in parts if is_run(part) or not is_stop_word(part.lower())]
    return content if len(parts) > 1 or any(map(is_run, parts)) else None


def is_run(part: str) -> bool:
    """Whether *part* is in Chinese or Japanese characters, and may be several words: it is long, or it asks."""
    if _HAN_AND_KANA.fullmatch(part) is None:
        return False
    return len(part) >= MIN_RUN or (len(part) > MIN_WORD and CJK_QUESTION_WORDS.search(part) is not None)


def pairs_of(run: str) -> list[str]:
    """The terms of each two neighbouring characters of *run*, in order."""
    characters = [fold(character) for character, _ in unspaced_characters(run)]
    return [one + next_one for one, next_one in pairwise(characters)]


def words_outside(run: str, has_pair: Sequence[bool]) -> list[str]:
    """
    The words of *run* outside of the pairs that a note contains, in order.

    Args:
        has_pair: Whether the note contains each of `pairs_of(run)`.
    """
    starts = [start for _, start in unspaced_characters(run)]
    ends = [*starts[1:], len(run)]
    is_covered = [before or behind for before, behind in zip([False, *has_pair], [*has_pair, False], strict=True)]
    outside: list[tuple[int, int]] = []
    for start, end, covered in zip(starts, ends, is_covered, strict=True):
        if covered:
            continue
        if outside and outside[-1][1] == start:
            outside[-1] = (outside[-1][0], end)
        else:
            outside.append((start, end))
    return [word for start, end in outside for word in _words_in(run[start:end])]


def _words_in(text: str) -> Iterator[str]:
    """*text* without what joins words or asks."""
    for asked in CJK_QUESTION_WORDS.split(text):
        for word in _JOINING.split(asked):
            if len(word) >= MIN_WORD:
                yield word

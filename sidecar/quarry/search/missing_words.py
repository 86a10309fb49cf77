"""The words of the query that each of several notes lacks."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index import MAX_TERMS, Deadline, KeywordQuery, NoteIds, QueryTerm, Reader, query_term
from quarry.search.prepare import PreparedQuery
from quarry.search.unspaced_words import is_run, lacking_words, pairs_of, split_runs
from quarry.search.whole_words import whole_word

_HeldTerms = Mapping[QueryTerm, NDArray[np.bool_]]
"""Terms of the query -> which notes hold each."""


def words_missing(
    prepared: PreparedQuery, note_ids: Sequence[int], reader: Reader, deadline: Deadline
) -> Mapping[int, tuple[str, ...]]:
    """
    Note id -> the words of the query, as searched for, that the note holds in no form, if any.

    A word that is still being typed is held by a note with any word that begins with it. One that cannot be searched
    for by itself is lacked by none. Of a run without spaces, a note lacks what `unspaced_words` finds.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    wanted = np.array(sorted(set(note_ids)), np.int64)
    of_query = reader.keywords.query(prepared.lexical, deadline=deadline).terms_of_notes(wanted)
    missing: dict[int, list[str]] = {}
    for typed, word in dict(prepared.words_used).items():
        parts = None if word.isascii() else split_runs(word)
        if parts and typed == prepared.query.prefix and not is_run(parts[-1]):
            parts = parts[:-1]  # a word to come, of which nothing is said yet
        for part in (word,) if parts is None else parts:
            if parts and is_run(part):
                for note_id, words in _lacked_of_run(part, wanted, of_query, reader, deadline).items():
                    missing.setdefault(note_id, []).extend(words)
                continue
            alone = query_of(typed if part is word else part, part, prepared)
            if alone.is_empty:
                continue
            for note_id in wanted[~_holding(alone, wanted, of_query, reader, deadline)].tolist():
                missing.setdefault(note_id, []).append(part)
    return {note_id: tuple(dict.fromkeys(words)) for note_id, words in missing.items()}


def _lacked_of_run(
    run: str, note_ids: NoteIds, of_query: _HeldTerms, reader: Reader, deadline: Deadline
) -> dict[int, list[str]]:
    """Note id -> the words of *run* that the note lacks, where it lacks any."""
    pairs = [query_term(pair) for pair in pairs_of(run)]
    held = _terms_held(pairs, note_ids, of_query, reader, deadline)
    of_notes = zip(*[held[pair].tolist() for pair in pairs], strict=True)
    lacked = {
        note_id: lacking_words(run, is_held) for note_id, is_held in zip(note_ids.tolist(), of_notes, strict=True)
    }
    return {note_id: words for note_id, words in lacked.items() if words}


def holding_every_word(
    prepared: PreparedQuery, note_ids: NoteIds, reader: Reader, deadline: Deadline
) -> NDArray[np.bool_]:
    """
    Which of *note_ids*, which ascend, hold every word of the query; none where no word can be searched for by itself.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    words = [query_of(typed, word, prepared) for typed, word in dict(prepared.words_used).items()]
    words = [word for word in words if not word.is_empty]
    of_query = reader.keywords.query(prepared.lexical, deadline=deadline).terms_of_notes(note_ids) if words else {}
    holds_all = np.full(len(note_ids), bool(words))
    for word in words:
        holds_all &= _holding(word, note_ids, of_query, reader, deadline)
    return holds_all


def _holding(
    word: KeywordQuery, note_ids: NoteIds, of_query: _HeldTerms, reader: Reader, deadline: Deadline
) -> NDArray[np.bool_]:
    """Which notes hold the terms of *word*: mostly some of the whole query, which were looked up for all notes."""
    if len(word.scored) == 1 and word.scored[0].kind != "phrase" and word.scored[0] in of_query:  # as for most words
        return of_query[word.scored[0]]
    is_held = np.zeros(len(note_ids), np.bool_)
    terms = [term for term in word.scored if term.kind != "phrase"]
    held = _terms_held(terms, note_ids, of_query, reader, deadline)
    for term in word.scored:
        if term.kind != "phrase":
            is_held |= held[term]
        elif not is_held.all():
            is_held |= reader.keywords.phrase_in_notes(term.text.split(" "), note_ids, deadline=deadline)
    return is_held


def _terms_held(
    terms: Sequence[QueryTerm], note_ids: NoteIds, of_query: _HeldTerms, reader: Reader, deadline: Deadline
) -> _HeldTerms:
    """Which notes hold each of *terms*; those that are not of the query are looked up."""
    others = [term.text for term in terms if term not in of_query]
    held = dict(of_query)
    for start in range(0, len(others), MAX_TERMS):  # a query drops the terms beyond those
        deadline.check()
        query = KeywordQuery(tuple(others[start : start + MAX_TERMS]))
        held |= reader.keywords.query(query, deadline=deadline).terms_of_notes(note_ids)
    return held


def query_of(typed: str, word: str, prepared: PreparedQuery) -> KeywordQuery:
    """The query for *word* alone; empty for one or two letters that are being typed, which are no word yet."""
    if typed != prepared.query.prefix:
        return whole_word(word, prepared.languages)
    if prepared.lexical.name_prefix:
        return KeywordQuery()
    return replace(whole_word(word, prepared.languages), prefix=prepared.lexical.prefix)

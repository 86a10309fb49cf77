"""Which words of the query does each of several notes lack?"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from quarry.index import Deadline, KeywordQuery, Reader
from quarry.search.prepare import PreparedQuery
from quarry.search.whole_words import whole_word


def words_missing(
    prepared: PreparedQuery, note_ids: Sequence[int], reader: Reader, deadline: Deadline
) -> Mapping[int, tuple[str, ...]]:
    """
    Note id -> the words of the query, as searched for, that the note holds in no form, if any.

    A word that is still being typed is held by a note with any word that begins with it. One that cannot be searched
    for by itself is lacked by none.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    missing: dict[int, list[str]] = {}
    for typed, word in dict(prepared.words_used).items():
        alone = _query_of(typed, word, prepared)
        if alone.is_empty:
            continue
        holding = reader.keywords.query(alone, deadline=deadline).note_scores(note_ids)
        for note_id in note_ids:
            if note_id not in holding:
                missing.setdefault(note_id, []).append(word)
    return {note_id: tuple(dict.fromkeys(words)) for note_id, words in missing.items()}


def _query_of(typed: str, word: str, prepared: PreparedQuery) -> KeywordQuery:
    """The query for *word* alone; empty for one or two letters that are being typed, which are no word yet."""
    if typed != prepared.query.prefix:
        return whole_word(word, prepared.languages)
    if prepared.lexical.name_prefix:
        return KeywordQuery()
    return replace(whole_word(word, prepared.languages), prefix=prepared.lexical.prefix)

"""In which languages, besides English, are the notes of a snapshot? Read from the index on `notes.languages`."""

from collections.abc import Iterable

import apsw

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.terms.alternatives import Languages
from quarry.terms.normalize import TAGS

# Each different value, found by a look-up of its own: a vault of 50,000 notes in German has but one.
_LANGUAGES = """
WITH RECURSIVE found(value) AS (
    SELECT min(languages) FROM notes WHERE languages IS NOT NULL
    UNION ALL
    SELECT (SELECT min(languages) FROM notes WHERE languages > found.value) FROM found WHERE found.value IS NOT NULL
)
SELECT value FROM found WHERE value IS NOT NULL
"""
_ORDER = tuple(TAGS)
_LANGUAGES_OF = "SELECT id, languages FROM notes WHERE languages IS NOT NULL AND id IN (SELECT value FROM json_each(?))"


def note_languages(connection: apsw.Connection, note_ids: Iterable[int]) -> dict[int, Languages]:
    """The languages besides English of these notes; those in English alone are left out."""
    rows: list[tuple[int, str]] = select(connection, _LANGUAGES_OF, (id_list(note_ids),))
    return {note_id: tuple(sorted(value.split(" "), key=_ORDER.index)) for note_id, value in rows}


def vault_languages(connection: apsw.Connection) -> Languages:
    """The languages that any note has terms in; exact, as no count of them is kept."""
    rows: list[tuple[str]] = select(connection, _LANGUAGES)
    found = {language for (value,) in rows for language in value.split(" ")}
    return tuple([language for language in _ORDER if language in found])

"""In which languages, besides English, are the notes of a snapshot? Read from the index on `notes.languages`."""

import apsw

from quarry.analysis.alternatives import Languages
from quarry.analysis.normalize import TAGS
from quarry.index.database import select

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


def read_languages(column: str | None) -> Languages:
    """Decode `notes.languages`: the languages of a note besides English."""
    return tuple(sorted(column.split(" "), key=_ORDER.index)) if column else ()


def vault_languages(connection: apsw.Connection) -> Languages:
    """The languages that any note has terms in; exact, as no count of them is kept."""
    rows: list[tuple[str]] = select(connection, _LANGUAGES)
    found = {language for (value,) in rows for language in value.split(" ")}
    return tuple([language for language in _ORDER if language in found])

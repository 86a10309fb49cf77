"""
Where a phrase stands, as SQL on a note `n` or a chunk `c`: found by its terms, or searched for as written.

The keyword index knows phrases by the terms that the notes were analysed into. A phrase without any term (`->`,
`- [ ]`), and every phrase where FTS5 is missing, is searched for as it is written, in any case.
"""

from collections.abc import Iterable

from quarry.analysis.analysis import Languages, phrase_terms
from quarry.index.database import Deadline, SqlFragment, join
from quarry.index.keys import fold_case, id_list, of_note_sql
from quarry.index.postings.query import KeywordSearcher

ANY_CHUNK = "EXISTS (SELECT 1 FROM chunks c WHERE " + of_note_sql("c.id", "n.id") + " AND "  # to be closed
ALWAYS = SqlFragment("1")
_NOTE_AMONG = "n.id IN (SELECT value FROM json_each(?))"
_CHUNK_AMONG = "c.id IN (SELECT value FROM json_each(?))"
# `+` keeps SQLite from going through all ids of the list for every note whose chunks are looked at.
_CHUNK_OF_NOTE_AMONG = "+c.id IN (SELECT value FROM json_each(?))"


class WrittenPhrases:
    """Phrases are searched for as they are written."""

    languages: Languages = ()  # of the notes besides English; here words are not stemmed

    def in_note(self, phrase: str) -> SqlFragment:
        """Whether the note `n` holds *phrase* in its text, its title or its aliases."""
        in_alias = _written(phrase, "a.value").wrap("EXISTS (SELECT 1 FROM json_each(n.aliases) a WHERE ", ")")
        in_text = _written(phrase, "c.text").wrap(ANY_CHUNK, ")")
        return join(" OR ", [_written(phrase, "n.title"), in_alias, in_text], ALWAYS)

    def in_section(self, phrase: str) -> SqlFragment:
        """Whether the chunk `c` holds *phrase* in its text or its headings."""
        return join(" OR ", [_written(phrase, "c.text"), _written(phrase, "c.section")], ALWAYS)

    def may_be_in_text(self, phrase: str) -> SqlFragment:  # noqa: ARG002 - what `IndexedPhrases` overrides
        """A cheap condition that the chunk `c` meets where its text holds *phrase*, and perhaps elsewhere."""
        return ALWAYS


class IndexedPhrases(WrittenPhrases):
    """Phrases are found by their terms; all notes that hold one are found at once."""

    def __init__(self, keywords: KeywordSearcher, deadline: Deadline) -> None:
        self._keywords = keywords
        self.languages = keywords.languages
        self._deadline = deadline

    def in_note(self, phrase: str) -> SqlFragment:
        """Whether the note `n` holds *phrase* in its text, also over a border of its chunks, its title or aliases."""
        terms = phrase_terms(phrase, self.languages)
        if not terms:
            return super().in_note(phrase)
        return _among(_NOTE_AMONG, self._keywords.notes_with_phrase(terms, deadline=self._deadline))

    def in_section(self, phrase: str) -> SqlFragment:
        """Whether the chunk `c` holds *phrase* in its text or its headings."""
        terms = phrase_terms(phrase, self.languages)
        if not terms:
            return super().in_section(phrase)
        found = self._keywords.chunks_with_phrase(terms, in_headings=True, deadline=self._deadline)
        return _among(_CHUNK_AMONG, found)

    def may_be_in_text(self, phrase: str) -> SqlFragment:
        """Whether the text of the chunk `c` holds the terms of *phrase* side by side."""
        terms = phrase_terms(phrase, self.languages)
        if not terms:
            return ALWAYS
        found = self._keywords.chunks_with_phrase(terms, in_headings=False, deadline=self._deadline)
        return _among(_CHUNK_OF_NOTE_AMONG, found)


def _among(sql: str, ids: Iterable[int]) -> SqlFragment:
    return SqlFragment(sql, (id_list(ids),))


def _written(phrase: str, column: str) -> SqlFragment:
    """Whether *column* holds *phrase*, in any case; SQLite needs no help where there are no letters."""
    wanted = fold_case(" ".join(phrase.split()))
    if not phrase_terms(phrase):
        return SqlFragment(f"instr({column}, ?) > 0", (wanted,))
    return SqlFragment(f"instr(fold_case({column}), ?) > 0", (wanted,))

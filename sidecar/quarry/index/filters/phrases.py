"""
Where a phrase stands, as SQL on a note `n` or a chunk `c`: looked up in the keyword index, or searched for as written.

The keyword index knows phrases by the terms that the notes were analysed into. A phrase without any term (`->`,
`- [ ]`), and every phrase where FTS5 is missing, is searched for as it is written, in any case.
"""

from collections.abc import Sequence

from quarry.index.folding import fold_case
from quarry.index.ids import note_of_sql, of_note_sql
from quarry.index.keyword.cross_chunk_phrase import also_across
from quarry.index.keyword.match_query import quoted
from quarry.index.sql import SqlFragment, join
from quarry.terms.analysis import phrase_terms

ANY_CHUNK = "EXISTS (SELECT 1 FROM chunks c WHERE " + of_note_sql("c.id", "n.id") + " AND "  # to be closed
ALWAYS = SqlFragment("1")
_IN_ONE_PIECE = (
    "SELECT rowid FROM names_fts WHERE names_fts MATCH ?"
    " UNION SELECT " + note_of_sql("rowid") + " FROM chunks_fts WHERE chunks_fts MATCH ?"
)
_IN_CHUNK = SqlFragment("c.id IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)")


class WrittenPhrases:
    """Phrases are searched for as they are written."""

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
    """Phrases are looked up in the keyword index by their terms."""

    def in_note(self, phrase: str) -> SqlFragment:
        """Whether the note `n` holds *phrase* in its text, also over a border of its chunks, its title or aliases."""
        terms = phrase_terms(phrase)
        if not terms:
            return super().in_note(phrase)
        wanted = quoted(" ".join(terms))
        whole = SqlFragment(_IN_ONE_PIECE, ("{title aliases} : " + wanted, "{text} : " + wanted))
        return (also_across(whole, terms) if len(terms) > 1 else whole).wrap("n.id IN (", ")")

    def in_section(self, phrase: str) -> SqlFragment:
        """Whether the chunk `c` holds *phrase* in its text or its headings."""
        terms = phrase_terms(phrase)
        return _in_columns("{text section}", terms) if terms else super().in_section(phrase)

    def may_be_in_text(self, phrase: str) -> SqlFragment:
        """Whether the text of the chunk `c` holds the terms of *phrase* side by side."""
        terms = phrase_terms(phrase)
        return _in_columns("{text}", terms) if terms else ALWAYS


def _in_columns(columns: str, terms: Sequence[str]) -> SqlFragment:
    return SqlFragment(_IN_CHUNK.text, (columns + " : " + quoted(" ".join(terms)),))


def _written(phrase: str, column: str) -> SqlFragment:
    """Whether *column* holds *phrase*, in any case; SQLite needs no help where there are no letters."""
    wanted = fold_case(" ".join(phrase.split()))
    if not phrase_terms(phrase):
        return SqlFragment(f"instr({column}, ?) > 0", (wanted,))
    return SqlFragment(f"instr(fold_case({column}), ?) > 0", (wanted,))

"""
What a note must say, as SQL on the note `n`: words, regular expressions, what stands together in a section or a task.

Words are looked for in the keyword index, by the terms that the notes were taken apart into. A phrase without any term
(`->`, `- [ ]`), and every phrase where FTS5 is missing, is looked for as it is written, in any case.
"""

import json
from collections.abc import Sequence

from quarry.conditions import InSection, InTask, Matches
from quarry.errors import BadQuery
from quarry.index.borders import also_across
from quarry.index.folding import fold_case
from quarry.index.ids import note_of_sql, of_note_sql
from quarry.index.matching import quoted
from quarry.index.sql import SqlFragment, concat, join
from quarry.terms.analysis import phrase_terms
from quarry.terms.patterns import BadPattern, compile_pattern

_FILE = "substr(n.path, length(rtrim(n.path, replace(n.path, '/', ''))) + 1)"
_PLACES = {"path": "n.path", "file": _FILE}
_LOOKS_LIKE_TASK = SqlFragment("instr(c.text, ' [') > 0 AND instr(c.text, '] ') > 0")  # five times faster than GLOB
_ANY_CHUNK = "EXISTS (SELECT 1 FROM chunks c WHERE " + of_note_sql("c.id", "n.id") + " AND "
_WHOLE = (
    "SELECT rowid FROM names_fts WHERE names_fts MATCH ?"
    " UNION SELECT " + note_of_sql("rowid") + " FROM chunks_fts WHERE chunks_fts MATCH ?"
)
_ALWAYS = SqlFragment("1")
_EVERY_SECTION = SqlFragment("SELECT note_id, section FROM chunks")


def held(phrase: str, *, has_fts5: bool) -> SqlFragment:
    """Its words side by side in the note's text (over the borders of its chunks, too), title or aliases."""
    terms = phrase_terms(phrase)
    if terms and has_fts5:
        asked = quoted(" ".join(terms))
        whole = SqlFragment(_WHOLE, ("{title aliases} : " + asked, "{text} : " + asked))
        return (also_across(whole, terms) if len(terms) > 1 else whole).wrap("n.id IN (", ")")
    in_alias = _written(phrase, "a.value").wrap("EXISTS (SELECT 1 FROM json_each(n.aliases) a WHERE ", ")")
    in_text = _written(phrase, "c.text").wrap(_ANY_CHUNK, ")")
    return join(" OR ", [_written(phrase, "n.title"), in_alias, in_text], _ALWAYS)


def matching(wanted: Matches) -> SqlFragment:
    """
    Where the regular expression finds something.

    Raises:
        BadQuery: It cannot be used on this machine.
    """
    try:
        compile_pattern(wanted.pattern)
    except BadPattern as error:
        raise BadQuery(f"the regular expression /{wanted.pattern}/ cannot be used: {error}", 0) from error
    if wanted.place == "text":
        return chunk_matching(wanted).wrap(_ANY_CHUNK, ")")
    return SqlFragment(f"matches(?, {_PLACES[wanted.place]})", (wanted.pattern,))


def in_section(wanted: InSection, *, has_fts5: bool) -> SqlFragment:
    """Sections by note and heading trail: those with each of the phrases, without those with another."""
    found = [_sections(phrase, has_fts5) for phrase in wanted.phrases] or [
        SqlFragment("SELECT note_id, section FROM chunks")
    ]
    without = [_sections(phrase, has_fts5).wrap(" EXCEPT ") for phrase in wanted.without]
    sections = concat("", [concat(" INTERSECT ", found), *without])
    return sections.wrap("n.id IN (SELECT note_id FROM (", "))")


def with_task(wanted: InTask, *, has_fts5: bool) -> SqlFragment:
    """A chunk that holds such a task."""
    return chunk_with_task(wanted, has_fts5=has_fts5).wrap(_ANY_CHUNK, ")")


def chunk_matching(wanted: Matches) -> SqlFragment:
    """Whether the regular expression finds something in the chunk `c`."""
    return SqlFragment("matches(?, c.text)", (wanted.pattern,))


def chunk_with_task(wanted: InTask, *, has_fts5: bool) -> SqlFragment:
    """Whether the chunk `c` holds such a task."""
    terms = [phrase_terms(phrase) for phrase in wanted.phrases] if has_fts5 else []
    indexed = [_in_chunks(each, "text") for each in terms if each]
    asked = SqlFragment("has_task(c.text, ?)", (json.dumps([wanted.state, wanted.phrases, wanted.without]),))
    return join(" AND ", [*indexed, _LOOKS_LIKE_TASK, asked], _ALWAYS)


def _sections(phrase: str, has_fts5: bool) -> SqlFragment:
    """Notes and heading trails of the chunks that hold *phrase* in their text or their trail."""
    terms = phrase_terms(phrase)
    if terms and has_fts5:
        where = _in_chunks(terms, "text section")
    else:
        where = join(" OR ", [_written(phrase, "c.text"), _written(phrase, "c.section")], _ALWAYS)
    return where.wrap("SELECT c.note_id, c.section FROM chunks c WHERE ")


def _in_chunks(terms: Sequence[str], columns: str) -> SqlFragment:
    expression = f"{{{columns}}} : {quoted(' '.join(terms))}"
    return SqlFragment("c.id IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)", (expression,))


def _written(phrase: str, column: str) -> SqlFragment:
    """*phrase* as it is written; SQLite can look by itself for what has no letters."""
    wanted = fold_case(" ".join(phrase.split()))
    if not phrase_terms(phrase):
        return SqlFragment(f"instr({column}, ?) > 0", (wanted,))
    return SqlFragment(f"instr(fold_case({column}), ?) > 0", (wanted,))

"""
Filters as SQL: which chunks a query may see at all, decided before anything is ranked or cut.

A condition is constant text with `?` for every value; what a person typed is only ever bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from quarry.index.folding import fold_case, fold_marks, fold_tag
from quarry.index.matching import check_phrases, is_indexed, phrase_expression
from quarry.types import Query, Scope

ChunkId = Literal["c.id", "k.id", "+chunks_fts.rowid"]
"""The column that is restricted. `+` keeps FTS5 from running its MATCH once for every admitted row."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A piece of SQL after WHERE, with the values of its placeholders."""

    sql: str
    bindings: tuple[str | int, ...] = ()

    def within(self, before: str, after: str = "") -> "Condition":
        """This condition with constant SQL around it."""
        return Condition(before + self.sql + after, self.bindings)

    def also(self, sql: str, value: str | int) -> "Condition":
        """This condition and another, with one placeholder."""
        return Condition(self.sql + " AND " + sql, (*self.bindings, value))


EVERYTHING = Condition("1")


@dataclass(frozen=True, slots=True)
class _ChunkSet:
    """Chunks by a query for their ids; `keep` says whether to see only those or all others."""

    select: Condition
    keep: bool


@dataclass(frozen=True, slots=True)
class Restriction:
    """Everything that a query insists on."""

    sets: tuple[_ChunkSet, ...]

    @property
    def is_everything(self) -> bool:
        """Whether no chunk is ruled out."""
        return not self.sets

    def on(self, column: ChunkId) -> Condition:
        """The restriction as a condition on a chunk's id."""
        if self.is_everything:
            return EVERYTHING
        return _all_of(part.select.within(column + (" IN (" if part.keep else " NOT IN ("), ")") for part in self.sets)


def restrict(query: Query, *, has_fts5: bool) -> Restriction:
    """
    What *query* insists on: its scope, its phrases in the chunk, and no excluded word anywhere in the note.

    Without FTS5, phrases and excluded words are looked for as they are written, in any case, in the text.

    Raises:
        BadQuery: More phrases or excluded words than may be asked.
    """
    check_phrases(query.phrases)
    check_phrases(query.excluded)
    sets = [_ChunkSet(_in_scope(query.scope), keep=True)] if not query.scope.is_everything else []
    sets += [_ChunkSet(_standing_in(phrase, has_fts5), keep=True) for phrase in query.phrases]
    sets += [_ChunkSet(_of_notes_with(_standing_in(phrase, has_fts5)), keep=False) for phrase in query.excluded]
    return Restriction(tuple(sets))


def admit_notes(scope: Scope) -> Condition:
    """*scope* as a condition on the notes `n`. Folders and paths ignore case and accents, tags case."""
    conditions = [_below_any(scope.folders)] if scope.folders else []
    conditions += [_negate(_below_any((folder,))) for folder in scope.not_folders]
    conditions += [_in_path(part) for part in scope.paths]
    conditions += [_negate(_in_path(part)) for part in scope.not_paths]
    conditions += [_tagged(tag) for tag in scope.tags]
    conditions += [_negate(_tagged(tag)) for tag in scope.not_tags]
    return _all_of(conditions)


def _in_scope(scope: Scope) -> Condition:
    select = "SELECT s.id FROM chunks s WHERE s.note_id IN (SELECT n.id FROM notes n WHERE "
    return admit_notes(scope).within(select, ")")


def _standing_in(phrase: str, has_fts5: bool) -> Condition:
    if has_fts5 and is_indexed(phrase):
        select = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?"
        return Condition(select, (phrase_expression(phrase),))
    select = "SELECT s.id FROM chunks s WHERE count_held(?, s.text, s.section, s.context) > 0"
    return Condition(select, (fold_case(" ".join(phrase.split())),))


def _of_notes_with(chunks: Condition) -> Condition:
    """All chunks of the notes that *chunks* stand in: what is excluded is a note, as in Obsidian's own search."""
    select = "SELECT s.id FROM chunks s WHERE s.note_id IN (SELECT x.note_id FROM chunks x WHERE x.id IN ("
    return chunks.within(select, "))")


def _below_any(folders: Iterable[str]) -> Condition:
    """Below one of *folders*: a range of the sorted keys, `a/` up to `a0`, as `0` follows `/`."""
    keys = [fold_marks(folder).strip("/") for folder in folders]
    if not all(keys):  # the vault itself
        return EVERYTHING
    sql = " OR ".join("(n.path_key >= ? AND n.path_key < ?)" for _ in keys)
    return Condition("(" + sql + ")", tuple(bound for key in keys for bound in (key + "/", key + "0")))


def _in_path(part: str) -> Condition:
    return Condition("instr(n.path_key, ?) > 0", (fold_marks(part),))


def _tagged(tag: str) -> Condition:
    """Holding *tag* itself or one nested below it."""
    key = fold_tag(tag)
    sql = "n.id IN (SELECT t.note_id FROM tags t WHERE t.tag_key = ? OR (t.tag_key >= ? AND t.tag_key < ?))"
    return Condition(sql, (key, key + "/", key + "0"))


def _negate(condition: Condition) -> Condition:
    return condition.within("NOT (", ")")


def _all_of(conditions: Iterable[Condition]) -> Condition:
    parts = tuple(conditions)
    if not parts:
        return EVERYTHING
    return Condition(
        " AND ".join(part.sql for part in parts), tuple(value for part in parts for value in part.bindings)
    )

"""All notes of a team that a member sees, as one collection: their number, statistics and words."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from quarry.analysis.normalize import TAGS
from quarry.errors import TeamUnavailable
from quarry.index.postings.collection_statistics import CollectionStatistics, Frequencies
from quarry.index.postings.spelling import MAX_TERMS, MIN_LETTERS, TermsByLength, spellings_by_length
from quarry.team.publish import TERMS

if TYPE_CHECKING:
    from quarry.team.connection import Connection

HIGHEST = chr(0x10FFFF)

_AUDIENCES = (
    "SELECT audience, notes, chunks, chunk_terms, note_terms, languages, generation FROM quarry.audiences"
    " WHERE notes > 0 ORDER BY audience"
)
_FORMAT = "SELECT model, dimension, terms FROM quarry.format"
# Literals let the planner leave out partitions that the policies would only filter; the operators are leakproof.
_TERMS = (
    "SELECT term, sum(chunks)::int, sum(notes)::int, sum(names)::int FROM quarry.terms"
    " WHERE audience = ANY ('{audiences}'::int[]) AND term = ANY (%s) GROUP BY term"
)
_WITH_PREFIX = (
    "SELECT term, sum(chunks)::int, sum(notes)::int, sum(names)::int FROM quarry.terms"
    " WHERE audience = ANY ('{audiences}'::int[]) AND term >= %s AND term < %s"
    " GROUP BY term ORDER BY 2 DESC, term LIMIT %s"
)
_VOCABULARY = (
    "SELECT term FROM quarry.terms WHERE audience = ANY ('{audiences}'::int[]) AND length(term) >= %s"
    " GROUP BY term ORDER BY sum(chunks) DESC, term LIMIT %s"
)


class TeamCollection(Struct, frozen=True):
    """The notes that a member sees, in one transaction."""

    connection: "Connection"
    audiences: tuple[int, ...]
    generation: tuple[int, ...]  # of each audience
    model: str | None  # the fingerprint of the model that made the vectors, as JSON
    dimension: int
    note_count: int
    chunk_count: int
    chunk_terms: int
    note_terms: int
    languages: tuple[str, ...]

    @classmethod
    def of(cls, connection: "Connection") -> "TeamCollection":
        """
        The collection that the member of *connection* sees.

        Raises:
            TeamUnavailable: Its notes were analysed by another version of Quarry.
        """
        rows = connection.execute(_AUDIENCES).fetchall()
        model, dimension, terms = connection.execute(_FORMAT).fetchone() or (None, 0, TERMS)
        if terms != TERMS:
            raise TeamUnavailable(
                f"the notes of the team were analysed by another version of Quarry ({terms} there, {TERMS} "
                "here): bring both to the same version, and have the notes published again"
            )
        languages = {language for row in rows for language in row[5]}
        return cls(
            connection=connection,
            audiences=tuple(row[0] for row in rows),
            generation=tuple(row[6] for row in rows),
            model=model,
            dimension=dimension,
            note_count=sum(row[1] for row in rows),
            chunk_count=sum(row[2] for row in rows),
            chunk_terms=sum(row[3] for row in rows),
            note_terms=sum(row[4] for row in rows),
            languages=tuple(language for language in TAGS if language in languages),
        )

    @property
    def name_of_model(self) -> str:
        """The model that made the vectors."""
        return str(json.loads(self.model or "{}").get("name", "?"))

    def sql(self, template: str) -> bytes:
        """*template*, constant SQL, with the audiences in it."""
        return template.replace("{audiences}", "{" + ",".join(map(str, self.audiences)) + "}").encode()

    def statistics(self) -> CollectionStatistics:
        """The statistics of all notes together."""
        return CollectionStatistics(
            note_count=self.note_count,
            chunk_count=self.chunk_count,
            chunk_length=self.chunk_terms / max(self.chunk_count, 1) or 1.0,
            note_length=self.note_terms / max(self.note_count, 1) or 1.0,
            languages=self.languages,
            read=self._frequencies,
        )

    def with_prefix(self, prefix: str, limit: int) -> dict[str, Frequencies]:
        """The commonest terms that begin with *prefix*."""
        rows = self.connection.execute(self.sql(_WITH_PREFIX), (prefix, prefix + HIGHEST, limit))
        return {term: Frequencies(*counts) for term, *counts in rows}

    def vocabulary(self) -> TermsByLength:
        """The terms that may correct a mistyped word; of more than `MAX_TERMS`, the commonest."""
        rows = self.connection.execute(self.sql(_VOCABULARY), (MIN_LETTERS - 1, MAX_TERMS))
        return spellings_by_length(term for (term,) in rows)

    def _frequencies(self, wanted: Sequence[tuple[str, bool]]) -> dict[tuple[str, bool], Frequencies]:
        terms = [term for term, is_prefix in wanted if not is_prefix]
        rows = self.connection.execute(self.sql(_TERMS), (terms,)) if terms else ()
        found = {(term, False): Frequencies(*counts) for term, *counts in rows}
        for prefix in [term for term, is_prefix in wanted if is_prefix]:
            every = self.with_prefix(prefix, MAX_TERMS).values()
            found[prefix, True] = Frequencies(*map(sum, zip(*every, strict=True))) if every else Frequencies()
        return found

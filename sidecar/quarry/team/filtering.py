"""
Which notes of a team a query may find: conditions are checked by the code that checks them in a vault.

Those on paths, tags, properties and times need no text: what they are about is read once and kept until it changes.
Those on the text (phrases, regular expressions, sections, tasks) need the notes themselves. All that may meet them are
read. Where these are too many, more of the best than usual are checked; if too few of them are left, the query is
refused, as others may meet it.
"""

import json
import threading
from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import phrase_terms, split_alternatives
from quarry.conditions import (
    MATCH_ALL,
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    InBlock,
    InSection,
    InTask,
    MatchesPattern,
    Not,
)
from quarry.errors import BadRequest
from quarry.index import Deadline, PreparedNote
from quarry.index.partial_reader import PartialReader, partial_reader
from quarry.options import SortOrder
from quarry.team.collection import TeamCollection
from quarry.team.stored_notes import read_each, without_text

MAX_LISTED = 200_000  # notes whose paths, tags and properties are kept, 100 MB
MAX_READ = 2000  # notes that are read for conditions on their text, 4 MB

_ABOUT = "SELECT note_id FROM quarry.notes WHERE audience = ANY ('{audiences}'::int[])"
_ABOUT_THESE = (
    "SELECT note_id, path, title, aliases, properties, tags, modified_ms FROM quarry.notes"
    " WHERE audience = ANY ('{audiences}'::int[]) AND note_id = ANY (%s)"
)
_WITH_TERMS = "SELECT * FROM quarry.notes_with_terms(%s::jsonb, %s)"


class Admitted(Struct, frozen=True):
    """The notes that a condition may admit."""

    among: Sequence[int] | None  # those that meet all of it that needs no text; None: every note
    read: Sequence[int] | None = None  # all that may meet the rest, which is to be checked; None: there is no rest
    is_rest_unread: bool = False  # as they are too many


class Catalogue:
    """What conditions are about, of every note that the member sees, but the text. One thread at a time asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[int, PreparedNote] = {}
        self._opened: tuple[tuple[int, ...], PartialReader] | None = None
        self._stack = ExitStack()

    def admitted(self, condition: Condition, collection: TeamCollection, deadline: Deadline) -> Admitted:
        """
        The notes that *condition* may admit.

        Raises:
            BadRequest: The member sees too many notes.
            DeadlineExceeded, Cancelled, BadQuery: As `Reader.matching_notes`.
        """
        parts = condition.parts if isinstance(condition, AllOf) else (condition,)
        of_text = [part for part in parts if _reads_text(part)]
        rest = AllOf(tuple(part for part in parts if part not in of_text))
        among: Sequence[int] | None = None
        if rest != MATCH_ALL:
            with self._lock:
                found = self._reader(collection).matching_notes(rest, deadline=deadline)
            among = None if found is None else found.tolist()
        if not of_text:
            return Admitted(among)
        read = self._to_read(of_text, among, collection)
        return Admitted(among, (), is_rest_unread=True) if len(read) > MAX_READ else Admitted(among, read)

    def first(
        self, admitted: Admitted, order: SortOrder, limit: int, collection: TeamCollection, deadline: Deadline
    ) -> tuple[list[int], int]:
        """The first *limit* of the admitted notes in *order*, and how many there are."""
        with self._lock:
            reader = self._reader(collection)
            every = reader.every_note() if admitted.among is None else np.array(sorted(admitted.among), np.int64)
            rows = reader.ordered_notes(every, order, limit, 0, deadline=deadline)
        return [note_id for note_id, *_ in rows], len(every)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._stack.close()
            self._opened = None

    def _reader(self, collection: TeamCollection) -> PartialReader:
        key = (*collection.audiences, *collection.generation)
        if self._opened is not None and self._opened[0] == key:
            return self._opened[1]
        if collection.note_count > MAX_LISTED:
            raise BadRequest(
                f"the team's index has {collection.note_count:,} notes, and filters go through at most {MAX_LISTED:,}: "
                "search it by words alone"
            )
        ids = [note_id for (note_id,) in collection.connection.execute(collection.sql(_ABOUT))]
        unknown = [note_id for note_id in ids if note_id not in self._known]
        rows = collection.connection.execute(collection.sql(_ABOUT_THESE), (unknown,))
        self._known = {note_id: self._known[note_id] for note_id in ids if note_id in self._known}
        self._known |= dict(read_each(rows, without_text))
        self._stack.close()
        opened = partial_reader(self._known.items(), collection.statistics(), dict)
        self._opened = key, self._stack.enter_context(opened)
        return self._opened[1]

    def _to_read(
        self, of_text: Sequence[Condition], among: Sequence[int] | None, collection: TeamCollection
    ) -> Sequence[int]:
        phrases = [part.phrase for part in of_text if isinstance(part, HasPhrase)]
        terms = {term for phrase in phrases for term in phrase_terms(phrase, collection.languages)}
        possible: Sequence[int]
        if terms:
            groups = json.dumps([split_alternatives(term) for term in terms])
            most = MAX_READ + 1 if among is None else MAX_LISTED
            found = [note_id for (note_id,) in collection.connection.execute(_WITH_TERMS, (groups, most))]
            possible = found if among is None else [*{*found} & {*among}]
        elif among is None and collection.note_count <= MAX_READ:
            possible = [note_id for (note_id,) in collection.connection.execute(collection.sql(_ABOUT))]
        else:
            possible = among if among is not None else range(MAX_READ + 1)
        return possible


def too_many_to_read() -> BadRequest:
    """The error where notes that may meet a condition on their text were not read."""
    return BadRequest(
        f"more than {MAX_READ:,} notes of the team may meet this filter on their text: add rarer words, a folder or "
        "a tag"
    )


def _reads_text(condition: Condition) -> bool:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return any(map(_reads_text, parts))
        case Not(part):
            return _reads_text(part)
        case MatchesPattern(place=place):
            return place == "text"
        case _:
            return isinstance(condition, HasPhrase | InBlock | InSection | InTask)

"""A team's index, searched by a member: the database proposes candidates, and the ranking of a vault orders them."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from quarry.embedding import Encoder
from quarry.errors import BadRequest, TeamUnavailable
from quarry.index import Deadline
from quarry.index.partial_reader import partial_reader
from quarry.indexing.current_index import fingerprint_text
from quarry.messages import Message, message
from quarry.options import Retriever, SearchOptions
from quarry.query.parse import parse_query
from quarry.search import Answer, SearchExecution, search, serving_retrievers
from quarry.search.candidates import POOL
from quarry.search.corrections import with_corrections
from quarry.search.execution import is_asked
from quarry.search.prepare import can_rank
from quarry.team.collection import TeamCollection
from quarry.team.connection import errors_of_database, open_pool, stop
from quarry.team.filtering import Admitted, Catalogue, too_many_to_read
from quarry.team.migration import check_version
from quarry.team.proposals import Vocabulary, by_meaning, by_words, words_of
from quarry.team.stored_notes import NoteCache
from quarry.types import Query

if TYPE_CHECKING:
    from quarry.team.connection import Connection

POLL_S = 0.02  # of whether an answer is still wanted
POOL_SIZE = 4  # searches of one member at once
UNREAD_DEPTH = 3  # times as many candidates, where some will not meet a condition on their text


class Found(Struct, frozen=True):
    """An answer, and of how many notes in which state of the team's index it is."""

    answer: Answer
    note_count: int
    generation: int


class TeamIndex:
    """The index of a team at *url*. Any thread may search, several at once."""

    def __init__(self, url: str, encoder: Callable[[], Encoder | None]) -> None:
        """
        Connect to nothing yet.

        Args:
            encoder: Gives the static model of this device; None while it is not there.
        """
        self._pool = open_pool(url, POOL_SIZE)
        self._encoder = encoder
        self._notes = NoteCache()
        self._vocabulary = Vocabulary()
        self._catalogue = Catalogue()
        self._is_checked = False

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
        self._catalogue.close()

    def search(self, options: SearchOptions, deadline: Deadline) -> Found:
        """
        The answer to a request, from what the member sees.

        Raises:
            BadQuery: The query cannot be read.
            BadRequest: It asks for what only a vault can do.
            TeamUnavailable: The database cannot be reached, or is not what this version can use.
            Cancelled, DeadlineExceeded: *deadline* says so.
        """
        deadline.check()
        now = datetime.now()  # noqa: DTZ005  local time, as in a vault
        query = parse_query(options.query, options.filters, now=now, reads_times=options.reads_times)
        if options.sort != "relevance" and can_rank(query):
            raise BadRequest("a team's index orders what it finds by relevance alone: search it without another order")
        with self._transaction(deadline) as connection:
            if not self._is_checked:
                check_version(connection)
                self._is_checked = True
            return _Search(self, TeamCollection.of(connection), options, deadline, now).run(query)

    @contextmanager
    def _transaction(self, deadline: Deadline) -> "Iterator[Connection]":
        """A connection that sees one state of the database, and stops what it is at when the deadline says so."""
        left_s = min(deadline.at - time.monotonic(), 3600.0)
        done = threading.Event()

        def watch(connection: "Connection") -> None:
            while not done.wait(POLL_S):
                if deadline.cancelled() or time.monotonic() >= deadline.at:
                    stop(connection, done.wait)
                    return

        try:
            with (
                errors_of_database(),
                self._pool.connection(timeout=left_s) as connection,
                connection.transaction(),
            ):
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                connection.execute("SELECT set_config('statement_timeout', %s, true)", (str(math.ceil(left_s * 1000)),))
                watcher = threading.Thread(target=watch, args=(connection,), name="quarry-team-deadline", daemon=True)
                watcher.start()
                try:
                    yield connection
                finally:
                    done.set()
                    watcher.join()
        except TeamUnavailable:
            if deadline.cancelled():
                deadline.check()
            raise


class _Search:
    """One search in one transaction."""

    def __init__(
        self, index: TeamIndex, collection: TeamCollection, options: SearchOptions, deadline: Deadline, now: datetime
    ) -> None:
        self._index = index
        self._collection = collection
        self._options = options
        self._deadline = deadline
        self._now = now
        self._whole = collection.statistics()
        encoder = index._encoder()
        self._encoder = encoder if encoder and fingerprint_text(encoder.fingerprint) == collection.model else None
        self._read: set[int] = set()  # the notes that may be hits
        self._has_every_word = False  # whether no note but these has a word of the query

    def run(self, query: Query) -> Found:
        admitted = self._index._catalogue.admitted(query.condition, self._collection, self._deadline)
        listed = None
        if can_rank(query):
            self._propose(query, admitted)
            if any(clause.kind == "time" for clause in query.clauses):  # which may turn out to be meant as words
                self._propose(self._parsed(self._options.query, reads_times=False), Admitted(None))
        elif admitted.is_rest_unread:
            raise too_many_to_read()
        elif admitted.read is None:
            depth, order = self._options.offset + self._options.limit, self._options.sort
            first, listed = self._index._catalogue.first(admitted, order, depth, self._collection, self._deadline)
            self._read.update(first)
        self._read.update(admitted.read or ())
        answer = self._answer()
        if answer.corrections:
            proposed = set(self._read)
            corrected = with_corrections(self._options.query, answer.corrections)
            self._propose(self._parsed(corrected, reads_times=self._options.reads_times), admitted)
            answer = self._answer() if self._read != proposed else answer
        is_short = answer.relaxed is not None or len(answer.hits) < self._options.limit
        if admitted.is_rest_unread and is_short and not self._has_every_word:
            raise too_many_to_read()
        if listed is not None:
            answer = replace(answer, total=listed, reachable=listed)
        return Found(answer, self._collection.note_count, sum(self._collection.generation))

    def _parsed(self, text: str, *, reads_times: bool) -> Query:
        return parse_query(text, self._options.filters, now=self._now, reads_times=reads_times)

    def _propose(self, query: Query, admitted: Admitted) -> None:
        collection, among = self._collection, admitted.among
        depth = POOL * (UNREAD_DEPTH if admitted.is_rest_unread else 1)
        if self._options.mode != "semantic":
            words = words_of(query, collection, self._whole, lambda: self._index._vocabulary.of(collection))
            self._deadline.check()
            found, self._has_every_word = by_words(words, collection, self._whole, among, depth)
            self._read |= found
        if self._options.mode != "keyword" and self._encoder and query.text:
            vector = self._encoder.encode([query.text])[0]
            if vector.any():
                self._read |= by_meaning(vector, collection, among, depth)
        self._deadline.check()

    def _answer(self) -> Answer:
        collection, encoder, options = self._collection, self._encoder, self._options
        notes = self._index._notes.read(collection.connection, self._read, collection.dimension)
        missing: dict[Retriever, Message] = {}
        if encoder is None and collection.note_count:
            missing["dense"] = message("absent.team-model", model=collection.name_of_model)
        retrievers = serving_retrievers(options.mode, missing)
        with partial_reader(notes, self._whole, lambda: self._index._vocabulary.of(collection)) as reader:
            execution = SearchExecution(
                reader=reader,
                encoder=encoder if "dense" in retrievers else None,
                retrievers=retrievers,
                missing={name: reason for name, reason in missing.items() if is_asked(name, options.mode)},
                weights=options.weights_or({"keyword": 1.0, "dense": 1.0}),
                deadline=self._deadline,
                now=self._now,
                fusion=options.fusion or "convex",
            )
            return search(options, execution)

"""
The engine: everything Quarry can do with one vault, behind one object. It knows no socket, no agent and no wire.

Any thread may call it. One thread inside writes the index; searches read snapshots of it and never wait.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Self, TypeVar

from msgspec.structs import replace

from quarry import consent
from quarry import search as searching
from quarry.embedding import Encoder, load_contextual_encoder, load_encoder, refuse_unpulled, requests_for
from quarry.errors import IndexDamaged
from quarry.index import Deadline, NoteFilter, NotePage, PostingsDamaged, Reader
from quarry.indexing.freshness import IndexFreshness
from quarry.indexing.process import IndexingLimits
from quarry.indexing.request_queue import RequestQueue
from quarry.indexing.status import Listener, Listeners
from quarry.indexing.sync import Synchronizer
from quarry.indexing.vector_model import LoadContextual
from quarry.indexing.worker import Worker
from quarry.inspection.index_status import Status, index_status
from quarry.inspection.inspector import Inspector
from quarry.options import ConsentKind, Filters, Scope, SearchOptions, scope_of
from quarry.search import (
    Answer,
    ExampleQuery,
    Explanation,
    FurtherPassages,
    Related,
    SearchExecution,
    Source,
    serving_retrievers,
)
from quarry.search.examples import NEWEST, example_queries
from quarry.search.execution import is_asked
from quarry.search.note_reader import WholeNote, find_indexed_note, read_whole_note
from quarry.search.query_vectors import QueryEncoder
from quarry.settings import Settings, write_settings
from quarry.types import VaultChange
from quarry.vault.capture import Captured, Draft, capture
from quarry.vault.rules import folder_changes

SEARCH_DEADLINE_S = 2.0  # a thousand times what a search takes; whatever needs longer is an accident or an attack
EXAMPLES_DEADLINE_S = 3.0  # for all searches that examples are tried by; what is found by then is enough
EXAMPLES_KEPT = 8  # sets of examples: of a language or two

_Answer = TypeVar("_Answer")


class Engine:
    """One vault, searchable. Make it with `open`, end it with `close`."""

    def __init__(
        self,
        root: Path,
        index_path: Path,
        load: Callable[[str], Encoder],
        load_contextual: LoadContextual,
        without: frozenset[str],
        limits: IndexingLimits,
        only: tuple[str, ...] = (),
    ) -> None:
        self.root = root
        self._listeners = Listeners()
        self._requests = RequestQueue()
        self._query_encoder = QueryEncoder()
        self._examples: dict[tuple[object, ...], tuple[ExampleQuery, ...]] = {}
        self._settings_lock = threading.RLock()  # two changes at once would lose one
        self._opened = threading.local()  # the reader that a thread has open
        self._sync = Synchronizer(
            root,
            index_path,
            load,
            load_contextual,
            without=without,
            only=only,
            requests=self._requests,
            listeners=self._listeners,
            limits=limits,
        )
        self._worker = Worker(self._sync, self._requests, limits.timing)
        self.freshness = IndexFreshness(self.reader, self._sync, self._requests)

    @classmethod
    def open(
        cls,
        root: Path,
        index_path: Path,
        *,
        load: Callable[[str], Encoder] = load_encoder,
        load_contextual: LoadContextual = load_contextual_encoder,
        without: frozenset[str] = frozenset(),
        limits: IndexingLimits = IndexingLimits(),  # noqa: B008  a frozen value
        only: tuple[str, ...] = (),
    ) -> Self:
        """
        Open the vault at *root* with its index at *index_path*, and begin to make the two equal.

        Args:
            only: The folders, spelled as on disk, of the part of the vault that is served; all else does not exist for
                this engine. Empty: the whole vault.

        Raises:
            SchemaTooNew, IndexUnavailable: The index cannot be used; nothing was touched.
        """
        engine = cls(root, index_path, load, load_contextual, without, limits, only)
        engine._worker.start()
        return engine

    def close(self) -> None:
        """Finish the notes in hand, commit, and let go of the index."""
        self._worker.stop()
        self._sync.close()
        self._query_encoder.close()

    def listen(self, listener: Listener) -> None:
        """Have *listener* told of commits and progress."""
        self._listeners.add(listener)

    # --- reading -------------------------------------------------------------------------------

    def search(self, options: SearchOptions, is_cancelled: Callable[[], bool] = lambda: False) -> Answer:
        """
        Answer a request from what is indexed now.

        Raises:
            BadQuery: The query cannot be read.
            Cancelled: `is_cancelled` said so.
            DeadlineExceeded: It took longer than `SEARCH_DEADLINE_S`.
            IndexUnavailable, IndexDamaged: The index could not be read; it is looked after meanwhile.
        """
        return self._ask(searching.search, options, is_cancelled)

    def search_request(
        self, options: SearchOptions, earlier: str, is_cancelled: Callable[[], bool] = lambda: False
    ) -> Answer:
        """Answer a request in the words of a person, after the words *earlier*: by its readings. Raises as `search`."""
        return self._ask(partial(searching.search_request, earlier), options, is_cancelled)

    def further_passages(
        self, options: SearchOptions, path: str, is_cancelled: Callable[[], bool] = lambda: False
    ) -> FurtherPassages:
        """
        The passages of the hit at *path* behind its best one, as `search` gives them when it expands its hits; none
        where the note is no hit. Raises as `search`.
        """
        return self._ask(partial(searching.further_passages, path), options, is_cancelled)

    def explain(
        self,
        options: SearchOptions,
        path: str,
        is_cancelled: Callable[[], bool] = lambda: False,
        *,
        for_owner: bool = True,
    ) -> Explanation:
        """
        Why the answer to a request has the note at *path* at its place, or not at all. Raises as `search`.

        Only the owner learns that there is a note which its data class keeps out of the index.
        """

        def ask(options: SearchOptions, execution: SearchExecution) -> Explanation:
            found = searching.explain(path, self.root, options, execution)
            return found or self._absent(path, for_owner=for_owner)

        return self._ask(ask, options, is_cancelled)

    def related(
        self,
        source: Source,
        filters: Filters,
        limit: int,
        snippet_width: int,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Related:
        """
        The *limit* notes most like *source*, without itself and without those whose status the settings leave out.

        Raises:
            BadRequest: Neither a note nor a text is given.
            NoteNotFound: The note is not in the index.
            Cancelled, DeadlineExceeded, IndexUnavailable, IndexDamaged: As for `search`.
        """
        options = SearchOptions(query="", limit=limit, snippet_width=snippet_width, filters=filters)
        return self._ask(partial(searching.related, source), options, is_cancelled)

    def examples(
        self, language: str, limit: int, is_cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[ExampleQuery, ...]:
        """
        Up to *limit* queries that have been asked, and whose first hit is a likely answer; see `example_queries`.

        Raises:
            Cancelled, IndexUnavailable, IndexDamaged: As for `search`.
        """
        deadline = Deadline(time.monotonic() + EXAMPLES_DEADLINE_S, is_cancelled)

        def ask(query: str) -> Answer:
            deadline.check()
            return self.search(SearchOptions(query=query, limit=1), is_cancelled)

        with self.reader() as reader:
            key = (reader.generation, self.settings.exclude_status, limit, language)
            found = self._examples.get(key)
            if found is None:
                newest = self.list_notes(NoteFilter(), NEWEST, 0).notes
                found = example_queries(newest, reader, language, limit, ask)
                self._examples = dict([*self._examples.items(), (key, found)][-EXAMPLES_KEPT:])
            return found

    def read_note(self, path: str) -> WholeNote:
        """
        The note at *path*, which may also be the target of a link, a title or an alias; see `Reader.find_note`.

        Raises:
            NoteNotFound: It is not in the index (excluded notes are not), or its file is gone or unreadable, or several
                are called so.
            VaultMissing: The vault folder is not there.
            IndexUnavailable, IndexDamaged: As for `search`.
        """
        with self.reader() as reader:
            indexed = find_indexed_note(reader, path)
        return read_whole_note(self.root, indexed)

    def list_notes(self, which: NoteFilter, limit: int, offset: int) -> NotePage:
        """
        A page of the notes that *which* admits, newest first.

        Those whose status the settings leave out are not among them, unless *which* names a status.
        """
        if which.status is None:
            which = replace(which, scope=self._with_status(which.scope))
        with self.reader() as reader:
            return reader.notes(which, limit=limit, offset=offset)

    @cached_property
    def inspector(self) -> Inspector:
        """The inspector, which reports which notes are in the index and why others are not."""
        return Inspector(self.root, self._sync, self.reader)

    def status(self) -> Status:
        """Contents and activity of the index, as of now; of one that cannot be read, the activity alone."""
        return index_status(self._sync, self.freshness.state, self._requests.change_count, self.reader)

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """
        A snapshot to read from, the same one for all that this thread asks inside; damage in it is repaired later.

        Raises:
            IndexUnavailable, IndexDamaged: On entering, or out of any question.
        """
        opened: Reader | None = getattr(self._opened, "reader", None)
        if opened is not None:
            yield opened
            return
        try:
            with self._sync.reader() as reader:
                self._opened.reader = reader
                try:
                    yield reader
                finally:
                    self._opened.reader = None
        except IndexDamaged:
            self._requests.request("repair")
            raise

    @contextmanager
    def execution(
        self, options: SearchOptions, is_cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[SearchExecution]:
        """Open what a request searches with: a snapshot, and the models of its vectors. Raises as `reader`."""
        settings, model = self.settings, self._sync.model
        with self.reader() as reader:
            encoder = model.encoder_for(reader)
            missing = self._sync.missing(encoder)
            retrievers = serving_retrievers(options.mode, missing)
            contextual = None
            if has_dense := "dense" in retrievers:
                contextual = self._query_encoder.serving(model.contextual_encoder, model.contextual_encoder_for(reader))
            yield SearchExecution(
                reader=reader,
                encoder=encoder if has_dense else None,
                retrievers=retrievers,
                missing={name: reason for name, reason in missing.items() if is_asked(name, options.mode)},
                weights=options.weights_or({"keyword": settings.keyword_weight, "dense": settings.dense_weight}),
                deadline=Deadline(time.monotonic() + SEARCH_DEADLINE_S, is_cancelled),
                now=datetime.now(),  # noqa: DTZ005  local time: "yesterday" goes by the clock on the wall
                fusion=options.fusion or settings.fusion,
                settings=settings,
                contextual=contextual,
                is_complete=partial(self.freshness.is_nearly_complete, reader),
            )
        model.slot.start_loading()
        self._sync.note_search()
        if encoder is not None:
            self._requests.may_begin.set()

    @property
    def encoder(self) -> Encoder | None:
        """The static model in use, whichever vectors the index has; None while there is none."""
        return self._sync.model.slot.encoder

    @property
    def settings(self) -> Settings:
        """The settings in use."""
        return self._sync.policy.settings

    def read_settings(self) -> Settings:
        """
        The settings as the file has them now, which `settings` will be once indexing has looked at it again.

        Raises:
            BadSettings: The file cannot be read.
        """
        return self._sync.policy.read_settings()

    # --- changing ------------------------------------------------------------------------------

    def capture(self, draft: Draft, folder: str | None = None) -> Captured:
        """
        Write *draft* as a new note into *folder*, None for that of the settings, and have it indexed.

        It can be found once `freshness.includes` the number that `freshness.sequence_at` gives afterwards. Raises as
        `capture.capture`, and BadSettings where the vault's rules cannot be read.
        """
        rules = self._sync.policy.rules
        folder = self.settings.capture_folder if folder is None else folder
        note = capture(self.root, rules, draft, folder, date.today())  # noqa: DTZ011  of the clock on the wall
        self.vault_changed([VaultChange("created", note.path)])
        return note

    def vault_changed(self, changes: Sequence[VaultChange]) -> None:
        """Queue reported changes; they overtake everything but the notes in hand."""
        if served := self._sync.policy.served(changes):
            self._requests.submit(served)

    def rebuild(self) -> None:
        """Queue a full rebuild beside the index, which answers until the new one takes its place."""
        self._requests.request("rebuild")

    def forget_model(self, weights_sha256: str) -> None:
        """Queue the deletion of the vectors that are kept of a model, by the hash of its fingerprint."""
        self._sync.forget_model(weights_sha256)

    def reconcile(self) -> None:
        """Queue a comparison of the whole vault with the index."""
        self._requests.request("reconcile")

    @property
    def is_working(self) -> bool:
        """Whether there is indexing to finish; paused or failed work does not count."""
        if self._requests.is_paused or self._sync.activity.state == "failed":
            return False
        return self._worker.is_busy or self._sync.model.is_awaited

    @property
    def is_backfilling(self) -> bool:
        """Whether contextual vectors are being made, or will be when their model is loaded."""
        status = self._sync.contextual_backfill.status(self._sync.model.contextual_slot)
        if self._requests.is_paused or self._sync.activity.state == "failed":
            return False
        return status is not None and status.state in ("loading", "running")

    def pause(self) -> None:
        """Hold indexing up; searching goes on, and changes are remembered."""
        self._requests.pause()

    def resume(self) -> None:
        """Go on indexing."""
        self._requests.resume()

    def write_settings(self, changes: Mapping[str, object]) -> Settings:
        """
        Change settings in the vault's `.quarry.toml`, comments kept; the index follows.

        Raises:
            BadSettings: A value cannot be used; nothing is written.
        """
        with self._settings_lock:
            settings = write_settings(self.root, changes)
        self._requests.request("reconcile")
        return settings

    def use_model(self, name: str, confirmed: Collection[ConsentKind]) -> Settings:
        """
        Use the embedding model called *name*, recording what its user has *confirmed* on this device.

        Raises:
            NotConfirmed: That is not all that it needs; the setting stays.
            ModelMissing: There can be no such model, or Ollama does not have it yet.
            BadSettings, IndexUnavailable: The setting, or what was confirmed, cannot be written.
        """
        requests = requests_for(name)
        refuse_unpulled(name)
        consent.confirm([request for request in requests if request[0] in confirmed])
        consent.require(requests, name)
        return self.write_settings({"model": name})

    def change_folders(self, exclude: Sequence[str], include: Sequence[str]) -> Settings:
        """
        Leave the notes in the folders *exclude* out of the index, and take those in *include* in again.

        Only these entries of the settings change, as the file has them now. Raises as `write_settings`.
        """
        with self._settings_lock:
            return self.write_settings(folder_changes(self.read_settings(), exclude, include))

    # --- steps ---------------------------------------------------------------------------------

    def _with_status(self, filters: Filters) -> Scope:
        """*filters* without the notes whose status the settings leave out."""
        return scope_of(filters, self.settings.exclude_status)

    def _ask(
        self,
        ask: Callable[[SearchOptions, SearchExecution], _Answer],
        options: SearchOptions,
        is_cancelled: Callable[[], bool],
    ) -> _Answer:
        """Ask the index, again where its postings turn out to be damaged: it answers without them."""
        options = replace(options, filters=self._with_status(options.filters))
        with self.execution(options, is_cancelled) as execution:
            try:
                return ask(options, execution)
            except PostingsDamaged as error:
                execution.reader.invalidate_postings(f"the keyword postings are damaged and rebuilt: {error}")
                return ask(options, execution)

    def _absent(self, path: str, *, for_owner: bool) -> Explanation:
        """Why the index does not have the note at *path*."""
        state, reason = self._sync.absence_of(path, for_owner=for_owner)
        return Explanation(path, state, (reason,), understood=None)

"""What one request searches with: a snapshot of the index, the models and retrievers that serve, and a deadline."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from traceback import extract_tb
from types import TracebackType
from typing import get_args

from msgspec import Struct

from quarry.embedding import Encoder
from quarry.errors import QuarryError
from quarry.index import DatabaseError, Deadline, PostingsDamaged, Reader
from quarry.messages import Message
from quarry.options import Fusion, Mode, Retriever
from quarry.search.query_vectors import ContextualQueries
from quarry.settings import Settings

_log = logging.getLogger(__name__)


class SearchExecution(Struct, frozen=True):
    """
    One request in progress.

    Whatever reads the index for it raises DeadlineExceeded or Cancelled when `deadline` says so.
    """

    reader: Reader
    encoder: Encoder | None  # None where meaning is not compared
    retrievers: tuple[Retriever, ...]  # that serve
    missing: Mapping[Retriever, Message]  # retriever that the mode asks for -> why it cannot serve
    weights: Mapping[Retriever, float]
    deadline: Deadline
    now: datetime  # local time: "last week" and the age of a note are counted from it
    fusion: Fusion = "convex"
    settings: Settings = Settings()
    contextual: ContextualQueries | None = None  # where contextual vectors answer in this snapshot
    is_complete: Callable[[], bool] = lambda: True  # else a word that no note has may be in one that is not indexed yet

    @property
    def has_keyword(self) -> bool:
        """Whether the keyword retriever serves."""
        return "keyword" in self.retrievers

    @property
    def has_dense(self) -> bool:
        """Whether the dense retriever serves."""
        return "dense" in self.retrievers


def serving_retrievers(mode: Mode, missing: Mapping[Retriever, Message]) -> tuple[Retriever, ...]:
    """The retrievers that serve *mode*; where the one it asks for is *missing*, the other takes its place."""
    present = tuple([retriever for retriever in get_args(Retriever) if retriever not in missing])
    return tuple([retriever for retriever in present if is_asked(retriever, mode)]) or present


def is_asked(retriever: Retriever, mode: Mode) -> bool:
    """Whether *mode* asks *retriever*."""
    return mode == "hybrid" or (retriever == "keyword") == (mode == "keyword")


class Ornament:
    """
    A part that an answer can do without, computed in its `with`: a defect is logged, and the answer goes on without it.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        QuarryError, PostingsDamaged, DatabaseError: The index cannot be read, which its repair has to learn.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Nothing has to be prepared."""

    def __exit__(self, _: object, error: BaseException | None, traceback: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or isinstance(error, (QuarryError, PostingsDamaged, DatabaseError)):
            return False
        place = extract_tb(traceback)[-1]  # the place alone: the message may quote a note
        kind = type(error).__name__
        _log.error("an answer goes without its %s: %s at %s:%s", self._name, kind, place.filename, place.lineno)
        return True

"""Tiers asked at the same time, each within the deadline."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from msgspec import Struct

from quarry import protocol as wire
from quarry.errors import BadRequest, QuarryError
from quarry.limits import INCOMPLETE, MAX_LIMIT, MAX_TOKENS
from quarry.messages import Message, message
from quarry.options import SearchOptions
from quarry.tiers.connected import HOME_WEIGHT, ConnectedTier, active_in, connected
from quarry.tiers.merging import TierHits, merged
from quarry.tiers.tier import Absent, Tier

MAX_THREADS = 32  # each waits for a socket; a tier that is late is not asked again before it has answered
HOME = "home"

_log = logging.getLogger(__name__)
Opener = Callable[[ConnectedTier], Tier]


class _Opened:
    """A tier, and the searches of it that are still unanswered after their deadline."""

    def __init__(self, tier: Tier) -> None:
        self.tier = tier
        self.overdue: set[Future[wire.TierAnswer]] = set()


class Asked(Struct, eq=False):
    """A search that tiers were asked for."""

    params: wire.TierSearchParams
    deadline_s: float  # on the monotonic clock
    open: "list[tuple[wire.Origin, float, _Opened, Future[wire.TierAnswer]]]"  # with its weight
    late: list[wire.Origin]  # not asked, as they have not answered the search before
    is_given_up: threading.Event

    @property
    def futures(self) -> list["Future[wire.TierAnswer]"]:
        """The answers to come."""
        return [future for *_, future in self.open]

    @property
    def left_s(self) -> float:
        """How long to wait for them."""
        return max(0.0, self.deadline_s - time.monotonic())

    def wait(self) -> None:
        """Wait for all answers, at most until the deadline."""
        wait(self.futures, self.left_s)

    def result(self, home: tuple[wire.Origin, wire.TierAnswer] | None) -> wire.TierSearchResult:
        """
        The answers that are there, as one; the others are given up, and named.

        Raises:
            QuarryError: No tier answers, and one of them says that the request is at fault.
        """
        answers = [TierHits(home[0], HOME_WEIGHT, home[1])] if home else []
        absent = [wire.AbsentTier(origin=origin, message=_late(origin, self.params)) for origin in self.late]
        failures = []
        self.is_given_up.set()
        for origin, weight, opened, future in self.open:
            if not future.done():
                opened.overdue.add(future)
                future.add_done_callback(opened.overdue.discard)
                absent.append(wire.AbsentTier(origin=origin, message=_late(origin, self.params)))
            elif error := future.exception():
                failures.append(error)
                absent.append(wire.AbsentTier(origin=origin, message=_reason(origin, error)))
            else:
                answer = future.result()
                answers.append(TierHits(origin, weight, answer))
                if answer.index.state in INCOMPLETE:
                    absent.append(wire.AbsentTier(origin=origin, message=message("absent.indexing", name=origin.name)))
        if not answers:
            raise next(iter(failures), None) or Absent(absent[0].message)
        return merged(answers, absent, self.params)


class Tiers:
    """The connected tiers, opened when they are first asked."""

    def __init__(self, home: Path, open_tier: Opener, admits: Callable[[ConnectedTier], bool] = lambda _: True) -> None:
        """
        Open nothing yet.

        Args:
            home: The folder of the vault that is asked, which is no tier of its own.
            admits: Whether a tier that is connected may be asked.
        """
        self._home = str(home)
        self._admits = admits
        self._open_tier = open_tier
        self._opened: dict[ConnectedTier, _Opened] = {}
        self._threads = ThreadPoolExecutor(MAX_THREADS, "quarry-tier")

    def connected(self) -> list[ConnectedTier]:
        """All that may be asked but the vault that is asked anyway, the highest first."""
        return [tier for tier in connected().tiers if tier.place != self._home and self._admits(tier)]

    def states(self) -> list[wire.TierState]:
        """The connected tiers, and whether they can be searched."""
        return [
            wire.TierState(
                origin=origin_of(tier),
                weight=tier.weight,
                place=tier.place,
                obstacle=self._of(tier).tier.obstacle(),
            )
            for tier in self.connected()
        ]

    def ask(self, params: wire.TierSearchParams, is_cancelled: Callable[[], bool]) -> Asked:
        """
        Ask the tiers that *params* name, without waiting for them.

        Raises:
            BadRequest: A name is that of none.
            IndexUnavailable: The list of tiers is damaged.
        """
        begun_s = time.monotonic()
        asked = Asked(params, begun_s + params.deadline_ms / 1000, [], [], threading.Event())
        options = options_of_tier(params)
        for tier in self._chosen(params):
            origin, opened = origin_of(tier), self._of(tier)
            if opened.overdue:
                asked.late.append(origin)
                continue
            future = self._threads.submit(
                opened.tier.search, options, asked.deadline_s, lambda: is_cancelled() or asked.is_given_up.is_set()
            )
            asked.open.append((origin, tier.weight, opened, future))
        return asked

    def close_connections(self) -> None:
        """Close what no search uses; the next one opens it again."""
        for opened in list(self._opened.values()):
            opened.tier.close()

    def close(self) -> None:
        """Close everything; searches that have not ended are left to themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.close_connections()

    def _of(self, tier: ConnectedTier) -> _Opened:
        found = self._opened.get(tier)
        return found or self._opened.setdefault(tier, _Opened(self._open_tier(tier)))

    def _chosen(self, params: wire.TierSearchParams) -> list[ConnectedTier]:
        tiers = self.connected()
        if not params.tiers:
            return active_in(tiers, Path(params.folder) if params.folder else None)
        wanted = [name.casefold() for name in params.tiers if name.casefold() != HOME]
        for name in wanted:
            if not any(name in (tier.name.casefold(), tier.kind) for tier in tiers):
                names = ", ".join([HOME, *(tier.name for tier in tiers)])
                raise BadRequest(f"no tier is called {name!r}; there are {names}; `quarry tiers add` connects others")
        return [tier for tier in tiers if tier.name.casefold() in wanted or tier.kind in wanted]


def includes_home(names: Iterable[str]) -> bool:
    """Whether the vault that is asked is searched as well."""
    given = [name.casefold() for name in names]
    return not given or HOME in given


def origin_of(tier: ConnectedTier) -> wire.Origin:
    """Where its hits come from."""
    return wire.Origin(kind=tier.kind, name=tier.name, path=str(tier.folder) if tier.folder else None)


def options_of_tier(params: wire.TierSearchParams) -> SearchOptions:
    """
    The search of one tier: its hits up to the end of the page, as each of them may be on it.

    The hits of the pages before may all be of one tier, and how long they were is not known.
    """
    end = min(MAX_LIMIT, params.offset + params.limit)
    tokens = MAX_TOKENS if params.offset else params.max_tokens
    given = {name: getattr(params, name) for name in SearchOptions.__struct_fields__}
    return SearchOptions(**{**given, "offset": 0, "limit": end, "max_tokens": tokens, "supersedes": None})


def _late(origin: wire.Origin, params: wire.TierSearchParams) -> Message:
    return message("absent.late", name=origin.name, ms=params.deadline_ms)


def _reason(origin: wire.Origin, error: BaseException) -> Message:
    if isinstance(error, Absent):
        return error.message
    if not isinstance(error, QuarryError):  # a defect; its message may quote a note
        _log.error("a tier failed", exc_info=error)
        return message("absent.failed", name=origin.name, detail=type(error).__name__)
    return message("absent.failed", name=origin.name, detail=str(error))

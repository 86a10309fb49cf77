"""
`tiers/…`: this vault and the tiers that are connected on this device, searched at once.

Loaded with the first such request: a vault that is searched alone needs nothing of it.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct, structs

from quarry import protocol
from quarry.embedding import Encoder
from quarry.errors import Cancelled
from quarry.options import SearchOptions
from quarry.server.encode import answers
from quarry.server.service import Request, Service
from quarry.tiers.connected import HOME_WEIGHT, ConnectedTier, connected
from quarry.tiers.fan_out import Asked, Tiers, includes_home, options_of_tier
from quarry.tiers.folder import FolderTier
from quarry.tiers.tier import TELLING_CHARS, Tier, text_digest

IDLE_S = 60.0  # connections that are not used for so long are closed: a sidecar stays as long as one is open
NOTE_DIGEST_BYTES = 16


def open_tier(tier: ConnectedTier, encoder: Callable[[], Encoder | None] = lambda: None) -> Tier:
    """Something to ask for the notes of *tier*; *encoder* gives the static model that is loaded here."""
    if tier.folder:
        return FolderTier(tier)
    from quarry.server.team_tier import TeamTier  # who has no team does not wait for what it needs

    return TeamTier(tier, encoder)


class Begun(Struct):
    """A search of several tiers that this vault has answered."""

    asked: Asked
    home: protocol.TierAnswer | None


def answer(service: Service, params: SearchOptions, request: Request) -> protocol.TierAnswer:
    """The hits of this vault, with the digests by which another one's sidecar finds duplicates."""
    key = bytes.fromhex(connected().key)
    with service.engine.freshness.snapshot() as index, service.engine.reader() as reader:
        found = service.engine.search(params, request.is_cancelled)
        hashes = reader.content_hashes([hit.path for hit in found.hits], TELLING_CHARS) if key else {}
        digests = []
        for hit in found.hits:
            chunk = hit.passages[0].chunk
            of_note = [blake2b(hashes[hit.path], digest_size=NOTE_DIGEST_BYTES, key=key)] if hit.path in hashes else []
            digests.append([text_digest(chunk.title, chunk.text), *(one.hexdigest() for one in of_note)])
        result = answers.search_result(found, index, params)
        return protocol.TierAnswer(**structs.asdict(result), digests=digests)


def begin(service: Service, params: protocol.TierSearchParams, request: Request) -> Begun:
    """Ask the tiers, and answer for this vault while they are at work."""
    asked = _tiers_of(service).ask(params, request.is_cancelled)
    try:
        return Begun(asked, answer(service, options_of_tier(params), request) if includes_home(params.tiers) else None)
    except BaseException:
        asked.is_given_up.set()
        raise


async def finish(
    service: Service, _: protocol.TierSearchParams, request: Request, begun: Begun
) -> protocol.TierSearchResult:
    """
    The answers that are there by the deadline, as one.

    Raises:
        Cancelled: The client no longer wants them.
    """
    if begun.asked.futures:
        answers_to_come = [*map(asyncio.wrap_future, begun.asked.futures)]
        for one in answers_to_come:  # `Asked` reports failures; asyncio logs those that are not looked at
            one.add_done_callback(lambda done: done.cancelled() or done.exception())
        with request.interruptible():
            await asyncio.wait(answers_to_come, timeout=begun.asked.left_s)
    if request.is_cancelled():
        raise Cancelled("the request was cancelled")
    vault = service.vault
    home = protocol.Origin(kind="home", name=vault.name, path=vault.path)
    _close_when_idle(service)
    return begun.asked.result((home, begun.home) if begun.home else None)


def states(service: Service, _: protocol.NoParams, __: Request) -> protocol.TierList:
    """This vault, and what is connected."""
    vault = service.vault
    home = protocol.TierState(
        origin=protocol.Origin(kind="home", name=vault.name, path=vault.path),
        weight=HOME_WEIGHT,
        place=vault.path,
        obstacle=None,
    )
    return protocol.TierList(tiers=[home, *_tiers_of(service).states()])


def _tiers_of(service: Service) -> Tiers:
    with service.opening_tiers:
        if service.tiers is None:
            service.tiers = Tiers(Path(service.vault.path), partial(open_tier, encoder=lambda: service.engine.encoder))
        return service.tiers


def _close_when_idle(service: Service) -> None:
    """Close the connections to other sidecars `IDLE_S` after the last search."""
    loop = asyncio.get_running_loop()
    if service.closing_tiers:
        service.closing_tiers.cancel()
    if tiers := service.tiers:
        service.closing_tiers = loop.call_later(IDLE_S, lambda: loop.run_in_executor(None, tiers.close_connections))

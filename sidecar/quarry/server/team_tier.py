"""A tier that is the index of a team on PostgreSQL."""

import threading
from collections.abc import Callable

from msgspec import structs

from quarry import protocol as wire
from quarry.embedding import Encoder
from quarry.errors import ExtraMissing, TeamUnavailable
from quarry.index import Deadline
from quarry.indexing.freshness import Freshness
from quarry.messages import Message, message
from quarry.options import SearchOptions
from quarry.server.encode import answers
from quarry.team.search import TeamIndex
from quarry.tiers.connected import ConnectedTier
from quarry.tiers.tier import Absent, text_digest


class TeamTier:
    """The notes of a team that this member may see."""

    def __init__(self, connected: ConnectedTier, encoder: Callable[[], Encoder | None]) -> None:
        """Connect to nothing yet; *encoder* gives the static model of this device."""
        self._connected = connected
        self._encoder = encoder
        self._index: TeamIndex | None = None
        self._opening = threading.Lock()

    def search(self, options: SearchOptions, deadline_s: float, is_cancelled: Callable[[], bool]) -> wire.TierAnswer:
        """See `Tier`."""
        try:
            found = self._opened().search(options, Deadline(deadline_s, is_cancelled))
        except (TeamUnavailable, ExtraMissing) as error:
            raise Absent(message("absent.team", name=self._connected.name, detail=str(error))) from error
        freshness = Freshness("live", found.note_count, found.note_count, found.generation)
        result = answers.search_result(found.answer, freshness, options)
        passages = [hit.passages[0].chunk for hit in found.answer.hits]
        digests = [[text_digest(chunk.title, chunk.text)] for chunk in passages]
        return wire.TierAnswer(**structs.asdict(result), digests=digests)

    def obstacle(self) -> Message | None:
        """See `Tier`."""
        return None

    def close(self) -> None:
        """See `Tier`; the next search connects again."""
        with self._opening:
            index, self._index = self._index, None
        if index:
            index.close()

    def _opened(self) -> TeamIndex:
        with self._opening:
            if self._index is None:
                self._index = TeamIndex(self._connected.place, self._encoder)
            return self._index

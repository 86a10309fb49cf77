"""Why does a kept block no longer hold? Values in, a reason out: no clock, file or index."""

from collections.abc import Sequence

from msgspec import Struct

from quarry.protocol.blocks import StaleKind
from quarry.server.blocks.kept import KeptBlock, KeptQuote, Likely
from quarry.vault.paths import nfc


class Staleness(Struct, frozen=True):
    """Why a block has to be built anew."""

    kind: StaleKind
    reason: str  # a sentence


NOT_BUILT = Staleness("not-built", "it is not built yet")
REDEFINED = Staleness("redefined", "its query, its budget or the settings of search are others than when it was built")
EXPIRED = Staleness("expired", "its time to live is over")
RETRIEVERS = Staleness("outdated", "other retrievers can serve than when it was built")
OTHERS_LEFT = Staleness("outdated", "fewer notes are likely to answer than when it was built")
ORDER = Staleness("outdated", "its notes answer with another confidence than when it was built")


def changed(path: str) -> Staleness:
    """A note that the block stands on, at *path*, says something else or is gone."""
    return Staleness("changed", f"{path} changed or was removed")


def stale_by_itself(kept: KeptBlock | None, key: str, ttl_ms: int, now_ms: int) -> Staleness | None:
    """Why *kept* cannot hold whatever the index says; None where it may."""
    if kept is None:
        return NOT_BUILT
    if kept.key != key:
        return REDEFINED
    if not kept.built_ms <= now_ms < kept.built_ms + ttl_ms:  # before it was built: the clock was set back
        return EXPIRED
    return None


def stale_by_index(kept: KeptBlock, likely: Sequence[Likely], missing: Sequence[str]) -> Staleness | None:
    """
    Why *kept* may differ from what would be built now, from the notes *likely* to answer; None where it cannot.

    Where it may, the quotes of both decide: see `say_the_same`.
    """
    if list(likely) == kept.likely and list(missing) == kept.missing:
        return None
    now = {note.path: note for note in likely}
    before = {note.path: note for note in kept.likely}
    sources = {quote.source.path for quote in kept.quotes}
    for path, note in before.items():
        if path in now and now[path].sha256 != note.sha256:
            return changed(path)
    for path in before:
        if path not in now and nfc(path) in sources:
            return Staleness("removed", f"{path} is gone or no longer answers")
    if new := [path for path in now if path not in before]:
        return Staleness("outdated", f"{new[0]} answers now")
    if list(missing) != kept.missing:
        return RETRIEVERS
    return OTHERS_LEFT if len(now) < len(before) else ORDER


def say_the_same(some: Sequence[KeptQuote], others: Sequence[KeptQuote]) -> bool:
    """Whether two lists of quotes are the same text."""
    return [quote.text for quote in some] == [quote.text for quote in others]

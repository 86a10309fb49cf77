"""
When the folder changes: the system's notices, made into changes. Used when no Obsidian tells us.

Notices are hints. They can be lost (the system's queue overflows, a network drive sends none), so a batch may say that
something was missed, and whoever listens compares the whole vault now and then anyway.
"""

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from watchfiles import Change, watch

from quarry.types import VaultChange
from quarry.vault.paths import is_hidden, is_note

LOOK_UP_MS = 500  # how often a quiet watch looks whether the vault is still there; free of cost at this rate
QUIET_MS = 50  # a save is several notices within a few milliseconds
DEBOUNCE_MS = 400  # under the second within which a saved note is to be found, in the longest of bursts
POLL_MS = 2_000  # where the system cannot watch: often enough to feel live, seldom enough for a network drive
RETRY_S = 5.0  # between two looks for a vault that is gone
BATCH_LIMIT = 5_000  # comparing the whole vault is cheaper than this many single looks

_log = logging.getLogger(__name__)


class Batch(Struct, frozen=True):
    """What happened since the last one. No order among the changes: the disk says what is true now."""

    changes: tuple[VaultChange, ...]
    missed: bool = False  # there was more than `changes` say: compare the whole vault


def watch_vault(root: Path, stop: threading.Event, *, poll: bool = False) -> Iterator[Batch]:
    """
    Batches of changes below *root* until *stop* is set.

    The first batch comes when the watch stands: whatever changes after it is told. Where the watch broke off and
    stands again (the vault was gone, a limit was met), the batch that tells it says that something was missed.

    Args:
        poll: Look at intervals instead of asking the system. Done by itself where the system cannot watch.
    """
    root = Path(os.path.realpath(root))  # macOS names real paths in its notices, whatever it was asked to watch
    broke_off = False
    while not stop.is_set():
        try:
            yield from _watch_once(root, stop, poll=poll, missed=broke_off)
        except FileNotFoundError:
            _log.warning("the vault folder is gone; waiting for it to come back")
            stop.wait(RETRY_S)
        except OSError as error:  # the limit on watches, or a file system that has none
            _log.warning("cannot watch for changes (%s); polling instead", error)
            if poll:
                stop.wait(RETRY_S)
            poll = True
        broke_off = True


def _watch_once(root: Path, stop: threading.Event, *, poll: bool, missed: bool) -> Iterator[Batch]:
    notices = watch(
        root,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=LOOK_UP_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=poll or None,
        poll_delay_ms=POLL_MS,
        ignore_permission_denied=True,
    )
    is_first = True
    for found in notices:
        changes = changes_of(found, root)
        if len(changes) > BATCH_LIMIT:
            yield Batch((), missed=True)
        elif changes or is_first:
            yield Batch(changes, missed=missed and is_first)
        is_first = False
        if not root.is_dir():
            raise FileNotFoundError(root)


def changes_of(notices: Iterable[tuple[Change, str]], root: Path) -> tuple[VaultChange, ...]:
    """The *notices* that can concern a note, one a path, what is gone first."""
    by_path: dict[str, set[Change]] = {}
    for kind, name in notices:
        path = Path(name)
        if path != root and path.is_relative_to(root):
            by_path.setdefault(path.relative_to(root).as_posix(), set()).add(kind)
    changes = [_change(path, kinds, root) for path, kinds in by_path.items() if not is_hidden(path)]
    relevant = [change for change in changes if _may_concern_notes(change, root)]
    return tuple(sorted(relevant, key=lambda change: (change.kind != "deleted", change.path)))


def _change(path: str, kinds: set[Change], root: Path) -> VaultChange:
    """One change for *path*: a file that was replaced is told as deleted and added, in no order."""
    if not os.path.exists(root / path):  # noqa: PTH110  Path.exists raises where the folder is shut
        return VaultChange("deleted", path)
    return VaultChange("created" if Change.added in kinds else "modified", path)


def _may_concern_notes(change: VaultChange, root: Path) -> bool:
    """Notes do, and folders; what a deleted path was can no longer be asked."""
    return change.kind == "deleted" or is_note(change.path) or os.path.isdir(root / change.path)  # noqa: PTH112  as above

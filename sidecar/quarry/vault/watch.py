"""
Watches the vault and turns the operating system's events into changes, for when no Obsidian reports them.

Events are hints. They can be lost (the system's queue overflows, a network drive sends none), so a batch may say that
some were missed, and the listener compares the whole vault at intervals anyway.
"""

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from watchfiles import Change, watch

from quarry.kinds import kind_of
from quarry.types import VaultChange
from quarry.vault.paths import is_hidden

LOOK_UP_MS = 500  # how often a quiet watch checks that the vault still exists; costs nothing at this rate
QUIET_MS = 50  # a save is several events within a few milliseconds
DEBOUNCE_MS = 400  # under the second within which a saved note is to be found, in the longest of bursts
POLL_MS = 2_000  # where the system cannot watch; live enough for people, rare enough for a network drive
RETRY_S = 5.0  # between two checks for a vault that is gone
BATCH_LIMIT = 5_000  # comparing the whole vault is cheaper than examining this many files

_log = logging.getLogger(__name__)


class Batch(Struct, frozen=True):
    """The changes since the last batch, in no order: the disk has the current state."""

    changes: tuple[VaultChange, ...]
    missed: bool = False  # `changes` is incomplete: compare the whole vault


def watch_vault(
    root: Path, stop: threading.Event, *, poll: bool = False, poll_ms: int = POLL_MS, batch_limit: int = BATCH_LIMIT
) -> Iterator[Batch]:
    """
    Yield batches of changes below *root* until *stop* is set.

    The first batch comes when the watch is set up; every later change is reported. If the watch was interrupted (the
    vault was gone, a limit was reached), the first batch after that says that changes were missed.

    Args:
        poll: Compare at intervals instead of watching; also done if the system cannot watch.
        poll_ms: The interval.
        batch_limit: The most changes of a batch; of more it only says that changes were missed.
    """
    root = Path(os.path.realpath(root))  # macOS reports real paths, whatever path it watches
    broke_off = False
    while not stop.is_set():
        try:
            notices = _notices(root, stop, poll_ms if poll else None)
            yield from _batches(notices, root, batch_limit, missed=broke_off)
        except FileNotFoundError:
            _log.warning("the vault folder is gone; waiting for it to come back")
            stop.wait(RETRY_S)
        except OSError as error:  # the limit on watches, or a file system that has none
            _log.warning("cannot watch for changes (%s); polling instead", error)
            if poll:
                stop.wait(RETRY_S)
            poll = True
        broke_off = True


def _notices(root: Path, stop: threading.Event, poll_ms: int | None) -> Iterator[set[tuple[Change, str]]]:
    """The system's events below *root*, or differences found every *poll_ms*, some at a time."""
    return watch(
        root,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=LOOK_UP_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=poll_ms is not None or None,
        poll_delay_ms=poll_ms or POLL_MS,
        ignore_permission_denied=True,
    )


def _batches(
    notices: Iterable[set[tuple[Change, str]]], root: Path, batch_limit: int, *, missed: bool
) -> Iterator[Batch]:
    """
    One batch for each of *notices* that may concern notes; the first one always, with *missed*.

    Raises:
        FileNotFoundError: The vault is gone.
    """
    is_first = True
    for found in notices:
        changes = changes_of(found, root)
        if len(changes) > batch_limit:
            yield Batch((), missed=True)
        elif changes or is_first:
            yield Batch(changes, missed=missed and is_first)
        is_first = False
        if not root.is_dir():
            raise FileNotFoundError(root)


def changes_of(notices: Iterable[tuple[Change, str]], root: Path) -> tuple[VaultChange, ...]:
    """The changes that may concern a note, one per path, deletions first."""
    by_path: dict[str, set[Change]] = {}
    for kind, name in notices:
        path = Path(name)
        if path != root and path.is_relative_to(root):
            by_path.setdefault(path.relative_to(root).as_posix(), set()).add(kind)
    changes = [_change(path, kinds, root) for path, kinds in by_path.items() if not is_hidden(path)]
    relevant = [change for change in changes if _may_concern_notes(change, root)]
    return tuple(sorted(relevant, key=lambda change: (change.kind != "deleted", change.path)))


def _change(path: str, kinds: set[Change], root: Path) -> VaultChange:
    """One change for *path*; a replaced file is reported as deleted and added, in no order."""
    if not os.path.exists(root / path):  # noqa: PTH110  Path.exists raises where the folder is shut
        return VaultChange("deleted", path)
    return VaultChange("created" if Change.added in kinds else "modified", path)


def _may_concern_notes(change: VaultChange, root: Path) -> bool:
    """Files of every kind do, and so do folders; a deleted path may have been one."""
    is_document = change.kind == "deleted" or kind_of(change.path) is not None
    return is_document or os.path.isdir(root / change.path)  # noqa: PTH112  as above

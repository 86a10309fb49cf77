"""Carries out a plan: all files are compared with what the plan read, and then written one after the other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from quarry.agents.install.files import delete_backup, delete_empty, delete_file, refuse_if_changed, write_file
from quarry.agents.install.plan import FileChange
from quarry.agents.install.record import FileRecord, read_records, write_records
from quarry.config import runtime_dir
from quarry.errors import BadConfiguration

LOCK_TIMEOUT_S = 10.0  # another `quarry install` writes for some milliseconds


def apply(changes: Sequence[FileChange]) -> None:
    """
    Write *changes*. What is recorded of a file follows right behind it, so that an interruption loses neither.

    Raises:
        BadConfiguration: A file was changed since it was read: then nothing is written. Or one cannot be written:
            then those before it are, and the message says where it stopped.
    """
    try:
        with FileLock(runtime_dir() / "install.lock", timeout=LOCK_TIMEOUT_S):
            _write_all(changes)
    except Timeout as error:
        raise BadConfiguration("another `quarry install` is at work; nothing was written, try again") from error


def _write_all(changes: Sequence[FileChange]) -> None:
    for change in changes:
        refuse_if_changed(change.state)
    records = read_records()
    folders: list[str] = []
    for change in changes:
        key = str(change.state.real)
        if change.text is None:
            folders += records.get(key, FileRecord()).folders
        record = _written(change)
        if record is None:
            records.pop(key, None)
        else:
            records[key] = record
        write_records(records)
    if folders:
        _hand_on(delete_empty(dict.fromkeys(folders)), records)
        write_records(records)


def _written(change: FileChange) -> FileRecord | None:
    """Write one file; gives what is known of it then."""
    record = change.record
    if not change.is_change:
        return record
    if change.text is None:
        delete_file(change.state)
        return None
    folders = write_file(change.state, change.state.encoded(change.text))
    if change.is_exact:
        delete_backup(change.state)
    return record and replace(record, folders=(*record.folders, *map(str, folders)))


def _hand_on(folders: Iterable[str], records: dict[str, FileRecord]) -> None:
    """Record *folders*, which we made and which are in use, with a file of ours in them: they go with that."""
    for folder in folders:
        for key, record in records.items():
            if record.is_ours and Path(folder) in Path(key).parents:
                records[key] = replace(record, folders=(*record.folders, folder))
                break

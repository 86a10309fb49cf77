"""Tiers that a user may want to connect, found from the working directory. Nothing is read but the names of files."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from quarry.tiers.connected import ConnectedTier, Kind, repository_of

NOTE_FOLDERS = ("docs", "doc", "notes", "wiki")  # of a repository, as they are usually called
MAX_FILES = 5_000  # looked at for one note: a tenth of a second


class Offer(Struct, frozen=True):
    """A folder that could be connected."""

    kind: Kind
    folder: Path


def offers(start: Path, tiers: list[ConnectedTier]) -> list[Offer]:
    """The folders of notes in the repository around *start*, and what Claude Code keeps of it, if not connected."""
    known = {tier.place for tier in tiers}
    here = Path(os.path.realpath(start))
    return [each for each in _found(repository_of(here) or here) if os.path.realpath(each.folder) not in known]


def _found(root: Path) -> Iterator[Offer]:
    if (root / ".git").exists():
        for name in NOTE_FOLDERS:
            if _has_notes(root / name):
                yield Offer("project", root / name)
    memory = Path.home() / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / "memory"
    if _has_notes(memory):
        yield Offer("agent", memory)


def _has_notes(folder: Path) -> bool:
    if folder.is_symlink():  # a repository may lead anywhere by a link
        return False
    names = (name for _, _, files in os.walk(folder) for name in files)
    return any(name.endswith(".md") for name in islice(names, MAX_FILES))

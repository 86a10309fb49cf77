"""
The list of connected tiers, and what could be on it: one file of this device, beside the indexes and never in a vault.

What a vault or a repository contains may come from anywhere, so that nothing in it adds a tier; only the user does.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from filelock import FileLock
from msgspec import MsgspecError, Struct, field
from msgspec.json import decode, encode

from quarry.config import data_dir
from quarry.errors import BadRequest, IndexUnavailable
from quarry.private_files import private_folder, read_private, write_atomically
from quarry.vault.paths import shown

Kind = Literal["agent", "project", "team", "vault"]

FILE_NAME = "tiers.json"
AGENT_FOLDER = "agent"
MAX_BYTES = 1 << 20
MAX_NAME_CHARS = 100
KEY_BYTES = 16
LOCK_S = 10.0  # a change takes milliseconds
HOME_WEIGHT = 1.0  # that of the highest tier: among equals comes first what is open
WEIGHTS: Mapping[str, float] = {"agent": 1.0, "project": 0.8, "team": 0.6, "vault": 0.5}
"""Kind of tier -> its weight, in the order of precedence."""
DATABASE_SCHEMES = ("postgresql", "postgres")
NOTE_FOLDERS = ("docs", "doc", "notes", "wiki")  # of a repository, as they are usually called
MAX_FILES = 5_000  # looked at for one note: a tenth of a second
RESERVED = ("home", "all", *WEIGHTS)


class ConnectedTier(Struct, frozen=True, omit_defaults=True):
    """A tier as the user connected it."""

    name: str
    kind: Kind
    place: str  # the real path of a folder, or the address of a database, without a password
    chosen_weight: float | None = None  # None: that of its kind

    @property
    def weight(self) -> float:
        """By which its confidences count."""
        return WEIGHTS[self.kind] if self.chosen_weight is None else self.chosen_weight

    @property
    def folder(self) -> Path | None:
        """None of a database."""
        return None if scheme_of(self.place) else Path(self.place)

    @property
    def precedence(self) -> tuple[int, float]:
        """By which tiers are ordered, the highest first."""
        return list(WEIGHTS).index(self.kind), -self.weight


class TierList(Struct, frozen=True):
    """The content of the file."""

    tiers: list[ConnectedTier] = field(default_factory=list)
    key: str = ""  # of the digests of whole notes: nobody else can tell by one what a note says


def connected() -> TierList:
    """
    The tiers that are connected, the highest first; none if there never was one.

    Raises:
        IndexUnavailable: The file is damaged.
    """
    path = data_dir() / FILE_NAME
    content = read_private(path, MAX_BYTES)
    try:
        return decode(content, type=TierList) if content else TierList()
    except (MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise IndexUnavailable(
            f"the list of tiers {path} is damaged ({error}); correct it, or delete it and connect your tiers again"
        ) from None


def connect(place: str, kind: Kind, name: str | None = None, weight: float | None = None) -> ConnectedTier:
    """
    Connect the tier at *place*, or change its kind, name and weight if it is connected.

    Args:
        name: None: that of its folder, of its repository, or of the database.

    Raises:
        BadRequest: The name is taken or reserved, the address is of no database or contains a password, or the path is
            not text.
        IndexUnavailable: The list cannot be written.
    """
    place = _checked(place) if scheme_of(place) else os.path.realpath(place)
    if shown(place) != place:
        raise BadRequest(f"the path {shown(place)} contains bytes that are not UTF-8; rename the folder, then add it")
    with _changing() as tiers:
        others = [tier for tier in tiers if tier.place != place]
        taken = {tier.name.casefold() for tier in others} | {word for word in RESERVED if word != kind}
        name = _free_name(_usual_name(place, kind), taken) if name is None else name.strip()
        if not name or len(name) > MAX_NAME_CHARS or name != _printed(name) or name.casefold() in taken:
            raise BadRequest(
                f"{name[:MAX_NAME_CHARS]!r} cannot be the name of this tier: names have up to {MAX_NAME_CHARS} "
                "printable characters, without commas, and each is used once; give another one with --name"
            )
        added = ConnectedTier(name, kind, place, weight)
        tiers[:] = sorted([*others, added], key=lambda tier: tier.precedence)
    return added


def disconnect(name_or_place: str) -> ConnectedTier | None:
    """Take a tier off the list; what was indexed of it stays. None if there is none of that name or place."""
    place = name_or_place if scheme_of(name_or_place) else os.path.realpath(name_or_place)
    with _changing() as tiers:
        named = [tier for tier in tiers if tier.name.casefold() == name_or_place.casefold()]
        found = next(iter(named or [tier for tier in tiers if tier.place == place]), None)
        if found:
            tiers.remove(found)
    return found


def agent_folder() -> Path:
    """The folder of the agent tier, where agents keep what they learn; created, private, if it is missing."""
    return private_folder(data_dir() / AGENT_FOLDER)


def scheme_of(place: str) -> str:
    """The scheme of the address *place*; "" of a path, also one on a drive of Windows."""
    scheme, is_address, _ = place.partition("://")
    return scheme.lower() if is_address else ""


def repository_of(folder: Path) -> Path | None:
    """The root of the repository around *folder*, if any."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _checked(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise BadRequest(f"the address cannot be read ({error}): write postgresql://USER@HOST/DATABASE") from None
    if parts.scheme not in DATABASE_SCHEMES:
        raise BadRequest(f"{parts.scheme}:// is no place of notes: give a folder, or postgresql://HOST/DATABASE")
    if (
        parts.password
        or "@" in parts.path
        or any(name.endswith(("password", "_secret")) for name in parse_qs(parts.query))
    ):
        raise BadRequest(
            "the address contains a password, which is not kept in a list of tiers: put it into ~/.pgpass, a service "
            "file or PGPASSWORD, and leave it out here"
        )
    return address


def _usual_name(place: str, kind: Kind) -> str:
    if scheme := scheme_of(place):
        parts = urlsplit(place)
        return (parse_qs(parts.query).get("service") or [parts.path.strip("/")])[0] or parts.hostname or scheme
    folder = Path(place)
    if kind == "agent" and folder == data_dir() / AGENT_FOLDER:
        return "agent"
    return ((repository_of(folder) if kind == "project" else None) or folder).name or "disk"


def _free_name(name: str, taken: set[str]) -> str:
    name = _printed(name)[: MAX_NAME_CHARS - 4].strip() or "notes"
    names = [name, *(f"{name} {number}" for number in range(2, len(taken) + 3))]
    return next(each for each in names if each.casefold() not in taken)


def _printed(name: str) -> str:
    """*name* without commas and what is not printed: it is shown in terminals, and to models."""
    return " ".join("".join(one if one.isprintable() and one != "," else " " for one in name).split())


@contextmanager
def _changing() -> Iterator[list[ConnectedTier]]:
    """The tiers, stored as the caller leaves them; no other process changes them meanwhile."""
    path = data_dir() / FILE_NAME
    try:
        with FileLock(path.with_suffix(".lock"), timeout=LOCK_S, mode=0o600):
            found = connected()
            yield (tiers := list(found.tiers))
            stored = TierList(tiers, found.key or os.urandom(KEY_BYTES).hex())
            write_atomically(path, encode(stored), durable=True)
    except OSError as error:
        raise IndexUnavailable(f"{path} cannot be written: {error.strerror or error}; nothing was changed") from error


def active_in(tiers: Sequence[ConnectedTier], folder: Path | None) -> list[ConnectedTier]:
    """*tiers* without project tiers of other repositories than the one around *folder*; None: all of them."""
    if folder is None:
        return list(tiers)
    here = repository_of(Path(os.path.realpath(folder)))
    return [tier for tier in tiers if tier.kind != "project" or (here and repository_of(Path(tier.place)) == here)]


# --- what could be connected; nothing is read of it but the names of files -----------------------


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

"""
Writes a new note into a folder that is certainly inside the vault, whole or not at all, and never over another.

The text is written and synced under a hidden name, which nothing indexes, and then given the name of the note: by a
hard link, which fails where the name is taken; on Windows by a rename, which does, too. Elsewhere, where a file system
has no links, the name is reserved by an empty file, which the whole note replaces.

As in `read`, folders are opened one by one without following links, or, where the system cannot do that, the opened
file is asked for its location.
"""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from quarry.errors import BadRequest, NoteNotWritten, VaultMissing
from quarry.kinds import NOTE_SUFFIX
from quarry.private_files import NEW_FILE_FLAGS, READ_FLAGS
from quarry.vault.file_reader import CAN_OPEN_BY_PART, FOLDER_FLAGS, IS_LINK, final_path
from quarry.vault.paths import is_reserved_in_windows, nfc, path_objection, shown

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EACCES}
MAX_NAMES_TRIED = 100  # that others take between our look and our write; two would be a coincidence


class WrittenNote(Struct, frozen=True):
    """Where a note lies: its path in the vault, and whether it was written now or lay there already."""

    path: str
    is_new: bool


class _Folder(Struct, frozen=True):
    """A folder of the vault: its path, spelled as on disk, and what its files are opened by."""

    path: str  # "" for the vault itself
    descriptor: int | None  # None where the system opens nothing relative to one
    location: Path

    def path_of(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name

    def at(self, name: str) -> str | Path:
        """The path of *name* in it, for use with `descriptor`."""
        return name if self.descriptor is not None else self.location / name

    def names(self) -> list[str]:
        return os.listdir(self.location if self.descriptor is None else self.descriptor)  # noqa: PTH208


def checked_folder(folder: str) -> str:
    """
    *folder* as a path below the vault, without slashes around it; "" is the vault itself.

    Raises:
        BadRequest: It leads upwards or out of the vault, or into hidden folders.
    """
    inner = nfc(folder.strip()).removesuffix("/")
    if inner in ("", "."):
        return ""
    if reason := path_objection(inner):
        raise BadRequest(f"{shown(folder)!r} cannot be the folder: {reason}; name a folder of the vault")
    return inner


def write_new_note(root: Path, folder: str, stem: str, data: bytes) -> WrittenNote:
    """
    Write *data* as `stem.md` into *folder* of the vault at *root*, or as `stem 1.md` where that name is taken.

    A missing folder is made; one that differs in case alone is used, as most file systems take the two for one. Names
    are compared without regard to case, too. Where the last note of that name has the very same bytes, nothing is
    written: a request repeated after a lost answer makes one note.

    Raises:
        BadRequest: The folder is a link, below one, or a file; or Windows could not have it.
        VaultMissing: The vault cannot be opened.
        NoteNotWritten: The system refuses; nothing was written.
    """
    with _opened(root, folder) as place:
        try:
            return _write(place, stem, data)
        except OSError as error:
            raise NoteNotWritten(
                f"no note can be written in {place.path or 'the vault'!r}: {error.strerror}; nothing was written"
            ) from error


def _write(folder: _Folder, stem: str, data: bytes) -> WrittenNote:
    numbers = _numbers(stem, folder.names())
    if numbers and _holds(folder, name := numbers[max(numbers)], data):
        return WrittenNote(folder.path_of(name), is_new=False)
    temporary = f".{secrets.token_hex(8)}.quarry-new"
    _write_synced(folder, temporary, data)
    try:
        name = _give_name(folder, temporary, stem, max(numbers) + 1 if 0 in numbers else 0)
    finally:
        with contextlib.suppress(FileNotFoundError):  # a rename has taken it away
            os.unlink(folder.at(temporary), dir_fd=folder.descriptor)
    _sync_folder(folder)
    return WrittenNote(folder.path_of(name), is_new=True)


def _numbers(stem: str, names: Sequence[str]) -> dict[int, str]:
    """The files among *names* that are called *stem*, in any case, by the number behind it; 0 for none."""
    found: dict[int, str] = {}
    wanted = nfc(stem).casefold()
    for name in names:
        folded = nfc(name).casefold()
        if folded.startswith(wanted) and folded.endswith(NOTE_SUFFIX):
            rest = folded[len(wanted) : -len(NOTE_SUFFIX)]
            if not rest:
                found[0] = name
            elif rest[0] == " " and rest[1:].isascii() and rest[1:].isdigit() and len(rest) < 8 and rest[1] != "0":
                found[int(rest)] = name
    return found


def _holds(folder: _Folder, name: str, data: bytes) -> bool:
    """Whether the file *name* is *data*, byte for byte."""
    try:
        with os.fdopen(os.open(folder.at(name), READ_FLAGS, dir_fd=folder.descriptor), "rb") as file:
            return os.fstat(file.fileno()).st_size == len(data) and file.read(len(data) + 1) == data
    except OSError:
        return False


def _write_synced(folder: _Folder, name: str, data: bytes) -> None:
    descriptor = os.open(folder.at(name), NEW_FILE_FLAGS, 0o666, dir_fd=folder.descriptor)  # less the user's umask
    try:
        with os.fdopen(descriptor, "wb") as file:
            if folder.descriptor is None and final_path(descriptor).parent != folder.location:
                raise OSError(errno.ELOOP, "the folder was replaced by a link")
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(folder.at(name), dir_fd=folder.descriptor)
        raise


def _give_name(folder: _Folder, temporary: str, stem: str, first: int) -> str:
    """Give the file *temporary* the name of the note, with the lowest number from *first* on that is free."""
    for number in range(first, first + MAX_NAMES_TRIED):
        name = f"{stem} {number}{NOTE_SUFFIX}" if number else f"{stem}{NOTE_SUFFIX}"
        try:
            _rename_to_new(folder, temporary, name)
        except FileExistsError:
            continue
        return name
    raise OSError(errno.EEXIST, "every name for it is taken")


def _rename_to_new(folder: _Folder, temporary: str, name: str) -> None:
    """Rename *temporary* to *name*, which must not exist; `FileExistsError` where it does."""
    source, target = folder.at(temporary), folder.at(name)
    if os.name == "nt":
        os.rename(source, target)  # noqa: PTH104  fails where the target exists, as nowhere else
        return
    try:
        os.link(source, target, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        os.close(os.open(target, NEW_FILE_FLAGS, 0o666, dir_fd=folder.descriptor))
        os.replace(source, target, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)


def _sync_folder(folder: _Folder) -> None:
    """Have the new name survive a power cut; a system that cannot sync a folder does so by itself, or never."""
    if folder.descriptor is not None:
        with contextlib.suppress(OSError):
            os.fsync(folder.descriptor)


# --- folders -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _opened(root: Path, folder: str) -> Iterator[_Folder]:
    """Open *folder* below *root*, made where it is missing."""
    parts = tuple(folder.split("/")) if folder else ()
    if CAN_OPEN_BY_PART:
        with _opened_by_part(root, parts) as found:
            yield found
    else:
        yield _made_and_proved(root, parts)


@contextlib.contextmanager
def _opened_by_part(root: Path, parts: tuple[str, ...]) -> Iterator[_Folder]:
    opened: list[int] = []
    spelled: list[str] = []
    try:
        try:
            opened.append(os.open(root, FOLDER_FLAGS))
        except OSError as error:
            raise VaultMissing(f"the vault folder {root} cannot be opened: {error.strerror}") from error
        for depth, part in enumerate(parts, start=1):
            try:
                spelled.append(_spelled(part, os.listdir(opened[-1])))  # noqa: PTH208
                if spelled[-1] == part:
                    _make(part, opened[-1])
                opened.append(os.open(spelled[-1], FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=opened[-1]))
            except OSError as error:
                raise _refused("/".join(parts[:depth]), error) from error
        yield _Folder("/".join(spelled), opened[-1], root.joinpath(*spelled))
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def _made_and_proved(root: Path, parts: tuple[str, ...]) -> _Folder:
    """The folder by its path, for systems without `dir_fd`; where a file in it really lies is looked at again."""
    try:
        location = Path(os.path.realpath(root, strict=True))
    except OSError as error:
        raise VaultMissing(f"the vault folder {root} cannot be opened: {error.strerror}") from error
    spelled: list[str] = []
    for depth, part in enumerate(parts, start=1):
        try:
            spelled.append(_spelled(part, os.listdir(location)))  # noqa: PTH208
            wanted = location / spelled[-1]
            if spelled[-1] == part:
                _make(os.fspath(wanted), None)
            location = Path(os.path.realpath(wanted, strict=True))
        except OSError as error:
            raise _refused("/".join(parts[:depth]), error) from error
        if location != wanted or not location.is_dir():
            raise _refused("/".join(parts[:depth]), OSError(errno.ELOOP, "a link"))
    return _Folder("/".join(spelled), None, location)


def spelled_on_disk(root: Path, folder: str) -> Path:
    """*folder* below *root*, with those of its parts that exist spelled as on disk: what it will be opened as."""
    place = root
    for part in folder.split("/"):
        is_listed = place.is_dir() and not place.is_symlink() and os.access(place, os.R_OK)  # opening it says why not
        place /= _spelled(part, os.listdir(place) if is_listed else [])  # noqa: PTH208
    return place


def _spelled(part: str, names: Sequence[str]) -> str:
    """*part* as it is spelled among *names*: as it is, else in another composition or case, else as it is."""
    if part in names:
        return part
    folded = nfc(part).casefold()
    return next((name for name in sorted(names) if nfc(name).casefold() == folded), part)


def _make(part: str, folder: int | None) -> None:
    """Make the folder *part* unless it exists; `OSError` EINVAL where another system could not have it."""
    try:
        if is_reserved_in_windows(part if folder is not None else Path(part).name):
            os.stat(part, dir_fd=folder, follow_symlinks=False)  # it may exist, as this system has no such names
        else:
            os.mkdir(part, dir_fd=folder)
    except FileExistsError:
        return
    except FileNotFoundError:
        raise OSError(errno.EINVAL, "Windows could not have a folder of that name") from None


def _refused(folder: str, error: OSError) -> BadRequest | NoteNotWritten:
    if error.errno in IS_LINK or error.errno == errno.ENOTDIR:
        return BadRequest(f"{folder!r} cannot be the folder: it is a link or a file, and links are not followed")
    if error.errno == errno.EINVAL:
        return BadRequest(f"{folder!r} cannot be the folder: {error.strerror}; choose another name")
    return NoteNotWritten(f"the folder {folder!r} cannot be opened or made: {error.strerror}; nothing was written")

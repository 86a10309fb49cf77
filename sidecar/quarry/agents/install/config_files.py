"""
Files of other programs, read, replaced and deleted, after the programs' own commands have run.

A file is replaced in one step, keeps its mode and owner, and a link to it stays a link. Its content before the last
change is kept in our data folder. A file that cannot be changed without a loss is left alone.
"""

import contextlib
import hashlib
import os
import stat
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from quarry.agents.install.clients import Host
from quarry.agents.install.config_edit import ConfigEdit, Difference, Unchangeable
from quarry.config import data_dir
from quarry.private_files import private_folder, write_atomically

MAX_BYTES = 32 * 1024 * 1024  # a client that keeps its history in its configuration has some megabytes
COMMAND_TIMEOUT_S = 60.0
MAX_WORDS = 300  # characters of what a failed command said last
_BOM = "\ufeff"

Action = Literal["none", "create", "change", "delete", "left"]


class FileEdit(NamedTuple):
    """A change of the file at *path*; *commands* gives the client's own command lines for it, from the file's text."""

    path: Path
    edit: ConfigEdit
    commands: Callable[[str], list[list[str]]] = lambda _: []


class FileState(NamedTuple):
    """A file as it was read: *real* is its path without links, *data* None if there is no file."""

    path: Path
    real: Path
    data: bytes | None = None
    bom: str = ""
    text: str = ""  # behind the byte order mark, line ends as they are
    found: os.stat_result | None = None


class PlannedChange(NamedTuple):
    """
    A change as it would be made now.

    *text* is what the file should contain, None if that cannot be written: *problem* says why.
    """

    file: FileEdit
    state: FileState
    difference: Difference
    commands: list[list[str]]
    text: str | None
    problem: str = ""

    @property
    def action(self) -> Action:
        """What happens to the file; `left` where a person has to change it."""
        if not (self.problem or any(self.difference)):
            return "none"
        if self.text is None:
            return "change" if self.commands else "left"
        if self.state.data is None:
            return "create"
        return "change" if self.text.strip() or self.commands else "delete"


class AppliedChange(NamedTuple):
    """What became of a planned change; *failures* are the sentences on commands of the client that failed."""

    plan: PlannedChange
    action: Action
    problem: str
    failures: list[str]


def planned(files: Iterable[FileEdit]) -> list[PlannedChange]:
    """
    The changes of *files* as they would be made now.

    Raises:
        BadConfiguration: A server of another program has the name; then nothing is to be changed.
    """
    distinct: list[FileEdit] = []
    for file in files:  # clients may share a file of instructions
        if file not in distinct:
            distinct.append(file)
    return [_plan(file) for file in distinct]


def apply(files: Sequence[FileEdit], host: Host) -> list[AppliedChange]:
    """
    Read *files* again and change them, one after the other.

    Raises:
        BadConfiguration: As `planned`; then nothing was changed.
    """
    kept: set[Path] = set()
    return [_apply(plan.file, host, kept) for plan in planned(files)]


def read_file(path: Path) -> FileState:
    """
    Read the file at *path*, which may be missing.

    Raises:
        Unchangeable: It is no regular file, not UTF-8, larger than `MAX_BYTES`, or cannot be read.
    """
    try:
        real = Path(os.path.realpath(path))
        if not real.exists():
            if path.is_symlink():
                raise Unchangeable(f"it is a link to {real}, which is missing")
            return FileState(path, real)
        found = real.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Unchangeable("it is not a regular file")
        if found.st_size > MAX_BYTES:
            raise Unchangeable(f"it has {found.st_size:,} bytes; at most {MAX_BYTES:,} are read")
        data = _bytes(real) or b""
    except OSError as error:
        raise Unchangeable(f"it cannot be read ({error.strerror})") from error
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unchangeable(f"it is not UTF-8 (line {line}, byte {error.start})") from error
    bom = _BOM if text.startswith(_BOM) else ""
    return FileState(path, real, data, bom, text.removeprefix(bom), found)


def backup_path(state: FileState) -> Path:
    """The path of the backup of a file, in our data folder: a project's folder would be shared with it."""
    key = hashlib.sha256(os.fsencode(state.real)).hexdigest()[:12]
    return private_folder(data_dir() / "backups") / f"{key}-{state.real.name}"


def _plan(file: FileEdit) -> PlannedChange:
    state, nothing = FileState(file.path, file.path), Difference("", "")
    try:
        state = read_file(file.path)
        difference = file.edit.difference(state.text)
    except Unchangeable as error:
        with contextlib.suppress(Unchangeable):
            nothing = file.edit.difference("")
        return PlannedChange(file, state, nothing, [], None, str(error))
    if not any(difference):
        return PlannedChange(file, state, difference, [], state.text)
    if state.found and not state.found.st_mode & stat.S_IWUSR:
        return PlannedChange(file, state, difference, [], None, "it is read-only")
    commands = file.commands(state.text)
    try:
        text = file.edit.changed(state.text)
    except Unchangeable as error:
        return PlannedChange(file, state, difference, commands, None, str(error))
    return PlannedChange(file, state, difference, commands, text)


def _apply(file: FileEdit, host: Host, kept: set[Path]) -> AppliedChange:
    """Change one file; *kept* are the files of which a backup was made, so that it is that of the first change."""
    first = now = _plan(file)
    if first.action in ("none", "left"):
        return AppliedChange(first, first.action, first.problem, [])
    failures: list[str] = []
    try:
        if first.state.data is not None and first.state.real not in kept:
            write_atomically(backup_path(first.state), first.state.data)
        kept.add(first.state.real)
        failures = [said for line in first.commands if (said := _run(line, host))]
        now = _plan(file)
        if now.text is not None and now.action != "none" and not _written(now.state, now.text, host):
            return AppliedChange(now, "left", "another program has just changed it; try again", failures)
    except OSError as error:
        return AppliedChange(now, "left", f"it cannot be written ({error.strerror})", failures)
    return AppliedChange(first, "left" if now.problem else first.action, now.problem, failures)


def _run(line: Sequence[str], host: Host) -> str:
    """Run a client's command in the project's folder; a sentence about what went wrong, or nothing."""
    shown = f"`{Path(line[0]).name} {line[1]}`"
    try:
        done = subprocess.run(  # noqa: S603 - shown to the person before, without a shell
            line,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_TIMEOUT_S,
            cwd=host.project,
            env=dict(host.environment),
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"{shown} cannot be run: {error}"
    words = " ".join((done.stderr or done.stdout).decode(errors="replace").split())[-MAX_WORDS:]
    return f"{shown} failed: {words or f'exit code {done.returncode}'}" if done.returncode else ""


def _written(state: FileState, text: str, host: Host) -> bool:
    """Make *text* the content of the file; False if another program has changed it since it was read."""
    if _bytes(state.real) != state.data:
        return False
    if not text.strip() and state.data is not None and not state.path.is_symlink():
        state.real.unlink()
        for folder in state.real.parents:
            if folder in (host.home, host.project) or any(folder.iterdir()):
                break
            folder.rmdir()
        return True
    state.real.parent.mkdir(parents=True, exist_ok=True)
    bare = "{}\n" if state.real.suffix == ".json" else ""
    content = (state.bom + (text or bare)).encode()
    write_atomically(state.real, content, mode=0o666, like=state.found, durable=True)
    return True


def _bytes(real: Path) -> bytes | None:
    if not real.exists():
        return None
    with real.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)

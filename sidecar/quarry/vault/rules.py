"""
Which notes are indexed: the folders that the settings name, `.indexignore`, Obsidian's excluded files.

This is the one place that decides it. Scanning, reading, listing and searching all ask here, so that what is left out
of one is left out of all.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from msgspec import Struct

from quarry.config import MAX_SETTINGS_BYTES
from quarry.errors import BadSettings
from quarry.vault.obsidian import Filter, read_filters
from quarry.vault.paths import nfc

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

IGNORE_FILE = ".indexignore"


class Refusal(Struct, frozen=True):
    """Why a note is not indexed."""

    rule: Literal["folders.include", "folders.exclude", ".indexignore", "excluded files"]
    reason: str  # a sentence that names the entry


class Rules:
    """
    All rules of one vault. They do not change; a changed file means new rules.

    Args:
        include: Folders; when there are any, only notes below them are indexed.
        exclude: Folders whose notes are not indexed.
        ignore_lines: The lines of `.indexignore`.
        filters: Obsidian's excluded files.
        problems: Sentences about what could not be read, for `problems`.
    """

    def __init__(
        self,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        ignore_lines: Iterable[str] = (),
        filters: tuple[Filter, ...] = (),
        problems: tuple[str, ...] = (),
    ) -> None:
        self._stated = (tuple(include), tuple(exclude), tuple(ignore_lines), filters, problems)
        include, exclude, ignore_lines, *_ = self._stated
        self._include = tuple(_folder(folder) for folder in include)
        self._exclude = tuple((folder, _folder(folder)) for folder in exclude)
        self._ignored = _IgnoreFile(ignore_lines)
        self._filters = filters
        self._is_open = not (self._include or self._exclude or self._ignored.says_anything or filters)
        self._folders: dict[str, Refusal | None] = {}  # what include and exclude say of a folder; asked for every note
        self.problems = (*self._ignored.problems, *problems)  # rules that cannot be applied, in words

    def __reduce__(self) -> tuple[type["Rules"], tuple[object, ...]]:
        """Another process reads the lines anew: what is made of them cannot always be sent."""
        return type(self), self._stated

    @classmethod
    def load(cls, root: Path, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> Self:
        """
        The rules of the vault at *root*, with *include* and *exclude* from its settings.

        Raises:
            BadSettings: `.indexignore` is there and cannot be read. Going on without it would index what someone
                wanted left out.
        """
        filters, problems = read_filters(root)
        return cls(include, exclude, _ignore_lines(root / IGNORE_FILE), filters, problems)

    def admits(self, path: str) -> bool:
        """Whether the note at *path* is indexed."""
        return self.refusal(path) is None

    def refusal(self, path: str) -> Refusal | None:
        """The first rule that leaves *path* out, in the order of the class's arguments; None when it is indexed."""
        if self._is_open:
            return None
        path = nfc(path)
        if (self._include or self._exclude) and (refusal := self._of_folder(path.rpartition("/")[0])):
            return refusal
        if line := self._ignored.line_for(path):
            return Refusal(".indexignore", f"{IGNORE_FILE} says {line!r}")
        for entry in self._filters:
            if entry.matches(path):
                return Refusal("excluded files", f"Obsidian's excluded files say {entry.text!r}")
        return None

    def _of_folder(self, folder: str) -> Refusal | None:
        """What `folders.include` and `folders.exclude`, which look at folders alone, say of the notes in *folder*."""
        if folder not in self._folders:
            self._folders[folder] = self._ask_folders(f"{folder}/".casefold())
        return self._folders[folder]

    def _ask_folders(self, folded: str) -> Refusal | None:
        if self._include and not any(folded.startswith(folder) for folder in self._include):
            return Refusal("folders.include", "it is in none of the folders of folders.include")
        for written, folder in self._exclude:
            if folded.startswith(folder):
                return Refusal("folders.exclude", f"folders.exclude names {written!r}")
        return None


class _IgnoreFile:
    """`.indexignore`, with git's meaning of every line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.problems: list[str] = []
        self._lines: list[str] = []
        self._spec = self._read(tuple(lines))
        self._folders: dict[str, str | None] = {"": None}  # folder -> the line that ignores it; asked for every note

    def _read(self, lines: tuple[str, ...]) -> "GitIgnoreSpec | None":
        """What the patterns among *lines* say together; None where there is no line at all, as in most vaults."""
        if not lines:
            return None
        # Here, as what reads patterns is 8 % of all that a sidecar imports.
        from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

        patterns = []
        for number, line in enumerate(lines, start=1):
            try:
                patterns.append(GitIgnoreSpecPattern(nfc(line)))
                self._lines.append(line.strip())
            except ValueError:
                self.problems.append(f"line {number} of {IGNORE_FILE} is no pattern: {line.strip()!r}")
        return _compiled(patterns)

    @property
    def says_anything(self) -> bool:
        """Whether any line of it is a pattern."""
        return bool(self._lines)

    def line_for(self, path: str) -> str | None:
        """The line that ignores *path*; None where none does."""
        if not self._lines:
            return None
        folder, _, _ = path.rpartition("/")
        # As in git, nothing below an ignored folder can be taken in again.
        return self._line_for_folder(folder) or self._ask(path)

    def _line_for_folder(self, folder: str) -> str | None:
        if folder not in self._folders:
            parent, _, _ = folder.rpartition("/")
            self._folders[folder] = self._line_for_folder(parent) or self._ask(f"{folder}/")
        return self._folders[folder]

    def _ask(self, path: str) -> str | None:
        assert self._spec is not None, "asked only where a line is a pattern"
        result = self._spec.check_file(path)
        return self._lines[result.index] if result.include and result.index is not None else None


def _compiled(patterns: "list[GitIgnoreSpecPattern]") -> "GitIgnoreSpec":
    """All patterns as one matcher; one by one, which is slower, where they are too many to be compiled together."""
    from pathspec import GitIgnoreSpec  # see `_IgnoreFile._read`

    try:
        return GitIgnoreSpec(patterns)
    except Exception:  # whatever the back end raises: a rule that is not applied would show what should stay hidden
        return GitIgnoreSpec(patterns, backend="simple")


def _ignore_lines(file: Path) -> list[str]:
    try:
        if not file.exists():
            return []
        if not file.is_file() or file.stat().st_size > MAX_SETTINGS_BYTES:
            raise BadSettings(f"{file} is no text file of at most {MAX_SETTINGS_BYTES} bytes; mend or remove it")
        return file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise BadSettings(f"{file} cannot be read: {error.strerror}; nothing is indexed until it can") from error


def _folder(name: str) -> str:
    """A folder as the beginning of the paths below it; case is ignored, as it is on most people's disks."""
    inner = nfc(name).strip("/").casefold()
    return f"{inner}/" if inner else ""

"""
Which notes are indexed: by the kinds of files and the folders in the settings, `.indexignore`, Obsidian's excluded
files and template folders.

Only this module decides it. Scanning, reading, listing and searching all use it, so a note that is excluded from one
is excluded from all.
"""

import codecs
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from quarry.config import MAX_RULES_BYTES
from quarry.errors import BadSettings
from quarry.kinds import DocumentKind, kind_of
from quarry.messages import Message, message
from quarry.settings import Settings
from quarry.vault.gitignore import MAX_COSTLY_PARTS, GitIgnore, TooCostly
from quarry.vault.obsidian import Filter, TemplateFolder, read_filters, read_template_folders
from quarry.vault.paths import nfc

IGNORE_FILE = ".indexignore"
MAX_PROBLEMS = 20  # of one file, listed one by one
MAX_QUOTED = 80  # characters of a line
_UNDECODABLE = "\ufffd"
DEFAULT_KINDS: tuple[DocumentKind, ...] = ("note", "canvas")
OUTSIDE = message("reason.outside")


class Rules:
    """
    All rules of one vault. Immutable: a changed file means new rules.

    Args:
        include: Folders; if there are any, only notes below them are indexed.
        exclude: Folders whose notes are not indexed.
        ignore_lines: The lines of `.indexignore`.
        filters: Obsidian's excluded files.
        problems: Sentences about what could not be read.
        templates: Folders of templates.
        kinds: The kinds of files that are indexed.
        classified: Folders whose notes are sensitive or restricted, each with its class.
        only: The folders, spelled as on disk, of the part of the vault that is served; if there are any, nothing else
            is looked at.

    Raises:
        BadSettings: The lines have more wildcards than can be compared with every note.
    """

    def __init__(
        self,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        ignore_lines: Iterable[str] = (),
        filters: tuple[Filter, ...] = (),
        problems: tuple[str, ...] = (),
        templates: tuple[TemplateFolder, ...] = (),
        kinds: tuple[DocumentKind, ...] = DEFAULT_KINDS,
        classified: tuple[tuple[str, str], ...] = (),
        only: tuple[str, ...] = (),
    ) -> None:
        lines = tuple(ignore_lines)
        self._stated = (tuple(include), tuple(exclude), lines, filters, problems, templates, kinds, classified, only)
        self._only = tuple(f"{folder}/" for folder in only)
        self.is_of_part = bool(only)  # only a part of the vault is served
        self._classified = tuple((sensitivity, folder_prefix(folder)) for folder, sensitivity in classified)
        self._kinds = frozenset(kinds)
        self._include = tuple(folder_prefix(folder) for folder in self._stated[0])
        self._exclude = tuple((folder, folder_prefix(folder)) for folder in self._stated[1])
        self._ignored = _ignored(lines)
        self._filters = filters
        self._templates = tuple((template, folder_prefix(template.folder)) for template in templates)
        self._of_folders = bool(self._include or self._exclude or self._classified)
        self._is_open = not (only or self._of_folders or not self._ignored.is_empty or filters or templates)
        self._folders: dict[
            str, Message | None
        ] = {}  # by folder: the refusal by include and exclude; looked up for every note
        self.problems = (*_problems(lines, self._ignored), *problems)  # sentences about rules that cannot be applied

    def __reduce__(self) -> tuple[type["Rules"], tuple[object, ...]]:
        """Pickled as lines, which the other process compiles again: compiled expressions cannot always be pickled."""
        return type(self), self._stated

    @classmethod
    def load(
        cls,
        root: Path,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        *,
        sensitive: Iterable[str] = (),
        restricted: Iterable[str] = (),
        with_templates: bool = False,
        kinds: tuple[DocumentKind, ...] = DEFAULT_KINDS,
        only: tuple[str, ...] = (),
    ) -> Self:
        """
        The rules of the vault at *root*, with *include* and *exclude* from its settings.

        Args:
            sensitive: Folders whose notes are sensitive: never indexed.
            restricted: Folders whose notes are restricted: never indexed.
            with_templates: Whether the notes in folders of templates are indexed.
            kinds: The kinds of files that are indexed.
            only: The folders of the part of the vault that is served.

        Raises:
            BadSettings: `.indexignore` exists and cannot be read. Going on without it would index notes that it
                excludes.
        """
        filters, problems = read_filters(root)
        templates, unread = ((), ()) if with_templates else read_template_folders(root)
        classified = tuple(
            [(folder, "sensitive") for folder in sensitive] + [(one, "restricted") for one in restricted]
        )
        lines = _ignore_lines(root / IGNORE_FILE)
        return cls(include, exclude, lines, filters, (*problems, *unread), templates, kinds, classified, only)

    def is_note(self, path: str) -> bool:
        """Whether *path* has the extension of a kind that is indexed; any other file is no note."""
        return kind_of(path) in self._kinds

    def is_outside(self, path: str) -> bool:
        """Whether the file at *path* is outside the part of the vault that is served."""
        return self.is_of_part and not path.startswith(self._only)

    def is_apart(self, path: str) -> bool:
        """Whether *path* is outside the part of the vault that is served, and is no folder around it either."""
        return self.is_outside(f"{path}/") and not any(one.startswith(f"{path}/") for one in self._only)

    def admits(self, path: str) -> bool:
        """Whether no rule excludes the note at *path*."""
        return self.refusal(path) is None

    def refusal(self, path: str) -> Message | None:
        """The first rule that excludes the note at *path*, in the order of the class's arguments; None: none does."""
        if self._is_open:
            return None
        if self.is_outside(path):
            return OUTSIDE
        path = nfc(path)
        if self._of_folders and (refusal := self._of_folder(path.rpartition("/")[0])):
            return refusal
        if line := self._ignored.line_for(path):
            return message("reason.index-ignore", entry=line)
        for entry in self._filters:
            if entry.matches(path):
                return message("reason.obsidian-excluded", entry=entry.text)
        for template, folder in self._templates:
            if path.casefold().startswith(folder):
                return message("reason.templates", entry=template.folder, plugin=template.plugin)
        return None

    def refusal_of_folder(self, folder: str) -> Message | None:
        """The folder setting that refuses all notes below *folder*; None if some are admitted."""
        if (refusal := self._of_class(f"{nfc(folder)}/".casefold())) or not self._of_folders:
            return refusal
        if self._include and any(entry.startswith(f"{nfc(folder)}/".casefold()) for entry in self._include):
            return None  # a folder below it is included
        return self._of_folder(nfc(folder))

    def _of_folder(self, folder: str) -> Message | None:
        """The refusal of the notes in *folder* by `folders.include` or `folders.exclude`; None if they admit it."""
        if folder not in self._folders:
            self._folders[folder] = self._ask_folders(f"{folder}/".casefold())
        return self._folders[folder]

    def _of_class(self, folded: str) -> Message | None:
        for sensitivity, folder in self._classified:
            if folded.startswith(folder):
                return message("reason.sensitivity", entry=sensitivity)
        return None

    def _ask_folders(self, folded: str) -> Message | None:
        if refusal := self._of_class(folded):
            return refusal
        if self._include and not any(folded.startswith(folder) for folder in self._include):
            return message("reason.folders-include")
        for written, folder in self._exclude:
            if folded.startswith(folder):
                return message("reason.folders-exclude", entry=written)
        return None


def _ignored(lines: Iterable[str]) -> GitIgnore:
    try:
        # A byte that is not UTF-8 may be any character: everything that the line may mean is excluded.
        return GitIgnore(nfc(line).replace(_UNDECODABLE, "?") for line in lines)
    except TooCostly as error:
        raise BadSettings(
            f"{IGNORE_FILE} has more than {MAX_COSTLY_PARTS} names with wildcards; "
            "nothing is indexed until there are fewer"
        ) from error


def _problems(lines: tuple[str, ...], ignored: GitIgnore) -> list[str]:
    """A sentence for each of *lines* that cannot be applied as it is written, beyond `MAX_PROBLEMS` in one."""
    wrong = dict(ignored.problems)
    wrong |= {
        number: "it contains a byte that is not UTF-8, which is read as `?`; save the file as UTF-8"
        for number, line in enumerate(lines, start=1)
        if _UNDECODABLE in line
    }
    found = [
        f"{IGNORE_FILE}, line {number}, {lines[number - 1].strip()[:MAX_QUOTED]!r}: {problem}"
        for number, problem in sorted(wrong.items())
    ]
    if len(found) > MAX_PROBLEMS:
        found[MAX_PROBLEMS:] = [f"{IGNORE_FILE}: {len(found) - MAX_PROBLEMS} more lines have problems"]
    return found


def _ignore_lines(file: Path) -> list[str]:
    """
    The lines of `.indexignore`; none if there is no such file.

    Raises:
        BadSettings: The file exists and cannot be read as text.
    """
    try:
        if not file.exists():
            return []
        if not file.is_file() or file.stat().st_size > MAX_RULES_BYTES:
            raise BadSettings(f"{file} is not a text file of at most {MAX_RULES_BYTES} bytes; correct or remove it")
        data = file.read_bytes()
    except OSError as error:
        raise BadSettings(
            f"{file} cannot be read: {error.strerror}; nothing is indexed until it can be read"
        ) from error
    # Notepad's "Unicode"; read as UTF-8 it would leave nothing out and say nothing.
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = data.decode(encoding, "replace")
    if "\0" in text:
        raise BadSettings(f"{file} is not text in UTF-8; save it as UTF-8; nothing is indexed until then")
    return [line.removesuffix("\r") for line in text.split("\n")]


def folder_prefix(name: str) -> str:
    """*name* as the prefix of the paths below it, in one case, as most file systems ignore case."""
    inner = nfc(name).strip("/").casefold()
    return f"{inner}/" if inner else ""


def folder_changes(settings: Settings, exclude: Sequence[str], include: Sequence[str]) -> dict[str, object]:
    """
    The values of `exclude_folders` and `include_folders` that leave out *exclude* and take in *include*.

    A folder is taken in by removing every entry that leaves it out, which may be that of a folder above it; where only
    some folders are indexed, it becomes one of them. Entries that need not change stay as they are written.
    """
    excluded, included = settings.exclude_folders, settings.include_folders
    for folder in include:
        excluded = tuple(entry for entry in excluded if not _holds(entry, folder))
        if included and not any(_holds(entry, folder) for entry in included):
            included = (*included, folder)
    for folder in exclude:
        if not any(_holds(entry, folder) for entry in excluded):
            excluded = (*excluded, folder)
    wanted = {"exclude_folders": excluded, "include_folders": included}
    return {name: value for name, value in wanted.items() if value != getattr(settings, name)}


def _holds(entry: str, folder: str) -> bool:
    """Whether *folder* is the folder *entry*, or lies in it."""
    return folder_prefix(folder).startswith(folder_prefix(entry))

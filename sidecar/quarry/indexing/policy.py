"""
The settings and rules of the vault, read again when one of their files changed.

Where a file is broken, what held before goes on holding. Where nothing held before there is no policy at all, as going
on without it would index what is meant to be left out.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from quarry.errors import BadSettings
from quarry.kinds import KINDS, DocumentKind
from quarry.settings import SETTINGS_FILE, Settings, load_settings
from quarry.types import VaultChange
from quarry.vault.obsidian import APP_FILE, TEMPLATE_FILES
from quarry.vault.rules import IGNORE_FILE, Rules

_log = logging.getLogger(__name__)
NO_PDF_LIBRARY = (
    "files.pdf is set, but what reads PDF files is not installed; install it with "
    '`uv tool install --force "./sidecar[pdf]"` in a copy of the repository, and restart the search engine'
)
_Stamps = Mapping[str, tuple[int, int, int] | None]


class Policy:
    """The settings and rules of the vault at *root* that are in use. Changed on the indexing thread only."""

    def __init__(self, root: Path, only: tuple[str, ...] = ()) -> None:
        """Load them for the whole vault, or for its part in the folders *only*."""
        self._root = root
        self._only = only
        self._files = {name: os.fspath(root / name) for name in (SETTINGS_FILE, IGNORE_FILE, APP_FILE, *TEMPLATE_FILES)}
        self.settings = Settings()
        self.problems: tuple[str, ...] = ()  # what could not be understood, in words
        self._rules: Rules | None = None
        self._stamps: _Stamps = {}
        self.refresh()

    @property
    def rules(self) -> Rules:
        """
        Which notes are indexed.

        Raises:
            BadSettings: The files that say so cannot be read, and never could since this began.
        """
        if self._rules is None:
            raise BadSettings("; ".join(self.problems))
        return self._rules

    def read_settings(self) -> Settings:
        """
        The settings as the file has them now. Those of a part name no other folder, and no blocks of the whole vault.

        Raises:
            BadSettings: The file cannot be read.
        """
        settings = load_settings(self._root)
        if not self._only:
            return settings
        folder = settings.capture_folder
        is_served = any(f"{folder}/".startswith(f"{one}/") for one in self._only)
        return replace(settings, blocks=(), block_problems=(), capture_folder=folder if is_served else self._only[0])

    def served(self, changes: Sequence[VaultChange]) -> list[VaultChange]:
        """The *changes* that concern the part of the vault that is served."""
        rules = self._rules
        if rules is None:
            return list(changes)
        return [one for one in changes if not all(map(rules.is_apart, filter(None, (one.path, one.old_path))))]

    def refresh(self) -> bool:
        """Look at the files again. Returns whether any of them is another than before."""
        stamps = {name: _stamp(file) for name, file in self._files.items()}
        if stamps == self._stamps and self._rules is not None:
            return False
        changed, self._stamps = stamps != self._stamps, stamps
        self._load()
        return changed

    def _load(self) -> None:
        try:
            settings = self.read_settings()
            rules = Rules.load(
                self._root,
                settings.include_folders,
                settings.exclude_folders,
                sensitive=settings.sensitive_folders,
                restricted=settings.restricted_folders,
                with_templates=settings.index_templates,
                kinds=_kinds(settings),
                only=self._only,
            )
        except BadSettings as error:
            self._go_on_without(str(error))
            return
        except Exception as error:  # a defect of ours: never a reason to index what is meant to be left out
            _log.exception("the settings could not be read")
            self._go_on_without(f"the settings cannot be read ({type(error).__name__}); see the log")
            return
        self.settings, self._rules = settings, rules
        self.problems = (*settings.problems, *rules.problems, *_missing_library(settings))

    def _go_on_without(self, reason: str) -> None:
        meanwhile = "nothing new is indexed" if self._rules is None else "the settings from before hold"
        self.problems = (f"{reason}; until then {meanwhile}",)


def can_read_pdfs() -> bool:
    """Whether the library that reads PDF files is installed."""
    return find_spec("pypdf") is not None


def _kinds(settings: Settings) -> tuple[DocumentKind, ...]:
    """The kinds of files that are indexed."""
    wanted = {"canvas": settings.index_canvases, "pdf": settings.index_pdfs and can_read_pdfs()}
    return tuple(kind for kind in KINDS if wanted.get(kind, True))


def _missing_library(settings: Settings) -> tuple[str, ...]:
    """A sentence where PDF files are wanted and cannot be read."""
    return (NO_PDF_LIBRARY,) if settings.index_pdfs and not can_read_pdfs() else ()


def _stamp(file: str) -> tuple[int, int, int] | None:
    """Size and times of *file*, None if it is absent; ctime too, as a file made readable again keeps size and mtime."""
    try:
        seen = os.stat(file)  # noqa: PTH116  looked at before each save
    except OSError:
        return None
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns

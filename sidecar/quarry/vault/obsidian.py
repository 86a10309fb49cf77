"""
Obsidian's "Excluded files": the entries of `userIgnoreFilters` in `.obsidian/app.json`, matched as Obsidian does.

An entry is the beginning of a path (`Templates/`), or a JavaScript regular expression between slashes that is looked
for anywhere in the path. The expressions are run by re2, in time linear in the path: the file is synced between
machines, and one bad expression must not stop a scan.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.config import MAX_SETTINGS_BYTES
from quarry.vault.paths import nfc

try:
    import re2  # type: ignore[import-untyped]
except ImportError:  # no wheel for this system (musl): the backtracking engine, on paths of at most 4 KB
    re2 = None

APP_FILE = ".obsidian/app.json"

Matches = Callable[[str], bool]

# The one look-ahead that people write, "everything but these": re2 has none, but can search for the rest and negate.
_ALL_BUT = re.compile(r"\^\(\?!(?P<inner>.*)\)(?:\.[*+]\$?)?", re.DOTALL)


class Filter(Struct, frozen=True):
    """One entry: as written, and whether a path (in NFC) is excluded by it."""

    text: str
    matches: Matches

    def __reduce__(self) -> tuple[Callable[[str], "Filter"], tuple[str]]:
        """Another process reads the entry anew."""
        return _filter, (self.text,)


def read_filters(root: Path) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    """The filters of the vault at *root*, and a sentence for each entry that cannot be applied."""
    filters: list[Filter] = []
    problems: list[str] = []
    entries, problem = _entries(root / APP_FILE)
    if problem:
        problems.append(problem)
    for entry in entries:
        try:
            filters.append(_filter(entry))
        except ValueError as error:
            problems.append(f"Obsidian's excluded-files entry {entry!r} cannot be applied: {error}")
    return tuple(filters), tuple(problems)


def _filter(entry: str) -> Filter:
    return Filter(entry, matcher(entry))


def matcher(entry: str) -> Matches:
    """
    What *entry* excludes, as a question about a path in NFC.

    Raises:
        ValueError: It is an expression that re2 cannot run, such as one with a look-behind.
    """
    if not (len(entry) > 2 and entry.startswith("/") and entry.endswith("/")):
        beginning = nfc(entry).casefold()
        return lambda path: path.casefold().startswith(beginning)
    expression = nfc(entry[1:-1])
    if all_but := _ALL_BUT.fullmatch(expression):
        kept = _compile(f"^(?:{all_but['inner']})")
        return lambda path: kept.search(path) is None
    found = _compile(expression)
    return lambda path: found.search(path) is not None


def _compile(expression: str) -> Any:
    """A pattern with `search`, case ignored: a rule that leaves notes out had better leave out one too many."""
    if re2 is None:
        try:
            return re.compile(expression, re.IGNORECASE)
        except re.error as error:
            raise ValueError(str(error)) from error
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False  # it would write the expression to stderr
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode("utf-8", "replace")) from error


def _entries(file: Path) -> tuple[list[str], str | None]:
    """The entries as written, or none with a sentence saying why they cannot be told."""
    try:
        if not file.is_file() or file.stat().st_size > MAX_SETTINGS_BYTES:
            return [], None
        settings: Any = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        return [], f"{APP_FILE} cannot be read ({error}); Obsidian's excluded files are not left out"
    entries = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    return [entry for entry in entries or [] if isinstance(entry, str) and entry.strip()], None

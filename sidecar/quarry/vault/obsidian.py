"""
What Obsidian's own settings leave out: "Excluded files", and the folders of templates.

"Excluded files" are the entries of `userIgnoreFilters` in `.obsidian/app.json`, matched as Obsidian does.

An entry is the beginning of a path (`Templates/`), or a JavaScript regular expression between slashes that may match
anywhere in the path. Expressions run only in RE2, in time linear in the path: the file is synced between machines, and
no expression may stop a scan. An entry that cannot be applied is listed as a problem. It is unknown which notes it
means, and Obsidian itself still shows them, so they are indexed.

Templates are notes to be: their words are in every note that was made from them. The core plugin and Templater each say
in a file of their own where they lie.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.config import MAX_RULES_BYTES
from quarry.lazy_pattern import lazy_pattern
from quarry.vault.paths import nfc

try:
    import re2  # type: ignore[import-untyped]
except ImportError:  # no wheel for this platform (musl)
    re2 = None

APP_FILE = ".obsidian/app.json"
TEMPLATE_FILES = {  # where a plugin keeps its settings -> what the folder is called there, and the plugin
    ".obsidian/templates.json": ("folder", "the core plugin Templates"),
    ".obsidian/plugins/templater-obsidian/data.json": ("templates_folder", "Templater"),
}
MAX_ENTRIES = 1_000  # each is compared with every note
MAX_EXPRESSIONS = 100  # among them; 1 us each for a note, most of them
MAX_ENTRY = 1_000  # characters
MAX_PROGRAM_BYTES = (
    1 << 17
)  # of one expression compiled; a thousand optional characters take 1 ms a path and do not fit
MAX_PROBLEMS = 20  # listed one by one
MAX_QUOTED = 80  # characters of an entry in a problem

Matches = Callable[[str], bool]

# The one lookahead that people write, "everything but these": RE2 has none, but the rest can be searched and negated.
_ALL_BUT = lazy_pattern(r"\^\(\?!(?P<inner>.*)\)(?:\.[*+]\$?)?", re.DOTALL)


class Filter(Struct, frozen=True):
    """One entry: as written, and whether a path (in NFC) is excluded by it."""

    text: str
    matches: Matches

    def __reduce__(self) -> tuple[Callable[[str], "Filter"], tuple[str]]:
        """Pickled as its entry, which the other process compiles again."""
        return _filter, (self.text,)


class TemplateFolder(Struct, frozen=True):
    """A folder of templates, and the plugin that keeps them there."""

    folder: str  # without slashes at its ends
    plugin: str


def read_template_folders(root: Path) -> tuple[tuple[TemplateFolder, ...], tuple[str, ...]]:
    """The folders of templates of the vault at *root*, and a sentence for each file that cannot be read."""
    found, problems = [], []
    for name, (key, plugin) in TEMPLATE_FILES.items():
        settings, problem = _json_of(root / name, name, "the templates are indexed")
        if problem:
            problems.append(problem)
        folder = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(folder, str) and (
            inner := folder.strip().strip("/")
        ):  # the whole vault is no folder of templates
            found.append(TemplateFolder(inner, plugin))
    return tuple(found), tuple(problems)


def read_filters(root: Path) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    """The filters of the vault at *root*, and a sentence for each entry that cannot be applied."""
    filters: list[Filter] = []
    entries, problem = _entries(root / APP_FILE)
    problems = [problem] if problem else []
    if len(entries) > MAX_ENTRIES:
        problems.append(f"{APP_FILE} excludes more than {MAX_ENTRIES} files; the others are indexed")
    expressions = 0
    for entry in entries[:MAX_ENTRIES]:
        expressions += _is_expression(entry)
        try:
            if _is_expression(entry) and expressions > MAX_EXPRESSIONS:
                raise ValueError(f"there are more than {MAX_EXPRESSIONS} regular expressions")
            filters.append(_filter(entry))
        except ValueError as error:
            problems.append(f"Obsidian's excluded-files entry {_shortened(entry)} cannot be applied: {error}")
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [
            f"{len(problems) - MAX_PROBLEMS} more of Obsidian's excluded-files entries cannot be applied"
        ]
    return tuple(filters), tuple(problems)


def _shortened(entry: object) -> str:
    written = repr(entry)
    return written if len(written) <= MAX_QUOTED else f"{written[:MAX_QUOTED]}…"


def _is_expression(entry: object) -> bool:
    return isinstance(entry, str) and len(entry) > 2 and entry.startswith("/") and entry.endswith("/")


def _filter(entry: object) -> Filter:
    if not isinstance(entry, str):
        raise ValueError("it is not text")
    return Filter(entry, matcher(entry))


def matcher(entry: str) -> Matches:
    """
    A predicate over paths in NFC: whether *entry* excludes the path.

    Raises:
        ValueError: It is too long, or an expression that RE2 does not support, such as one with a lookbehind.
    """
    if len(entry) > MAX_ENTRY:
        raise ValueError(f"it is longer than {MAX_ENTRY} characters")
    if not _is_expression(entry):
        beginning = nfc(entry).casefold()
        return lambda path: path.casefold().startswith(beginning)
    expression = nfc(entry[1:-1])
    if all_but := _ALL_BUT.fullmatch(expression):
        _compile(all_but["inner"])  # alone: in `^(?!a)|(b)` the parentheses are not the look-ahead's
        kept = _compile(f"^(?:{all_but['inner']})")
        return lambda path: kept.search(path) is None
    found = _compile(expression)
    return lambda path: found.search(path) is not None


def _compile(expression: str) -> Any:
    """Compile for `search`, ignoring case: a rule that excludes should rather exclude too much."""
    if re2 is None:
        raise ValueError("regular expressions need the package google-re2, which is not installed")
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False  # it would write the expression to stderr
    options.max_mem = MAX_PROGRAM_BYTES
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode("utf-8", "replace")) from error


def _entries(file: Path) -> tuple[list[object], str | None]:
    """The entries as written; or none, and a sentence that says why they cannot be read."""
    unapplied = "Obsidian's excluded files are indexed"
    settings, problem = _json_of(file, APP_FILE, unapplied)
    if problem:
        return [], problem
    entries = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    if entries is None:
        return [], None
    if not isinstance(entries, list):
        return [], f"userIgnoreFilters in {APP_FILE} is {_shortened(entries)}, which is not a list; {unapplied}"
    return [entry for entry in entries if not isinstance(entry, str) or entry.strip()], None


def _json_of(file: Path, name: str, unapplied: str) -> tuple[Any, str | None]:
    """The JSON value in *file*, None if there is no file; or None, and a sentence that says why it cannot be read."""
    try:
        if not file.exists():
            return None, None
        if not file.is_file() or file.stat().st_size > MAX_RULES_BYTES:
            return None, f"{name} is not a file of at most {MAX_RULES_BYTES} bytes; {unapplied}"
        return json.loads(file.read_bytes()), None
    except (OSError, ValueError, RecursionError) as error:
        return None, f"{name} cannot be read ({error}); {unapplied}"

"""
The settings of a vault, read from `.quarry.toml` at its root and written back with comments kept.

    [folders]
    include = []                # when given, only these folders are indexed
    exclude = ["Archive"]
    templates = false           # whether the template folders of Obsidian and Templater are indexed
    [sensitivity]               # folders whose notes are never read, like notes with such a property
    sensitive = []
    restricted = []
    [files]
    canvas = true               # whether the text of canvases is indexed
    pdf = false                 # whether the text of PDF files is indexed, too; needs the extra `pdf`
    [embedding]
    model = "bundled"           # or a folder, a Hugging Face name, or that of an endpoint; see `quarry models`
    [chunks]
    skip_sections = ["Related"]
    [keyword]
    stemming = "by-language"    # or "none"; a change re-indexes all notes
    [search]
    keyword_weight = 1.0
    dense_weight = 1.0
    fusion = "convex"           # or "rrf" or "six-signals", as published
    exclude_status = []         # such as ["archived", "draft"]: notes with this status are not found
    rrf_k = 60                  # of "rrf", and of its keyword retriever the weights of columns:
    rrf_text_weight = 1.0
    rrf_section_weight = 0.5
    rrf_context_weight = 0.3
    [capture]
    folder = "00-inbox"         # where `quarry capture` puts new notes
    by_agents = false           # whether programs with the reader's token, such as MCP, may capture
    [hooks]
    compress_outputs = false    # whether outputs of commands are shortened for Claude Code
    capture_outputs = false     # whether failures among them become notes; needs capture.by_agents
    conversation_tokens = 8000  # that a conversation is quoted at most: blocks, prompts and tools together
    [context.NAME]              # a context block: see `block_settings.py`
    query = "oauth rotation"
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from quarry.block_settings import BlockFault, ContextBlock, read_blocks
from quarry.config import MAX_SETTINGS_BYTES
from quarry.errors import BadSettings
from quarry.lazy_pattern import lazy_pattern
from quarry.options import FUSIONS, Fusion, Stemming
from quarry.private_files import write_atomically

SETTINGS_FILE = ".quarry.toml"
BLOCKS = "context"  # the table of the context blocks
STEMMINGS: tuple[Stemming, ...] = get_args(Stemming)
MAX_LISTED = 1_000  # folders or sections; every note is compared with each
MAX_TEXT = 1_000
MAX_KEY_PARTS = 5  # tomllib's time and memory are quadratic in them: 34 s and 5.6 GB for 64,000; ours have 3
MAX_ENTRIES = 600  # keys, tables and lists; 100 context blocks are 400, and tomlkit takes .4 s for 600 keys of 5 parts
MAX_STRANGERS = 20  # unknown keys listed one by one
MAX_QUOTED = 80  # characters of a value in a message
MAX_RANK_CONSTANT = 10_000.0  # above it the first rank adds no more than the thirtieth
_CREDENTIALS = lazy_pattern(r"(?<=//)[^/#]*(?=@)|(?<=[?&])[^#]*")  # where URLs may have them
MAX_CONVERSATION = 1_000_000  # tokens: more than any model reads
MAX_WEIGHT = 100.0  # above it one retriever decides alone, for which the other has the weight 0


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one vault."""

    include_folders: tuple[str, ...] = ()
    exclude_folders: tuple[str, ...] = ()
    model: str = "bundled"
    skip_sections: tuple[str, ...] = ("Related", "See also", "Links", "References")
    keyword_weight: float = 1.0
    dense_weight: float = 1.0
    fusion: Fusion = "convex"
    index_templates: bool = False
    exclude_status: tuple[str, ...] = ()
    stemming: Stemming = "by-language"
    rrf_k: float = 60.0
    rrf_text_weight: float = 1.0
    rrf_section_weight: float = 0.5
    rrf_context_weight: float = 0.3
    capture_folder: str = "00-inbox"
    capture_by_agents: bool = False
    hooks_compress_outputs: bool = False
    hooks_capture_outputs: bool = False
    conversation_tokens: int = 8_000
    index_canvases: bool = True
    index_pdfs: bool = False
    sensitive_folders: tuple[str, ...] = ()
    restricted_folders: tuple[str, ...] = ()
    blocks: tuple[ContextBlock, ...] = ()
    block_problems: tuple[BlockFault, ...] = field(default=(), compare=False)
    problems: tuple[str, ...] = field(default=(), compare=False)  # sentences about unknown keys and unusable blocks


def load_settings(root: Path) -> Settings:
    """
    Read the settings of the vault at *root*; the defaults if there is no file.

    An unknown key is not an error but listed in `Settings.problems`, as a newer version may know it.

    Raises:
        BadSettings: The file cannot be read, is not TOML, or has an invalid value.
    """
    return _settings_of(_parse(_read(root / SETTINGS_FILE)))


def write_settings(root: Path, changes: Mapping[str, object]) -> Settings:
    """
    Change the fields named in *changes*, keep the rest of the file byte for byte, and return the new settings.

    The file is replaced atomically, so that a crash leaves the old or the new one.

    Raises:
        BadSettings: A field is unknown or its value invalid (nothing is written), or the present file cannot be
            read.
    """
    file = root / SETTINGS_FILE
    text = _read(file)
    _settings_of(_parse(text))  # a file that cannot be read is not rewritten
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise BadSettings(f"{SETTINGS_FILE} cannot be rewritten: {error}; change it by hand") from error
    for name, value in changes.items():
        if name not in _KEYS:
            raise BadSettings(f"there is no setting {name!r}; the settings are {', '.join(_KEYS)}")
        section, key, check = _KEYS[name]
        checked = check(f"{section}.{key}", list(value) if isinstance(value, tuple) else value)
        table = document.setdefault(section, tomlkit.table())
        _put(table, key, checked)
    new_text = document.as_string()
    if len(new_text.encode()) > MAX_SETTINGS_BYTES:
        raise BadSettings(f"{SETTINGS_FILE} would be larger than {MAX_SETTINGS_BYTES} bytes; nothing was written")
    settings = _settings_of(_parse(new_text))  # an unreadable result is not written
    if changes:
        try:
            write_atomically(file, new_text.encode(), mode=0o666, durable=True)
        except OSError as error:
            raise BadSettings(f"{file} cannot be written: {error.strerror}; the settings are unchanged") from error
    return settings


def _put(table: Any, key: str, value: object) -> None:
    """Set *key*; in a list only items that differ are changed, which keeps the comments between items."""
    if not isinstance(value, tuple):
        table[key] = value
        return
    present = table.get(key)
    if isinstance(present, Array):
        for at in reversed(range(len(present))):
            if present[at] not in value:
                del present[at]
        for item in value:
            if item not in present:
                present.append(item)
    if table.get(key) != list(value):
        table[key] = list(value)


# --- values ------------------------------------------------------------------------------------


def _quoted(value: object) -> str:
    written = repr(value)
    return written if len(written) <= MAX_QUOTED else f"{written[:MAX_QUOTED]}…"


def _strings(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise BadSettings(f'{key} is {_quoted(value)}; it takes a list of strings, such as ["Archive", "Work/Old"]')
    if len(value) > MAX_LISTED or any(len(item) > MAX_TEXT or not item.isprintable() for item in value):
        raise BadSettings(
            f"{key} takes at most {MAX_LISTED} strings, each of one line and at most {MAX_TEXT} characters"
        )
    return tuple(value)


def _folders(key: str, value: object) -> tuple[str, ...]:
    folders = tuple(folder.strip().strip("/") for folder in _strings(key, value))
    for folder in folders:
        if {"..", "."} & set(folder.split("/")) or "\\" in folder or not folder:
            raise BadSettings(f"{key} names {_quoted(folder)}; it takes folders below the vault, written with /")
    return folders


def _folder(key: str, value: object) -> str:
    """A folder of the vault; "" is the vault itself."""
    if not isinstance(value, str):
        raise BadSettings(f'{key} is {_quoted(value)}; it takes a folder below the vault, such as "00-inbox"')
    return _folders(key, [value])[0] if value.strip() else ""


def _flag(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise BadSettings(f"{key} is {_quoted(value)}; it takes true or false")


def without_credentials(model: str) -> str:
    """*model*, a name, without what may be a credential in it: no log, status or message is to repeat that."""
    return _CREDENTIALS.sub("…", model)


def _model(key: str, value: object) -> str:
    if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= MAX_TEXT:
        return without_credentials(value.strip())  # no program is asked by a name that has some
    raise BadSettings(
        f'{key} is {_quoted(value)}; it takes "bundled", a local folder, a Hugging Face name, "ollama:NAME" or "http://127.0.0.1:PORT/v1#NAME"'
    )


def _number(most: float) -> Callable[[str, object], float]:
    """The check for a number from 0 to *most*."""

    def check(key: str, value: object) -> float:
        # A bool is an int to Python, and NaN fails both comparisons.
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            return float(value)
        raise BadSettings(f"{key} is {_quoted(value)}; it takes a number from 0 to {most:g}")

    return check


def _tokens(key: str, value: object) -> int:
    return int(_number(MAX_CONVERSATION)(key, value))


def _choice(choices: tuple[str, ...]) -> Callable[[str, object], str]:
    """The check for one of *choices*."""

    def check(key: str, value: object) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise BadSettings(f"{key} is {_quoted(value)}; it takes one of {', '.join(choices)}")

    return check


_weight = _number(MAX_WEIGHT)
_KEYS: dict[str, tuple[str, str, Callable[[str, object], object]]] = {
    "include_folders": ("folders", "include", _folders),
    "exclude_folders": ("folders", "exclude", _folders),
    "sensitive_folders": ("sensitivity", "sensitive", _folders),
    "restricted_folders": ("sensitivity", "restricted", _folders),
    "index_templates": ("folders", "templates", _flag),
    "index_canvases": ("files", "canvas", _flag),
    "index_pdfs": ("files", "pdf", _flag),
    "model": ("embedding", "model", _model),
    "skip_sections": ("chunks", "skip_sections", _strings),
    "stemming": ("keyword", "stemming", _choice(STEMMINGS)),
    "keyword_weight": ("search", "keyword_weight", _weight),
    "dense_weight": ("search", "dense_weight", _weight),
    "fusion": ("search", "fusion", _choice(FUSIONS)),
    "exclude_status": ("search", "exclude_status", _strings),
    "rrf_k": ("search", "rrf_k", _number(MAX_RANK_CONSTANT)),
    "rrf_text_weight": ("search", "rrf_text_weight", _weight),
    "rrf_section_weight": ("search", "rrf_section_weight", _weight),
    "rrf_context_weight": ("search", "rrf_context_weight", _weight),
    "capture_folder": ("capture", "folder", _folder),
    "capture_by_agents": ("capture", "by_agents", _flag),
    "hooks_compress_outputs": ("hooks", "compress_outputs", _flag),
    "hooks_capture_outputs": ("hooks", "capture_outputs", _flag),
    "conversation_tokens": ("hooks", "conversation_tokens", _tokens),
}
"""Field -> table and key in the file, and the check that its value passes through."""


# --- the file ----------------------------------------------------------------------------------


def _settings_of(document: Mapping[str, Any]) -> Settings:
    found: dict[str, Any] = {}
    for name, (section, key, check) in _KEYS.items():
        table = document.get(section, {})
        if not isinstance(table, Mapping):
            raise BadSettings(f"{section} in {SETTINGS_FILE} is {_quoted(table)}; it must be a table: [{section}]")
        if key in table:
            found[name] = check(f"{section}.{key}", table[key])
    context = read_blocks(document.get(BLOCKS, {}))
    problems = (*_strangers(document), *(problem.message for problem in context.problems))
    return replace(Settings(blocks=context.blocks, block_problems=context.problems, problems=problems), **found)


def _strangers(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each unknown key, with the known key that was probably meant."""
    known = {f"{section}.{key}" for section, key, _ in _KEYS.values()}
    sections = {section for section, _, _ in _KEYS.values()}
    written = [
        f"{section}.{key}" if isinstance(table, Mapping) else section
        for section, table in document.items()
        if section != BLOCKS
        for key in (table if isinstance(table, Mapping) else [""])
        if isinstance(table, Mapping) or section not in sections
    ]
    strangers = [key for key in written if key not in known]
    for key in strangers:  # a misspelled rule must not open what it was to keep closed
        if key.startswith("sensitivity."):
            raise BadSettings(_stranger(key, known))
    found = [_stranger(key, known) for key in strangers[:MAX_STRANGERS]]
    if len(strangers) > MAX_STRANGERS:
        found.append(f"{SETTINGS_FILE} sets {len(strangers) - MAX_STRANGERS} more keys that are not known")
    return found


def _stranger(key: str, known: set[str]) -> str:
    near = get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the known keys are {', '.join(sorted(known))}"
    return f"{SETTINGS_FILE} sets {key[:MAX_QUOTED]}, which is not a known key; {hint}"


def _read(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():  # opening a pipe of that name would block for ever
            raise BadSettings(f"{file} is not a regular file; remove it")
        with file.open("rb") as stream:
            data = stream.read(MAX_SETTINGS_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise BadSettings(f"{file} cannot be read: {error.strerror}; correct its permissions or remove it") from error
    if len(data) > MAX_SETTINGS_BYTES:
        raise BadSettings(
            f"{file} is larger than {MAX_SETTINGS_BYTES} bytes, which no settings need; shorten or remove it"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSettings(f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def _parse(text: str) -> dict[str, Any]:
    if not text:
        return {}
    _refuse_costly(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or a number of thousands of digits
        raise BadSettings(f"{SETTINGS_FILE} is not TOML: {error}") from error


def _refuse_costly(text: str) -> None:
    """
    Check the number of keys, tables and lists before parsing, as the parsers' time is quadratic in some of them.

    Raises:
        BadSettings: A key has more than `MAX_KEY_PARTS` parts, or there are more than `MAX_ENTRIES` of all of them.
    """
    strings_and_comments = re.compile(
        r"""
        \#[^\n]*+
        | \"{3} (?: [^"\\] | \\. | "(?!"") )*+ (?: \"{3} | \Z )?
        | '{3} (?: [^'] | '(?!'') )*+ (?: '{3} | \Z )?
        | " (?: [^"\\\n] | \\. )*+ "?
        | ' [^'\n]*+ '?
        """,
        re.VERBOSE | re.DOTALL,
    )
    # A string in a key is one part of it, and the text of a string is no key. Line numbers are kept.
    keys = strings_and_comments.sub(lambda found: "_" + "\n" * found[0].count("\n"), text)
    part = r"[^\s.=\[\]{},]++[ \t]*+"
    dotted = rf"(?<![^\s.=\[\]{{}},])(?:{part}\.[ \t]*+){{{MAX_KEY_PARTS}}}"
    if found := re.search(dotted, keys):
        raise BadSettings(
            f"{_line(keys, found.start())}: a key has more than {MAX_KEY_PARTS} parts; shorten or remove it"
        )
    entries = [found.start() for found in re.finditer(r"[=\[{]", keys)]
    if len(entries) > MAX_ENTRIES:
        place = _line(keys, entries[MAX_ENTRIES])
        raise BadSettings(f"{place}: there are more than {MAX_ENTRIES} keys, tables and lists; remove some")


def _line(text: str, at: int) -> str:
    return f"{SETTINGS_FILE}, line {text.count(chr(10), 0, at) + 1}"

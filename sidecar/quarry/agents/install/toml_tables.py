"""Tables of a TOML file, added and removed; comments, order and all other bytes stay."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from quarry.agents.install.insertions import Insertion, inserted, only_insertion
from quarry.agents.install.jsonc import Malformed

MAX_CHARACTERS = 1024 * 1024  # tomllib and tomlkit take seconds for more; configurations have kilobytes


def parse(text: str) -> dict[str, Any]:
    """
    Parse the TOML *text*.

    Raises:
        Malformed: It is not TOML, or too large to be a configuration.
    """
    if len(text) > MAX_CHARACTERS:
        raise Malformed(f"more than {MAX_CHARACTERS:,} characters", 1)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Malformed(str(error), _line(str(error), text)) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of levels
        raise Malformed(str(error), 1) from error


def table_insertions(text: str, path: Sequence[str], value: Mapping[str, object]) -> list[Insertion]:
    """
    The insertions that add the table *value* at *path*, at the end of the text where TOML allows it.

    Raises:
        Malformed: *text* is no TOML, or cannot take the table.
    """
    wanted = _with(parse(text), path, value)
    for after in (_appended(text, path, value), _merged(text, path, value)):
        insertion = None if after is None else only_insertion(text, after) or _insertion_before_blanks(text, after)
        if insertion and _means(inserted(text, [insertion]), wanted):
            return [insertion]
    raise Malformed(f"[{'.'.join(path)}] cannot be added to it", 1)


def without_table(text: str, path: Sequence[str]) -> str:
    """
    *text* without the table at *path*.

    Raises:
        Malformed: *text* is no TOML, or cannot be changed so that all else stays.
    """
    wanted = _without(parse(text), path)
    meanings = (wanted, _without(wanted, path[:1])) if not _at(wanted, path[:-1]) else (wanted,)
    for after in (_cut(text, path), _deleted(text, path)):
        if after is not None and any(_means(after, meaning) for meaning in meanings):
            return after
    raise Malformed(f"[{'.'.join(path)}] cannot be removed from it", 1)


def _cut(text: str, path: Sequence[str]) -> str:
    """Without the lines of the table as we write it, up to the next empty line, and the empty line before it."""
    name = re.escape(".".join(path))
    body = r"(?:(?!\s*\[)[^\n]*\S[^\n]*(?:\n|\Z))*"
    return re.sub(rf"^(?:[ \t]*\r?\n)?\[{name}(?:\.[^\]\n]*)?\][^\n]*(?:\n|\Z){body}", "", text, flags=re.MULTILINE)


def _deleted(text: str, path: Sequence[str]) -> str | None:
    """Delete the table through tomlkit, for one that was rewritten in another form."""
    try:
        document = tomlkit.parse(text)
        inner: Any = document
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return document.as_string()
    except (TOMLKitError, KeyError, RecursionError):
        return None


def _appended(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    table = tomlkit.table()
    for key, inner in value.items():
        table.add(key, inner)
    document = tomlkit.document()
    header = tomlkit.table(is_super_table=True)
    header.add(path[-1], table)
    for key in reversed(path[1:-1]):
        outer = tomlkit.table(is_super_table=True)
        outer.add(key, header)
        header = outer
    document.add(path[0], header)
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + document.as_string().strip("\n").replace("\n", newline) + newline


def _merged(text: str, path: Sequence[str], value: Mapping[str, object]) -> str | None:
    """As tomlkit adds it, for a file in which the other tables are written on one line."""
    try:
        document = tomlkit.parse(text)
        inner: Any = document
        for key in path[:-1]:
            inner = inner[key]
        table = tomlkit.inline_table()
        table.update(value)
        inner[path[-1]] = table
        return document.as_string()
    except (TOMLKitError, KeyError, TypeError, RecursionError):
        return None


def _insertion_before_blanks(before: str, after: str) -> Insertion | None:
    """The insertion that *after* shows, but for the blanks behind it, which tomlkit drops within braces."""
    start = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
    rest = before[start:].lstrip(" ")
    return Insertion(start, after[start : len(after) - len(rest)]) if after.endswith(rest) else None


def _means(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return parse(text) == wanted
    except Malformed:
        return False


def _with(parsed: Mapping[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    rest = value if len(path) == 1 else _with(_table(parsed, path[0]), path[1:], value)
    return {**parsed, path[0]: rest}


def _without(parsed: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    if len(path) == 1:
        return {key: value for key, value in parsed.items() if key != path[0]}
    return {**parsed, path[0]: _without(_table(parsed, path[0]), path[1:])}


def _at(parsed: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for key in path:
        parsed = _table(parsed, key)
    return parsed


def _table(parsed: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = parsed.get(key, {})
    if not isinstance(inner, Mapping):
        raise Malformed(f"{key} is not a table", 1)
    return inner


def _line(message: str, text: str) -> int:
    """The line that tomllib names in *message*; the last one for "at end of document"."""
    words = message.rpartition("(at line ")[2].split(",")[0]
    return int(words) if words.isdigit() else text.count("\n") + 1

"""
Texts of configuration files, read and changed: JSON, TOML, and sections of Markdown.

JSON is parsed and written again with its own indentation. A text that cannot be written again without a loss (one with
comments, duplicate keys or numbers beyond a double) is refused by `Unchangeable`. TOML keeps its comments (tomlkit).
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import tomlkit
from tomlkit.exceptions import TOMLKitError

MAX_TOML_CHARACTERS = 1024 * 1024  # tomllib and tomlkit take seconds for more; configurations have kilobytes
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_INDENTATION = re.compile(r"\n([ \t]+)\S")

Table = Mapping[str, Any]
TableChange = Callable[[Table], Table]
"""Gives the table that a file should contain for the one that it contains; shares what stays, and changes nothing."""


class Unchangeable(Exception):
    """A text cannot be parsed, or cannot be changed without a loss; the message is a clause that says why."""


class Difference(NamedTuple):
    """The text that a change of one file adds and removes, each as the whole text of that part; empty for nothing."""

    added: str
    removed: str


class ConfigEdit(Protocol):
    """A change of a file's text that has no effect the second time."""

    def changed(self, text: str) -> str:
        """*text* as it should be; a blank result means no file. Raises `Unchangeable`."""

    def difference(self, text: str) -> Difference:
        """The parts that `changed` adds and removes, also for a text that cannot be rewritten but can be read."""


class JsonEdit(NamedTuple):
    """A change of a JSON file; *scaffold* is what a new file contains besides."""

    change: TableChange
    scaffold: Mapping[str, object] = {}

    def changed(self, text: str) -> str:
        """See `ConfigEdit`."""
        table = parse_jsonc(text) or self.scaffold
        wanted = self.change(table)
        if wanted == table:
            return text
        if text.strip():
            _refuse_comments(text)
        return "" if wanted in ({}, self.scaffold) else _written_like(text, wanted)

    def difference(self, text: str) -> Difference:
        """See `ConfigEdit`."""
        table = parse_jsonc(text)
        wanted = self.change(table or self.scaffold)
        if wanted == (table or self.scaffold):
            return Difference("", "")
        return Difference(_json_part(missing_from(table, wanted)), _json_part(missing_from(wanted, table)))


class TomlEdit(NamedTuple):
    """A change of a TOML file."""

    change: TableChange

    def changed(self, text: str) -> str:
        """See `ConfigEdit`."""
        table = parse_toml(text)
        wanted = self.change(table)
        if wanted == table:
            return text
        try:
            document = tomlkit.parse(text)
            _update(document, wanted)
            after = document.as_string()
        except (TOMLKitError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Unchangeable(f"its tables cannot be changed ({type(error).__name__})") from error
        if "\r\n" in text:
            after = re.sub(r"(?<!\r)\n", "\r\n", after)
        if parse_toml(after) != wanted:
            raise Unchangeable("its tables are written in a form that cannot be changed safely")
        return after

    def difference(self, text: str) -> Difference:
        """See `ConfigEdit`."""
        table = parse_toml(text)
        wanted = self.change(table)
        return Difference(tomlkit.dumps(missing_from(table, wanted)), tomlkit.dumps(missing_from(wanted, table)))


class MarkdownEdit(NamedTuple):
    """
    A section between two comments in a Markdown file: *body* is its content, None removes it.

    *scaffold* is what a new file begins with.
    """

    name: str
    body: str | None
    scaffold: str = ""

    def changed(self, text: str) -> str:
        """See `ConfigEdit`."""
        before, found, after = self._split(text)
        newline = "\r\n" if "\r\n" in text else "\n"
        section = self._section().replace("\n", newline)
        if section == found:
            return text
        if found and section:
            return before + section + after
        if found:
            before = re.sub(r"(?<=\n)\r?\n\Z", "", before)
            rest = before + re.sub(r"\A\r?\n", "", after)
            return "" if rest.strip() == self.scaffold.strip() else rest
        before = text or self.scaffold
        gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        return before + gap + section + newline

    def difference(self, text: str) -> Difference:
        """See `ConfigEdit`."""
        found, section = self._split(text)[1].replace("\r\n", "\n"), self._section()
        added = section if text or not section else self.scaffold + section
        return Difference("", "") if found == section else Difference(added, found)

    def _section(self) -> str:
        if self.body is None:
            return ""
        return f"<!-- quarry:{self.name}:start, by `quarry install` -->\n{self.body}\n<!-- quarry:{self.name}:end -->"

    def _split(self, text: str) -> tuple[str, str, str]:
        """The text before the section, the section, and the text behind it."""
        start = re.search(rf"<!-- quarry:{re.escape(self.name)}:start[^\r\n>]*-->", text)
        if start is None:
            return text, "", ""
        end = text.find(mark := f"<!-- quarry:{self.name}:end -->", start.end())
        if end < 0:
            raise Unchangeable(f"the section quarry:{self.name} has no end")
        end += len(mark)
        return text[: start.start()], text[start.start() : end], text[end:]


def parse_jsonc(text: str) -> dict[str, Any]:
    """
    The object in *text*, JSON that may have comments and trailing commas; empty for a blank text.

    Raises:
        Unchangeable: It is not an object, not JSON, or has a key twice.
    """
    if not text.strip():
        return {}
    try:
        return _parse_json(text)
    except json.JSONDecodeError:
        blank = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "\n" * found[0].count("\n") + " ", text)
        plain = _TRAILING_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else "", blank)
    try:
        return _parse_json(plain) if plain.strip() else {}
    except json.JSONDecodeError as error:
        raise Unchangeable(f"it is not JSON (line {error.lineno}: {error.msg})") from error


def parse_toml(text: str) -> dict[str, Any]:
    """
    Parse *text*, TOML.

    Raises:
        Unchangeable: It is not TOML, or has more than `MAX_TOML_CHARACTERS`.
    """
    if len(text) > MAX_TOML_CHARACTERS:
        raise Unchangeable(f"it has more than {MAX_TOML_CHARACTERS:,} characters")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of levels
        raise Unchangeable(f"it is not TOML: {error}") from error


def table_at(table: Table, path: Iterable[str]) -> Table:
    """The table at *path* below *table*; empty if there is none. Raises `Unchangeable` for another kind of value."""
    for key in path:
        table = table.get(key, {})
        if not isinstance(table, Mapping):
            raise Unchangeable(f"{key!r} in it is not an object")
    return table


def with_table(table: Table, path: tuple[str, ...], value: Table) -> Table:
    """A copy of *table* with *value* at *path*; an empty *value* removes the key, and tables that are empty then."""
    if not path:
        return value
    inner = with_table(table_at(table, path[:1]), path[1:], value)
    return {**table, path[0]: inner} if inner else {key: old for key, old in table.items() if key != path[0]}


def missing_from(table: object, wanted: object) -> Any:
    """The part of *wanted* that *table* does not contain."""
    if isinstance(table, Mapping) and isinstance(wanted, Mapping):
        parts = {key: missing_from(table.get(key), value) for key, value in wanted.items() if table.get(key) != value}
        return {key: part for key, part in parts.items() if part or not wanted[key]}
    if isinstance(table, list) and isinstance(wanted, list):
        return [item for item in wanted if item not in table]
    return wanted


def _parse_json(text: str) -> dict[str, Any]:
    """As `parse_jsonc`, but raises `JSONDecodeError` for comments."""
    try:
        value = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of levels
        raise Unchangeable(f"it cannot be parsed ({error})") from error
    if not isinstance(value, dict):
        raise Unchangeable("it does not contain a JSON object")
    return value


def _refuse_comments(text: str) -> None:
    try:
        _parse_json(text)
    except json.JSONDecodeError as error:
        raise Unchangeable(f"line {error.lineno} has a comment or a trailing comma, which would be lost") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise Unchangeable(f"it has the key {key!r} twice")
    return table


def _refuse_constant(name: str) -> None:
    raise Unchangeable(f"it contains {name}, which is not JSON")


def _written_like(text: str, table: Table) -> str:
    """*table* as JSON with the indentation, line ends and escapes of *text*."""
    indentation = _INDENTATION.search(text)
    is_compact = bool(text.strip()) and indentation is None
    separators = (",", ":") if is_compact and '": ' not in text else (", " if is_compact else ",", ": ")
    indent = None if is_compact else indentation[1] if indentation else "  "
    escapes = text.isascii() and "\\u" in text
    try:
        after = json.dumps(table, indent=indent, separators=separators, ensure_ascii=escapes, allow_nan=False)
        after.encode()
    except (ValueError, RecursionError) as error:  # infinity from 1e400, half a surrogate pair
        raise Unchangeable(f"it cannot be written again ({error})") from error
    ending = text[len(text.rstrip()) :] if text.strip() else "\n"
    return (after.replace("\n", "\r\n") if "\r\n" in text else after) + ending


def _json_part(part: object) -> str:
    return json.dumps(part, indent=2, ensure_ascii=False) if part else ""


def _update(document: Any, wanted: Table) -> None:
    """Change the tomlkit table *document* so that it means *wanted*."""
    for key in [key for key in document if key not in wanted]:
        del document[key]
    for key, value in wanted.items():
        if key not in document:
            document[key] = value
        elif isinstance(value, Mapping) and isinstance(document[key], Mapping):
            _update(document[key], value)
        elif document[key] != value:
            document[key] = value

"""
Reads a single YAML value: `plain`, `"quoted"`, `[a, list]` or `{a: map}`.

Brackets nest at most 20 deep, and each character is read a fixed number of times. A value is text unless it is clearly
a number or `true`/`false`: `no`, `0123`, `2024-13-45` and `1:30` stay as written.
"""

import math
import re
from typing import TypeAlias

MAX_DEPTH = 20  # nested lists and maps; nobody writes ten

FlowValue: TypeAlias = str | list["FlowValue"] | dict[str, "FlowValue"]
"""What brackets hold; single values stay as written."""

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")  # those that fit a 64-bit column; a longer number is an identifier
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})?\.[0-9]{1,30}(?:[eE][-+]?[0-9]{1,3})?")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "",
    "e": "",
    "a": "",
    "b": "",
    "f": "\n",
    "v": "\n",
    "N": "\n",
    "_": " ",
}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SPACE = re.compile(r"[ \t\n]*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"|\'(?:[^\']|\'\')*+\'', re.DOTALL)
_AFTER_QUOTED = re.compile(r"[ \t\n]*(?:[:,\]}]|\Z)")
# Links and template placeholders are text, whatever brackets they have.
_TEXT = r"(?:\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}|[^\[\]{},"
_PLAIN = re.compile(_TEXT + "])+")
_PLAIN_KEY = re.compile(_TEXT + ":]|:(?![ \\t\\n]))+")
_LIKE_TEXT = re.compile(r"\[\[[^\[\]]*\]\]|\{\{")


class YamlTooDeep(ValueError):
    """Brackets are nested more than 20 deep."""


def parse_scalar(written: str) -> str | int | float | bool:
    """Read an unquoted value: `true`, `false`, a decimal number, otherwise the text itself; "" if it is empty."""
    if written in _NOTHING:
        return ""
    if written[0] not in "-+.0123456789":
        lower = written.lower()
        return lower == "true" if lower in ("true", "false") else written
    if _INT.fullmatch(written):
        return int(written)
    if _FLOAT.fullmatch(written):
        number = float(written)
        return number if math.isfinite(number) else written
    return written


def parse_quoted(written: str) -> str:
    """Read a quoted text and resolve its escapes; *written* itself if it is not one quoted text."""
    if len(written) < 2 or written[0] != written[-1] or written[0] not in "'\"":
        return written
    inner = written[1:-1]
    if written[0] == "'":
        return inner.replace("''", "'")
    return _ESCAPE.sub(_unescape, inner)


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found[4])
    number = int(code, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return chr(number)


def parse_flow(written: str) -> tuple[FlowValue, int] | None:
    """
    Read the `[list]` or `{map}` at the start of *written*; return it and its end, or None if it does not close.

    Raises:
        YamlTooDeep: Brackets are nested more than 20 deep.
    """
    reader = _FlowReader(written)
    value = reader.collection(1)
    return None if value is None else (value, reader.at)


class _FlowReader:
    """Reads a value within brackets; None from any method means that it cannot be read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def collection(self, depth: int) -> FlowValue | None:
        if depth > MAX_DEPTH:
            raise YamlTooDeep
        opening = self._text[self.at]
        self.at += 1
        return self._list(depth) if opening == "[" else self._map(depth)

    def _list(self, depth: int) -> FlowValue | None:
        items: list[FlowValue] = []
        while not self._took("]"):
            item = self._value(depth, _PLAIN)
            if item is None:
                return None
            if item != "":
                items.append(item)
            if not self._took(",") and self._peek() != "]":
                return None
        return items

    def _map(self, depth: int) -> FlowValue | None:
        pairs: dict[str, FlowValue] = {}
        while not self._took("}"):
            name = self._value(depth, _PLAIN_KEY)
            if not isinstance(name, str):
                return None
            value = self._value(depth, _PLAIN) if self._took(":") else ""
            if value is None:
                return None
            if name:
                pairs[name] = value
            if not self._took(",") and self._peek() != "}":
                return None
        return pairs

    def _value(self, depth: int, plain: re.Pattern[str]) -> FlowValue | None:
        """A nested collection, a quoted text, or what *plain* takes; "" for nothing between two commas."""
        sign = self._peek()
        if sign in ("[", "{") and not _LIKE_TEXT.match(self._text, self.at):
            return self.collection(depth + 1)
        quoted = QUOTED.match(self._text, self.at) if sign in ("'", '"') else None
        if quoted and _AFTER_QUOTED.match(self._text, quoted.end()):
            self.at = quoted.end()
            return parse_quoted(quoted[0])
        found = plain.match(self._text, self.at)
        if found is None:
            return "" if sign in (",", ":") else None
        self.at = found.end()
        return found[0].strip()

    def _peek(self) -> str:
        """The next character that is not a space; "" at the end."""
        space = _SPACE.match(self._text, self.at)
        self.at = space.end() if space else self.at
        return self._text[self.at : self.at + 1]

    def _took(self, sign: str) -> bool:
        found = self._peek() == sign
        self.at += found
        return found

"""
Reads a single YAML value: `plain`, `"quoted"`, `[a, list]` or `{a: map}`.

Brackets nest at most 20 deep, and each character is read a fixed number of times. A value is text unless it is clearly
a number or `true`/`false`: `no`, `0123`, `2024-13-45` and `1:30` stay as written.
"""

import math
import re
from typing import TypeAlias

from msgspec import Struct

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
    opened: list[_Collection] = []  # those that enclose the present place, outermost first
    at = 0
    while True:
        at, sign = _next_sign(written, at)
        inner = opened[-1] if opened else None
        value: FlowValue
        if inner and inner.name is None and sign == inner.closing:
            value = inner.value
            opened.pop()
            at += 1
        elif sign in ("[", "{") and not (inner and _LIKE_TEXT.match(written, at)):
            if len(opened) == MAX_DEPTH:
                raise YamlTooDeep
            opened.append(_Collection([], "]") if sign == "[" else _Collection({}, "}"))
            at += 1
            continue
        else:
            is_name = inner is not None and isinstance(inner.value, dict) and inner.name is None
            found = _read_text(written, at, sign, _PLAIN_KEY if is_name else _PLAIN)
            if found is None:
                return None
            value, at = found
        if not opened:
            return value, at
        at, sign = _next_sign(written, at)
        if not opened[-1].add(value, is_name=sign == ":"):
            return None
        if sign == "," or opened[-1].name is not None:
            at += 1
        elif sign != opened[-1].closing:
            return None


class _Collection(Struct):
    """A list or map whose closing bracket was not read yet."""

    value: list[FlowValue] | dict[str, FlowValue]
    closing: str
    name: str | None = None  # the name in a map whose value comes next

    def add(self, part: FlowValue, *, is_name: bool) -> bool:
        """Add a value, or in a map a name, which has a value if *is_name*; returns whether *part* may be here."""
        if isinstance(self.value, list):
            if part != "":
                self.value.append(part)
        elif self.name is not None:
            if self.name:
                self.value[self.name] = part
            self.name = None
        elif not isinstance(part, str):
            return False
        elif is_name:
            self.name = part
        elif part:
            self.value[part] = ""
        return True


def _read_text(written: str, at: int, sign: str, plain: re.Pattern[str]) -> tuple[str, int] | None:
    """A quoted text, or what *plain* takes, and its end; "" for nothing between two commas."""
    quoted = QUOTED.match(written, at) if sign in ("'", '"') else None
    if quoted and _AFTER_QUOTED.match(written, quoted.end()):
        return parse_quoted(quoted[0]), quoted.end()
    if found := plain.match(written, at):
        return found[0].strip(), found.end()
    return ("", at) if sign in (",", ":") else None


def _next_sign(written: str, at: int) -> tuple[int, str]:
    """The offset of the next character that is not a space, and the character; "" at the end."""
    space = _SPACE.match(written, at)
    at = space.end() if space else at
    return at, written[at : at + 1]

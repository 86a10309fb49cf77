"""
Are the arguments of a tool what its schema says? All of them are checked, and what is wrong is named.

Understands what our own schemas use of JSON Schema 2020-12: `type`, `enum`, `minimum`, `maximum`, `maxLength`,
`items`, `maxItems`, `required`, `default`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
MAX_LENGTH = 4096  # characters of a text whose schema names no limit, as on the wire

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}
_TYPE_NAMES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}


class BadArguments(Exception):
    """An argument is unknown, missing or wrong; `suggestion` says what to send instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.suggestion = suggestion


def checked(schema: Schema, given: Any) -> dict[str, Any]:
    """
    The arguments *given*, with the defaults of those that are left out or null.

    Raises:
        BadArguments: One is unknown, missing, or not what *schema* allows.
    """
    properties: Mapping[str, Schema] = schema["properties"]
    if not isinstance(given, dict):
        raise BadArguments("`arguments` is an object", f"send {{{', '.join(properties)}}}")
    for name in given:
        if name not in properties:
            raise _unknown(name, properties)
    values = {name: _whole(properties[name], value) for name, value in given.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in values:
            raise BadArguments(f"`{name}` is missing", f"send `{name}`: {_described(properties[name])}")
    for name, value in values.items():
        _check(f"`{name}`", properties[name], value)
    return {name: values.get(name, about.get("default")) for name, about in properties.items()}


def nearest(name: str, names: Sequence[str]) -> str | None:
    """Which of *names* was probably meant by *name*; None where none is near."""
    from difflib import get_close_matches  # here, as most calls are right

    known = {one.lower(): one for one in names}
    found = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return known[found[0]] if found else None


def _unknown(name: str, properties: Mapping[str, Schema]) -> BadArguments:
    meant = nearest(name, list(properties))
    takes = f"it takes {', '.join(properties)}" if properties else "it takes no arguments"
    return BadArguments(f"there is no argument {name!r}", f"did you mean `{meant}`? {takes}" if meant else takes)


def _whole(schema: Schema, value: Any) -> Any:
    """*value*, or the whole number that it is: JSON has one kind of number, and some clients write 5.0."""
    is_whole = schema["type"] == "integer" and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def _check(name: str, schema: Schema, value: Any) -> None:
    kind = schema["type"]
    is_number_like_bool = isinstance(value, bool) and kind != "boolean"
    if is_number_like_bool or not isinstance(value, _TYPES[kind]):
        raise _wrong(name, f"is {_shown(value)}", schema)
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(name, f"is {_shown(value)}", schema)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            raise _wrong(name, f"is {value}", schema)
    elif isinstance(value, str) and len(value) > schema.get("maxLength", MAX_LENGTH):
        raise _wrong(name, f"has {len(value):,} characters", schema)
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            raise _wrong(name, f"has {len(value)} items", schema)
        for item in value:
            _check(f"an item of {name}", schema["items"], item)


def _wrong(name: str, found: str, schema: Schema) -> BadArguments:
    return BadArguments(f"{name} {found}; it takes {_described(schema)}", f"correct {name.removeprefix('an item of ')}")


def _described(schema: Schema) -> str:
    """Describe the values that *schema* allows."""
    if "enum" in schema:
        return " or ".join(map(repr, schema["enum"]))
    described = _TYPE_NAMES[schema["type"]]
    if "minimum" in schema and "maximum" in schema:
        described += f" from {schema['minimum']} to {schema['maximum']}"
    elif "minimum" in schema:
        described += f" from {schema['minimum']} on"
    if "maxLength" in schema:
        described += f" of at most {schema['maxLength']:,} characters"
    if "maxItems" in schema:
        described += f" of at most {schema['maxItems']}"
    return described


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."

"""
What the wire looks like, for `wire.mjs` to write down: JSON on standard output, from the structs of `protocol/`.

    schema     JSON Schema, one definition a struct and one a named union
    tables     method -> names of its parameters and result, for the `Methods` interface
    document   docs/PROTOCOL.md
    keywords   the keywords of the Python API
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import msgspec
from protocol_document import document
from python_keywords import keywords

from quarry import limits, messages, protocol
from quarry.protocol import envelope

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
REF = "#/definitions/{name}"


def spoken_types() -> list[type[msgspec.Struct]]:
    """Every struct that stands at the top of a message, and what those of requests have in common."""
    of_requests = [struct for pair in protocol.REQUESTS.values() for struct in pair]
    unasked = [*protocol.CLIENT_NOTIFICATIONS.values(), *protocol.SERVER_NOTIFICATIONS.values()]
    return [*of_requests, *unasked, envelope.ErrorResponse, protocol.ReadParams]


def named_unions(*modules: ModuleType) -> dict[str, tuple[str, ...]]:
    """The `Literal` aliases of *modules*, by name: name -> its words in the order in which they are written."""
    names = {name: value for module in modules for name, value in vars(module).items() if get_origin(value) is Literal}
    return {name: get_args(value) for name, value in sorted(names.items())}


def constants() -> dict[str, dict[str, float] | list[str]]:
    """The limits of the wire, and the choices that it offers, in their order."""
    numbers = {_camel(name): value for name, value in vars(limits).items() if _is_limit(name, value)}
    choices = {name: list(value) for name, value in vars(protocol).items() if name.isupper() and _are_words(value)}
    return {"LIMITS": numbers, **choices}


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(map(str.capitalize, rest))


def _is_limit(name: str, value: object) -> bool:
    return name.isupper() and isinstance(value, int | float) and name != "PROTOCOL_VERSION"


def _are_words(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(word, str) for word in value)


def definitions() -> dict[str, Schema]:
    """One JSON Schema a struct and a named union, limits and defaults spelled out in the descriptions."""
    _, structs = msgspec.json.schema_components(spoken_types(), ref_template=REF)
    unions = named_unions(protocol, messages)
    names = {frozenset(words): name for name, words in unions.items()}
    for schema in _all_parts(list(structs.values())):
        _say_limits(schema)
        _use_name(schema, names)
    return structs | {name: {"title": name, "type": "string", "enum": list(words)} for name, words in unions.items()}


def inherited(known: dict[str, Schema]) -> dict[str, Schema]:
    """*known*, where a struct that extends another one says so in place of the properties of that one."""
    return {name: _own_part(name, known) for name in known}


def _own_part(name: str, known: dict[str, Schema]) -> Schema:
    schema, struct = known[name], getattr(protocol, name, object)
    base = next((base.__name__ for base in getattr(struct, "__mro__", ())[1:] if base.__name__ in known), None)
    if base is None:
        return schema
    theirs = known[base]["properties"]
    own = {name: part for name, part in schema["properties"].items() if theirs.get(name) != part}
    return {**schema, "properties": own, "extends": {"$ref": REF.format(name=base)}}


def _all_parts(schema: Any) -> Iterator[Schema]:
    """Every schema in *schema*, itself included, inner ones first."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for part in list(parts):
        yield from _all_parts(part)
    if isinstance(schema, dict):
        yield schema


def _use_name(schema: Schema, names: dict[frozenset[str], str]) -> None:
    """Refer to a union by its name instead of spelling it out again."""
    words = schema.get("enum")
    if isinstance(words, list) and (name := names.get(frozenset(words))):
        del schema["enum"]
        schema["$ref"] = REF.format(name=name)


def _say_limits(schema: Schema) -> None:
    """Put the bounds and the default into the description, where an editor shows them."""
    sentences = [schema.get("description"), bounds(schema), default(schema)]
    if text := " ".join(sentence for sentence in sentences if isinstance(sentence, str) and sentence):
        schema["description"] = text


def bounds(schema: Schema) -> str:
    """The bounds of a value as a sentence, or nothing."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}."
    if low is not None:
        return f"At least {low}."
    if "maxLength" in schema:
        return f"At most {schema['maxLength']} characters."
    return f"At most {schema['maxItems']}." if "maxItems" in schema else ""


def default(schema: Schema) -> str:
    """The default of a parameter as a sentence, or nothing where it says nothing (null, empty)."""
    value = schema.get("default")
    return f"Default: {msgspec.json.encode(value).decode()}." if value and not isinstance(value, dict) else ""


def methods() -> dict[str, dict[str, str]]:
    """The request table with names for types."""
    return {
        method: {"params": params.__name__, "result": result.__name__}
        for method, (params, result) in protocol.REQUESTS.items()
    }


def notifications(table: dict[str, Any]) -> dict[str, str]:
    """A notification table with names for types."""
    return {method: params.__name__ for method, params in table.items()}


def main() -> None:
    """Write everything that is generated to standard output."""
    known = definitions()
    brief = inherited(known)
    wire = {
        "protocol": protocol.PROTOCOL_VERSION,
        "schema": brief,
        "constants": constants(),
        "tables": {
            "methods": methods(),
            "clientNotifications": notifications(protocol.CLIENT_NOTIFICATIONS),
            "serverNotifications": notifications(protocol.SERVER_NOTIFICATIONS),
        },
        "keywords": keywords(known, named_unions(protocol)),
        "document": document(brief, sessions=ROOT / "tests" / "wire"),
    }
    sys.stdout.buffer.write(msgspec.json.encode(wire))


if __name__ == "__main__":
    main()

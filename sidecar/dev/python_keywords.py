"""The keywords of the Python API, as typed dictionaries generated from the structs of `protocol/`."""

import re
import textwrap
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from quarry import protocol

HEADER = '''"""
Keywords of the methods of `Notes`.

Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from quarry import protocol as wire

Names = str | Sequence[str]
"""One name, or several."""
'''
WIDTH = 120
NOT_TAKEN = {"query", "text", "filters", "notes", "not_notes", "modified_after_ms", "modified_before_ms"}
"""Parameters that are arguments of their own, or for panes alone."""
OWN_DEFAULTS = {"expand_small_results": "False"}  # a program that asks for three notes wants three at most
CLASSES: tuple[tuple[str, type[msgspec.Struct], str, str], ...] = (
    (
        "WaitKeywords",
        protocol.ReadParams,
        "TypedDict",
        "How long, and for which changes, a request waits before it reads the index.",
    ),
    ("ScopeKeywords", protocol.Filters, "WaitKeywords", "Which notes may be hits. Each takes one name or several."),
    ("SearchKeywords", protocol.TierSearchParams, "ScopeKeywords", "Which notes a search returns, and how."),
    ("ContextKeywords", protocol.ContextParams, "ScopeKeywords", "Which passages a context quotes."),
    ("ListKeywords", protocol.ListNotesParams, "WaitKeywords", "Which notes are listed."),
    ("CaptureKeywords", protocol.CaptureParams, "TypedDict", "How a new note is written."),
)


def keywords(schemas: dict[str, Any], unions: dict[str, tuple[str, ...]]) -> str:
    """The module with the keywords; *schemas* have the descriptions, *unions* the words of the named types."""
    names = {frozenset(words): name for name, words in unions.items()}
    described = {**schemas, "ReadParams": schemas["SearchOptions"]}  # whose base it is
    parts = [HEADER]
    for name, params, base, summary in CLASSES:
        fields, notes = [], []
        for field in _offered(params, is_read=base.endswith("Keywords")):
            fields.append(f"    {field.name}: {_type(get_type_hints(params)[field.name], names)}")
            schema = described[params.__name__]["properties"][field.encode_name]
            if description := _description(schema):
                notes += _note(field.name, _in_python(field.name, description))
        doc = ['    """', f"    {summary}", "", "    Attributes:", *notes, '    """', ""]
        parts.append("\n".join([f"class {name}({base}, total=False):", *doc, *fields]) + "\n")
    return "\n\n".join(parts)


def _offered(params: type[msgspec.Struct], *, is_read: bool) -> list[msgspec.structs.FieldInfo]:
    """The fields that the Python API has: those whose interfaces say so, or all where none names its interfaces."""
    inherited = {*protocol.ReadParams.__struct_fields__} if is_read else set()
    fields = [field for field in msgspec.structs.fields(params) if field.name not in NOT_TAKEN | inherited]
    named = {option.name for option in protocol.options_of(params, "python")}
    return [field for field in fields if field.name in named] or fields


def _description(schema: dict[str, Any]) -> str | None:
    """The description of a value, which may be that of its first alternative."""
    return schema.get("description") or next((part.get("description") for part in schema.get("anyOf", ())), None)


def _type(annotation: Any, names: dict[frozenset[str], str]) -> str:
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        return f"wire.{names[frozenset(parts)]}"
    if type(None) in parts:
        return f"{_type(next(part for part in parts if part is not type(None)), names)} | None"
    if annotation is protocol.Weights:
        return "Mapping[wire.Retriever, float]"
    return "Names" if get_origin(annotation) in (tuple, list) else str(annotation.__name__)


def _in_python(name: str, description: str) -> str:
    """*description* with Python's names and values."""
    text = re.sub(r"`([a-z]+[A-Z]\w*)`", lambda found: re.sub(r"([A-Z])", r"_\1", found[0]).lower(), description)
    text = re.sub(r"\b([Nn])ull\b", "None", text)
    text = re.sub(r"Default: (true|false)\.", lambda found: f"Default: {found[1].capitalize()}.", text)
    return re.sub(r"Default: .*$", f"Default: {OWN_DEFAULTS[name]}.", text) if name in OWN_DEFAULTS else text


def _note(name: str, text: str) -> list[str]:
    return textwrap.wrap(f"{name}: {text}", WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12)

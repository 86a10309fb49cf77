"""
Messages for people: the code of a sentence in `locales/`, and the values that it quotes.

The engine chooses the code; whoever shows a message renders it in its own language. `text` renders English, for the
command line, agents and errors; the plugin has the same few rules in `plugin/i18n/translate.ts`:

- `{name}` stands for an argument. A number is grouped by thousands, a message is rendered, a list is joined by commas.
- `{name:or}` and `{name:and}` join a list as the language does. Texts in it are quoted, messages are not.
- A sentence with a form for each plural has the argument `count`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode  # noqa: TID251 - what the index stores

from quarry.lazy_pattern import lazy_pattern

_LOCALES = Path(__file__).parent / "locales"
_PLACEHOLDER = lazy_pattern(r"\{(\w+)(?::(\w+))?\}")


class Message(Struct, frozen=True):
    """A sentence, or a part of one: its code, which `locales/en.json` has in English, and the values in it."""

    code: str
    args: dict[str, str | int | Message | list[str | Message]]

    def __str__(self) -> str:
        return text(self)


Argument = str | int | Message | list[str | Message]


def message(code: str, **args: Argument | Sequence[str | Message]) -> Message:
    """The message with this *code* and these arguments."""
    return Message(code, {name: list(value) if isinstance(value, tuple) else value for name, value in args.items()})  # type: ignore[misc]


def text(message: Message) -> str:
    """*message* in English; the code itself if it is unknown here, as one of a newer sidecar may be."""
    template = _english().get(message.code, message.code)
    if isinstance(template, dict):
        template = template["one" if message.args["count"] == 1 else "other"]
    return _PLACEHOLDER.sub(lambda found: _shown(message.args[found[1]], found[2]), template)


def sentences(messages: Sequence[Message]) -> str:
    """*messages* in English, one after the other."""
    return " ".join(sentence(text(message)) for message in messages)


def sentence(clause: str) -> str:
    """*clause* with a capital and a full stop."""
    return clause[:1].upper() + clause[1:] + ("" if clause.endswith((".", "?", "!")) else ".")


def to_json(value: Message | Sequence[Message]) -> str:
    """*value* as the index stores it."""
    return encode(value).decode()


def from_json(text: str) -> Message:
    """The message that `to_json` made *text* of."""
    return decode(text, type=Message)


def list_from_json(text: str) -> tuple[Message, ...]:
    """The messages that `to_json` made *text* of."""
    return decode(text, type=tuple[Message, ...])


@cache
def _english() -> dict[str, Any]:
    catalogue: dict[str, Any] = json.loads((_LOCALES / "en.json").read_text("utf-8"))
    return catalogue


def _shown(value: Any, joined_by: str | None = None) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, list | tuple):
        return text(value)
    if joined_by is None:
        return ", ".join(map(_shown, value))
    parts = [f"“{part}”" if isinstance(part, str) else text(part) for part in value]
    *others, last = parts or [""]
    comma = "," if len(others) > 1 else ""  # as `Intl.ListFormat` does in English
    return f"{', '.join(others)}{comma} {joined_by} {last}" if others else last

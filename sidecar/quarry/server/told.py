"""Messages by code as they leave: what they quote is scrubbed once more."""

from collections.abc import Mapping

from quarry import protocol as wire
from quarry.messages import Argument, Message
from quarry.redaction.sanitize import all_scrubbed


def told_message(told: Message, clean: Mapping[str, str] | None = None) -> wire.Message:
    """*told*, as a client words it; *clean* has `texts_of` it scrubbed, where that is done already."""
    clean = all_scrubbed(texts_of(told)) if clean is None else clean
    return wire.Message(code=told.code, args={name: _clean(value, clean) for name, value in told.args.items()})


def texts_of(told: Message) -> list[str]:
    """All texts that *told* quotes."""
    values = told.args.values()
    lists = [value for value in values if isinstance(value, tuple)]
    return [*[value for value in values if isinstance(value, str)], *[text for texts in lists for text in texts]]


def _clean(value: Argument, clean: Mapping[str, str]) -> str | int | list[str]:
    if isinstance(value, tuple):
        return [clean[text] for text in value]
    return clean[value] if isinstance(value, str) else value

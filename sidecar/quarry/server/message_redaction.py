"""Messages as they leave: the texts that they quote are redacted once more."""

from collections.abc import Mapping

from quarry.messages import Argument, Message
from quarry.redaction.sanitize import all_scrubbed
from quarry.vault.paths import shown


def redacted(message: Message, clean: Mapping[str, str] | None = None) -> Message:
    """*message* as it is sent; *clean* has the redacted forms of its `texts_of`, if they are known already."""
    clean = all_scrubbed(texts_of(message)) if clean is None else clean
    return Message(message.code, {name: _redacted(value, clean) for name, value in message.args.items()})


def texts_of(message: Message) -> list[str]:
    """All texts that *message* quotes."""
    return [text for value in message.args.values() for text in _texts(value)]


def _texts(value: Argument) -> list[str]:
    if isinstance(value, Message):
        return texts_of(value)
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def _redacted(value: Argument, clean: Mapping[str, str]) -> Argument:
    if isinstance(value, Message):
        return redacted(value, clean)
    if isinstance(value, list):
        return [redacted(part, clean) if isinstance(part, Message) else shown(clean[part]) for part in value]
    return shown(clean[value]) if isinstance(value, str) else value

"""Messages by code as they leave: what they quote is scrubbed once more."""

from quarry.interfaces import protocol as wire
from quarry.interfaces.sanitize import scrubbed
from quarry.messages import Argument, Message


def told_message(told: Message) -> wire.Message:
    """*told*, as a client words it."""
    return wire.Message(code=told.code, args={name: _clean(value) for name, value in told.args.items()})


def _clean(value: Argument) -> str | int | list[str]:
    if isinstance(value, tuple):
        return [scrubbed(each) for each in value]
    return scrubbed(value) if isinstance(value, str) else value

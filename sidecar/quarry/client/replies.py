"""
Replies as a tool reads them: JSON objects with the attributes of the wire's structs, and JSON again as it was sent.

Made for commands that ask one question: importing and declaring the structs takes longer than asking. Code is typed
with the structs of `protocol/` all the same; their fields are looked up by the names they have on the wire.
"""

import json
from typing import TYPE_CHECKING, Any

from quarry.errors import ConnectionFailed
from quarry.messages import Message, message

if TYPE_CHECKING:
    from quarry import protocol as wire


class Reply(dict[str, Any]):
    """A JSON object; `reply.heading_path` is its member `headingPath`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python's own protocols look for
            raise AttributeError(name)
        head, *rest = name.split("_")
        wire_name = head + "".join(map(str.capitalize, rest))
        try:
            return self[wire_name]
        except KeyError:
            raise ConnectionFailed(
                f"the sidecar's answer lacks {wire_name!r}: it is of another version than this tool; stop it and try "
                "again"
            ) from None


class Number(float):
    """A float that remembers its digits: Python and the sidecar write exponents in different ways."""

    __slots__ = ("digits",)

    def __init__(self, digits: str) -> None:
        self.digits = digits


def parse_reply(text: str) -> Any:
    """
    The JSON value of *text*, its objects as `Reply`.

    Raises:
        ConnectionFailed: It is not JSON.
    """
    try:
        return json.loads(text, object_hook=Reply, parse_float=Number, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ConnectionFailed(f"the answer does not follow the sidecar's protocol ({error})") from error


def json_text(value: Any, *, compact: bool = False) -> str:
    """*value* as JSON: indented by two blanks, or *compact* on one line. Numbers of replies keep their digits."""
    return _compact(value) if compact else _indented(value, "\n")


def _indented(value: Any, line_end: str) -> str:
    deeper = line_end + "  "
    if isinstance(value, dict) and value:
        members = (f"{deeper}{_compact(name)}: {_indented(member, deeper)}" for name, member in value.items())
        return f"{{{','.join(members)}{line_end}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{','.join(f'{deeper}{_indented(item, deeper)}' for item in value)}{line_end}]"
    return _compact(value)


def _compact(value: Any) -> str:
    if isinstance(value, Number):
        return value.digits
    if isinstance(value, dict):
        return f"{{{','.join(f'{_compact(name)}:{_compact(member)}' for name, member in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_compact, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def remarks(result: "wire.SearchResult") -> list[Message]:
    """How the query was corrected or relaxed, and whether the hits match poorly."""
    found: list[Message] = []
    if result.corrections and result.hits:
        typed = tuple(one.typed for one in result.corrections)
        found.append(message("answer.corrected", used=tuple(one.used for one in result.corrections), typed=typed))
    if result.unknown_words:
        found.append(message("answer.unknown", words=tuple(result.unknown_words)))
    if result.relaxed:
        found += result.relaxed.messages
    elif result.weakness:
        is_filtered = any(clause.kind != "phrase" for clause in result.clauses)
        filtered = "-filtered" if is_filtered and result.weakness == "no-words" else ""
        found.append(message(f"answer.{result.weakness}{filtered}"))
    return found

"""
What does a property in brackets ask for: `[due]`, `[status:done OR dropped]`, `[rating:>=4]`, `[due:<today]`?

Quotes keep a value from being read as anything else: `[status:"null"]`, `[sign:"<"]`.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from quarry.conditions import Comparison, Condition, HasProperty, either

_PIECES = re.compile(r'"[^"]*"?|\S+')
_COMPARED = re.compile(r"(<=|>=|<|>)\s*(.*)", re.DOTALL)
_COMPARISONS: dict[str, Comparison] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def read_property(name: str, value: str | None, today: date) -> Condition:
    """The condition of `[name:value]`; of `[name]`, and while there is no value yet, that the property is there."""
    written = (value or "").strip()
    if written.startswith("(") and written.endswith(")"):
        written = written[1:-1]
    found = [HasProperty(name, *_compared(each, today)) for each in _alternatives(written) if each.strip("<>= ")]
    return either(found) if found else HasProperty(name)


def _alternatives(written: str) -> Iterator[str]:
    """The pieces between `OR`, not looking into quotes."""
    pieces: list[str] = []
    for piece in _PIECES.findall(written):
        if piece == "OR":
            yield " ".join(pieces)
            pieces.clear()
        else:
            pieces.append(piece)
    yield " ".join(pieces)


def _compared(written: str, today: date) -> tuple[Comparison, str]:
    compared = _COMPARED.fullmatch(written)
    if compared:
        value = compared[2].strip('"')
        days = _DAYS.get(value.lower())
        return _COMPARISONS[compared[1]], value if days is None else (today + timedelta(days)).isoformat()
    return "is", "" if written == "null" else written.replace('"', "")

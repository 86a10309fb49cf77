"""How is a condition written as a query: `folder:Work`, `-#draft`, `[rating:>=4]`? What is read back is the same."""

from datetime import UTC, date, datetime, timedelta
from typing import assert_never

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InBlock,
    InFile,
    InFolder,
    InPath,
    InSection,
    InTask,
    InTimeRange,
    IsKind,
    IsNote,
    MatchesPattern,
    Not,
)
from quarry.lazy_pattern import lazy_pattern

_PLAIN = lazy_pattern(r"[^\s\"()/#-][^\s\"()]*")
_PLAIN_TAG = lazy_pattern(r"(?=[^\s]*[^\d/_-])[^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\]+")
_PLAIN_NAME = lazy_pattern(r"[^\[\]\":(){}<>,=|\\#\s]+(?: [^\[\]\":(){}<>,=|\\#\s]+)*")
_OF_PROPERTIES = frozenset({"type", "domain", "status"})
_TASKS = {"any": "task", "todo": "task-todo", "done": "task-done"}


def written(condition: Condition) -> str:
    """*condition* in the language of queries."""
    match condition:
        case AllOf(parts):
            return f"({' '.join(map(written, parts))})" if len(parts) != 1 else written(parts[0])
        case AnyOf(parts):
            return f"({' OR '.join(map(written, parts))})"
        case Not(part):
            return f"-{written(part)}"
        case HasPhrase(phrase, match_case):
            return f'match-case:"{phrase}"' if match_case else f'"{phrase}"'
        case MatchesPattern(pattern, place):
            return f"/{pattern}/" if place == "text" else f"{place}:/{pattern}/"
        case InSection(phrases, without):
            return f"section:{_phrases(phrases, without)}"
        case InBlock(unit, phrases, without):
            return f"{unit}:{_phrases(phrases, without)}"
        case InTask(state, phrases, without):
            return f"{_TASKS[state]}:{_phrases(phrases, without) if phrases or without else ''}"
        case InFolder(folder):
            return f"folder:{_value(folder or '/')}"
        case InPath(part):
            return f"path:{_value(part)}"
        case InFile(part):
            return f"file:{_value(part)}"
        case IsNote(path):
            return f"path:{_value(path)}"  # no operator names one note; its path is unlike others
        case IsKind(kind):
            return f"kind:{kind}"
        case HasTag(tag):
            return f"#{tag}" if _PLAIN_TAG.fullmatch(tag) else f"tag:{_value(tag)}"
        case HasProperty():
            return _property(condition)
        case InTimeRange(field):
            return f"{field}:{_range(condition)}"
        case _:
            assert_never(condition)


def _value(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f'"{text}"'


def _phrases(phrases: tuple[str, ...], without: tuple[str, ...]) -> str:
    every = [*[f'"{phrase}"' for phrase in phrases], *[f'-"{phrase}"' for phrase in without]]
    return every[0] if len(every) == 1 and phrases else f"({' '.join(every)})"


def _property(condition: HasProperty) -> str:
    name, comparison, value = condition.name, condition.comparison, condition.value
    if comparison == "is" and value and name in _OF_PROPERTIES:
        return f"{name}:{_value(value)}"
    shown = name if _PLAIN_NAME.fullmatch(name) else f'"{name}"'
    if comparison == "exists":
        return f"[{shown}]"
    if comparison == "is":
        return f"[{shown}:{_property_value(value) if value else 'null'}]"
    return f"[{shown}:{comparison}{_property_value(value)}]"


def _property_value(value: str) -> str:
    is_plain = _PLAIN_NAME.fullmatch(value) and value != "null" and "OR" not in value.split()
    return value if is_plain else f'"{value}"'


def _range(condition: InTimeRange) -> str:
    first, behind = _day(condition.from_ms), _day(condition.until_ms)
    if first is None or behind is None:
        return f">={first}" if first else f"<{behind}" if behind else ""
    last = behind - timedelta(1)
    return str(first) if first >= last else f"{first}..{last}"


def _day(moment_ms: int | None) -> date | None:
    return None if moment_ms is None else datetime.fromtimestamp(moment_ms / 1000, tz=UTC).astimezone().date()

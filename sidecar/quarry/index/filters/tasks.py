"""
Finds the tasks in a text, and compares them with what a query wants.

A task is a list item with a box, `- [ ] call`, `* [x] called`, `1. [/] calling`, with the lines below it that go on
further in; it ends where the next item begins. In fenced code there are none.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from quarry.analysis.alternatives import Languages
from quarry.conditions import InTask, TaskState
from quarry.index.filters.blocks import says
from quarry.lazy_pattern import lazy_pattern

_ITEM = lazy_pattern(r"(?P<margin>[ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]*(?: (?P<rest>.*))?", re.DOTALL)
_BOX = lazy_pattern(r"\[(?P<mark>[^\[\]])\] [ \t]*(?P<says>.*)", re.DOTALL)
_ANY_TASK = lazy_pattern(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]* \[[^\[\]]\] ", re.MULTILINE)  # a quick no for most texts
_FENCE = lazy_pattern(r"[ \t>]*(```|~~~)")
_MARGIN = lazy_pattern(r"[ \t>]*")
_DONE = frozenset("xX")


class Task(Struct, frozen=True):
    """A task as it is written, without its box."""

    says: str
    is_done: bool


def tasks_in(text: str) -> Iterator[Task]:
    """The tasks of *text*, in order."""
    mark, margin, lines = "", 0, list[str]()
    is_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        item = None if is_code else _ITEM.fullmatch(line)
        goes_on = item is None and line.strip() and _width(line) > margin
        if lines and not goes_on:
            yield Task("\n".join(lines), mark in _DONE)
            lines.clear()
        if item is None:
            if lines:
                lines.append(line.strip())
            continue
        box = _BOX.fullmatch(item["rest"] or "")
        if box:
            mark, margin = box["mark"], len(item["margin"])
            lines.append(box["says"] or "")
    if lines:
        yield Task("\n".join(lines), mark in _DONE)


def holds_task(text: str, wanted: InTask, languages: Languages = ()) -> bool:
    """Whether a task in *text* has the wanted state and the wanted words, in English or one of *languages*."""
    if not _ANY_TASK.search(text):
        return False
    return any(
        _is_state(task, wanted.state) and says(task.says, wanted.phrases, wanted.without, languages)
        for task in tasks_in(text)
    )


def _is_state(task: Task, state: TaskState) -> bool:
    return state == "any" or task.is_done == (state == "done")


def _width(line: str) -> int:
    found = _MARGIN.match(line)
    return found.end() if found else 0

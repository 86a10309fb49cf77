"""
Finds the tasks in a text, and compares them with what a query wants.

A task is a list item with a box, `- [ ] call`, `* [x] called`, `1. [/] calling`, with the lines below it that go on
further in; it ends where the next item begins. In fenced code there are none.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from quarry.conditions import InTask, TaskState
from quarry.index.folding import fold_case
from quarry.terms.alternatives import Languages, phrase_alternatives
from quarry.terms.analysis import analyse, phrase_terms
from quarry.terms.languages import ENGLISH

_ITEM = re.compile(r"(?P<margin>[ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]*(?: (?P<rest>.*))?", re.DOTALL)
_BOX = re.compile(r"\[(?P<mark>[^\[\]])\] [ \t]*(?P<says>.*)", re.DOTALL)
_ANY_TASK = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]* \[[^\[\]]\] ", re.MULTILINE)  # a quick no for most texts
_FENCE = re.compile(r"[ \t>]*(```|~~~)")
_MARGIN = re.compile(r"[ \t>]*")
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
    return any(_is_state(task, wanted.state) and _says(task, wanted, languages) for task in tasks_in(text))


def _is_state(task: Task, state: TaskState) -> bool:
    return state == "any" or task.is_done == (state == "done")


def _says(task: Task, wanted: InTask, languages: Languages) -> bool:
    if not wanted.phrases and not wanted.without:
        return True
    words = [f" {analyse(task.says, language).words} " for language in (ENGLISH, *languages)]
    written = fold_case(" ".join(task.says.split()))

    def stands(phrase: str) -> bool:
        if not phrase_terms(phrase):
            return fold_case(" ".join(phrase.split())) in written
        wordings = phrase_alternatives(phrase_terms(phrase, languages))
        return any(f" {' '.join(terms)} " in of_language for terms in wordings for of_language in words)

    return all(map(stands, wanted.phrases)) and not any(map(stands, wanted.without))


def _width(line: str) -> int:
    found = _MARGIN.match(line)
    return found.end() if found else 0

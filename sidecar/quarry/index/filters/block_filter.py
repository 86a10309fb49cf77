"""
Finds the lines, blocks and tasks of a text, and compares what they say with what a query wants.

A block is what Obsidian can link to: a paragraph, a list item with the lines below it that are no items, a heading, a
table, a quotation, a code block. One that is divided between two chunks counts as two.

A task is a list item with a box, `- [ ] call`, `* [x] called`, `1. [/] calling`, with the lines below it that go on
further in; it ends where the next item begins. In fenced code there are none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from quarry.analysis.analysis import Languages, analyse, phrase_alternatives, phrase_terms
from quarry.analysis.languages import ENGLISH
from quarry.conditions import InBlock, InTask, TaskState
from quarry.index.keys import fold_case
from quarry.lazy_pattern import lazy_pattern

_FENCE = lazy_pattern(r"[ \t>]*(```|~~~)")
_HEADING = lazy_pattern(r" {0,3}#{1,6}[ \t]")
_ITEM = lazy_pattern(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")


def blocks_in(text: str) -> Iterator[str]:
    """The blocks of *text*, in order."""
    block: list[str] = []
    is_code = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        is_heading = not is_code and _HEADING.match(line) is not None
        begins = is_heading or (is_fence and not is_code) or (not is_code and (not line.strip() or _ITEM.match(line)))
        if block and begins:
            yield "\n".join(block)
            block.clear()
        if line.strip() or is_code:
            block.append(line)
        if is_heading or (is_fence and is_code):
            yield "\n".join(block)
            block.clear()
        is_code ^= is_fence
    if block:
        yield "\n".join(block)


def holds_unit(text: str, wanted: InBlock | InTask, languages: Languages = ()) -> bool:
    """Whether a line, block or task of *text* says what is wanted, in English or one of *languages*."""
    if isinstance(wanted, InTask):
        tasks = tasks_in(text) if _ANY_TASK.search(text) else ()
        units: Iterable[str] = (task.says for task in tasks if _is_state(task, wanted.state))
    else:
        every = text.split("\n") if wanted.unit == "line" else blocks_in(text)
        units = (unit for unit in every if unit.strip())
    return any(says(unit, wanted.phrases, wanted.without, languages) for unit in units)


def says(text: str, phrases: Sequence[str], without: Sequence[str], languages: Languages = ()) -> bool:
    """Whether *text* contains all of *phrases* and none of *without*, in any form and case of their words."""
    if not phrases and not without:
        return True
    words = [f" {analyse(text, language).words} " for language in (ENGLISH, *languages)]
    written = fold_case(" ".join(text.split()))

    def stands(phrase: str) -> bool:
        if not phrase_terms(phrase):
            return fold_case(" ".join(phrase.split())) in written
        wordings = phrase_alternatives(phrase_terms(phrase, languages))
        return any(f" {' '.join(terms)} " in of_language for terms in wordings for of_language in words)

    return all(map(stands, phrases)) and not any(map(stands, without))


def holds_cased(text: str, phrase: str) -> bool:
    """Whether the words of *phrase* are whole words of *text*, next to each other, in exactly this case."""
    written = re.finditer(r"\s+".join(map(re.escape, phrase.split())), text)
    return any(not (_joined(text, found.start()) or _joined(text, found.end())) for found in written)


def _joined(text: str, at: int) -> bool:
    """Whether offset *at* is within a word; not in a script without spaces."""
    return 0 < at < len(text) and _continues(text[at - 1]) and _continues(text[at])


def _continues(sign: str) -> bool:
    return sign.isdecimal() or sign.lower() != sign.upper()


_TASK_ITEM = lazy_pattern(r"(?P<margin>[ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]*(?: (?P<rest>.*))?", re.DOTALL)
_BOX = lazy_pattern(r"\[(?P<mark>[^\[\]])\] [ \t]*(?P<says>.*)", re.DOTALL)
_ANY_TASK = lazy_pattern(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]* \[[^\[\]]\] ", re.MULTILINE)  # a quick no for most texts
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
        item = None if is_code else _TASK_ITEM.fullmatch(line)
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


def _is_state(task: Task, state: TaskState) -> bool:
    return state == "any" or task.is_done == (state == "done")


def _width(line: str) -> int:
    found = _MARGIN.match(line)
    return found.end() if found else 0

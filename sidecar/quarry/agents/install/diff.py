"""A change as a person sees it before it is made: a unified diff, without the credentials that stand in the file."""

import difflib
import re
from collections.abc import Iterator

from quarry.agents.install.plan import FileChange
from quarry.redaction.sanitize import scrubbed

CONTEXT = 3  # lines
MAX_WIDTH = 500  # characters of a line that are shown; a minified configuration is one line of megabytes
BEFORE_CHANGE = 100  # of these, before the place that changed
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def unified_diff(change: FileChange) -> list[str]:
    """The lines of the diff, file names first; empty where the file does not change."""
    if not change.is_change:
        return []
    path = str(change.state.path)
    before, after = _lines(change.state.text), _lines(change.text or "")
    start, shared_end = _shared(before, after)
    first = max(start - CONTEXT, 0)
    last = max(shared_end - CONTEXT, 0)
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    if len(old) == len(new) == 1:
        old, new = _windows(old[0], new[0])
    names = "/dev/null" if change.state.data is None else path, "/dev/null" if change.text is None else path
    lines = difflib.unified_diff(old, new, *names, lineterm="", n=CONTEXT)
    return [scrubbed(line) for line in _shifted(lines, first)]


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _shared(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines are the same at the start, and of the others at the end; difflib would compare all with all."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return start, end


def _windows(old: str, new: str) -> tuple[list[str], list[str]]:
    """One changed line, as much of it as shows the change."""
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old))
    start = max(same - BEFORE_CHANGE, 0)
    if max(len(old), len(new)) <= MAX_WIDTH or not start:
        return [old], [new]
    return [f"…{old[start:]}"], [f"…{new[start:]}"]


def _shifted(lines: Iterator[str], offset: int) -> Iterator[str]:
    """*lines* of a diff of parts that begin *offset* lines into their texts."""
    for line in lines:
        if found := _HUNK.fullmatch(line):
            yield f"@@ -{int(found[1]) + offset}{found[2] or ''} +{int(found[3]) + offset}{found[4] or ''} @@"
        else:
            yield line if len(line) <= MAX_WIDTH else f"{line[:MAX_WIDTH]}…"

"""
Stack traces of Python, JavaScript, Java, Go and Rust: of each, the message, the first and the last frame, and the
deepest one that is no library's. Causes are traces of their own, and stay with what introduces them.
"""

from collections.abc import Callable
from typing import NamedTuple

from quarry.agents.hooks.compression.command import Command
from quarry.agents.hooks.compression.reduction import MAX_MATCHED, Reduction
from quarry.lazy_pattern import lazy_pattern

MIN_FRAMES = 4  # of a run; of three, hardly one could be left out
_LIBRARY = lazy_pattern(
    r"site-packages|dist-packages|/lib/python\d|\\Lib\\|<frozen "  # Python
    r"|node_modules|node:|\(internal/|native code"  # JavaScript
    r"|\bat (?:java|jdk)\.\w+/|\bat (?:java|javax|jdk|sun|com\.sun|kotlin|org\.(?:junit|springframework|apache))\."
    r"|/rustc/|\.cargo/registry|\b(?:std|core|alloc|test)(?:\[\w+\])?::|rust_begin_unwind|<unknown>"
    r"|/usr/local/go/src|/go/pkg/mod|^(?:runtime|testing|reflect|net/http|syscall)\."
)
"""What a frame of a library, or of what starts programs, says in one of its lines."""
_PYTHON_FRAME = lazy_pattern(r'(\s*)File "[^"]+", line \d+(?:, in .+)?')
_PYTHON_REPEATED = lazy_pattern(r"\s*\[Previous line repeated \d+ more times?\]")
_AT_FRAME = lazy_pattern(r"\s+at \S.*|\s+\.\.\. \d+ (?:more|lines matching cause stack trace).*")
_OMITTED = lazy_pattern(r"\s+\.\.\. \d+ |\s*\[Previous line repeated ")
_GO_CALL = lazy_pattern(r"(?:created by )?[\w./*()·\[\]{}…-]+(?:\(.*\))?(?: in goroutine \d+)?")
_GO_PLACE = lazy_pattern(r"\t\S.*\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?")
_WAITED = lazy_pattern(r"(?<=[a-z])(?:, \d+ minutes)(?:, locked to thread)?\]:$")  # of a goroutine
_RUST_FRAME = lazy_pattern(r"\s*\d+:\s+\S.*")
_RUST_START = "stack backtrace:"  # without it, numbered lines are a list of anything
_RUST_PLACE = lazy_pattern(r"\s+at \S.*:\d+(?::\d+)?")


class _Frame(NamedTuple):
    """The lines `[start, end)` of one frame."""

    start: int
    end: int


def reduce(command: Command, lines: list[str]) -> Reduction | None:  # noqa: ARG001 - as every kind
    """*lines* with the middle of each trace left out; None where none has any."""
    kept: list[str] = []
    own = number = 0
    while number < len(lines):
        frames = _frames_at(lines, number)
        if len(frames) < MIN_FRAMES:
            end = frames[-1].end if frames else number + 1
            kept += lines[number:end]
            number = end
            continue
        shown = _chosen(lines, frames)
        for index, frame in enumerate(frames):
            if index in shown:
                kept += lines[frame.start : frame.end]
            elif index - 1 in shown:
                gone = next(later for later in range(index, len(frames) + 1) if later in shown or later == len(frames))
                kept.append(f"{_indent(lines[frame.start])}... {gone - index} frames")
                own += 1
        number = frames[-1].end
    return Reduction([_WAITED.sub("]:", line) for line in kept], own=own) if own else None


def _chosen(lines: list[str], frames: list[_Frame]) -> set[int]:
    """The frames to show: the first, the last, the deepest that is no library's, and what is no frame of its own."""
    indices = range(len(frames))
    shown = {0, len(frames) - 1} | {index for index in indices if _OMITTED.match(lines[frames[index].start])}
    last = max(index for index in indices if index == 0 or not _OMITTED.match(lines[frames[index].start]))
    shown.add(last)
    deepest_is_last = _PYTHON_FRAME.fullmatch(lines[frames[0].start][:MAX_MATCHED]) is not None
    order = reversed(indices) if deepest_is_last else indices
    own = (index for index in order if not _LIBRARY.search("\n".join(lines[frames[index].start : frames[index].end])))
    shown.add(next(own, 0))
    return shown | {
        index for index in indices if {index - 1, index + 1} <= shown
    }  # a line that says "1 frame" is one, too


def _frames_at(lines: list[str], start: int) -> list[_Frame]:
    """The frames in a row from line *start* on, of the first language whose frame stands there."""
    for frame_end in _LANGUAGES:
        if frame_end is _rust_end and (not start or lines[start - 1].strip() != _RUST_START):
            continue
        frames: list[_Frame] = []
        number = start
        while number < len(lines) and (end := frame_end(lines, number)) is not None:
            frames.append(_Frame(number, end))
            number = end
        if frames:
            return frames
    return []


def _python_end(lines: list[str], number: int) -> int | None:
    """Where the frame of Python at *number* ends: its code and the marks below it are indented deeper."""
    if _PYTHON_REPEATED.fullmatch(lines[number][:MAX_MATCHED]):
        return number + 1
    if not (found := _PYTHON_FRAME.fullmatch(lines[number][:MAX_MATCHED])):
        return None
    deeper = found[1] + "  "
    number += 1
    while number < len(lines) and lines[number].startswith(deeper) and not _is_python_start(lines[number]):
        number += 1
    return number


def _is_python_start(line: str) -> bool:
    start = line[:MAX_MATCHED]
    return bool(_PYTHON_FRAME.fullmatch(start) or _PYTHON_REPEATED.fullmatch(start))


def _at_end(lines: list[str], number: int) -> int | None:
    """Where the frame `at …` of JavaScript or Java at *number* ends: it is one line."""
    return number + 1 if _AT_FRAME.fullmatch(lines[number][:MAX_MATCHED]) else None


def _go_end(lines: list[str], number: int) -> int | None:
    """Where the frame of Go at *number* ends: a call, and its place on the next line."""
    if number + 1 >= len(lines) or not _GO_PLACE.fullmatch(lines[number + 1][:MAX_MATCHED]):
        return None
    return number + 2 if _GO_CALL.fullmatch(lines[number][:MAX_MATCHED]) else None


def _rust_end(lines: list[str], number: int) -> int | None:
    """Where the numbered frame of Rust at *number* ends: its place may stand on the next line."""
    if not _RUST_FRAME.fullmatch(lines[number][:MAX_MATCHED]):
        return None
    has_place = number + 1 < len(lines) and _RUST_PLACE.fullmatch(lines[number + 1][:MAX_MATCHED])
    return number + 2 if has_place else number + 1


_LANGUAGES: tuple[Callable[[list[str], int], int | None], ...] = (_python_end, _at_end, _go_end, _rust_end)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] or "  "

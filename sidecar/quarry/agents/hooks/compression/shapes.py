"""Shortens outputs of which the order of lines matters: listings of files, `git status`, stack traces."""

from collections.abc import Iterator

from quarry.agents.hooks.compression.lines import MAX_MATCHED, PATTERNS, Program, Shortened, patterns

SHOWN = 20  # entries of a listing
SHOWN_PATHS = 5  # of each state of `git status`; of conflicts all
MIN_FRAMES = 4  # of a trace; of three, hardly one could be left out
RUST_START = "stack backtrace:"  # without it, numbered lines are a list of anything

_LISTINGS, _GIT, _TRACES = patterns("listings"), patterns("git_status"), patterns("traces")
_WORDS = {name: frozenset(PATTERNS["listings"][name].split()) for name in ("programs", "unordered", "acting")}
_TOLD_OTHERWISE, _CONFLICTS = (
    frozenset(PATTERNS["git_status"][name].split()) for name in ("told_otherwise", "conflicts")
)
_SECTIONS, _STATES = PATTERNS["git_status"]["sections"], PATTERNS["git_status"]["states"]

# --- listings ----------------------------------------------------------------------------------


def shorten_listing(programs: tuple[Program, ...], lines: list[str]) -> Shortened | None:
    """The first entries, a count, and the remarks; None unless the only program lists files."""
    program, *others = programs
    if others or program.name not in _WORDS["programs"] or _WORDS["acting"] & set(program.arguments):
        return None
    entries = [line for line in lines if line.strip() and not _is_remark(line)]
    if len(entries) <= SHOWN:
        return None
    if program.name in _WORDS["unordered"] and "sort" not in program.filters:
        entries.sort()
    wants_times = any(_LISTINGS["by_time"].fullmatch(argument) for argument in program.arguments)
    shown = [line if wants_times else _undated(line) for line in entries[:SHOWN]]
    count = f"... {len(entries) - SHOWN:,} more, {len(entries):,} entries in all"
    return Shortened([*shown, count, *filter(_is_remark, lines)], own=1)


def _is_remark(line: str) -> bool:
    """Whether *line* is a complaint of the program, or its own count."""
    start = line[:MAX_MATCHED]
    return bool(_LISTINGS["complaint"].match(start) or _LISTINGS["summary"].fullmatch(line.strip()[:MAX_MATCHED]))


def _undated(line: str) -> str:
    """A line of `ls -l` without its time."""
    return _LISTINGS["long_entry"].sub(r"\1 ", line, count=1) if len(line) <= MAX_MATCHED else line


# --- git status --------------------------------------------------------------------------------

_Groups = dict[tuple[str, str], list[str]]  # section and state -> paths


def shorten_git_status(programs: tuple[Program, ...], lines: list[str]) -> Shortened | None:
    """Remarks, and counts by state; None unless every line is one of `git status`."""
    program, *others = programs
    is_status = program.name == "git" and "status" in program.words and not (others or program.filters)
    if not is_status or _TOLD_OTHERWISE & set(program.arguments):
        return None
    is_short = any(_GIT["short"].fullmatch(line) for line in lines[:2])
    read = _read_short(lines) if is_short else _read_long(lines)
    if read is None:
        return None
    remarks, groups = read
    counts = list(_counts(groups))
    shown = sum(line.startswith("\t") for line in counts)
    if shown == sum(map(len, groups.values())):
        return None
    return Shortened([*remarks, *counts], own=len(counts) - shown)


def _read_long(lines: list[str]) -> tuple[list[str], _Groups] | None:
    remarks: list[str] = []
    groups: _Groups = {}
    section = ""
    for line in lines:
        if line.strip() in _SECTIONS and not line.startswith("\t"):
            section = _SECTIONS[line.strip()]
        elif section and (found := _GIT["long"].fullmatch(line)):
            groups.setdefault((section, (found[1] or "").strip()), []).append(found[2])
        elif line.startswith("\t"):
            return None
        elif line.strip() and not _GIT["hint"].fullmatch(line):
            remarks.append(line)
    return remarks, groups


def _read_short(lines: list[str]) -> tuple[list[str], _Groups] | None:
    remarks: list[str] = []
    groups: _Groups = {}
    for line in lines:
        if line.startswith("## "):
            remarks.append(line)
        elif found := _GIT["short"].fullmatch(line):
            for key in _short_states(found[1], found[2]):
                groups.setdefault(key, []).append(found[3])
        elif line.strip():
            return None
    return remarks, groups


def _short_states(staged: str, unstaged: str) -> Iterator[tuple[str, str]]:
    if staged + unstaged in _CONFLICTS:
        yield "unmerged", staged + unstaged
    elif staged in "?!":
        yield _STATES[staged], ""
    else:
        both = (("staged", staged), ("not staged", unstaged))
        yield from ((section, _STATES.get(state, state)) for section, state in both if state != " ")


def _counts(groups: _Groups) -> Iterator[str]:
    """A line with the count of each group, and its first paths."""
    for (section, state), paths in groups.items():
        shown = paths if section == "unmerged" else paths[:SHOWN_PATHS]
        yield f"{f'{section}, {state}' if state else section}: {len(paths)}"
        yield from (f"\t{path}" for path in shown)
        if len(shown) < len(paths):
            yield f"  ... {len(paths) - len(shown)} more"


# --- stack traces ------------------------------------------------------------------------------


def shorten_traces(_: tuple[Program, ...], lines: list[str]) -> Shortened | None:
    """*lines* with the middle of each trace left out: messages, both ends and the deepest frame of the program stay."""
    kept: list[str] = []
    own = number = 0
    while number < len(lines):
        frames = _frames_at(lines, number)
        end = frames[-1].stop if frames else number + 1
        if len(frames) < MIN_FRAMES:
            kept += lines[number:end]
        else:
            shown = _chosen(lines, frames)
            for index, frame in enumerate(frames):
                if index in shown:
                    kept += lines[frame.start : frame.stop]
                elif index - 1 in shown:
                    gone = next(at for at in range(index, len(frames) + 1) if at in shown or at == len(frames))
                    kept.append(f"{_indent(lines[frame.start])}... {gone - index} frames")
                    own += 1
        number = end
    return Shortened([_TRACES["waited"].sub("]:", line) for line in kept], own) if own else None


def _chosen(lines: list[str], frames: list[range]) -> set[int]:
    """The frames to show: the first, the last, the deepest of the program itself, and notes on omitted ones."""
    indices = range(len(frames))
    omitted = {index for index in indices if _TRACES["omitted"].match(lines[frames[index].start])}
    shown = {0, len(frames) - 1, *omitted, max(index for index in indices if index == 0 or index not in omitted)}
    deepest_is_last = _TRACES["python_frame"].fullmatch(lines[frames[0].start][:MAX_MATCHED]) is not None
    texts = ["\n".join(lines[frame.start : frame.stop]) for frame in frames]
    own = [index for index in indices if not _TRACES["library"].search(texts[index])]
    shown.add((own[-1] if deepest_is_last else own[0]) if own else 0)
    return shown | {index for index in indices if {index - 1, index + 1} <= shown}  # a line in its place is no shorter


def _frames_at(lines: list[str], start: int) -> list[range]:
    """The frames in a row from line *start* on, each as its lines, of the first language whose frame is there."""
    for frame_end in (_python_end, _at_end, _go_end, _rust_end):
        if frame_end is _rust_end and (not start or lines[start - 1].strip() != RUST_START):
            continue
        frames: list[range] = []
        number = start
        while number < len(lines) and (end := frame_end(lines, number)) is not None:
            frames.append(range(number, end))
            number = end
        if frames:
            return frames
    return []


def _is(name: str, lines: list[str], number: int) -> bool:
    return number < len(lines) and _TRACES[name].fullmatch(lines[number][:MAX_MATCHED]) is not None


def _python_end(lines: list[str], number: int) -> int | None:
    """Where the frame of Python at *number* ends: its code and the marks below it are indented deeper."""
    if _is("python_repeated", lines, number):
        return number + 1
    if not (found := _TRACES["python_frame"].fullmatch(lines[number][:MAX_MATCHED])):
        return None
    deeper = found[1] + "  "
    number += 1
    while number < len(lines) and lines[number].startswith(deeper):
        if _is("python_frame", lines, number) or _is("python_repeated", lines, number):
            break
        number += 1
    return number


def _at_end(lines: list[str], number: int) -> int | None:
    """Where the frame `at …` of JavaScript or Java at *number* ends: it is one line."""
    return number + 1 if _is("at_frame", lines, number) else None


def _go_end(lines: list[str], number: int) -> int | None:
    """Where the frame of Go at *number* ends: a call, and its place on the next line."""
    return number + 2 if _is("go_place", lines, number + 1) and _is("go_call", lines, number) else None


def _rust_end(lines: list[str], number: int) -> int | None:
    """Where the numbered frame of Rust at *number* ends: its place may be on the next line."""
    if not _is("rust_frame", lines, number):
        return None
    return number + 2 if _is("rust_place", lines, number + 1) else number + 1


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] or "  "

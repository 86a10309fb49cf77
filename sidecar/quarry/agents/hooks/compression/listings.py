"""Listings of files: the first 20 entries, how many there are, and every line that is no entry."""

from quarry.agents.hooks.compression.command import Command
from quarry.agents.hooks.compression.reduction import MAX_MATCHED, Reduction
from quarry.lazy_pattern import lazy_pattern

SHOWN = 20
_PROGRAMS = frozenset({"ls", "find", "tree", "fd", "fdfind", "exa", "eza", "dir"})
_UNORDERED = frozenset({"find", "fd", "fdfind"})  # in the order of the disk, or of threads
_ACTING = frozenset({"-exec", "-execdir", "-ok", "-delete", "-printf", "-print0", "-x", "-X", "--exec", "--exec-batch"})
_BY_TIME = lazy_pattern(r"-[a-zA-Z]*[tucU]|--sort.*|--time.*|--full-time|-printf|--modified|-newer.*|-mtime|-mmin|-ls")
_COMPLAINT = lazy_pattern(r"(?:/\S*/)?(?:ls|find|tree|fd|fdfind|exa|eza|dir|gfind|gls): |.*\[error opening dir\]")
_SUMMARY = lazy_pattern(r"total [\d.]+[KMGT]?|\d+ director(?:y|ies)(?:, \d+ files?)?")
_LONG_ENTRY = lazy_pattern(
    r"([-dlbcpsD][-rwxsStTl.@+]{9,11}\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMGT]?)\s+"
    r"(?:[A-Z][a-z]{2}\s+\d{1,2}\s+[\d:]{4,5}|\d{1,2}\s+[A-Z][a-z]{2}\s+[\d:]{4,5}"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d(?::\S+ \S+)?)\s"
)


def reduce(command: Command, lines: list[str]) -> Reduction | None:
    """The first entries and a count; None where *command* does something besides listing files."""
    program = command.only
    if program is None or program.name not in _PROGRAMS or _ACTING & set(program.arguments):
        return None
    entries = [line for line in lines if line.strip() and not _is_remark(line)]
    remarks = [line for line in lines if _is_remark(line)]
    if len(entries) <= SHOWN:
        return None
    if program.name in _UNORDERED and "sort" not in program.filters:
        entries.sort()
    wants_times = any(_BY_TIME.fullmatch(argument) for argument in program.arguments)
    shown = [line if wants_times else _undated(line) for line in entries[:SHOWN]]
    count = f"... {len(entries) - SHOWN:,} more, {len(entries):,} entries in all"
    return Reduction([*shown, count, *remarks], own=1)


def _is_remark(line: str) -> bool:
    """Whether *line* is no entry but a complaint of the program, or its own count."""
    return bool(_COMPLAINT.match(line[:MAX_MATCHED]) or _SUMMARY.fullmatch(line.strip()[:MAX_MATCHED]))


def _undated(line: str) -> str:
    """A line of `ls -l` without its time."""
    return _LONG_ENTRY.sub(r"\1 ", line, count=1) if len(line) <= MAX_MATCHED else line

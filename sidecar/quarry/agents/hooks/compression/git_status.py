"""`git status`: where the branch stands, and how many paths are in each state, with the first of them."""

from collections.abc import Iterator

from quarry.agents.hooks.compression.command import Command
from quarry.agents.hooks.compression.reduction import Reduction
from quarry.lazy_pattern import lazy_pattern

SHOWN = 5  # paths of each state; of conflicts all
_SECTIONS = {
    "Changes to be committed:": "staged",
    "Changes not staged for commit:": "not staged",
    "Untracked files:": "untracked",
    "Ignored files:": "ignored",
    "Unmerged paths:": "unmerged",
}
_STATES = {
    "M": "modified",
    "A": "new file",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "typechange",
    "?": "untracked",
    "!": "ignored",
}
_LONG = lazy_pattern(
    r"\t(?:(modified|new file|deleted|renamed|copied|typechange|[a-z ]*(?:both|by us|by them)[a-z ]*): +)?(.+)"
)
_SHORT = lazy_pattern(r"([ MADRCTU?!])([ MADRCTU?!]) (.+)")
_CONFLICTS = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
_HINT = lazy_pattern(
    r"\s+\((?:use|commit or discard|all conflicts fixed|fix conflicts|see) .*\)|no changes added to commit.*"
    r"|nothing added to commit.*"
)

_Groups = dict[tuple[str, str], list[str]]


def reduce(command: Command, lines: list[str]) -> Reduction | None:
    """Counts by state; None where *command* is another one, or a line is none of `git status`."""
    program = command.only
    if program is None or program.name != "git" or "status" not in program.words or program.filters:
        return None
    if {"-v", "-vv", "--verbose", "-z", "--porcelain=v2"} & set(program.arguments):
        return None
    is_short = any(_SHORT.fullmatch(line) for line in lines[:2])
    read = _read_short(lines) if is_short else _read_long(lines)
    if read is None:
        return None
    remarks, groups = read
    told = list(_told(groups))
    paths = sum(map(len, groups.values()))
    shown = sum(line.startswith("\t") for line in told)
    if shown == paths:
        return None
    return Reduction([*remarks, *told], own=len(told) - shown)


def _read_long(lines: list[str]) -> tuple[list[str], _Groups] | None:
    remarks: list[str] = []
    groups: _Groups = {}
    section = ""
    for line in lines:
        if line.strip() in _SECTIONS and not line.startswith("\t"):
            section = _SECTIONS[line.strip()]
        elif section and (found := _LONG.fullmatch(line)):
            groups.setdefault((section, (found[1] or "").strip()), []).append(found[2])
        elif line.startswith("\t"):
            return None
        elif line.strip() and not _HINT.fullmatch(line):
            remarks.append(line)
    return remarks, groups


def _read_short(lines: list[str]) -> tuple[list[str], _Groups] | None:
    remarks: list[str] = []
    groups: _Groups = {}
    for line in lines:
        if line.startswith("## "):
            remarks.append(line)
        elif found := _SHORT.fullmatch(line):
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
        if staged != " ":
            yield "staged", _STATES.get(staged, staged)
        if unstaged != " ":
            yield "not staged", _STATES.get(unstaged, unstaged)


def _told(groups: _Groups) -> Iterator[str]:
    """A line with the count of each group, and its first paths."""
    for (section, state), paths in groups.items():
        name = f"{section}, {state}" if state else section
        shown = paths if section == "unmerged" else paths[:SHOWN]
        yield f"{name}: {len(paths)}"
        yield from (f"\t{path}" for path in shown)
        if len(shown) < len(paths):
            yield f"  ... {len(paths) - len(shown)} more"

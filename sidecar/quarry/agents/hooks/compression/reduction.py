"""What a kind of output is reduced to: the lines that stay, and how many of them are our own."""

import re
from typing import NamedTuple

from quarry.lazy_pattern import lazy_pattern

ALARM = lazy_pattern(
    r"(?<!-W)error|exception|warning|fail|panic|fatal|traceback|abort|deprecat|vulnerab|conflict|corrupt|assert"
    r"|\b(?:denied|cannot|can't|could not|undefined|unresolved|not found|no such|segmentation|killed|refused|timed out"
    r"|timeout|unexpected|invalid|missing|unable|bad|err|unsatisf\w*|unsupported|not supported|exit code|exited)\b",
    re.IGNORECASE,
)
"""Words by which a line may speak of a failure. One that has any is never taken for mere information."""

MAX_MATCHED = 2_000  # characters of a line that patterns look at; a longer one is data, and stays or goes as one entry


class Reduction(NamedTuple):
    """The lines that stay; `own` of them were not in the output, and `left_out` of its lines are gone."""

    lines: list[str]
    own: int = 0
    left_out: int = 0

    def of(self, total: int) -> "Reduction":
        """The reduction of an output of *total* lines, as it was before it was cleaned."""
        return self._replace(left_out=max(0, total - len(self.lines) + self.own))


def is_alarming(line: str) -> bool:
    """Whether *line* may speak of a failure."""
    return ALARM.search(line[:MAX_MATCHED]) is not None


def without_blank_runs(lines: list[str]) -> list[str]:
    """*lines* with no blank ones at the ends and no two in a row."""
    found: list[str] = []
    for line in lines:
        if line.strip() or (found and found[-1].strip()):
            found.append(line)
    while found and not found[-1].strip():
        found.pop()
    return found

"""
Shortens outputs line by line: what only a terminal needs, what a build reports, what a test run says of passed tests.

A line is left out only where a pattern of `patterns.toml` recognises it as one that says nothing of a failure.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quarry.lazy_pattern import lazy_pattern

MAX_MATCHED = 2_000  # characters of a line that patterns look at; a longer one is data, and stays or goes as one entry
PATTERNS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text(encoding="utf-8"))
RULER_WIDTH = 3


def pattern(source: str | list[str]) -> re.Pattern[str]:
    """A regular expression of `patterns.toml`."""
    joined = source if isinstance(source, str) else "|".join(source)
    return lazy_pattern(joined.replace("{time}", PATTERNS["time"]))


def patterns(section: str) -> dict[str, re.Pattern[str]]:
    """All regular expressions of *section*, by name."""
    found = PATTERNS[section].items()
    return {name: pattern(source) for name, source in found if isinstance(source, str | list)}


_TERMINAL, _BUILDS, _SUITES = patterns("terminal"), patterns("builds"), PATTERNS["suites"]
_ALARM = pattern(PATTERNS["alarm"]["words"])
_INFORMATION = pattern([part for parts in PATTERNS["builds"]["information"].values() for part in parts])
_BUILDERS = frozenset(PATTERNS["builds"]["programs"].split())
_BUILDS_BY_WORD = {name: frozenset(words.split()) for name, words in PATTERNS["builds"]["by_word"].items()}


class Program(NamedTuple):
    """One program that is run: its name without folders, its arguments, and the filters behind it in a pipe."""

    name: str
    arguments: tuple[str, ...]
    filters: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """The arguments that are not options."""
        return frozenset(argument for argument in self.arguments if not argument.startswith("-"))


class Shortened(NamedTuple):
    """The lines that stay; `own` of them are not in the output."""

    lines: list[str]
    own: int = 0


# --- any line ----------------------------------------------------------------------------------


def is_alarming(line: str) -> bool:
    """Whether *line* may speak of a failure."""
    return _ALARM.search(line[:MAX_MATCHED]) is not None


def without_blank_runs(lines: list[str]) -> list[str]:
    """*lines* with no blank ones at the ends and no two in a row."""
    found: list[str] = []
    for line in lines:
        if line.strip() or (found and found[-1].strip()):
            found.append(line)
    return found[:-1] if found and not found[-1].strip() else found


def cleaned_lines(text: str) -> list[str]:
    """The lines of *text* as a terminal would show them in the end, without colours, progress bars and wide rulers."""
    plain = _TERMINAL["escapes"].sub("", text.replace("\r\n", "\n"))
    lines = (line.rstrip("\r").rpartition("\r")[2].rstrip() for line in plain.rstrip("\n").split("\n"))
    return [_narrow(line) for line in lines if not is_progress(line)]


def is_progress(line: str) -> bool:
    """Whether *line* shows how far something is, and nothing else."""
    return bool(line) and len(line) <= MAX_MATCHED and _TERMINAL["progress"].fullmatch(line) is not None


def _narrow(line: str) -> str:
    """A ruler of a few characters in place of one as wide as the terminal."""
    if _TERMINAL["spaced_ruler"].fullmatch(line[:MAX_MATCHED]):
        return "_ _ _"
    if len(line) > MAX_MATCHED or (found := _TERMINAL["ruler"].match(line)) is None:
        return line
    mark = (found[1] or found[2]) * RULER_WIDTH
    return f"{mark}{found[3]}{mark}" if found[3] else mark


# --- builds, installations, type checks ----------------------------------------------------------


def shorten_build(programs: tuple[Program, ...], lines: list[str]) -> Shortened | None:
    """*lines* without those that only inform; None unless each of *programs* builds. The last outcome stays."""
    if not all(map(_is_builder, programs)):
        return None
    informing = {number for number, line in enumerate(lines) if _informs(line)}
    outcome = max((number for number in informing if _BUILDS["outcome"].match(lines[number])), default=None)
    kept = [_untimed_build(line) for number, line in enumerate(lines) if number not in informing or number == outcome]
    return Shortened(without_blank_runs(kept)) if len(kept) < len(lines) else None


def _is_builder(program: Program) -> bool:
    words = _BUILDS_BY_WORD.get(program.name, frozenset())
    return program.name in _BUILDERS or not words.isdisjoint(program.arguments)


def _informs(line: str) -> bool:
    is_known = bool(line.strip()) and len(line) <= MAX_MATCHED and _INFORMATION.fullmatch(line) is not None
    return is_known and not is_alarming(line)


def _untimed_build(line: str) -> str:
    """*line* without how long the build took."""
    if len(line) > MAX_MATCHED:
        return line
    line = _BUILDS["elapsed"].sub(r"\1", line)
    return line if is_alarming(line) else _BUILDS["timed"].sub(r"\1", line, count=1)


# --- test runs ---------------------------------------------------------------------------------


class _Runner(NamedTuple):
    """How the output of a test runner is recognised, and which of its lines say nothing of a failure."""

    counts: re.Pattern[str]
    verdicts: re.Pattern[str]
    noise: re.Pattern[str]
    counted: Mapping[str, re.Pattern[str]]  # what a line that is left out counts as, where a run has no counts


def _runner(about: Mapping[str, Any]) -> _Runner:
    never = "(?!)"
    counted = {label: pattern(source) for label, source in about.get("counted", {}).items()}
    return _Runner(
        pattern(about.get("counts", never)), pattern(about.get("verdicts", never)), pattern(about["noise"]), counted
    )


_RUNNERS = {name: _runner(about) for name, about in _SUITES["runners"].items()}
_FAILURES = [(pattern(start), pattern(end)) for start, end in _SUITES["failures"]]
_RUN = {name: pattern(source) for name, source in _SUITES.items() if name not in ("runners", "failures")}


def shorten_test_run(_: tuple[Program, ...], lines: list[str]) -> Shortened | None:
    """*lines* without those of passed tests; None unless they are of a known runner."""
    text = "\n".join(line[:MAX_MATCHED] for line in lines)
    counting = [runner for runner in _RUNNERS.values() if runner.counts.search(text)]
    runners = [runner for runner in _RUNNERS.values() if runner in counting or runner.verdicts.search(text)]
    if not runners:
        return None
    is_noise, failures = _noise_of(runners, text), set(_in_failures(lines))
    dropped = {number for number, line in enumerate(lines) if number not in failures and is_noise(line)}
    if _RUNNERS["unittest"] in runners:
        dropped |= set(_described_tests(lines)) - failures
    dropped |= set(_headings(lines, dropped)) | set(_tap_details(lines, dropped))
    kept = [
        line if number in failures else _untimed(line) for number, line in enumerate(lines) if number not in dropped
    ]
    if counting:
        return Shortened(without_blank_runs(kept))
    counted = {label: found for runner in runners for label, found in runner.counted.items()}
    counts = [f"{sum(bool(found.match(lines[at])) for at in dropped)} {label}" for label, found in counted.items()]
    return Shortened([*without_blank_runs(kept), ", ".join(counts)], own=1)


def _noise_of(runners: list[_Runner], text: str) -> Callable[[str], bool]:
    """Whether a line says nothing of a failure, by the patterns of *runners*."""
    failed = set(_RUN["go_failed"].findall(text)) if _RUNNERS["go"] in runners else set()

    def is_noise(line: str) -> bool:
        if len(line) > MAX_MATCHED or not any(runner.noise.fullmatch(line) for runner in runners):
            return False
        if found := _RUN["go_started"].match(line):
            return found[1] not in failed
        return bool(_RUN["passed"].search(line) or _RUN["header"].match(line)) or not is_alarming(line)

    return is_noise


def _in_failures(lines: list[str]) -> Iterator[int]:
    """The lines of the parts that print failures."""
    end: re.Pattern[str] | None = None
    for number, line in enumerate(lines):
        start = line[:MAX_MATCHED]
        if end is not None and end.match(start):
            end = None
        if end is None:
            end = next((ends for begins, ends in _FAILURES if begins.match(start)), None)
        if end is not None:
            yield number


def _headings(lines: list[str], dropped: set[int]) -> Iterator[int]:
    """Names of groups in blocks of Jest's files that passed: lines whose next one is deeper and left out."""
    passing = False
    blocks: list[int] = []
    for number, line in enumerate(lines):
        if found := _RUN["block"].match(line):
            passing = found[1] == "PASS"
        elif passing:
            blocks.append(number)
    gone = set(dropped)
    for number in reversed(blocks):
        behind = number + 1
        is_deeper = behind < len(lines) and _indent(lines[behind]) > _indent(lines[number])
        if number not in gone and behind in gone and is_deeper and lines[number].strip() and lines[number][:1] == " ":
            gone.add(number)
            yield number


def _described_tests(lines: list[str]) -> Iterator[int]:
    """Tests of unittest with a description that passed: the name, and the description on the next line."""
    for number in range(len(lines) - 1):
        name, description = lines[number][:MAX_MATCHED], lines[number + 1][:MAX_MATCHED]
        if _RUN["bare_test"].fullmatch(name) and _RUN["described_ok"].fullmatch(description):
            yield from (number, number + 1)


def _tap_details(lines: list[str], dropped: set[int]) -> Iterator[int]:
    """The blocks of TAP that follow on a test that passed: from `---` to `...`, deeper than the test."""
    inside = False
    for number in range(1, len(lines)):
        line = lines[number].strip()
        if not inside and line == "---" and number - 1 in dropped and lines[number - 1].lstrip().startswith("ok "):
            inside = True
        if inside:
            yield number
            inside = line != "..."


def _untimed(line: str) -> str:
    """*line* without the duration that it ends with, where it is one about a test or a run."""
    if len(line) > MAX_MATCHED:
        return line
    line = _RUN["nextest_time"].sub(r"\1", _RUN["worker"].sub("", line), count=1)
    if not _RUN["timed"].match(line):
        return line
    text, _, end = line.rpartition(" ") if line.endswith("==") and " " in line else (line, "", "")
    return f"{_RUN['duration'].sub('', text)} {end}" if end else _RUN["duration"].sub("", text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

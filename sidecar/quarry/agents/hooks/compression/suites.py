"""
Test runs of pytest, unittest, Jest, Vitest, Mocha, Node, Go and Cargo: what says that a test passed is left out.

Everything else stays: the counts, what is printed about failures, and all that is not recognised. Durations are taken
out of the lines that stay, as they differ each time.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from quarry.agents.hooks.compression.command import Command
from quarry.agents.hooks.compression.reduction import MAX_MATCHED, Reduction, is_alarming, without_blank_runs
from quarry.lazy_pattern import lazy_pattern

_M = re.MULTILINE
_TIME = r"(?:\d+(?:\.\d+)?\s?(?:m?s|µs|m|h|seconds?|minutes?)\b\s?)+"


class _Runner(NamedTuple):
    """How the output of one kind of test runner is recognised, and which of its lines say nothing of a failure."""

    signature: re.Pattern[str]  # of an output of it, whole enough to hold its counts
    noise: re.Pattern[str]  # a whole line


_PYTEST = _Runner(
    lazy_pattern(
        r"^(?:=+ )?(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+ in [\d.]+s",
        _M,
    ),
    lazy_pattern(
        r"\S+::.* (?:PASSED|SKIPPED|XFAIL)(?: \(.*\))?(?:\s+\[ *\d+%\])?"
        r"|\[gw\d+\] \[ *\d+%\] (?:PASSED|SKIPPED|XFAIL) .*"
        r"|(?:\S+\.py )?[.sx]+(?:\s+\[ *\d+%\])?"
        r"|\S+\.py::\S+"  # under way, on a worker
        r"|(?:platform |cachedir: |rootdir: |configfile: |testpaths: |plugins: |asyncio: |Using --randomly-seed|"
        r"Random seed: |hypothesis profile |bringing up nodes|scheduling tests via |collecting |created: \d+/\d+ |"
        r"benchmark: |timeout: |timeout method: ).*"
        r"|\d+ workers? \[\d+ items?\]|gw\d+ .*\[\d+\].*|=+ test session starts =+"
        r"|[\d.]+s (?:call|setup|teardown) +\S+.*|=+ slowest .*durations =+|\(\d+ durations < .*\)"
    ),
)
_UNITTEST = _Runner(
    lazy_pattern(r"^Ran \d+ tests? in [\d.]+s", _M),
    lazy_pattern(r"test\w* \([\w.<>]+\) \.\.\. (?:ok|skipped .*|expected failure)|[.sx]{2,}"),
)
_JEST = _Runner(
    lazy_pattern(r"^(?:Tests:|Test Suites:)\s.*\d total|^ *Tests  ?\s*\d.*\(\d+\)|^ +Test Files +\d", _M),
    lazy_pattern(
        r"\s*(?:✓|√|✔|○|↓|◌) .*|(?:\s*✓ )?PASS\s.*|\s*(?:Start at|Duration) +\d.*|Time: +\d.*"
        r"|Ran all test suites.*|\s*RUN +v\S+.*|\s*·+\s*"
    ),
)
_MOCHA = _Runner(
    lazy_pattern(r"^ +\d+ passing \(|^(?:#|ℹ) tests \d+$|^1\.\.\d+$", _M),
    lazy_pattern(r"\s*(?:✓|√|✔|﹣) .*|\s*ok \d+ - .*|(?:#|ℹ) duration_ms .*"),
)
_GO = _Runner(
    lazy_pattern(r"^(?:--- (?:PASS|FAIL|SKIP): |ok  ?\t?\s*\S+\s+(?:[\d.]+s|\(cached\))|FAIL\t\S+)", _M),
    lazy_pattern(
        r"=== (?:RUN|PAUSE|CONT) .*|\s*--- (?:PASS|SKIP): .*|PASS|ok\s+\S+\s+(?:[\d.]+s|\(cached\)).*"
        r"|\?\s+\S+\s+\[no test files\]"
    ),
)
_CARGO = _Runner(
    lazy_pattern(r"^test result: (?:ok|FAILED)\.|^ +Summary \[ *[\d.]+s\] \d+ tests? run", _M),
    lazy_pattern(
        r"test \S+(?: - .*)? \.\.\. (?:ok|ignored.*)|[.i]+(?: \d+/\d+)?"
        r"|\s*(?:Compiling|Downloaded|Downloading|Fresh|Blocking|Updating|Locking|Finished|Starting|Nextest run ID) .*"
        r"|\s+PASS \[ *[\d.]+s\].*"
    ),
)
RUNNERS = (_PYTEST, _UNITTEST, _JEST, _CARGO, _GO, _MOCHA)

_PASSED = lazy_pattern(r"PASSED|\bok\b|✓|√|✔|--- PASS|PASS \[|^PASS\s")
_HEADER = lazy_pattern(
    r"(?:plugins|rootdir|testpaths|configfile|cachedir|platform|timeout|timeout method)[: ]|\S+\.py::\S+$"
)
_WORKER = lazy_pattern(r"^\[gw\d+\] \[ *\d+%\] ")  # of pytest-xdist: which one it was differs each time
_NEXTEST_TIME = lazy_pattern(r"^(\s+(?:FAIL|SLOW|TIMEOUT|Summary|TERMINATING)) \[[ >]*[\d.]+s\]")
_BARE_TEST = lazy_pattern(r"test\w* \([\w.]+\)")
_DESCRIBED_OK = lazy_pattern(r"(?!.* \.\.\. .* \.\.\. ).* \.\.\. ok")
_DURATION = lazy_pattern(
    rf"(?: in {_TIME}(?: \([\d:.]+\))?|; finished in {_TIME}|\s+\(?{_TIME}\)?|\s+\(cached\)|\s+\[ *[\d.]+s\]"
    r"|\s+\[ *\d{1,3}%\])$"
)
_TIMED = lazy_pattern(
    r"\s*(?:✓|✗|×|✕|✖|❯|⎯|=|FAIL|ok |--- |Ran \d|test result:|\d+\) |\d+ (?:passing|failing|pending|passed|failed)"
    r"|\S+::\S+ (?:FAILED|ERROR)|\S+\.py [.sxFE]+|\[gw)"
)
_GO_STARTED = lazy_pattern(r"=== (?:RUN|PAUSE|CONT) +(\S+)")
_GO_FAILED = lazy_pattern(r"^\s*--- FAIL: (\S+)", _M)
_SECTIONS = tuple(
    (lazy_pattern(start), lazy_pattern(end))
    for start, end in (
        (r"=+ (?:FAILURES|ERRORS) =+", r"=+ (?!FAILURES|ERRORS).* =+"),
        (r"(?:FAIL|ERROR): \S", r"Ran \d+ tests? in"),
        (r"\s*● ", r"(?:PASS|FAIL) \S|Tests: |Test Suites: |Summary of all"),
        (r"⎯+ (?:Failed|Unhandled)|\s+FAIL  \S", r"\s+Test Files  "),
        (r"failures:", r"test result: "),
        (r"\s+\d+ failing|✖ failing tests", r"(?!)"),
    )
)
"""How the parts of an output begin and end that print failures: they stay to the letter."""
_BLOCK = lazy_pattern(r"(PASS|FAIL)\s+\S|(?:Tests|Test Suites|Snapshots|Summary)\b")


def reduce(command: Command, lines: list[str]) -> Reduction | None:  # noqa: ARG001 - as every kind
    """The output of a test run without what passed; None where *lines* are none of a known runner."""
    text = "\n".join(line[:MAX_MATCHED] for line in lines)
    runners = [runner for runner in RUNNERS if runner.signature.search(text)]
    if not runners:
        return None
    is_noise, failures = _noise_of(runners, text), set(_in_failures(lines))
    dropped = {number for number, line in enumerate(lines) if number not in failures and is_noise(line)}
    if _UNITTEST in runners:
        dropped |= set(_descriptions(lines)) - failures
    dropped |= set(_headings(lines, dropped)) | set(_details(lines, dropped))
    kept = without_blank_runs(
        [line if number in failures else _untimed(line) for number, line in enumerate(lines) if number not in dropped]
    )
    if runners == [_GO]:  # the only one that does not count
        return Reduction([*kept, _go_counts([lines[number] for number in dropped])], own=1)
    return Reduction(kept)


def _in_failures(lines: list[str]) -> Iterator[int]:
    """The lines of the parts that print failures."""
    end: re.Pattern[str] | None = None
    for number, line in enumerate(lines):
        start = line[:MAX_MATCHED]
        if end is not None and end.match(start):
            end = None
        if end is None:
            end = next((ends for begins, ends in _SECTIONS if begins.match(start)), None)
        if end is not None:
            yield number


def _go_counts(dropped: list[str]) -> str:
    tests = sum(line.lstrip().startswith("--- PASS") for line in dropped)
    packages = sum(line.startswith("ok") for line in dropped)
    return f"{tests} tests passed, {packages} packages ok"


def _noise_of(runners: list[_Runner], text: str) -> Callable[[str], bool]:
    """Whether a line says nothing of a failure, by the patterns of *runners*."""
    failed = set(_GO_FAILED.findall(text)) if _GO in runners else set()

    def is_noise(line: str) -> bool:
        if len(line) > MAX_MATCHED or not any(runner.noise.fullmatch(line) for runner in runners):
            return False
        if found := _GO_STARTED.match(line):
            return found[1] not in failed
        return bool(_PASSED.search(line) or _HEADER.match(line)) or not is_alarming(line)

    return is_noise


def _headings(lines: list[str], dropped: set[int]) -> Iterator[int]:
    """Names of groups in blocks of Jest's files that passed: lines whose next one is deeper and left out."""
    passing = False
    blocks: list[int] = []
    for number, line in enumerate(lines):
        if found := _BLOCK.match(line):
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


def _descriptions(lines: list[str]) -> Iterator[int]:
    """Tests of unittest with a description that passed: the name, and the description on the next line."""
    for number in range(len(lines) - 1):
        name, description = lines[number][:MAX_MATCHED], lines[number + 1][:MAX_MATCHED]
        if _BARE_TEST.fullmatch(name) and _DESCRIBED_OK.fullmatch(description):
            yield from (number, number + 1)


def _details(lines: list[str], dropped: set[int]) -> Iterator[int]:
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
    line = _NEXTEST_TIME.sub(r"\1", _WORKER.sub("", line), count=1)
    if not _TIMED.match(line):
        return line
    text, _, end = line.rpartition(" ") if line.endswith("==") and " " in line else (line, "", "")
    return f"{_DURATION.sub('', text)} {end}" if end else _DURATION.sub("", text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

"""
Builds, installations, type checks: lines that only inform are left out.

Which lines those are is known for each tool; one that may speak of a failure or a warning stays whatever it looks like.
"""

from quarry.agents.hooks.compression.command import Command, Program
from quarry.agents.hooks.compression.reduction import MAX_MATCHED, Reduction, is_alarming, without_blank_runs
from quarry.lazy_pattern import lazy_pattern

_PROGRAMS = frozenset(
    """make gmake ninja cmake meson bazel gcc g++ cc c++ clang clang++ ld javac kotlinc rustc tsc vite webpack rollup
    esbuild parcel next turbo nx mvn mvnw gradle gradlew ant sbt dotnet msbuild xcodebuild swift docker podman
    docker-compose pip pip3 pipx uv poetry conda mamba apt apt-get brew bundle gem composer ant hatch maturin
    mypy ruff flake8 pylint pyright eslint prettier stylelint tslint golangci-lint shellcheck""".split()  # noqa: SIM905
)
_PROGRAMS_BY_WORD = {
    "cargo": {"build", "b", "check", "c", "clippy", "run", "install", "doc", "test", "t", "bench", "fetch", "update"},
    "go": {"build", "vet", "install", "get", "mod", "run", "generate"},
    "npm": {"install", "i", "ci", "add", "update", "run", "run-script", "build", "audit", "start", "test", "t"},
    "yarn": {"install", "add", "build", "run", "upgrade"},
    "pnpm": {"install", "i", "add", "build", "run", "update"},
    "bun": {"install", "add", "build", "run"},
    "git": {"clone", "fetch", "pull", "push"},
}
_INFORMATION_OF = {
    "cargo, rustc": r"\s*(?:Compiling|Checking|Fresh|Blocking|Locking|Adding|Documenting|Packaging|Dirty|Doc-tests) .*",
    "go": r"go: (?:downloading|finding|extracting|added) .*",
    "make": r"make(?:\[\d+\])?: (?:Entering|Leaving|Nothing|`|').*",
    "kbuild, libtool": r"\s+(?:CC|CXX|LD|AR|AS|GEN|HOSTCC|CC \[M\]|MOD|STRIP|INSTALL) +\S+.*",
    "cmake, ninja": r"\[ *\d+%\] .*|\[\d+/\d+\] .*|-- .*",
    "compilers as they are called": (
        r"(?:\S*/)?(?:[\w-]*g?cc|[\w-]*g\+\+|c\+\+|clang(?:\+\+)?|ar|ranlib|ld|javac|libtool) [-\w/.].*"
    ),
    "commands of recipes": r"(?:\S*/)?(?:rm|mkdir|cp|mv|ln|install|touch|echo) [-\w/.].*",
    "maven": r"\[INFO\].*|Download(?:ing|ed)(?: from \S+)?: .*|Progress \(\d+\): .*",
    "gradle": r"> Task :\S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?",
    "dotnet": r"\s*Determining projects to restore.*|\s*Restored .*|\s*\S+ -> /\S+",
    "pip, uv, poetry": (
        r"\s*(?:Collecting|Downloading|Downloaded|Using cached|Obtaining|Requirement already satisfied|Preparing"
        r"|Getting requirements|Building|Created|Stored|Looking in|Processing|Attempting|Found existing|Uninstalling"
        r"|Successfully uninstalled|Installing|Saved|Resolving|Resolved \d+|Prepared \d+|Audited \d+|Uninstalled \d+"
        r"|Updating|Removing|Running)\b.*|\s*[+~-] [\w.-]+==\S+|\s*- Installing \S+ \(.*\)"
    ),
    "apt": (
        r"(?:Get|Hit|Ign):\d+ .*|(?:Reading|Selecting|Unpacking|Setting up|Fetched|Need to get|After this operation"
        r"|\(Reading database) .*"
    ),
    "npm": (
        r"npm (?:http|info|timing|verb|sill|notice).*|\s*(?:added|changed|removed|audited) \d+ packages?.*"
        r"|\s*\d+ packages are looking for funding|\s*run `npm fund` for details|> [a-z][\w-]*(?:@\S+)?(?: .*)?"
    ),
    "yarn, pnpm": r"➤ YN0000: .*|Progress: resolved .*|\[\d/\d\] .*",
    "webpack": r"\s*(?:asset|modules by path|orphan modules|runtime modules|cacheable modules|chunk|\./\S+) .*",
    "vite, esbuild": (
        r"\s*\S+\.(?:js|mjs|cjs|css|html|svg|png|map|woff2?|json)\s+[\d.,]+ ?[kMKG]?i?B.*|transforming.*"
        r"|rendering chunks.*|computing gzip size.*|\s*✓ \d+ modules transformed\.?"
    ),
    "next": r"(?:[├└┌] )?[○●ƒλ] .*",
    "docker": (
        r"#\d+ (?:\[|sha256:|DONE|CACHED|transferring|extracting|resolve|exporting|naming|writing).*"
        r"|Step \d+/\d+ : .*"
        r"| ---> .*|Removing intermediate container .*"
        r"|[0-9a-f]{12}: (?:Pulling|Waiting|Download|Verifying|Pull|Extracting|Already|Layer|Pushed|Preparing).*"
    ),
    "git": (
        r"remote: (?:Enumerating|Counting|Compressing|Total|Resolving).*|(?:Receiving objects|Resolving deltas"
        r"|Unpacking objects|Updating files|Counting objects|Compressing objects|Writing objects): .*"
    ),
}
_INFORMATION = lazy_pattern("|".join(_INFORMATION_OF.values()))
_ELAPSED = lazy_pattern(
    r"(?: --|,) Time elapsed: [\d.]+ m?s|(?<=^BUILD )(FAILED|SUCCESSFUL) in [\d.]+m?s(?: [\d.]+s)?$"
)
_TIMED = lazy_pattern(
    r"^(\s*+(?:Finished|Done|\S{0,3} ?built|[Cc]ompiled|webpack|ready).{0,200}?)\s+(?:in|took)\s+"
    r"[\d.:]+\s?(?:m?s|µs|m|min|secs?|seconds|minutes)\b.*"
)


def reduce(command: Command, lines: list[str]) -> Reduction | None:
    """*lines* without those that only inform; None where no program of *command* is known to build."""
    if not all(map(_builds, command.programs)):
        return None
    kept = [_untimed(line) for line in lines if not _informs(line)]
    if len(kept) == len(lines):
        return None
    return Reduction(without_blank_runs(kept))


def _builds(program: Program) -> bool:
    if program.name in _PROGRAMS:
        return True
    return not _PROGRAMS_BY_WORD.get(program.name, set()).isdisjoint(program.arguments)


def _informs(line: str) -> bool:
    """Whether *line* only informs."""
    if len(line) > MAX_MATCHED or not line.strip():
        return False
    return _INFORMATION.fullmatch(line) is not None and not is_alarming(line)


def _untimed(line: str) -> str:
    """*line* without how long the build took."""
    if len(line) > MAX_MATCHED:
        return line
    line = _ELAPSED.sub(r"\1", line)
    if is_alarming(line):
        return line
    return _TIMED.sub(r"\1", line, count=1)

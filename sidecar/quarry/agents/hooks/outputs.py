"""
Outputs of commands that Claude Code has run: they are shortened, stored for a day, and failures become notes.

Only if the vault's settings ask for it, under `[hooks]`: `compress_outputs` and `capture_outputs`. Claude Code
reports commands that succeeded, or whose failure the shell hides (`|| true`, a pipe); it replaces its model's input
only if the answer has the shape of the tool's own. A shortened output is stored in full, scrubbed, 0600, on this
machine alone, in a file that is named by a hash of its content.
"""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quarry.agents.hooks.compression import Compressed, compress, parse_command
from quarry.agents.hooks.compression.lines import MAX_MATCHED, cleaned_lines
from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.sidecar import Refused, SidecarConnection
from quarry.config import data_dir
from quarry.errors import BadSettings, QuarryError
from quarry.lazy_pattern import lazy_pattern
from quarry.private_files import delete_old, private_folder, write_atomically
from quarry.vault.paths import vault_id

if TYPE_CHECKING:
    from quarry.settings import Settings

MIN_CHARACTERS = 500  # of an output that may become a note; from 2,000 on it is shortened
MAX_CHARACTERS = 8_000  # of a note; the first pages describe a failure
MAX_PER_DAY = 10  # failures; more is a session of debugging, whose notes go unread
MAX_TITLE = 100
MAX_REMEMBERED = 500  # failures
GUARD = "COMPRESS_HOOK_ACTIVE"  # in the environment of whatever runs inside of a hook that shortens outputs
TOOL = "Bash"
PATIENCE_S = 0.2
STORED_S = 24 * 3600
MAX_FILES = 200
MAX_TOTAL_BYTES = 20 * 1024 * 1024
SUFFIX = ".txt"
_ID_BYTES = 5  # of 200 files, two share an id once in five billion times
_LEDGER = "captured-failures"
_ELSEWHERE = ("backgroundTaskId", "persistedOutputPath", "rawOutputPath", "assistantAutoBackgrounded")
"""Members of a result whose output is not, or not all, in `stdout`."""

_FAILURE = lazy_pattern(
    r"(?:FAILED \S|\S+::\S+ FAILED\b|E {3,}\S*(?:Error|Exception|assert)|--- FAIL: \S"
    r"|error(?:\[\w+\])?: (?!test failed|could not compile)"
    r"|thread '.*' .*panicked at|panic: |  ● .+|(?:[\w.]+\.)?\w*(?:Error|Exception): \S"
    r"|\S+[:(]\d+(?:[:,]\d+)?\)?: (?:fatal )?error\b"
    r"|Exception in thread |Caused by: |\[ERROR\] \S+:\[?\d+)"
)
_CHANGING = lazy_pattern(r"0x[0-9a-f]+|\d+")


class BashCall(NamedTuple):
    """A call of Bash with its result."""

    command: str
    folder: str
    stdout: str
    stderr: str
    response: Mapping[str, object]

    @property
    def output(self) -> str:
        """Both streams, one after the other."""
        return "\n".join(filter(None, (self.stdout, self.stderr)))


class Failure(NamedTuple):
    """A failure as a note: its title, its text, and a hash that is equal for the same failure another time."""

    title: str
    text: str
    key: str


class StoredOutput(NamedTuple):
    """An output that is stored: its id, the command, the size and the time."""

    id: str
    command: str
    size_bytes: int
    at_s: float


def respond(event: Mapping[str, object], root: Path) -> dict[str, object] | None:
    """
    The answer to a PostToolUse *event* in the vault at *root*; None: the output stays as it is.

    The settings are read last: most outputs are neither shortened nor kept, and parsing takes longer than finding out.
    """
    call = read_call(event)
    if call is None or os.environ.get(GUARD) or len(call.output) < MIN_CHARACTERS:
        return None
    compressed = compress(call.command, call.stdout, call.stderr)
    failure = find_failure(call.command, call.folder, call.output)
    settings = _settings(root) if compressed or failure else None
    if settings is None:
        return None
    if failure and settings.hooks_capture_outputs and settings.capture_by_agents:
        _capture(failure, vault_id(root))
    return _shortened(call, compressed) if compressed and settings.hooks_compress_outputs else None


def read_call(event: Mapping[str, object]) -> BashCall | None:
    """The call that *event* reports; None where it is of another tool, or its result has another shape."""
    tool_input, response = event.get("tool_input"), event.get("tool_response")
    if event.get("tool_name") != TOOL or not isinstance(tool_input, dict) or not isinstance(response, dict):
        return None
    command, folder = tool_input.get("command"), event.get("cwd")
    stdout, stderr = response.get("stdout"), response.get("stderr")
    if not isinstance(command, str) or not isinstance(stdout, str) or not isinstance(stderr, str):
        return None
    if response.get("interrupted") is not False or response.get("isImage", False) is not False:
        return None
    if tool_input.get("run_in_background") or any(response.get(name) for name in _ELSEWHERE):
        return None
    return BashCall(command, folder if isinstance(folder, str) else "", stdout, stderr, response)


def _settings(root: Path) -> "Settings | None":
    from quarry.settings import load_settings  # here, as it takes longer to import than most answers

    with contextlib.suppress(BadSettings):
        return load_settings(root)
    return None


def _shortened(call: BashCall, compressed: Compressed) -> dict[str, object] | None:
    try:
        closing = compressed.closing_line(store_output(call.command, call.stdout, call.stderr))
    except (OSError, QuarryError):  # what cannot be stored is not left out
        return None
    stdout, stderr = compressed.stdout, compressed.stderr
    if stderr.strip():
        stderr = f"{stderr.rstrip()}\n{closing}"
    else:
        stdout = f"{stdout.rstrip()}\n{closing}"
    output = {**call.response, "stdout": stdout, "stderr": stderr}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


# --- stored outputs ----------------------------------------------------------------------------


def outputs_folder() -> Path:
    """The folder of the outputs; created, private, if it is missing."""
    return private_folder(data_dir() / "outputs")


def store_output(command: str, stdout: str, stderr: str) -> str:
    """
    Store an output, scrubbed, and return its id.

    Raises:
        OSError: It cannot be written.
    """
    from quarry.redaction.scrub import scrub_text  # here: only what is shortened needs its rules

    streams = f"{stdout.rstrip()}\n" + (f"\n[stderr]\n{stderr.rstrip()}\n" if stderr.strip() else "")
    data = scrub_text(f"$ {' '.join(command.split())}\n{streams}").encode("utf-8", "replace")
    output_id = hashlib.blake2b(data, digest_size=_ID_BYTES).hexdigest()
    folder = outputs_folder()
    write_atomically(folder / f"{output_id}{SUFFIX}", data)
    delete_old(folder, max_age_s=STORED_S, max_files=MAX_FILES, max_bytes=MAX_TOTAL_BYTES)
    return output_id


def read_output(output_id: str) -> str | None:
    """The output with that id; None where none is stored."""
    if not (output_id.isascii() and output_id.isalnum()):
        return None
    file = outputs_folder() / f"{output_id.lower()}{SUFFIX}"
    try:
        return file.read_text(encoding="utf-8", errors="replace") if _is_current(file.stat().st_mtime) else None
    except OSError:
        return None


def stored_outputs() -> list[StoredOutput]:
    """The outputs that are stored, the newest first."""
    found = []
    for file in outputs_folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError), file.open(encoding="utf-8", errors="replace") as opened:
            stat = os.fstat(opened.fileno())
            command = opened.readline(4096).removeprefix("$ ").rstrip("\n")
            if _is_current(stat.st_mtime):
                found.append(StoredOutput(file.stem, command, stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda output: -output.at_s)


def _is_current(at_s: float) -> bool:
    """Whether a file of that time counts; one from times to come, by a clock that was wrong, does not."""
    return -60 < time.time() - at_s < STORED_S


# --- failures as notes -------------------------------------------------------------------------


def find_failure(command: str, folder: str, output: str) -> Failure | None:
    """The failure in *output* of *command*, run in *folder*: a test, a trace, a compiler's error; None without one."""
    if len(output) < MIN_CHARACTERS or parse_command(command) is None:
        return None
    lines = cleaned_lines(output)
    failing = next((line[:MAX_MATCHED] for line in lines if _FAILURE.match(line[:MAX_MATCHED])), None)
    if failing is None:
        return None
    line = re.sub(r"^(?:E {2,}| *● )", "", failing).strip()  # the marks of pytest and Jest
    text, half = "\n".join(lines), MAX_CHARACTERS // 2
    shown = text if len(text) <= MAX_CHARACTERS else f"{text[:half]}\n...\n{text[-half:]}"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    ran = " ".join(command.split())[:200].replace("`", "'")
    where = re.split(r"[\\/]", folder.rstrip("\\/"))[-1].replace("`", "'")
    note = f"`{ran}` in `{where}` failed:\n\n{fence}text\n{shown}\n{fence}\n"
    key = hashlib.blake2b(_CHANGING.sub("0", f"{ran}\n{line}").encode("utf-8", "replace"), digest_size=8).hexdigest()
    return Failure(" ".join(line.split())[:MAX_TITLE], note, key)


def claim(folder: Path, key: str, today: str) -> bool:
    """Count the failure *key*, unless it is known or *today* has `MAX_PER_DAY`; returns whether it counts."""
    file = folder / _LEDGER
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    if any(line.endswith(key) for line in lines) or sum(line.startswith(today) for line in lines) >= MAX_PER_DAY:
        return False
    try:
        write_atomically(file, "".join(f"{line}\n" for line in [*lines, f"{today} {key}"][-MAX_REMEMBERED:]).encode())
    except OSError:  # what cannot be counted is not kept: without the count there would be no bound
        return False
    return True


def _capture(failure: Failure, vault: str) -> None:
    """Have *failure* written as a note, by a sidecar that runs; without one it is not kept."""
    note = {"text": failure.text, "title": failure.title, "type": "signal", "tags": ["claude-code"]}
    try:
        with SidecarConnection(vault, PATIENCE_S) as sidecar:
            if claim(data_dir(), failure.key, time.strftime("%Y-%m-%d")):
                sidecar.ask("capture", {**note, "source": f"claude-code-{TOOL}", "waitMs": 0})
    except (OSError, QuarryError, NoContext, Refused):  # an agent waits, and is not disturbed for a note
        return

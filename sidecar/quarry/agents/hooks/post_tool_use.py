"""
What is done with the output of a command that Claude Code has run: it is shortened, and a failure may become a note.

Both only where the vault's settings ask for it, under `[hooks]`: `compress_outputs` and `capture_outputs`. Claude Code
tells of commands that succeeded, or whose failure the shell hides (`|| true`, a pipe); it replaces what its model sees
only where the answer has the shape of the tool's own.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quarry.errors import BadSettings, QuarryError

if TYPE_CHECKING:
    from quarry.agents.hooks.compression import Compressed
    from quarry.agents.hooks.failures_worth_keeping import Failure
    from quarry.settings import Settings

SETTINGS_FILE = ".quarry.toml"  # as in `settings`, which takes longer to import than most answers
MIN_CHARACTERS = 500  # of which a note may be made; shortened are outputs of 2,000 and more
GUARD = "COMPRESS_HOOK_ACTIVE"  # in the environment of whatever runs inside of a hook that shortens outputs
TOOL = "Bash"
SOURCE = f"claude-code-{TOOL}"
PATIENCE_S = 0.2
_ELSEWHERE = ("backgroundTaskId", "persistedOutputPath", "rawOutputPath", "assistantAutoBackgrounded")
"""Members of a result whose output is not, or not all, in `stdout`."""


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


def respond(event: Mapping[str, object], root: Path) -> dict[str, object] | None:
    """
    The answer to a PostToolUse *event* in the vault at *root*; None: the output stays as it is.

    The settings are read last: most outputs are neither shortened nor kept, and parsing takes longer than finding out.
    """
    call = read_call(event)
    if call is None or os.environ.get(GUARD) or len(call.output) < MIN_CHARACTERS or not _mentions_hooks(root):
        return None
    from quarry.agents.hooks.compression import compress  # here, as most events end above
    from quarry.agents.hooks.failures_worth_keeping import find_failure

    compressed = compress(call.command, call.stdout, call.stderr)
    failure = find_failure(call.command, call.folder, call.output)
    settings = _settings(root) if compressed or failure else None
    if settings is None:
        return None
    if failure and settings.hooks_capture_outputs and settings.capture_by_agents:
        _capture(failure, root)
    return _shortened(call, compressed) if compressed and settings.hooks_compress_outputs else None


def read_call(event: Mapping[str, object]) -> BashCall | None:
    """The call that *event* tells of; None where it is of another tool, or its result has another shape."""
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


def _mentions_hooks(root: Path) -> bool:
    """Whether the settings of the vault may ask for anything here; those of most vaults do not."""
    try:
        with (root / SETTINGS_FILE).open("rb") as file:
            return b"hooks" in file.read(64 * 1024)
    except OSError:
        return False


def _settings(root: Path) -> "Settings | None":
    from quarry.settings import load_settings

    try:
        return load_settings(root)
    except BadSettings:
        return None


def _shortened(call: BashCall, compressed: "Compressed") -> dict[str, object] | None:
    from quarry.agents.hooks.outputs import keep

    try:
        closing = compressed.closing_line(keep(call.command, call.stdout, call.stderr))
    except (OSError, QuarryError):  # what cannot be kept is not left out
        return None
    stdout, stderr = compressed.stdout, compressed.stderr
    if stderr.strip():
        stderr = f"{stderr.rstrip()}\n{closing}"
    else:
        stdout = f"{stdout.rstrip()}\n{closing}"
    output = {**call.response, "stdout": stdout, "stderr": stderr}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


def _capture(failure: "Failure", root: Path) -> None:
    """Have *failure* written as a note, by a sidecar that runs; without one it is not kept."""
    from quarry.agents.hooks.failures_worth_keeping import claim
    from quarry.agents.hooks.outputs import outputs_folder
    from quarry.client.client import SidecarClient

    params = {
        "text": failure.text,
        "title": failure.title,
        "type": "signal",
        "tags": ["claude-code"],
        "source": SOURCE,
        "waitMs": 0,
    }
    try:
        with SidecarClient(root, "hook", may_start=False, patience_s=PATIENCE_S) as client:
            if claim(outputs_folder(), failure.key):
                client.ask("capture", params)
    except (OSError, QuarryError):  # an agent waits, and a note that was not written is no reason to disturb it
        return

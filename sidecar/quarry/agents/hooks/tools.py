"""
What is a tool call about? The file that it writes, or the command that it runs, as words to look for.

Only tools that change something are preceded by context: what is read says itself what it is about.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from quarry.agents.hooks.outcome import Silence
from quarry.agents.hooks.prompts import rememberable
from quarry.lazy_pattern import lazy_pattern

FILE_TOOLS = frozenset(
    {
        *("Edit", "MultiEdit", "Write"),  # Claude Code, Cursor
        *("editFiles", "createFile", "create_file", "insert_edit_into_file", "replace_string_in_file"),  # VS Code
        *("replace", "write_file"),  # Gemini CLI
    }
)
COMMAND_TOOLS = frozenset(
    {"Bash", "Shell", "runTerminalCommand", "runInTerminal", "run_in_terminal", "run_shell_command"}
)
PATCH_TOOLS = frozenset({"apply_patch"})  # Codex, VS Code
PATH_NAMES = ("file_path", "path", "filePath", "notebook_path")
MAX_COMMAND = 2_000  # characters; a longer one writes a file
MAX_WORDS = 12  # of a command

_SEPARATOR = lazy_pattern(r"[;|&\n]+")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=\S*$")
_PATCHED = lazy_pattern(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_LAUNCHERS = frozenset(
    {"sudo", "env", "command", "exec", "nohup", "time", "uv", "uvx", "pipx", "run", "python", "python3", "-m"}
)
_EVERYDAY = frozenset(
    """cd ls cat echo pwd git status diff log add commit push pull show head tail grep rg find sed awk sort uniq wc true
    mkdir rm cp mv touch chmod test npm npx yarn pnpm node run python python3 pytest pip uv make cargo go build bash sh
    xargs tee which export source sleep kill ps""".split()  # noqa: SIM905 - a list of words reads as one
)


def words_of_tool(tool: str, tool_input: Mapping[str, Any]) -> str:
    """
    The words of a call of *tool*; "" where it says nothing that could be looked for.

    Raises:
        Silence: It is no tool that is preceded by context, or runs a command of ours.
    """
    if tool in COMMAND_TOOLS:
        return _words_of_command(_command(tool_input))
    if tool in PATCH_TOOLS:
        return _words_of_paths(_PATCHED.findall(_patch(tool_input)))
    if tool in FILE_TOOLS:
        return _words_of_paths(_paths(tool_input))
    raise Silence("other-tool")


def is_own_command(command: str) -> bool:
    """Whether *command* runs `quarry`, by whatever path or launcher."""
    for part in _SEPARATOR.split(command[:MAX_COMMAND]):
        words = [word for word in part.split() if not _ASSIGNMENT.match(word)]
        while words and _base(words[0]) in _LAUNCHERS:
            del words[0]
        if words and _base(words[0]) in ("quarry", "quarry.exe"):
            return True
    return False


def _command(tool_input: Mapping[str, Any]) -> str:
    command = tool_input.get("command")
    if isinstance(command, list):
        command = " ".join(part for part in command if isinstance(part, str))
    return command if isinstance(command, str) else ""


def _words_of_command(command: str) -> str:
    if is_own_command(command):
        raise Silence("own-command")
    words = [_stem(word) for word in command[:MAX_COMMAND].split() if not word.startswith("-")]
    wanted = [word for word in words if word not in _EVERYDAY]
    return rememberable(" ".join(wanted[:MAX_WORDS]))


def _patch(tool_input: Mapping[str, Any]) -> str:
    for name in ("command", "input", "patch"):
        if isinstance(found := tool_input.get(name), str):
            return found
    return ""


def _paths(tool_input: Mapping[str, Any]) -> Iterator[str]:
    files = tool_input.get("files")
    for found in (*map(tool_input.get, PATH_NAMES), *(files if isinstance(files, list) else ())):
        if isinstance(found, str):
            yield found


def _words_of_paths(paths: "Iterator[str] | list[str]") -> str:
    return rememberable(" ".join(dict.fromkeys(_stem(path) for path in list(paths)[:MAX_WORDS])))


def _base(path: str) -> str:
    return path.strip("\"'").replace("\\", "/").rpartition("/")[2]


def _stem(path: str) -> str:
    """The name of a file without its folders and its ending: what the agent names it after."""
    base = _base(path)
    return base.rpartition(".")[0] or base

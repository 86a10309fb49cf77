"""The command line: which commands there are, and what the process ends with."""

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from quarry.cli.arguments import add_json, add_vault, protected_arguments
from quarry.cli.failure import INTERRUPTED, OK, exit_code_table, report
from quarry.cli.parser import Parser
from quarry.errors import QuarryError

DESCRIPTION = """Search a folder of Markdown notes by keyword and by meaning at once. Nothing leaves this machine,
unless you choose a model on another one."""

GROUPS: Mapping[str, Mapping[str, str]] = {
    "search": {
        "search": "find notes; without a query, prompt for one after another",
        "context": "print passages about a question as one block for a language model",
        "read": "print a note, with credentials redacted",
        "related": "find the notes most similar to a note, a passage or a text",
        "list": "list notes, newest first",
        "explain": "explain why a query finds a note, or why it does not",
        "tiers": "list what `search --tiers` searches besides a vault, connect a tier, or take one off the list",
        "why": "say whether a note can be found, and what keeps it out of the index",
        "capture": "write a text to a new note, which can be found at once",
    },
    "agents": {
        "install": "set up Quarry in AI clients: Claude Code, Codex, Cursor and others",
        "mcp": "serve an AI agent over MCP",
        "token": "make, list or revoke the tokens by which clients on other machines see folders of a vault",
        "hook": "answer an event of an AI agent with notes on the subject; --test shows what it would say, and why",
        "blocks": "show, build or check the context blocks for the start of a conversation with an agent",
        "outputs": "print the full output of a command that an agent saw in part",
    },
    "index": {
        "index": "bring the index of a vault up to date",
        "models": "list the embedding models to choose from, use one, or withdraw a yes",
        "status": "show the contents of the index and its current work",
        "doctor": "check the installation and a vault, and say how to repair failures",
        "team": "publish notes to a team's index on PostgreSQL, or see what is published",
        "ps": "list the running sidecars",
        "stop": "stop the sidecar of a vault, or all of them",
    },
    "advanced": {
        "serve": "serve one vault until stopped; tools start this themselves",
        "attach": "start the sidecar of a vault if none is running, and print the path of its discovery file",
        "eval": "measure retrieval quality on queries with relevance judgments",
        "completion": "print a shell completion script",
        "help": "explain the query language, the settings, the exit codes, or a command",
    },
}
"""Title -> command -> summary, in the order of the help. Each command is a module of this package."""
COMMANDS: Mapping[str, str] = {name: summary for group in GROUPS.values() for name, summary in group.items()}
WITH_JSON_AND_VAULT = (
    "read",
    "list",
    "explain",
    "why",
    "install",
    "models",
    "status",
    "doctor",
    "stop",
    "attach",
    "token",
)
"""Commands that take `--json` and `--vault` before their own options; the others add them where their help has them."""
EXAMPLES = """examples:
  quarry search "how do I rename a git branch"      notes by word and by meaning
  quarry search git -draft modified:7d --limit 3    operators: see `quarry help query`
  quarry context "why did we leave Postgres"        quoted passages for a language model
  quarry install claude-code --vault ~/Notes        have an AI client search the notes"""
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would spin; nothing here multiplies by BLAS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    _replace_unencodable()
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = _parse(given)
        exit_code: int = options.run(options) or OK
        sys.stdout.flush()  # a pipe that was closed is an everyday thing here, and a crash at the end
        return exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `quarry list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except QuarryError as error:
        return report(error, as_json="--json" in _options_of(given))


def _parse(given: Sequence[str]) -> argparse.Namespace:
    """
    The options of *given*.

    Only the module of the command that it names is imported: all of them together take as long as everything else that
    a search from the command line does.
    """
    parser, commands = _overview()
    named = next((argument for argument in given if not argument.startswith("-")), None)
    if named is None or named not in COMMANDS:  # help, or a mistake
        for name in COMMANDS:
            commands.add_parser(name)
        return parser.parse_args(given or ["--help"])

    _add_command(commands, named)
    gc.freeze()  # modules stay, so no later collection has to traverse them either
    gc.enable()
    parser.command = named
    return parser.parse_args(protected_arguments(given))


def full_parser() -> Parser:
    """The parser with all commands and their options, whose modules it imports."""
    parser, commands = _overview()
    commands.help = None  # shown: shtab leaves hidden arguments out
    for name in COMMANDS:
        _add_command(commands, name)
    return parser


def _overview() -> tuple[Parser, "argparse._SubParsersAction[Parser]"]:
    """A parser without commands, and where they are added."""
    parser = Parser(
        prog="quarry",
        usage="quarry [-h] [--version] COMMAND ...",
        description=DESCRIPTION,
        epilog=f"{_command_table()}\n\n{EXAMPLES}\n\nexit codes:\n{exit_code_table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="quarry", help=argparse.SUPPRESS)
    return parser, commands


def _command_table() -> str:
    groups = (
        "\n".join([f"{title}:", *(f"    {name:<11} {summary}" for name, summary in commands.items())])
        for title, commands in GROUPS.items()
    )
    return "\n\n".join(groups)


def _add_command(commands: "argparse._SubParsersAction[Parser]", name: str) -> None:
    module = import_module(f"quarry.cli.{name}")
    command = commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name])
    command.is_intermixed = name in ("search", "context")  # whose words are any number
    command.set_defaults(run=module.run)
    if name in WITH_JSON_AND_VAULT:
        add_json(command)
        add_vault(command)
    if hasattr(module, "add_options"):
        module.add_options(command)


def _options_of(given: Sequence[str]) -> Sequence[str]:
    """The arguments before `--`, behind which none is an option."""
    return given[: given.index("--")] if "--" in given else given


def _replace_unencodable() -> None:
    """Notes hold every script; a terminal of another encoding shows `?` rather than ending us."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # replaced by something without an encoding
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]

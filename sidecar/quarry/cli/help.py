"""`quarry help`: short texts on what is no command, each from the place that defines it."""

import argparse
import contextlib
import inspect
import itertools
from collections.abc import Callable, Mapping

from quarry import protocol, settings
from quarry.cli.failure import exit_code_table
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import print_line

AGENTS = """Programs that write text get notes in these ways:

  quarry mcp --vault DIR        an MCP server for agents that speak MCP; --http serves it over HTTP on this machine
  quarry context "question"     a block of quoted passages within a token budget, for all others
  quarry blocks show --md       the context blocks of .quarry.toml, for the start of a conversation
  quarry search --json "words"  hits with passages, scores and signals; reads one query per line from standard input
  quarry hook CLIENT            answers an agent's events with notes on the subject, or with nothing

`quarry install --list` lists the clients for which `quarry install CLIENT` sets up the MCP server.
Each command uses the sidecar of the vault and starts one if none is running. docs/PROTOCOL.md describes its socket."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=", ".join(TOPICS))


def run(options: argparse.Namespace) -> None:
    """Print the text on a topic, the help of a command, or that of all."""
    from quarry.cli.main import COMMANDS, main

    if options.topic is None:
        with contextlib.suppress(SystemExit):  # argparse ends the process with its help
            main(["--help"])
        print_line(f"\ntopics: {', '.join(TOPICS)}; see `quarry help TOPIC`")
    elif options.topic in TOPICS:
        print_line(TOPICS[options.topic]())
    elif options.topic in COMMANDS:
        main([options.topic, "--help"])
    else:
        raise BadUsage(f"there is no topic {options.topic!r}; there are {', '.join(TOPICS)}", "see `quarry help`")


def _section(document: str, title: str) -> str:
    """The indented text below *title* in a docstring."""
    _, _, below = document.partition(f"\n{title}\n")
    indented = itertools.takewhile(lambda line: not line or line.startswith(" "), below.splitlines())
    return inspect.cleandoc("\n".join(indented))


TOPICS: Mapping[str, Callable[[], str]] = {
    "query": lambda: _section(inspect.getdoc(protocol) or "", "Queries"),
    "exit-codes": exit_code_table,
    "settings": lambda: inspect.getdoc(settings) or "",
    "agents": lambda: AGENTS,
}

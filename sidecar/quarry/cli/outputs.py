"""`quarry outputs`: the whole output of a command that an agent was shown a part of."""

import argparse
import time

from quarry.agents.hooks.outputs import read_output, stored_outputs
from quarry.cli.arguments import add_json
from quarry.cli.terminal import print_json, print_line
from quarry.errors import BadRequest


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("id", nargs="?", metavar="ID", help="the id in the last line of a shortened output")
    chosen.add_argument("--list", action="store_true", help="list the stored outputs, newest first")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    """Print the output with the given id, or what there is."""
    if options.id is None:
        _list(as_json=options.as_json)
        return
    text = read_output(options.id)
    if text is None:
        raise BadRequest(f"there is no output {options.id!r}; they are kept for a day: see `quarry outputs --list`")
    if options.as_json:
        print_json({"id": options.id, "text": text})
    else:
        print_line(text.rstrip("\n"))


def _list(*, as_json: bool) -> None:
    kept = stored_outputs()
    if as_json:
        print_json([{**output._asdict(), "at_s": int(output.at_s)} for output in kept])
        return
    for output in kept:
        at = time.strftime("%H:%M", time.localtime(output.at_s))
        print_line(f"{output.id}  {at}  {output.size_bytes / 1000:7.1f} kB  {output.command[:100]}")

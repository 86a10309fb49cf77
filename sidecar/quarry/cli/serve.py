"""`quarry serve`: the sidecar of one vault."""

import argparse
import gc
import os

from quarry.cli.arguments import add_vault, resolve_vault
from quarry.errors import BadRequest
from quarry.server.logs import log_to_file
from quarry.server.process_lifetime import limit_malloc_arenas
from quarry.server.serve import ServeOptions, serve


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_vault(parser)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # the ready line is JSON in any case
    parser.add_argument("--lifeline", action="store_true", help="stop when standard input ends")
    parser.add_argument("--parent-pid", type=int, metavar="PID", help="stop when the process PID ends")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="stop after SECONDS without a client")

    parser.add_argument("--only", action="append", default=[], metavar="FOLDER", help=argparse.SUPPRESS)  # of tokens


def run(options: argparse.Namespace) -> None:
    """Serve until stopped."""
    gc.freeze()  # the modules stay, so no collection has to traverse them
    vault = resolve_vault(options)
    if options.idle is not None and not options.idle > 0:
        raise BadRequest(f"--idle is {options.idle:g}; it must be a number of seconds greater than 0")
    if options.parent_pid is not None and options.parent_pid <= 0:
        raise BadRequest(f"--parent-pid is {options.parent_pid}; it must be a process ID")
    log_to_file(vault, options.only)
    limit_malloc_arenas()
    serve(
        ServeOptions(
            vault=vault,
            lifeline=options.lifeline,
            parent_pid=options.parent_pid,
            idle_s=options.idle,
            without=frozenset(filter(None, os.environ.get("QUARRY_WITHOUT", "").split(","))),
            only=tuple(options.only),
        )
    )

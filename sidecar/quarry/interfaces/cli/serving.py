"""`quarry serve` and `quarry mcp`: the long-running ones."""

import argparse
import gc
import os

from quarry.errors import BadRequest
from quarry.interfaces.cli.common import Commands, add_command, add_vault, resolve_vault
from quarry.interfaces.cli.importing import without_gc
from quarry.interfaces.logs import log_to_file


def add_commands(commands: Commands) -> None:
    """Add `serve` and `mcp`."""
    serving = add_command(
        commands, "serve", run_serve, "serve one vault until told to leave; tools start it themselves"
    )
    add_vault(serving)
    serving.add_argument("--lifeline", action="store_true", help="leave when standard input ends")
    serving.add_argument("--parent-pid", type=int, metavar="PID", help="leave when this process ends")
    serving.add_argument("--idle", type=float, metavar="SECONDS", help="leave when nobody asked for so long")

    mcp = add_command(commands, "mcp", run_mcp, "answer an agent over MCP on standard input and output")
    add_vault(mcp)


def run_serve(options: argparse.Namespace) -> int:
    """Serve. The imports are here so that other commands start without them."""
    with without_gc():
        from quarry.interfaces.heap import limit_malloc_arenas
        from quarry.interfaces.serve import ServeOptions, serve

        gc.freeze()  # modules stay: no collection need ever look through them, the one that is due at once among them

    vault = resolve_vault(options)
    if options.idle is not None and not options.idle > 0:
        raise BadRequest(f"--idle is {options.idle:g}; it takes a number of seconds above 0")
    if options.parent_pid is not None and options.parent_pid <= 0:
        raise BadRequest(f"--parent-pid is {options.parent_pid}; it takes the number of a process")
    log_to_file(vault)
    limit_malloc_arenas()
    serve(
        ServeOptions(
            vault=vault,
            lifeline=options.lifeline,
            parent_pid=options.parent_pid,
            idle_s=options.idle,
            without=frozenset(filter(None, os.environ.get("QUARRY_WITHOUT", "").split(","))),
        )
    )
    return 0


def run_mcp(options: argparse.Namespace) -> int:
    """Serve MCP; needs the extra `quarry-search[mcp]`."""
    with without_gc():
        from quarry.interfaces.mcp import run

    run(resolve_vault(options))
    return 0

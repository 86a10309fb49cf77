"""`quarry mcp`: tools, resources and prompts for an AI agent, on standard input and output or over HTTP."""

import argparse
from importlib import import_module
from pathlib import Path

from quarry.cli.arguments import VAULT_HELP, number, resolve_vault
from quarry.cli.parser import BadUsage
from quarry.mcp.vaults import Vaults

DEFAULT_PORT = 8537  # of no registered service; a client's configuration names it once


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--vault", action="append", type=Path, metavar="DIR", help=f"{VAULT_HELP}; may be given several times"
    )
    parser.add_argument(
        "--allow-capture",
        action="store_true",
        help="offer the tool `capture`, which writes new notes if the vault's settings allow it",
    )
    parser.add_argument(
        "--tiers",
        action="store_true",
        help="search and serve the tiers that `quarry tiers` lists as well: an agent can read all of them",
    )
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP on 127.0.0.1 instead")
    parser.add_argument(
        "--port",
        type=number(0, 65_535),
        default=DEFAULT_PORT,
        metavar="N",
        help=f"with --http (default {DEFAULT_PORT}; 0: any free port)",
    )
    parser.add_argument("--host", default="127.0.0.1", help=argparse.SUPPRESS)  # to say why there is no other
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # MCP is JSON in any case


def run(options: argparse.Namespace) -> None:
    """Serve until the client leaves."""
    named = options.vault or [None]
    roots = [resolve_vault(argparse.Namespace(vault=vault)) for vault in named]
    vaults = Vaults(roots, may_capture=options.allow_capture)
    if options.tiers and options.http:  # whose tokens may be for one folder of one vault
        raise BadUsage("--tiers is not offered with --http", "leave out one of them, or name the folders with --vault")
    if options.tiers:
        import_module("quarry.mcp.everywhere").serve_tiers(vaults, Path.cwd())
    if options.http:
        from quarry.mcp.http_server import serve_http

        serve_http(vaults, roots, options.host, options.port)
    else:
        from quarry.mcp.stdio import serve_stdio

        serve_stdio(vaults)

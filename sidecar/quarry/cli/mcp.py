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
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="with --http: an IP address, with or without :PORT, for those who have a token of `quarry token`",
    )
    parser.add_argument(
        "--public-url", metavar="URL", help="with --listen: the https address of the reverse proxy in front"
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # MCP is JSON in any case


def run(options: argparse.Namespace) -> None:
    """
    Serve until the client leaves.

    Raises:
        BadUsage: `--listen` or `--public-url` lacks the option that it belongs to, or may not stand beside another.
    """
    is_shared = options.listen is not None  # empty: an unset variable; its owner's server is not what was meant
    if (is_shared and not options.http) or (options.public_url is not None and not is_shared):
        lacking = "--listen needs --http" if is_shared else "--public-url needs --http and --listen"
        raise BadUsage(lacking, "see `quarry mcp --help`")
    if options.tiers and options.http:  # whose tokens may be for one folder of one vault
        raise BadUsage("--tiers is not offered with --http", "leave out one of them, or name the folders with --vault")
    if is_shared and options.allow_capture:
        raise BadUsage("--allow-capture is for local clients; a token has its own right", "see `quarry token --help`")
    named = options.vault or [None]
    roots = [resolve_vault(argparse.Namespace(vault=vault)) for vault in named]
    if is_shared:
        from quarry.mcp.address import Address
        from quarry.mcp.http_server import serve_shared

        serve_shared(roots, Address.read(options.listen, options.port, options.public_url))
        return
    vaults = Vaults(roots, may_capture=options.allow_capture)
    if options.tiers:
        import_module("quarry.mcp.everywhere").serve_tiers(vaults, Path.cwd())
    if options.http:
        from quarry.mcp.http_server import serve_http

        serve_http(vaults, roots, options.port)
    else:
        from quarry.mcp.stdio import serve_stdio

        serve_stdio(vaults)

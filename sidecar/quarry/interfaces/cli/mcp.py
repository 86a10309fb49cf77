"""`quarry mcp`: tools, resources and prompts for an AI agent, on standard input and output or over HTTP."""

from __future__ import annotations

import argparse
from pathlib import Path

from quarry.interfaces.cli.options import VAULT_HELP, resolve_vault


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--vault", action="append", type=Path, metavar="DIR", help=f"{VAULT_HELP}; may be given several times"
    )
    parser.add_argument(
        "--allow-capture",
        action="store_true",
        help="offer the tool `capture`, which writes new notes where the vault's settings allow it",
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # MCP is JSON in any case


def run(options: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    from quarry.interfaces.mcp.stdio import serve_stdio  # here, as `mcp --help` needs none of it
    from quarry.interfaces.mcp.vaults import Vaults, distinct

    named = options.vault or [None]
    roots = [resolve_vault(argparse.Namespace(vault=vault)) for vault in named]
    serve_stdio(Vaults(distinct(roots), may_capture=options.allow_capture))
    return 0

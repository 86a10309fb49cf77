"""`quarry mcp`: the tools for an AI agent, on standard input and output."""

import argparse

from quarry.interfaces.cli.options import add_vault, resolve_vault


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_vault(parser)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # MCP is JSON in any case


def run(options: argparse.Namespace) -> int:
    """Serve MCP; needs the extra `quarry-search[mcp]`."""
    from quarry.interfaces.mcp import run as serve_tools  # here, as `mcp --help` needs no MCP

    serve_tools(resolve_vault(options))
    return 0

"""`quarry stop`: end the sidecar of a vault, or all of them."""

import argparse
from pathlib import Path

from quarry.cli.arguments import resolve_vault
from quarry.cli.parser import BadUsage
from quarry.cli.sidecars import running, stop
from quarry.cli.terminal import print_json, print_line, print_stderr
from quarry.client.discovery import Discovery
from quarry.errors import ConnectionFailed
from quarry.vault.paths import vault_id


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--all", action="store_true", help="stop the sidecars of all vaults")


def run(options: argparse.Namespace) -> None:
    """
    Stop them. Notes that are being indexed are finished first; the rest is indexed when the next sidecar starts.

    Raises:
        ConnectionFailed: One of them does not end.
    """
    if options.all and options.vault:
        raise BadUsage("give either --all or --vault", "see `quarry stop --help`")
    wanted = None if options.all else vault_id(resolve_vault(options))
    stopped: list[Discovery] = []
    staying: list[Discovery] = []
    for discovery in running():
        if wanted in (None, vault_id(Path(discovery.vault.path))):  # with those of its parts
            (stopped if stop(discovery) else staying).append(discovery)
    if options.as_json:
        print_json({"stopped": [{"pid": found.pid, "vault": found.vault.path} for found in stopped]})
    else:
        for found in stopped:
            print_line(f"stopped process {found.pid}, which served {found.vault.path}")
    if staying:
        raise ConnectionFailed(f"process {staying[0].pid} does not end; it serves {staying[0].vault.path}")
    if not stopped:
        print_stderr("no sidecar is running" if options.all else "no sidecar is running for this vault")

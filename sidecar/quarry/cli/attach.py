"""`quarry attach`: see that a sidecar serves the vault, and say where its discovery file lies."""

import argparse

from quarry.cli.arguments import connect
from quarry.cli.terminal import print_json, print_line
from quarry.client.discovery import read_discovery
from quarry.errors import ConnectionFailed


def run(options: argparse.Namespace) -> None:
    """Start a sidecar if need be, and print the path of its discovery file; with `--json`, what it says too."""
    with connect(options) as client:
        path, started = client.discovery_path, client.started_sidecar
        content = read_discovery(path)
    if content is None:
        raise ConnectionFailed(f"the sidecar of {client.root} left as soon as it had answered")
    if options.as_json:
        found = {**content._asdict(), "vault": content.vault._asdict()}
        print_json({"discovery": str(path), "started": started, "content": found})
    else:
        print_line(str(path))

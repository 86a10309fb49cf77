"""`quarry install`: have AI clients start Quarry, after the changes to their configuration were shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from quarry.agents.install.apply import apply
from quarry.agents.install.clients import CLIENTS, SCOPES
from quarry.agents.install.diff import unified_diff
from quarry.agents.install.entries import checked_name, is_same_vault, running_launcher
from quarry.agents.install.files import backup_of
from quarry.agents.install.installed import Installed, installed
from quarry.agents.install.places import current_host, is_present
from quarry.agents.install.plan import plan_install, plan_remove
from quarry.agents.install.proof import Proof, prove
from quarry.agents.install.record import read_records
from quarry.agents.install.requests import ClientSetup, left_out, requests_to_install, requests_to_remove
from quarry.cli.exit_codes import FAILED, OK
from quarry.cli.options import add_json, add_vault, resolve_vault
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import print_json, print_line, print_stderr
from quarry.client.scope import confirm_scope
from quarry.errors import VaultMissing
from quarry.vault.identity import vault_id

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quarry.agents.install.places import Host
    from quarry.agents.install.plan import FileChange


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    add_json(parser)
    add_vault(parser)
    parser.add_argument(
        "--scope", choices=SCOPES, default="user", help="for all projects, or for this one (default: user)"
    )
    parser.add_argument("--name", metavar="NAME", help="name of the server (default: the name of the vault's folder)")
    parser.add_argument("--hooks", action="store_true", help="also install the hooks that add notes to prompts")
    parser.add_argument(
        "--instructions", action="store_true", help="also add a section about the notes to AGENTS.md, CLAUDE.md, …"
    )
    parser.add_argument(
        "--remove",
        action="store_true",
        help="remove what was written for this vault: all of it, or only --hooks or --instructions",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--list", action="store_true", help="list the clients, and what is set up in each")


def run(options: argparse.Namespace) -> int:
    """
    Show the changes, ask, write them, and start what was written.

    Raises:
        BadConfiguration: A file cannot be changed; then none is.
    """
    host = current_host()
    if options.list:
        return _list(host, as_json=options.as_json)
    setups = _setups(options)
    changes = _plan(options, setups, host)
    for sentence in () if options.remove else (sentence for setup in setups for sentence in left_out(setup)):
        print_stderr(sentence)
    if not options.as_json:
        _show(changes)
    if options.dry_run:
        return _reported(options, changes, None, written=False)
    if any(change.is_change for change in changes):
        refusal = _refusal(options, changes)
        if refusal is not None:
            return refusal
    elif not options.as_json:
        print_line("nothing to do")
    apply(changes)
    proof = None if options.remove else _prove(setups[0], host)
    return _reported(options, changes, proof, written=True)


def _setups(options: argparse.Namespace) -> list[ClientSetup]:
    if not options.clients:
        raise BadUsage("`quarry install` needs a client", f"name one or more of {', '.join(CLIENTS)}, or give --list")
    for name in options.clients:
        if name not in CLIENTS:
            raise BadUsage(f"there is no client {name!r}", f"it takes {', '.join(CLIENTS)}")
    vault = _vault(options)
    if not options.remove:
        confirm_scope(Path(vault))
    name = None if options.name is None else checked_name(options.name)
    launcher = running_launcher()
    return [
        ClientSetup(CLIENTS[client], options.scope, vault, name, launcher, options.hooks, options.instructions)
        for client in dict.fromkeys(options.clients)
    ]


def _vault(options: argparse.Namespace) -> str:
    """The path of the vault, absolute; with --remove also of one that is gone."""
    try:
        root = resolve_vault(options)
    except VaultMissing:
        if not (options.remove and options.vault):
            raise
        root = options.vault.expanduser()
    return os.path.normpath(root.absolute())


def _plan(options: argparse.Namespace, setups: Sequence[ClientSetup], host: Host) -> list[FileChange]:
    find = requests_to_remove if options.remove else requests_to_install
    requests = [request for setup in setups for request in find(setup, host)]
    plan = plan_remove if options.remove else plan_install
    return plan(requests, vault_id(Path(setups[0].vault)), read_records())


def _show(changes: Sequence[FileChange]) -> None:
    for change in changes:
        for line in unified_diff(change):
            print_line(line)


def _refusal(options: argparse.Namespace, changes: Sequence[FileChange]) -> int | None:
    """
    The exit code where the changes are not confirmed; None where they are.

    Raises:
        BadUsage: There is nobody to ask.
    """
    if options.yes:
        return None
    files = [str(change.state.path) for change in changes if change.is_change]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadUsage(f"nothing was written to {', '.join(files)}", "give --yes to write without being asked")
    what = "this file" if len(files) == 1 else f"these {len(files)} files"
    print(f"Change {what}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return None
    print_stderr("nothing was written")
    return FAILED


def _prove(setup: ClientSetup, host: Host) -> Proof:
    """Start the server as its client's configuration now says."""
    found = [entry for entry in installed(host) if isinstance(entry, Installed)]
    ours = [entry for entry in found if entry.client == setup.client.name and entry.scope == setup.scope]
    entry = next((entry for entry in ours if is_same_vault(entry.vault, setup.vault)), None)
    if entry is None:
        return Proof((), f"{setup.client.title} is not set up for this vault")
    return prove(entry.command, entry.environment)


def _reported(options: argparse.Namespace, changes: Sequence[FileChange], proof: Proof | None, *, written: bool) -> int:
    """Say what was done, or would be; gives the exit code."""
    if options.as_json:
        _report_json(changes, proof, written=written)
    elif written:
        _report_written(changes)
        if proof:
            _report_proof(options, proof)
    elif any(change.is_change for change in changes):
        print_stderr("nothing was written: leave out --dry-run to write it")
    else:
        print_line("nothing to do")
    return FAILED if proof and proof.problem else OK


def _report_json(changes: Sequence[FileChange], proof: Proof | None, *, written: bool) -> None:
    files = [
        {"path": str(change.state.path), "action": _action(change), "diff": unified_diff(change)} for change in changes
    ]
    tools = proof and {"tools": proof.tools, "problem": proof.problem}
    print_json({"written": written, "files": files, "server": tools})


def _action(change: FileChange) -> str:
    if not change.is_change:
        return "none"
    return "delete" if change.text is None else "create" if change.state.data is None else "change"


def _report_written(changes: Sequence[FileChange]) -> None:
    for change in changes:
        if change.is_change:
            backup = backup_of(change.state.path)
            kept = f"; as it was before: {backup.name}" if backup.exists() else ""
            print_line(f"{_action(change)}d {change.state.path}{kept}")


def _report_proof(options: argparse.Namespace, proof: Proof) -> None:
    if proof.problem:
        print_stderr(f"the configuration is written, but the server does not work: {proof.problem}")
        print_stderr("run `quarry doctor`; `quarry install` with --remove takes the configuration back")
        return
    print_line(f"the server starts and has {len(proof.tools)} tools: {', '.join(proof.tools)}")
    for name in dict.fromkeys(options.clients):
        client = CLIENTS[name]
        print_line(f"{client.title}: {client.afterwards}")
        if options.hooks and client.hooks and client.hooks.afterwards:
            print_line(f"{client.title}: {client.hooks.afterwards}")
    if options.scope == "project":
        print_line("these files name a program and a folder of this machine: think before you commit them")


def _list(host: Host, *, as_json: bool) -> int:
    entries = list(installed(host))
    rows = [
        {
            "client": client.name,
            "title": client.title,
            "found": is_present(client.found_by, host),
            "servers": [
                {"name": entry.name, "scope": entry.scope, "vault": entry.vault, "path": str(entry.path)}
                for entry in entries
                if isinstance(entry, Installed) and entry.client == client.name
            ],
            "hooks": client.hooks is not None,
            "documentation": client.documentation,
        }
        for client in CLIENTS.values()
    ]
    if as_json:
        print_json({"clients": rows})
    else:
        _print_clients(rows)
    return OK


def _print_clients(rows: Sequence[dict[str, object]]) -> None:
    for row in rows:
        servers = row["servers"]
        assert isinstance(servers, list)
        told = "; ".join(f"{server['name']} -> {server['vault']} ({server['scope']})" for server in servers)
        print_line(f"{row['client']:<15} {told or ('not set up' if row['found'] else 'not found here')}")

"""`quarry install`: have AI clients start Quarry, after the changes to their configuration were shown."""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from quarry.agents.install.clients import CLIENTS, SCOPES, Host, current_host, is_present
from quarry.agents.install.config_files import AppliedChange, PlannedChange, apply, backup_path, planned
from quarry.agents.install.desired_state import (
    ClientSetup,
    Installed,
    edits_to_install,
    edits_to_remove,
    installed,
    left_behind,
    left_out,
    servers_for,
)
from quarry.agents.install.server_entry import Verification, checked_name, running_launcher, verify
from quarry.cli.arguments import resolve_vault
from quarry.cli.failure import FAILED, OK
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import print_json, print_line, print_stderr
from quarry.client.vault_folder import confirm_scope
from quarry.errors import BadConfiguration, VaultMissing
from quarry.redaction.scrub import scrub_text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
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
    Show the changes, ask, make them, and start the server as it is configured then.

    Raises:
        BadConfiguration: Another program's server has the name; then nothing is changed.
    """
    host = current_host()
    if options.list:
        return _list(host, as_json=options.as_json)
    setups = _setups(options)
    files = [
        file
        for setup in setups
        for file in (edits_to_remove(setup, host, options.clients) if options.remove else edits_to_install(setup, host))
    ]
    plans = [plan for plan in planned(files) if plan.action != "none"]
    for setup in setups:
        for sentence in left_behind(setup, host, options.clients) if options.remove else left_out(setup):
            print_stderr(sentence)
    if not options.as_json:
        _show(plans, remove=options.remove)
    if options.dry_run:
        return _report_dry_run(options, plans)
    if not _is_confirmed(options, plans):
        print_stderr("nothing was written")
        return FAILED
    changes = [change for change in apply(files, host) if change.action != "none"]
    found = None if options.remove else _verified(setups, host)
    return _report(options, changes, found)


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
    """The path of the vault, absolute; with --remove also of one that is missing."""
    try:
        root = resolve_vault(options)
    except VaultMissing:
        if not (options.remove and options.vault):
            raise
        root = options.vault.expanduser()
    path = os.path.normpath(root.absolute())
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise BadConfiguration(f"the path {path!r} is not UTF-8, as clients need it; rename the folder") from error
    return path


def _show(plans: Sequence[PlannedChange], *, remove: bool) -> None:
    """Every change in full: command lines, and the parts of files that are added and removed."""
    for plan in plans:
        if plan.action == "left":
            _show_by_hand(plan, remove=remove)
            continue
        for command in plan.commands:
            print_line(f"run {shlex.join(command)}")
        print_line(f"{plan.action} {plan.state.path}")
        if plan.state.found and (names := plan.state.found.st_nlink) > 1:
            print_line(
                f"  (the file has {names} names on the disk, as hard links; the others will keep the old content)"
            )
        for sign, part in (("-", plan.difference.removed), ("+", plan.difference.added)):
            for line in scrub_text(part).splitlines():
                print_line(f"{sign} {line}")


def _show_by_hand(plan: PlannedChange, *, remove: bool) -> None:
    """The part of a file that Quarry does not change, for the person to copy or to delete."""
    part = plan.difference.removed if remove else plan.difference.added
    print_line(f"{plan.state.path} is left alone: {plan.problem}.")
    print_line("Delete Quarry's entries from it yourself:" if remove else "Add this to it yourself:")
    print_line(scrub_text(part) if part else "(they could not be read)")


def _is_confirmed(options: argparse.Namespace, plans: Sequence[PlannedChange]) -> bool:
    """
    Whether the user wants the changes, if there are any.

    Raises:
        BadUsage: There is no terminal to ask on.
    """
    files = [str(plan.state.path) for plan in plans if plan.action != "left"]
    if options.yes or not files:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadUsage(f"nothing was written to {', '.join(files)}", "give --yes to write without being asked")
    what = "this file" if len(files) == 1 else f"these {len(files)} files"
    print(f"Change {what}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _verified(setups: Sequence[ClientSetup], host: Host) -> Verification | None:
    """Start the server of the first client that is set up, as its configuration says; None if none is."""
    for setup in setups:
        for entry in servers_for(setup.vault, setup.scope, host):
            if entry.client == setup.client.name:
                return verify(entry.command, entry.environment)
    return None


def _report_dry_run(options: argparse.Namespace, plans: Sequence[PlannedChange]) -> int:
    if options.as_json:
        print_json({"written": False, "files": [_row(plan) for plan in plans], "server": None})
    elif plans:
        print_stderr("nothing was written: leave out --dry-run to write it")
    else:
        print_line("nothing to do")
    return OK


def _report(options: argparse.Namespace, changes: Sequence[AppliedChange], found: Verification | None) -> int:
    """Say what was done; gives the exit code."""
    if options.as_json:
        rows = [
            {**_row(change.plan), "action": change.action, "problem": change.problem, "failures": change.failures}
            for change in changes
        ]
        print_json({"written": True, "files": rows, "server": found and found._asdict()})
    else:
        _report_changes(changes)
        if found:
            _report_server(options, found)
    return FAILED if any(change.action == "left" for change in changes) or (found and found.problem) else OK


def _row(plan: PlannedChange) -> dict[str, object]:
    added, removed = map(scrub_text, plan.difference)
    return {
        "path": str(plan.state.path),
        "action": plan.action,
        "added": added,
        "removed": removed,
        "commands": plan.commands,
        "problem": plan.problem,
    }


def _report_changes(changes: Sequence[AppliedChange]) -> None:
    if not changes:
        print_line("nothing to do")
    for change in changes:
        path = change.plan.state.path
        for failure in change.failures:
            print_stderr(failure)
        if change.action == "left":
            print_stderr(f"{path} was left alone: {change.problem}; change it yourself, as shown above")
        else:
            backup = backup_path(change.plan.state)
            kept = f"; its old content is in {backup}" if change.plan.state.data is not None and backup.exists() else ""
            print_line(f"{change.action}d {path}{kept}")


def _report_server(options: argparse.Namespace, found: Verification) -> None:
    if found.problem:
        print_stderr(f"the configuration is written, but the server does not work: {found.problem}")
        print_stderr("run `quarry doctor`; `quarry install` with --remove removes the configuration")
        return
    print_line(f"the server starts and has {len(found.tools)} tools: {', '.join(found.tools)}")
    for name in dict.fromkeys(options.clients):
        client = CLIENTS[name]
        print_line(f"{client.title}: {client.afterwards}")
        if options.hooks and client.hooks and client.hooks.afterwards:
            print_line(f"{client.title}: {client.hooks.afterwards}")
    if options.scope == "project":
        print_line("these files name a program and a folder of this machine: think before you commit them")


def _list(host: Host, *, as_json: bool) -> int:
    entries = [entry for entry in installed(host) if isinstance(entry, Installed)]
    rows = []
    for client in CLIENTS.values():
        servers = [entry for entry in entries if entry.client == client.name]
        found = is_present(client.found_by, host)
        rows.append(
            {
                "client": client.name,
                "title": client.title,
                "found": found,
                "servers": [
                    {"name": entry.name, "scope": entry.scope, "vault": entry.vault, "path": str(entry.path)}
                    for entry in servers
                ],
                "hooks": client.hooks is not None,
                "documentation": client.documentation,
            }
        )
        if not as_json:
            told = "; ".join(f"{entry.name} -> {entry.vault} ({entry.scope})" for entry in servers)
            print_line(f"{client.name:<15} {told or ('not set up' if found else 'not found here')}")
    if as_json:
        print_json({"clients": rows})
    return OK

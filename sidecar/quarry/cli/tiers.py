"""`quarry tiers`: what `quarry search --tiers` searches besides a vault; list it, connect it, take it off the list."""

import argparse
import shlex
from pathlib import Path
from typing import Any, get_args

from quarry.cli.arguments import add_json, number
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import bold, dim, print_answer, print_line, print_stderr
from quarry.client.discovery import VaultLock
from quarry.client.vault_folder import vault_root
from quarry.config import runtime_dir
from quarry.redaction.sanitize import path_line
from quarry.tiers.connected import (
    WEIGHTS,
    ConnectedTier,
    Kind,
    agent_folder,
    connect,
    connected,
    disconnect,
    offers,
    scheme_of,
)
from quarry.tiers.folder import FolderTier
from quarry.vault.paths import vault_id

MAX_WEIGHT = 10.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    actions = ("list", "add", "remove")
    about = "default: list; add: connect a tier, or change one; remove: take one off the list, by its name or place"
    parser.add_argument("action", nargs="?", choices=actions, default=actions[0], help=about)
    parser.add_argument(
        "place",
        nargs="?",
        metavar="PLACE",
        help="a folder of notes, or postgresql://…; with --as agent, default: a folder of Quarry's own",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=get_args(Kind),
        help="default: vault, or team for a database. Weights: "
        + ", ".join(f"{kind} {weight:g}" for kind, weight in WEIGHTS.items()),
    )
    parser.add_argument("--name", help="how it is called in --tiers and in results (default: as its folder)")
    parser.add_argument(
        "--weight", type=number(0.0, MAX_WEIGHT, float), metavar="X", help="by which its confidences are multiplied"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    """
    List the tiers, connect one, or take one off the list.

    Raises:
        BadUsage: No place is given, or nothing is connected there.
    """
    if options.action == "list":
        _list(options)
    elif options.action == "add":
        tier = connect(_place_to_add(options), _kind(options), options.name, options.weight)
        print_answer(options, _row(tier), lambda row: print_line(_line(row, 0)))
        print_stderr("searched by `quarry search --tiers`; this vault alone is searched without it")
    else:
        removed = disconnect(options.place) if options.place else None
        if removed is None:
            raise BadUsage(f"no tier has the name or place {options.place!r}", "see `quarry tiers`")
        print_answer(options, _row(removed), lambda row: print_line(f"removed {row['name']}; its notes stay"))


def _list(options: argparse.Namespace) -> None:
    tiers = connected().tiers
    found = [{"kind": each.kind, "place": str(each.folder)} for each in offers(Path.cwd(), tiers)]
    print_answer(options, {"tiers": [_row(tier) for tier in tiers], "offered": found}, _show)


def _kind(options: argparse.Namespace) -> Kind:
    kind: Kind = options.kind or ("team" if scheme_of(options.place or "") else "vault")
    return kind


def _place_to_add(options: argparse.Namespace) -> str:
    if options.place is None and options.kind == "agent":
        return str(agent_folder())
    if options.place is None:
        raise BadUsage("`add` needs a folder, or the address of a database", "see `quarry tiers --help`")
    if options.place.startswith("service=") and not Path(options.place).exists():
        raise BadUsage(
            f"{options.place!r} is no folder", f"write the service of a database as postgresql:///?{options.place}"
        )
    return str(options.place) if scheme_of(options.place) else str(vault_root(options.place))


def _row(tier: ConnectedTier) -> dict[str, Any]:
    obstacle = FolderTier(tier).obstacle() if tier.folder else None
    row = {"name": tier.name, "kind": tier.kind, "weight": tier.weight, "place": tier.place}
    return {**row, "state": str(obstacle) if obstacle else _state(tier)}


def _state(tier: ConnectedTier) -> str:
    if tier.folder is None:
        return "asked when it is searched"
    is_running = VaultLock(runtime_dir(), vault_id(tier.folder)).is_held()
    return "running" if is_running else "started when it is searched"


def _show(found: dict[str, list[dict[str, Any]]]) -> None:
    width = max((len(row["name"]) for row in found["tiers"]), default=0)
    for row in found["tiers"]:
        print_line(_line(row, width))
    if not found["tiers"]:
        print_line("No tiers are connected. Connect another vault with `quarry tiers add DIR`.")
    for offer in found["offered"]:
        place = path_line(shlex.quote(offer["place"]))
        print_line(dim(f"not connected: {place}; `quarry tiers add {place} --as {offer['kind']}`"))


def _line(row: dict[str, Any], width: int) -> str:
    facts = f"{row['kind']:<7} {row['weight']:<4g} {path_line(row['place'])}"
    return f"{bold(row['name'].ljust(width))}  {facts}  {dim(row['state'])}"

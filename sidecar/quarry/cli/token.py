"""`quarry token`: named tokens for clients on other machines, each for folders of one vault."""

import argparse
import contextlib
from pathlib import Path
from typing import Any

from quarry.cli.arguments import resolve_vault
from quarry.cli.parser import BadUsage
from quarry.cli.sidecars import running, stop
from quarry.cli.terminal import bold, dim, print_answer, print_line, print_stderr
from quarry.config import data_dir, log_dir
from quarry.mcp.named_tokens import WHOLE_VAULT, Grant, add_token, grants, is_of, revoke_token
from quarry.protocol.base import local_time
from quarry.vault.paths import vault_id

ACTIONS = ("add", "list", "revoke")
DETAILS = """Named tokens let clients on other machines ask a vault on this one, through `quarry mcp --http --listen`:

  quarry token add NAME --folder F --read   make a token for the folder F and print it, this once
  quarry token list                         show what each opens, and when it was last used
  quarry token revoke NAME                  have it open nothing from the next request on

A token sees its folders as if the vault had no others."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="add, list or revoke")
    parser.add_argument("name", nargs="?", metavar="NAME", help="whose it is: alice, build-agent")
    parser.add_argument(
        "--folder",
        action="append",
        default=[],
        metavar="F",
        help="a folder of the vault, spelled as on disk; may be given several times; / is the whole vault",
    )
    parser.add_argument("--read", action="store_true", help="let it search and read")
    parser.add_argument(
        "--capture", action="store_true", help="let it write new notes, too, if the vault's settings allow agents to"
    )


def run(options: argparse.Namespace) -> None:
    """
    Make, list or revoke tokens.

    Raises:
        BadUsage: The name or a right is missing, or there is no such token.
    """
    if options.action == "list":
        if options.name:
            raise BadUsage("list takes no NAME: it shows all tokens", "leave it out")
        root = resolve_vault(options) if options.vault else None
        found = [grant for grant in grants() if root is None or is_of(grant, root)]
        print_answer(options, {"tokens": [_row(grant) for grant in found]}, _show)
        return
    if not options.name:
        raise BadUsage(f"{options.action} needs the NAME of a token", "see `quarry token --help`")
    if options.action == "revoke":
        revoked = revoke_token(options.name)
        if not revoked:
            raise BadUsage(f"there is no token {options.name!r}", "see `quarry token list`")
        _forget_part(revoked)
        print_answer(options, {"revoked": options.name}, lambda _: print_line(f"revoked {options.name}"))
        return
    if not options.read:
        raise BadUsage("a token needs a right", "add --read, and --capture if it may write new notes, too")
    token, grant = add_token(options.name, resolve_vault(options), options.folder, may_capture=options.capture)
    print_answer(options, {"token": token, **_row(grant)}, lambda _: print_line(token))
    print_stderr("this token is shown this once; its client sends `Authorization: Bearer TOKEN`")


def _forget_part(revoked: Grant) -> None:
    """Delete the index of the folders that a token opened, if no other token opens the same."""
    if not revoked.folders or any((one.vault, one.folders) == (revoked.vault, revoked.folders) for one in grants()):
        return
    identity = vault_id(Path(revoked.vault), revoked.folders)
    for discovery in running():
        if discovery.vault.id == identity:
            stop(discovery)
    for file in (*data_dir().glob(f"{identity}.*"), *log_dir().glob(f"{identity}.*")):
        with contextlib.suppress(OSError):  # Windows keeps an open one; it is readable by this user alone
            file.unlink()


def _row(grant: Grant) -> dict[str, Any]:
    return {
        "name": grant.name,
        "vault": grant.vault,
        "folders": grant.folders or (WHOLE_VAULT,),
        "rights": grant.rights,
        "createdMs": grant.created_ms,
        "lastUsedMs": grant.last_used_ms,
    }


def _show(found: dict[str, list[dict[str, Any]]]) -> None:
    for row in found["tokens"]:
        used = f"last used {local_time(row['lastUsedMs']):%Y-%m-%d %H:%M}" if row["lastUsedMs"] else "never used"
        about = f"{', '.join(row['folders'])} of {row['vault']}, {' and '.join(row['rights'])}, {used}"
        print_line(f"{bold(row['name'])}  {dim(about)}")
    if not found["tokens"]:
        print_stderr("there are no tokens; make one with `quarry token add NAME --folder F --read`")

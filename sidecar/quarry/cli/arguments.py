"""Options that commands share, and words such as `-draft`, which exclude notes and look like options."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

from quarry import protocol as wire
from quarry.cli.failure import NOT_INDEXED_YET, OK
from quarry.cli.parser import Once
from quarry.client.client import SidecarClient
from quarry.client.vault_folder import confirm_scope, find_vault
from quarry.errors import BadQuery
from quarry.limits import INCOMPLETE, MAX_QUERY_CHARS
from quarry.options import Params
from quarry.protocol import Option, options_of

VAULT_HELP = "the vault (default: $QUARRY_VAULT, else the nearest parent folder with .obsidian or .quarry.toml)"
QUERY_HELP = (
    'words, "phrases", -not, a OR b, /regex/, path: file: folder: tag: section: block: line: task: '
    "match-case: [property:value] modified:7d"
)
MODE_NAMES = {"both": "hybrid", "words": "keyword", "meaning": "semantic"}  # as the pane calls them
START_WAIT_S = 5.0  # a person asks once: better whole after a second than half at once
LONG_WAIT_S = 3600  # of `--wait` without a time
ALL = "all"  # of `--tiers` without names
WITHOUT_VALUE = {"--wait": LONG_WAIT_S, "--tiers": ALL}
COMMANDS_WITH_QUERY = ("search", "explain", "context")
HIDDEN = "\0"  # cannot stand in an argument, so it marks one of ours
_EXCLUSION = re.compile(r"-[^-h]|-h.")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")


def add_vault(parser: argparse.ArgumentParser) -> None:
    """Add `--vault`."""
    parser.add_argument("--vault", action=Once, type=Path, metavar="DIR", help=VAULT_HELP)


def add_note(parser: argparse.ArgumentParser) -> None:
    """Add the argument `path`, a note by any name that it has."""
    parser.add_argument(
        "path",
        metavar="NOTE",
        type=lambda given: PurePath(unprotected(given)).as_posix(),
        help="its path as printed by `quarry search`, a title, an alias, or the text of a link to it",
    )


def add_fields(parser: argparse.ArgumentParser, params: type[Params], *names: str) -> None:
    """Add an option for each field of *params* that the command line offers, or for those called *names*."""
    for field in _fields(params, names):
        parser.add_argument(_flag(field.name), dest=field.name, **_as_argument(field))


def given_fields(options: argparse.Namespace, params: type[Params], *names: str) -> dict[str, object]:
    """The fields that `add_fields` offered and the command line gives, by their names on the wire."""
    values = ((field.wire_name, getattr(options, field.name)) for field in _fields(params, names))
    return {name: value for name, value in values if value is not None}


def _fields(params: type[Params], names: Sequence[str]) -> list[Option]:
    return [field for field in options_of(params, "cli") if not names or field.name in names]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _as_argument(field: Option) -> dict[str, Any]:
    """The arguments of argparse's `add_argument` for *field*. A value that is not given is not sent."""
    default = f" Default: {field.default}." if field.default is not None else ""
    if field.choices:
        return {
            "type": lambda given: MODE_NAMES.get(given, given),
            "choices": field.choices,
            "help": field.description + default,
        }
    if field.type is tuple:
        return {"type": _names, "metavar": "NAME,…", "help": field.description}
    if field.type is bool:
        return {"action": argparse.BooleanOptionalAction, "help": field.description + default}
    if field.least is None or field.most is None:
        return {"type": field.type, "metavar": field.name.upper(), "help": field.description + default}
    allowed = "" if field.type is float else f" {field.least:,} to {field.most:,}."
    return {
        "type": number(field.least, field.most, field.type),
        "metavar": "X" if field.type is float else "N",
        "help": f"{field.description}{allowed}{default}",
    }


def _names(given: str) -> list[str]:
    return [] if given == ALL else [name for name in map(str.strip, given.split(",")) if name]


def add_wait(parser: argparse.ArgumentParser) -> None:
    """Add `--wait`, which takes a time only behind `=`: the word after it is a word of the query."""
    parser.add_argument(
        "--wait",
        type=number(0, LONG_WAIT_S, float),
        metavar="SECONDS",
        help="wait until the vault is wholly indexed, or at most --wait=SECONDS (default: "
        f"{START_WAIT_S:g} for a vault that never was)",
    )


def wait_for_index(client: "SidecarClient", wait_s: float | None) -> None:
    """Wait *wait_s* for complete answers; None waits only for a vault that is being indexed for the first time."""
    if wait_s is not None:
        client.wait_until_complete(wait_s)
    elif client.started_sidecar or client.hello.status.indexed_ms is None:
        client.wait_until_complete(START_WAIT_S)


def exit_code_of_nothing(index: "wire.Freshness") -> int:
    """The exit code where nothing was found in *index*, which may not hold all notes yet."""
    return NOT_INDEXED_YET if index.state in INCOMPLETE else OK


def query_of(words: Sequence[str]) -> str:
    """
    The query that consists of these *words* of the command line; empty if there are none.

    Raises:
        BadQuery: It is blank or too long.
    """
    query = " ".join(map(unprotected, words))
    if words and not query.strip():
        raise BadQuery("the query is empty", 0)
    if len(query) > MAX_QUERY_CHARS:
        raise BadQuery(f"the query has {len(query):,} characters; it takes up to {MAX_QUERY_CHARS:,}", MAX_QUERY_CHARS)
    return query


def number(least: float, most: float, kind: type[float] = int) -> Callable[[str], float]:
    """The type of an option that takes a number of *kind*, `int` or `float`, from *least* to *most*."""

    def parsed(given: str) -> float:
        try:
            value = kind(given)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"is {given!r}; it takes a number from {least:,} to {most:,}")
        return value

    return parsed


def resolve_vault(options: argparse.Namespace) -> Path:
    """
    The vault that *options* name, else the environment, else the one that the working directory lies in.

    Raises:
        VaultMissing: The named folder does not exist, or none was named and none is near.
    """
    return find_vault(options.vault, Path.cwd())


def connect(options: argparse.Namespace, *, as_owner: bool = False) -> "SidecarClient":
    """A client of the vault's sidecar, which is started if need be; *as_owner*: for what only the owner may do."""
    root = resolve_vault(options)
    confirm_scope(root)
    return SidecarClient(root, "cli", as_owner=as_owner)


def protected_arguments(arguments: Sequence[str]) -> list[str]:
    """
    *arguments* with words such as `-draft` hidden from argparse, which would take them for options, and `--wait` and
    `--tiers` with their values, for which argparse would take the next word.

    Words are hidden in commands that take a query, where one dash before a word excludes the notes that hold it, and
    options have two.
    """
    if not arguments or arguments[0] not in (*COMMANDS_WITH_QUERY, "list", "read"):
        return list(arguments)
    protected = list(arguments[:1])
    with_value = {
        "--vault",
        *(_flag(field.name) for field in options_of(wire.TierSearchParams, "cli") if field.type is not bool),
    }
    for argument in arguments[1:]:
        if argument in WITHOUT_VALUE and "--" not in protected:
            protected.append(f"{argument}={WITHOUT_VALUE[argument]}")
            continue
        is_word = arguments[0] in COMMANDS_WITH_QUERY and protected[-1] not in with_value
        protected.append(HIDDEN + argument if is_word and _EXCLUSION.match(argument) else argument)
    return protected


def unprotected(argument: str) -> str:
    """*argument* as it was typed."""
    return argument.removeprefix(HIDDEN)

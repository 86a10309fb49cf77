"""`quarry models`: the embedding models to choose from, and the choice of one."""

import argparse
import sys

from quarry import consent
from quarry import protocol as wire
from quarry.cli.arguments import connect, wait_for_index
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import bold, dim, print_answer, print_line, print_stderr
from quarry.embedding.endpoint_name import withdraw

LANGUAGES = {"english": "English", "scripts": "English, other scripts", "many": "many languages", None: "?"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    actions = ("list", "use", "forget", "confirmed", "withdraw")
    about = "default: list; forget: vectors; confirmed: what you said yes to on this device; withdraw: take a yes back"
    parser.add_argument("action", nargs="?", choices=actions, default=actions[0], help=about)
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="as listed, or a folder; default: the one in the settings"
    )
    parser.add_argument("--yes", action="store_true", help="confirm without being asked what is downloaded or sent")


def run(options: argparse.Namespace) -> None:
    """
    List the models, use one, delete the vectors that are kept of one, list what is confirmed, or withdraw that.

    Raises:
        BadUsage: It is not confirmed, or none are kept.
    """
    if options.action in ("confirmed", "withdraw"):
        _show_confirmed(options)
        return
    with connect(options, as_owner=True) as client:
        wait_for_index(client, None)
        if options.action == "forget":
            kept = [model for model in client.status().models if model.name == options.name and not model.is_used]
            if not kept:
                raise BadUsage(f"no vectors of {options.name!r} are kept beside those in use", "see `quarry status`")
            for model in kept:
                client.ask("index/forgetModel", {"id": model.id})
            print_line(f"deleted {sum(model.size_bytes for model in kept) / 1e6:.1f} MB")
            return
        found: wire.ModelsListResult = client.ask("models/list", {"model": options.name})
        if options.action == "list":
            print_answer(options, found, _show)
            return
        choice = next(each for each in found.models if each.name == (options.name or found.chosen))
        if choice.obstacle and choice.obstacle.code == "obstacle.needs-pull":  # before anything is asked
            raise BadUsage(f"Ollama does not have {choice.name!r}", str(choice.obstacle))
        _confirm(choice, is_confirmed=options.yes)
        confirmed = [request.kind for request in choice.requests]
        settings = client.ask("models/use", {"model": choice.name, "confirmed": confirmed})
        told = f"{choice.name} is chosen: {_time(choice)}; `quarry status` shows the progress"
        print_answer(options, settings, lambda _: print_line(told))
        if choice.obstacle:
            print_stderr(str(choice.obstacle))


def _show_confirmed(options: argparse.Namespace) -> None:
    """
    Print what is confirmed, or what is from now on no longer.

    Raises:
        BadUsage: There is nothing to withdraw, or the name is missing or too much.
    """
    is_withdrawn = options.action == "withdraw"
    if is_withdrawn != bool(options.name):
        raise BadUsage("`withdraw` takes a NAME and `confirmed` takes none", "see `quarry models confirmed`")
    found = withdraw(options.name or "") if is_withdrawn else sorted(consent.confirmed())
    if is_withdrawn and not found:
        raise BadUsage("nothing is confirmed for a model of that name", "see `quarry models confirmed`")
    rows = [{"kind": kind, "name": subject} for kind, subject in found]
    print_answer(options, rows, _print_confirmed)
    if is_withdrawn:
        print_stderr("withdrawn for all vaults, within seconds; what was downloaded stays and can be used")


def _print_confirmed(rows: list[dict[str, str]]) -> None:
    for row in rows:
        print_line(f"{row['kind']:<9} {row['name']}")
    if not rows:
        print_line("Nothing is confirmed on this device.")


def _show(found: wire.ModelsListResult) -> None:
    width = max(len(choice.name) for choice in found.models)
    for choice in found.models:
        is_chosen = choice.name == found.chosen
        gain = "gain not measured" if choice.gain is None else f"gain {choice.gain:+.3f}"
        size = f"{choice.size_bytes / 1e6:.0f} MB" if choice.size_bytes else "size not known"
        size += "" if choice.is_here else " to download"
        facts = ", ".join((LANGUAGES[choice.languages], size, _time(choice), gain))
        print_line(f"{'*' if is_chosen else ' '} {bold(choice.name.ljust(width))}  {facts}")
        missing = [request.message for request in choice.requests] if is_chosen else []
        for note in (choice.obstacle, *missing):
            if note:
                print_line(dim(f"  {'':<{width}}  {note}"))
    print_line("\n* is chosen. Gain: of nDCG@10 over the bundled model, in English. Times are estimates.")
    print_line("Use one with `quarry models use NAME`.")


def _time(choice: wire.ModelChoice) -> str:
    """How long it takes until the model answers in this vault."""
    if choice.remaining_ms is None and choice.done_chunks < choice.total_chunks:
        return "time not known"
    seconds = (choice.remaining_ms or 0) / 1000
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


def _confirm(choice: wire.ModelChoice, *, is_confirmed: bool) -> None:
    """
    Return if the user confirms all that *choice* asks for.

    Raises:
        BadUsage: They do not, or there is no terminal to ask on.
    """
    for request in choice.requests:
        print_stderr(str(request.message))
    if is_confirmed or not choice.requests:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"Use {choice.name}? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise BadUsage("the model is not used, as nothing was confirmed", "give --yes to confirm without being asked")

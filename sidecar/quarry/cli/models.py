"""`quarry models`: the embedding models to choose from, and the choice of one."""

import argparse
import sys
from collections.abc import Sequence

from quarry import protocol as wire
from quarry.cli.arguments import connect, wait_for_index
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import bold, dim, print_answer, print_line, print_stderr

LANGUAGES = {"english": "English", "scripts": "English, other scripts", "many": "many languages", None: "?"}
ACTIONS = ("list", "use", "forget")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", help="list them (the default), or use one"
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help='a name of the list, a folder, a Hugging Face name, "ollama:NAME", or "http://127.0.0.1:PORT/v1#NAME" '
        "(default: the one that the vault prefers)",
    )
    parser.add_argument("--yes", action="store_true", help="confirm without being asked what is downloaded or sent")


def run(options: argparse.Namespace) -> None:
    """
    List the models, use one, or delete the vectors that are kept of one.

    Raises:
        BadUsage: It is not confirmed, or none are kept.
    """
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
        choice = next(
            each for each in found.models if each.name == options.name or (not options.name and each.is_chosen)
        )
        _confirm(choice, is_confirmed=options.yes)
        confirmed = [request.kind for request in choice.requests]
        settings: wire.Settings = client.ask("models/use", {"model": choice.name, "confirmed": confirmed})
        print_answer(options, settings, lambda _: _show_use(choice))


def _show(found: wire.ModelsListResult) -> None:
    width = max(len(choice.name) for choice in found.models)
    for choice in found.models:
        gain = "gain not measured" if choice.gain is None else f"gain {choice.gain:+.3f}"
        facts = (LANGUAGES[choice.languages], _size(choice), _time(choice), gain)
        line = f"{'*' if choice.is_chosen else ' '} {choice.name:<{width}}  {', '.join(facts)}"
        print_line(bold(line) if choice.is_chosen else line)
        notes = [*([str(choice.obstacle)] if choice.obstacle else []), *_requests(choice)]
        for note in notes:
            print_line(dim(f"  {'':<{width}}  {note}"))
    print_line()
    print_line("*: in use. Gain: of nDCG@10 over the bundled model, in English. Times are estimates.")
    print_line("Use one with `quarry models use NAME`.")


def _requests(choice: wire.ModelChoice) -> Sequence[str]:
    """What would be confirmed, of a model that the vault prefers."""
    return [str(request.message) for request in choice.requests] if choice.is_chosen else ()


def _size(choice: wire.ModelChoice) -> str:
    size = f"{choice.size_bytes / 1e6:.0f} MB" if choice.size_bytes else "size not known"
    return size if choice.is_here else f"{size} to download"


def _time(choice: wire.ModelChoice) -> str:
    """How long it takes until the model answers in this vault."""
    if choice.total_chunks and choice.done_chunks == choice.total_chunks:
        return "answers at once"
    if choice.remaining_ms is None:
        return "time not known"
    seconds = choice.remaining_ms / 1000
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


def _confirm(choice: wire.ModelChoice, *, is_confirmed: bool) -> None:
    """
    Return if the user confirms all that *choice* asks for.

    Raises:
        BadUsage: They do not, or there is no terminal to ask on.
    """
    if not choice.requests:
        return
    for request in choice.requests:
        print_stderr(str(request.message))
    if is_confirmed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadUsage("the model is not used, as nothing was confirmed", "give --yes to confirm without being asked")
    print(f"Use {choice.name}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise BadUsage("the model is not used, as you did not confirm it", "see `quarry models`")


def _show_use(choice: wire.ModelChoice) -> None:
    print_line(f"{choice.name} is chosen: {_time(choice)}; `quarry status` shows the progress")
    if choice.obstacle:
        print_stderr(str(choice.obstacle))

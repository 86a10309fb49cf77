"""`quarry blocks`: the context blocks of a vault, which a conversation with an agent begins with."""

import argparse
from collections.abc import Sequence

from quarry import protocol as wire
from quarry.cli.arguments import add_json, add_vault, connect, number, wait_for_index
from quarry.cli.failure import BAD_USAGE, FAILED, OK
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import bold, counted, dim, print_json, print_limitations, print_line, print_stderr
from quarry.client.client import SidecarClient

ACTIONS = ("show", "build", "check")
MAX_TOKENS = 3000  # of a conversation's 8,000 that are for blocks
MAX_NAME = 100  # characters, as on the wire
DETAILS = """Context blocks are named queries of .quarry.toml, quoted at the start of a conversation with an agent:

  [context.auth-patterns]
  query = "oauth token rotation"
  max_tokens = 1500
  ttl_hours = 24

  quarry blocks show [NAME]     print them; stale blocks are rebuilt first
  quarry blocks build [NAME]    rebuild them, whether stale or not
  quarry blocks check           show which are current, why others are stale, and which settings are wrong; exit code 1
                                if one has to be built, 2 if a setting is wrong"""
NONE_DEFINED = 'there are no context blocks; add one to .quarry.toml: [context.NAME] with query = "…"'


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="show, build or check")
    parser.add_argument("name", nargs="?", metavar="NAME", help="one block (default: all, in the order of the file)")
    parser.add_argument(
        "--max-tokens",
        type=number(50, 100_000),
        default=MAX_TOKENS,
        metavar="N",
        help=f"budget for all together, 4 characters per token (default {MAX_TOKENS})",
    )
    add_json(parser)
    parser.add_argument("--md", dest="as_markdown", action="store_true", help="print the text that an agent gets")
    add_vault(parser)


def run(options: argparse.Namespace) -> int:
    """Show, build or check the blocks."""
    if options.name is not None and len(options.name) > MAX_NAME:
        raise BadUsage(f"NAME has {len(options.name)} characters; a block's has up to {MAX_NAME}", "see .quarry.toml")
    if options.action == "check" and (options.name is not None or options.as_markdown):
        raise BadUsage("check takes neither NAME nor --md: it looks at all blocks", "leave it out")
    with connect(options) as client:
        wait_for_index(client, None)
        return _check(client, options) if options.action == "check" else _read(client, options)


def _read(client: SidecarClient, options: argparse.Namespace) -> int:
    rebuild = options.action == "build"
    params = {"name": options.name, "maxTokens": options.max_tokens, "rebuild": rebuild}
    found: wire.BlocksResult = client.ask("blocks/read", params)
    if options.as_json:
        print_json(found)
    elif options.as_markdown:
        if found.text:
            print_line(found.text)
    else:
        for block in found.blocks:
            print_line(f"{bold(block.name)}  {dim(_facts(block))}")
            if block.text and not rebuild:
                print_line(f"\n{_without_heading(block.text)}\n")
    for name in found.left_out:
        print_stderr(f"{name} is left out: the blocks before it leave no room for a quote within {options.max_tokens}")
    if not found.blocks and not found.left_out and not found.problems:
        print_stderr(NONE_DEFINED)
    print_limitations(found.index)
    return _exit_code_of(found.problems)


def _check(client: SidecarClient, options: argparse.Namespace) -> int:
    found: wire.BlocksCheckResult = client.ask("blocks/check")
    stale = [block for block in found.blocks if block.stale]
    if options.as_json:
        print_json(found)
    else:
        for block in found.blocks:
            state = f"{block.stale}: {block.reason}" if block.stale else f"holds, {counted(block.quotes, 'quote')}"
            print_line(f"{bold(block.name)}  {dim(state)}")
    if found.asked_tokens > MAX_TOKENS:
        print_stderr(
            f"together they may take {found.asked_tokens:,} tokens, and a conversation begins with {MAX_TOKENS:,}: "
            "what does not fit is cut from the last ones; lower max_tokens"
        )
    if not found.blocks and not found.problems:
        print_stderr(NONE_DEFINED)
    print_limitations(found.index)
    return _exit_code_of(found.problems) or (FAILED if stale else OK)


def _facts(block: wire.BlockContents) -> str:
    """How large a block is, and where it comes from."""
    if block.state == "empty":
        return "empty: no note is likely to answer its query; `quarry search` shows the nearest"
    notes = len({source.path for source in block.sources})
    cut = ", cut to the space left by the others" if block.truncated else ""
    size = f"{block.tokens:,} of {block.max_tokens:,} tokens"
    return f"{block.state}, {size}, {counted(len(block.sources), 'quote')} of {counted(notes, 'note')}{cut}"


def _without_heading(text: str) -> str:
    return text.partition("\n\n")[2]


def _exit_code_of(problems: Sequence[wire.BlockProblem]) -> int:
    """Tell of settings that are wrong; the exit code for them."""
    for problem in problems:
        print_stderr(problem.message)
    return BAD_USAGE if problems else OK

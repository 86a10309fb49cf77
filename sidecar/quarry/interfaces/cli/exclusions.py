"""Words such as `-draft` on the command line, which leave notes out of an answer and look like options."""

import re
from collections.abc import Sequence

OPTIONS_WITH_VALUE = ("--vault", "--limit", "--mode", "--fusion", "--max-tokens")
COMMANDS_WITH_QUERY = ("search", "explain")
HIDDEN = "\0"  # cannot stand in an argument, so it marks one of ours
_EXCLUSION = re.compile(r"-[^-h]|-h.")


def protect_exclusions(arguments: Sequence[str]) -> list[str]:
    """
    *arguments* with words such as `-draft` hidden from argparse, which would take them for options.

    Only where a query is given, in which one dash before a word leaves out what holds it; options there have two.
    """
    if not arguments or arguments[0] not in COMMANDS_WITH_QUERY:
        return list(arguments)
    protected = list(arguments[:1])
    for argument in arguments[1:]:
        is_value = protected[-1] in OPTIONS_WITH_VALUE
        protected.append(HIDDEN + argument if _EXCLUSION.match(argument) and not is_value else argument)
    return protected


def unprotected(argument: str) -> str:
    """*argument* as it was typed."""
    return argument.removeprefix(HIDDEN)

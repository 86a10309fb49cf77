"""
`python -m quarry` and the command `quarry`.

`quarry hook` and `--version` are recognised before the command line is imported: an agent waits for each hook.
"""

import gc
import sys

from quarry import __version__
from quarry.limits import PROTOCOL_VERSION

ASKED_BY_A_PERSON = frozenset({"--test", "--help", "-h"})  # of a hook: explained by the command line


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["hook"] and not any(argument.partition("=")[0] in ASKED_BY_A_PERSON for argument in given):
        try:
            from quarry.agents.hooks.entry import main as hook
        except ImportError:  # a broken installation is no reason to stop an agent
            return 0
        hook(given[1:])
    if given[:1] == ["--version"]:
        print(f"quarry {__version__} (protocol {PROTOCOL_VERSION})")
        return 0
    gc.disable()  # modules are not garbage, and traversing them takes a tenth of the time of a search
    from quarry.cli.main import main as cli

    return cli(given)


if __name__ == "__main__":
    sys.exit(main())

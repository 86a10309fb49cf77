"""`quarry bench`: how fast it is on this machine, beside the published design and beside an earlier run."""

import argparse
from pathlib import Path

from quarry.interfaces.cli.common import Commands

SUMMARY = "measure how fast a vault is indexed and searched on this machine"
DETAILS = """Measure the engine and the sidecar on copies of a vault, which itself is only read:

  quarry bench VAULT                    everything, at 50k, 150k and 1m chunks (from minutes to an hour)
  quarry bench VAULT --only index,save  some parts: index, query, socket, unchanged, start, while-indexing, save, peers
  quarry bench --compare A B            two results that --json wrote, as ratios

In a checkout, the published design is measured in the same run on the same notes and queries, and its figures stand
beside ours. A vault that holds fewer chunks than asked for is grown with notes mixed from its own sentences."""


def add_commands(commands: Commands) -> None:
    """Add `bench`."""
    parser = commands.add_parser(
        "bench", help=SUMMARY, description=DETAILS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.set_defaults(run=run)
    parser.add_argument("vault", nargs="?", type=Path, metavar="VAULT", help="the vault to measure with")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result to FILE; - is standard output")
    parser.add_argument("--queries", nargs="+", type=Path, default=[], metavar="FILE", help="JSON lines with `text`")
    parser.add_argument("--sizes", default=None, metavar="A,B", help="chunks to ask at (default 50k,150k,1m)")
    parser.add_argument("--notes", type=int, metavar="N", help="cut the vault to N notes, or mix more")
    parser.add_argument("--only", metavar="A,B", help="parts to measure (default all)")
    parser.add_argument("--questions", type=int, metavar="N", help="queries of each kind")
    parser.add_argument("--repeats", type=int, metavar="N", help="of what is done once, like starting (default 5)")
    parser.add_argument("--no-baseline", action="store_true", help="leave the published design out")
    parser.add_argument("--full", action="store_true", help="the published design at every size, which takes hours")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep copies and indexes in DIR for the next time")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="show B as ratios of A")


def run(options: argparse.Namespace) -> int:
    """Measure and print, or compare. The import is here so that other commands start without the engine."""
    from quarry.interfaces.cli import measuring

    return measuring.compare_results(options) if options.compare else measuring.measure_vault(options)

"""`quarry eval`: how well it finds what was judged relevant, and whether one way to search is better than another."""

import argparse
from pathlib import Path

from quarry.evaluation.measures import DEPTH, MAIN, MEASURES
from quarry.evaluation.systems import SYSTEMS, USUAL
from quarry.interfaces.cli.common import Commands

SUMMARY = "measure how well notes are found, by queries with known answers"
DETAILS = f"""Judge collections of documents, queries and judgments, each indexed anew with the defaults:

  quarry eval DIR...                    folders in the layout of BEIR (corpus.jsonl or a folder vault/,
                                        queries.jsonl or .tsv, qrels.tsv), or folders of such folders
  quarry eval --vault DIR FILE...       golden files of a vault: query, path, and maybe grade and kind,
                                        as JSON lines or as a table with tabs under a line of column names
  quarry eval --compare A B             two results: run folders, or one system's folder in each

systems: {", ".join(SYSTEMS)}
measures: {", ".join(MEASURES)}"""
WORKERS = 2  # processes; more than that leave no core to the person at the machine


def add_commands(commands: Commands) -> None:
    """Add `eval`."""
    parser = commands.add_parser(
        "eval", help=SUMMARY, description=DETAILS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.set_defaults(run=run)
    parser.add_argument("places", nargs="*", type=Path, metavar="DIR", help="collections, or golden files with --vault")
    parser.add_argument("--vault", type=Path, metavar="DIR", help="the vault that the golden files speak of")
    parser.add_argument(
        "--modes", default=",".join(USUAL), metavar="A,B", help=f"systems to judge (default {','.join(USUAL)})"
    )
    parser.add_argument("--limit", type=int, default=DEPTH, metavar="N", help=f"hits a query (default {DEPTH})")
    parser.add_argument("--by-kind", action="store_true", help="also by kind of query")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the means to FILE; - is standard output")
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="write runs and each query's values below DIR")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes in DIR for the next time")
    parser.add_argument(
        "--workers", type=int, default=WORKERS, metavar="N", help=f"collections at a time (default {WORKERS})"
    )
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare results query by query")
    parser.add_argument("--measure", choices=MEASURES, default=MAIN, help=f"what is shown (default {MAIN})")


def run(options: argparse.Namespace) -> int:
    """Judge and print, or compare. The import is here so that other commands start without the engine."""
    from quarry.interfaces.cli import judging

    return judging.compare_results(options) if options.compare else judging.judge_collections(options)

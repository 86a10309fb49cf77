"""`quarry eval`: how well search finds what was judged relevant, and whether another way is better."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Never

from tqdm import tqdm

from quarry.cli.arguments import resolve_vault
from quarry.cli.terminal import print_line, print_stderr
from quarry.errors import BadRequest
from quarry.evaluation import results
from quarry.evaluation.collections import Collection, find_collections, read_collection, read_golden
from quarry.evaluation.runner import (
    DEPTH,
    MAIN,
    MEASURES,
    SYSTEMS,
    USUAL,
    Evaluation,
    EvaluationTask,
    Show,
    evaluate_all,
    measures,
)

DETAILS = f"""Evaluate search on collections of documents, queries and relevance judgments. Each is indexed
from scratch, with the default settings:

  quarry eval DIR...                    folders in the layout of BEIR (corpus.jsonl or a folder vault/,
                                        queries.jsonl or .tsv, qrels.tsv), or folders of such folders
  quarry eval --vault DIR FILE...       golden files of a vault: query, path and optionally grade and kind,
                                        as JSON lines or tab-separated values with a header line
  quarry eval --compare A B             two results: two run folders, or a folder of one system in each

systems: {", ".join(SYSTEMS)}
measures: {", ".join(MEASURES)}"""
WORKERS = 2  # processes; more than that leave no core to the person at the machine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("places", nargs="*", type=Path, metavar="DIR", help="collections, or golden files with --vault")
    parser.add_argument("--vault", type=Path, metavar="DIR", help="the vault of the golden files")
    parser.add_argument("--modes", metavar="A,B", default=",".join(USUAL), help="systems (default %(default)s)")
    parser.add_argument("--limit", type=int, default=DEPTH, metavar="N", help="hits per query (default %(default)s)")
    parser.add_argument("--by-kind", action="store_true", help="also show results by kind of query")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the means to FILE; - is standard output")
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="write runs and the measures of each query to DIR")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes in DIR for the next run")
    parser.add_argument("--workers", type=int, default=WORKERS, metavar="N", help="collections evaluated at a time")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare results query by query")
    parser.add_argument("--measure", choices=MEASURES, default=MAIN, help="measure to show (default %(default)s)")


def run(options: argparse.Namespace) -> None:
    """Evaluate and print, or compare."""
    if options.compare:
        if options.places:
            raise BadRequest("--compare takes two results and no collections")
        first, second = options.compare
        print_line(results.compare(first, second, options.measure))
        return
    systems = _systems(options.modes)
    if options.limit < 1 or options.workers < 1:
        raise BadRequest("--limit and --workers must be at least 1")
    measures()  # or the library is missing, which is told before hours are spent on runs
    evaluations = _evaluate(_collections(options), systems, options)
    if options.json:
        document = json.dumps(results.summary(evaluations, with_kinds=options.by_kind), indent=2, ensure_ascii=False)
        if str(options.json) == "-":
            print(document)
            return
        options.json.write_text(document + "\n", "utf-8")
    _print(evaluations, options)


# --- steps -----------------------------------------------------------------------------------------


def _systems(modes: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in modes.split(",")))
    for name in names:
        if name not in SYSTEMS:
            raise BadRequest(f"there is no mode {name!r}; choose from {', '.join(SYSTEMS)}")
    return names


def _collections(options: argparse.Namespace) -> list[Collection]:
    """
    The collections to evaluate, each under a name of its own.

    Raises:
        BadRequest: Nothing was named, or two have the same name.
    """
    if not options.places:
        raise BadRequest("name a folder with corpus.jsonl, queries.jsonl and qrels.tsv; see `quarry eval --help`")
    if options.vault:
        vault = resolve_vault(options)
        found = [read_golden(file, vault) for file in options.places]
    else:
        found = [read_collection(folder) for place in options.places for folder in find_collections(place)]
    names = [collection.name for collection in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadRequest(f"two collections are called {twice!r}; rename one, as results are filed by name")
    return found


def _evaluate(
    collections: Sequence[Collection], systems: tuple[str, ...], options: argparse.Namespace
) -> list[Evaluation]:
    evaluations: list[Evaluation] = []
    with tempfile.TemporaryDirectory(prefix="quarry-eval-") as temporary, _bar() as show:
        folder = options.keep or Path(temporary)
        tasks = [EvaluationTask(one, systems, options.limit, folder) for one in collections]
        for one in evaluate_all(tasks, options.workers, show):
            if options.run_dir:  # at once: what comes after may be interrupted
                results.save(one, options.run_dir)
            evaluations.append(one)
    return evaluations


@contextmanager
def _bar() -> Iterator[Show]:
    bar: tqdm[Never] = tqdm(disable=not sys.stderr.isatty(), leave=False, dynamic_ncols=True)

    def show(what: str, done: int, total: int) -> None:
        bar.set_description_str(what, refresh=False)
        bar.n, bar.total = done, total or None
        bar.refresh()

    with bar:
        yield show


def _print(evaluations: Sequence[Evaluation], options: argparse.Namespace) -> None:
    print_line(results.overview(evaluations, options.measure))
    if options.by_kind:
        for table in filter(None, (results.by_kind(one, options.measure) for one in evaluations)):
            print_line(f"\n{table}")
    for one in evaluations:
        for remark in one.remarks:
            print_stderr(f"{one.name}: {remark}")
    searches = sum(len(one.queries) * len(one.runs) for one in evaluations)
    seconds = sum(one.seconds for one in evaluations)
    print_stderr(f"{searches} searches, {1000 * seconds / max(searches, 1):.1f} ms each")

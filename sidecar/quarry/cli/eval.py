"""`quarry eval`: how well it finds what was judged relevant, and whether one way to search is better than another."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Never

import msgspec
from tqdm import tqdm

from quarry.bench.measurement import run_in_subprocess
from quarry.bench.stages import evaluate_stages, stages_table
from quarry.cli.options import resolve_vault
from quarry.cli.terminal import print_line, print_stderr
from quarry.embedding import load_encoder
from quarry.errors import BadRequest
from quarry.evaluation import tables
from quarry.evaluation.collections import Collection, find_collections, read_collection, read_golden
from quarry.evaluation.comparison import compare
from quarry.evaluation.measures import DEPTH, MAIN, MEASURES, require_measures
from quarry.evaluation.prompts import evaluate_prompts, read_prompts
from quarry.evaluation.results import SavedQuery, pairs, read_saved, save, summary
from quarry.evaluation.runner import Evaluation, EvaluationTask, Show, evaluate_all
from quarry.evaluation.systems import CONFIDENT, SYSTEMS, USUAL

DETAILS = f"""Evaluate search on collections of documents, queries and relevance judgments. Each is indexed
from scratch, with the default settings:

  quarry eval DIR...                    folders in the layout of BEIR (corpus.jsonl or a folder vault/,
                                        queries.jsonl or .tsv, qrels.tsv), or folders of such folders
  quarry eval --vault DIR FILE...       golden files of a vault: query, path and optionally grade and kind,
                                        as JSON lines or tab-separated values with a header line
  quarry eval --vault DIR --prompts FILE...
                                        prompts with and without an answer in the vault, as JSON lines (id, text,
                                        kind on, near, follow or far, paths): how well confidence separates them,
                                        and which warnings are shown
  quarry eval --stages DIR...           the three stages of a published system: 50 notes by their front matter and
                                        first words, 10 of these by their vectors, a block of each; quality
                                        and cost of every stage
  quarry eval --compare A B             two results: two run folders, or a folder of one system in each

systems: {", ".join(SYSTEMS)}
measures: {", ".join(MEASURES)}"""
WORKERS = 2  # processes; more than that leave no core to the person at the machine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("places", nargs="*", type=Path, metavar="DIR", help="collections, or golden files with --vault")
    parser.add_argument("--vault", type=Path, metavar="DIR", help="the vault of the golden files")
    parser.add_argument(
        "--modes",
        metavar="A,B",
        help=f"systems to evaluate (default {','.join(USUAL)}; with --prompts {','.join(CONFIDENT)})",
    )
    parser.add_argument("--limit", type=int, default=DEPTH, metavar="N", help=f"hits per query (default {DEPTH})")
    parser.add_argument("--by-kind", action="store_true", help="also show results by kind of query")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the means to FILE; - is standard output")
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="write runs and the values of each query to DIR")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes in DIR for the next run")
    parser.add_argument(
        "--workers", type=int, default=WORKERS, metavar="N", help=f"collections evaluated at a time (default {WORKERS})"
    )
    parser.add_argument(
        "--prompts", action="store_true", help="the FILEs are prompts, with --vault: measure confidence"
    )
    parser.add_argument("--stages", action="store_true", help="measure search in three stages, as published")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare results query by query")
    parser.add_argument("--measure", choices=MEASURES, default=MAIN, help=f"measure to show (default {MAIN})")


def run(options: argparse.Namespace) -> int:
    """Judge and print, or compare."""
    if options.compare:
        return compare_results(options)
    if options.stages:
        return measure_stages(options)
    return measure_confidence(options) if options.prompts else evaluate_collections(options)


def measure_stages(options: argparse.Namespace) -> int:
    """Measure search in three stages on the collections that *options* name."""
    require_measures()
    encoders = {"static": load_encoder}
    # Each in a process of its own, so that what one leaves in memory is no stage's of the next.
    reports = [run_in_subprocess(evaluate_stages, one, encoders).result for one in _collections(options)]
    if options.json:
        document = json.dumps(msgspec.to_builtins(reports), indent=2, ensure_ascii=False)
        if str(options.json) == "-":
            print(document)
            return 0
        options.json.write_text(document + "\n", "utf-8")
    print_line("\n\n".join(map(stages_table, reports)))
    return 0


def measure_confidence(options: argparse.Namespace) -> int:
    """Measure how well confidence separates the prompts that *options* name."""
    if not (options.vault and options.places):
        raise BadRequest("--prompts takes --vault DIR and one or more files of prompts")
    vault, systems = resolve_vault(options), _systems(options.modes or ",".join(CONFIDENT))
    found = {}
    for file in options.places:
        prompts = read_prompts(file)
        with _folder(options.keep) as folder:
            found[file.stem] = evaluate_prompts(vault, folder / "prompts.db", prompts, systems)
    if options.json:
        document = json.dumps(msgspec.to_builtins(found), indent=2, ensure_ascii=False)
        if str(options.json) == "-":
            print(document)
            return 0
        options.json.write_text(document + "\n", "utf-8")
    shown = [table(name, reports) for name, reports in found.items() for table in (tables.confidence, tables.told)]
    print_line("\n\n".join(shown))
    return 0


def evaluate_collections(options: argparse.Namespace) -> int:
    """Evaluate the collections that *options* name."""
    systems = _systems(options.modes or ",".join(USUAL))
    if options.limit < 1 or options.workers < 1:
        raise BadRequest("--limit and --workers must be at least 1")
    require_measures()
    evaluations = _evaluate(_collections(options), systems, options)
    if options.json:
        document = json.dumps(summary(evaluations, by_kind=options.by_kind), indent=2, ensure_ascii=False)
        if str(options.json) == "-":
            print(document)
            return 0
        options.json.write_text(document + "\n", "utf-8")
    _print(evaluations, options)
    return 0


def compare_results(options: argparse.Namespace) -> int:
    """Compare the two results that *options* name."""
    if options.places:
        raise BadRequest("--compare takes two results and no collections")
    first, second = options.compare
    for title, one, other in pairs(first, second):
        saved = list(read_saved(one)), list(read_saved(other))
        result = compare(_scores(saved[0], options.measure), _scores(saved[1], options.measure))
        texts = {(row.collection, row.id): row.text for rows in saved for row in rows}
        print_line(f"{title}\n\n{tables.differences(result, options.measure)}\n\n{tables.changes(result, texts)}\n")
        if result.unpaired:
            print_stderr(f"{title}: {result.unpaired} queries are in only one of the two and are ignored")
    return 0


# --- steps -----------------------------------------------------------------------------------------


def _systems(modes: str) -> tuple[str, ...]:
    """
    The systems that *modes* names.

    Raises:
        BadRequest: There is no such system.
    """
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
    with _folder(options.keep) as folder, _bar() as show:
        tasks = [EvaluationTask(one, systems, options.limit, folder, options.keep is not None) for one in collections]
        for one in evaluate_all(tasks, options.workers, show):
            if options.run_dir:  # at once: what comes after may be interrupted
                save(one, options.run_dir)
            evaluations.append(one)
    return evaluations


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="quarry-eval-") as temporary:
        yield Path(temporary)


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
    print_line(tables.overview(evaluations, options.measure))
    if options.by_kind:
        for table in filter(None, (tables.by_kind(one, options.measure) for one in evaluations)):
            print_line(f"\n{table}")
    for one in evaluations:
        for remark in one.remarks:
            print_stderr(f"{one.name}: {remark}")
    searches = sum(len(one.queries) * len(one.runs) for one in evaluations)
    seconds = sum(one.seconds for one in evaluations)
    print_stderr(f"{searches} searches, {1000 * seconds / max(searches, 1):.1f} ms each")


def _scores(saved: Sequence[SavedQuery], measure: str) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for row in saved:
        scores.setdefault(row.collection, {})[row.id] = row.values[measure]
    return scores

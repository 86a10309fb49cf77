"""
Measure every collection there is, in one command: `python tests/retrieval/measure.py [DATA]`.

DATA is a folder with `ir/*.tar.xz`; without it, the collections beside this file alone are measured: the sample vault,
those of `languages/`, and those of code. Prints nDCG@10 by collection and mode with the means of both halves, by
language, and by kind of query where a collection has several, and writes all measures to `results/COMMIT.json` beside
this file. With `--floors` it measures as the tests do, and rewrites `floors.json` instead.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collected import (
    FLOORED_QUERIES,
    HELD_BACK,
    HERE,
    TUNING,
    available,
    beside,
    code,
    languages,
    read_named,
    some_queries,
)

from quarry.evaluation import results as tables
from quarry.evaluation.results import save, summary
from quarry.evaluation.runner import DEPTH, MEASURES, USUAL, Evaluation, EvaluationTask, evaluate_all

FLOORS = HERE / "floors.json"
SPLIT = {"tuning": TUNING, "held back": HELD_BACK}
MARGIN = 0.01  # between what was measured and its floor: one query of a hundred


def commit() -> str:
    """The commit that is checked out, marked where files of the sidecar differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()

    changed = "-changed" if git("status", "--porcelain", "--", "../../sidecar/quarry") else ""
    return git("rev-parse", "--short=12", "HEAD") + changed


def means_of_halves(collections: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Half -> mode -> measure -> mean over its collections, each of which counts the same."""
    halves: dict[str, dict[str, dict[str, float]]] = {}
    for half, names in SPLIT.items():
        rows = [collections[name] for name in names if name in collections]
        for mode in rows[0] if rows else ():
            halves.setdefault(half, {})[mode] = {
                measure: sum(row[mode][measure] for row in rows) / len(rows) for measure in MEASURES
            }
    return halves


def raised(floored: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The floors that *found* allows, for the collections, modes and kinds that *floored* has."""

    def measured(name: str, mode: str, kind: str) -> float:
        row = found["collections"][name][mode] if kind == "ALL" else found["kinds"][name][mode][kind]
        return max(0.0, round(row["nDCG@10"] - MARGIN, 2))

    return {
        name: {mode: {kind: measured(name, mode, kind) for kind in kinds} for mode, kinds in modes.items()}
        if name in found["collections"]
        else modes
        for name, modes in floored.items()
    }


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, metavar="DATA")
    parser.add_argument("--modes", default=",".join(USUAL), metavar="A,B")
    parser.add_argument("--only", metavar="NAME,NAME", help="these collections alone")
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="for `quarry eval --compare`")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--floors", action="store_true", help="set the floors to what is measured, less a margin")
    options = parser.parse_args()
    modes = tuple(options.modes.split(","))
    floored = json.loads(FLOORS.read_text("utf-8"))
    every = [*(available(options.data) if options.data else []), *beside(), *code()]
    split = [*TUNING, *HELD_BACK, *beside(), *code()]
    wanted = options.only.split(",") if options.only else floored if options.floors else split
    names = [name for name in every if name in wanted]

    started_s = time.perf_counter()
    judged: list[Evaluation] = []
    with tempfile.TemporaryDirectory(prefix="quarry-measure-") as temporary:
        work = Path(temporary)
        collections = [read_named(name, options.data, work / "packed") for name in names]
        if options.floors:
            collections = [one if one.name in beside() else some_queries(one, FLOORED_QUERIES) for one in collections]
        folder = options.keep or work / "kept"
        tasks = [EvaluationTask(one, modes, DEPTH, folder) for one in collections]
        for one in evaluate_all(tasks, options.workers):
            print(f"{one.name}: {'; '.join(one.remarks) or 'measured'}", file=sys.stderr, flush=True)
            if options.run_dir:
                save(one, options.run_dir)
            judged.append(one)

    found = summary(judged, with_kinds=True)
    halves = means_of_halves(found["collections"])
    of_languages = [one for one in judged if one.name in languages()]
    print(tables.overview([one for one in judged if one not in of_languages]))
    for half, of_mode in halves.items():
        print(f"{half}: " + ", ".join(f"{mode} {row['nDCG@10']:.4f}" for mode, row in of_mode.items()))
    by_language = [tables.overview(of_languages)] if of_languages else []
    for table in filter(None, (*by_language, *map(tables.by_kind, judged))):
        print(f"\n{table}\n")
    print(f"{sum(len(one.queries) for one in judged)} queries, {time.perf_counter() - started_s:.0f} s")
    if options.floors:
        FLOORS.write_text(json.dumps(raised(floored, found), indent=2) + "\n", "utf-8")
        return 0
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    document = {"commit": commit(), "means": halves, **found}
    file = results / f"{document['commit']}.json"
    file.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print(f"written to {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

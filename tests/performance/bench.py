"""`npm run bench`: how fast it is on this machine, beside the published design and beside an earlier run."""

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmark import report, results
from benchmark.measurement import work_folder
from benchmark.results import Result
from benchmark.runner import PARTS, QUESTIONS, REPEATS, USUAL_SIZES, BenchPlan, measure, size_of_name

from quarry.cli.terminal import print_line, print_stderr
from quarry.errors import BadRequest, QuarryError
from quarry.private_files import private_folder

DETAILS = """Measure the engine and the sidecar on copies of a vault; the vault itself is only read:

  npm run bench -- VAULT                    everything, at 50k, 150k and 1m chunks (from minutes to an hour)
  npm run bench -- VAULT --only index,save  some of the parts index, query, socket, unchanged, start,
                                            while-indexing, save, door (hook, search, capture and MCP, as
                                            tools run them) and peers
  npm run bench -- --compare A B            two results that --json wrote, as ratios

The published design is measured in the same run on the same notes and queries, and its figures are shown
beside ours. A vault with fewer chunks than requested is grown with synthetic notes made of its own sentences."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print, or compare; the exit code."""
    parser = argparse.ArgumentParser("npm run bench --", description=DETAILS)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("vault", nargs="?", type=Path, metavar="VAULT", help="the vault to measure with")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result to FILE; - is standard output")
    parser.add_argument("--queries", nargs="+", type=Path, default=[], metavar="FILE", help="JSON lines with `text`")
    parser.add_argument(
        "--sizes", default=None, metavar="A,B", help="index sizes to query, in chunks (default 50k,150k,1m)"
    )
    parser.add_argument("--notes", type=int, metavar="N", help="cut or grow the vault to N notes")
    parser.add_argument("--only", metavar="A,B", help="parts to measure (default all)")
    parser.add_argument("--questions", type=int, metavar="N", help="number of queries of each kind")
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="repetitions of one-off measurements, such as starting (default 5)"
    )
    parser.add_argument("--no-baseline", action="store_true", help="do not measure the published design")
    parser.add_argument("--full", action="store_true", help="measure the published design at every size; takes hours")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep copies and indexes in DIR for the next run")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="show B relative to A")
    options = parser.parse_args(arguments)
    try:
        return compare_results(options) if options.compare else measure_vault(options)
    except QuarryError as error:
        print_stderr(str(error))
        return 1


def measure_vault(options: argparse.Namespace) -> int:
    """Measure what *options* name."""
    with _ending_in_order(), work_folder(options.work) as work, _isolated(work):
        plan = _plan(options, work)
        result: Result = {}
        for result in measure(plan, lambda what: print_stderr(f"{what} ...")):
            if options.json and str(options.json) != "-":  # at once: what comes after may be interrupted
                results.write(result, options.json)
    if str(options.json) == "-":
        print(json.dumps(result, indent=2, ensure_ascii=False))
        return 0
    print_line(report.overview(result))
    if others := report.peers(result):
        print_line(f"\n{others}")
    for sentence in result["notes"]:
        print_stderr(sentence)
    return 0


def compare_results(options: argparse.Namespace) -> int:
    """Compare the two results that *options* name."""
    if options.vault:
        raise BadRequest("--compare takes two results and no vault")
    first, second = options.compare
    print_line(report.comparison(results.compare(results.read(first), results.read(second))))
    return 0


# --- steps -----------------------------------------------------------------------------------------


def _plan(options: argparse.Namespace, work: Path) -> BenchPlan:
    """
    The plan that *options* describe.

    Raises:
        BadRequest: It cannot be measured.
    """
    if options.vault is None:
        raise BadRequest("name the vault to measure with; see `npm run bench -- --help`")
    if options.json and str(options.json) != "-" and not options.json.parent.is_dir():
        raise BadRequest(f"--json: there is no folder {options.json.parent}")
    if work.is_relative_to(options.vault.expanduser().resolve()):
        raise BadRequest("--work must be outside the vault, which is only read")
    for name in ("notes", "questions", "repeats"):
        if (number := getattr(options, name)) is not None and number < 1:
            raise BadRequest(f"--{name} must be at least 1")
    sizes = tuple(dict.fromkeys(_names(options.sizes))) or USUAL_SIZES
    for size in sizes:
        size_of_name(size)
    parts = frozenset(_names(options.only)) or frozenset(PARTS)
    if unknown := parts - frozenset(PARTS):
        raise BadRequest(f"there is no part {min(unknown)!r}; choose from {', '.join(PARTS)}")
    return BenchPlan(
        vault=options.vault.expanduser(),
        work=work,
        parts=parts,
        sizes=sizes,
        notes=options.notes,
        queries=tuple(options.queries),
        has_baseline=not options.no_baseline,
        full=options.full,
        questions=options.questions or QUESTIONS,
        repeats=options.repeats or REPEATS,
    )


def _names(given: str | None) -> list[str]:
    return [name.strip().lower() for name in (given or "").split(",") if name.strip()]


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that the temporary folder is deleted and child processes end."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [(number, signal.signal(number, end)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextlib.contextmanager
def _isolated(work: Path) -> Iterator[None]:
    """
    Set the environment of this process and its children: our own files and all temporary ones below *work*, so that
    measuring touches no one's index and leaves nothing elsewhere; and modules are kept compiled, as an installation
    has them, or each start would be measured with a compiler in it.
    """
    ours = {"QUARRY_HOME": work / "home", "TMPDIR": work / "temporary"}
    before = {name: os.environ.pop(name, None) for name in (*ours, "PYTHONDONTWRITEBYTECODE")}
    for name, folder in ours.items():
        os.environ[name] = str(private_folder(folder))
    tempfile.tempdir = None  # is worked out anew
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]
        os.environ.update({name: value for name, value in before.items() if value is not None})
        tempfile.tempdir = None


if __name__ == "__main__":
    sys.exit(main())

"""Which parts are measured, in which order, on which copies of the vault? The result is filled in part by part."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import baseline
import peers
import published
from msgspec import Struct

import quarry
from benchmark import corpora, index_cost, query_cost, results, server_cost
from benchmark.corpora import Corpus, create_corpus
from benchmark.index_cost import side_files_mb, size_of, tables_mb
from benchmark.interfaces import measure_interfaces
from benchmark.machine import describe
from benchmark.measurement import Cost, P, T, median, run_in_subprocess
from benchmark.results import Result
from quarry.config import data_dir
from quarry.errors import BadRequest
from quarry.vault.paths import vault_id

PARTS = ("index", "query", "socket", "unchanged", "start", "while-indexing", "save", "door", "peers")
USUAL_SIZES = ("50k", "150k", "1m")
QUESTIONS = 500
WORDS = 100
SAVES = 60
REPEATS = 5
LARGEST_PUBLISHED = 200_000  # chunks; beyond that the published design's queries take a second each
PAUSE_S = server_cost.PAUSE_S

_PACKAGE = Path(quarry.__file__).parent
# The folders whose code decides the content of an index.
_BUILDS_AN_INDEX = ("analysis", "documents", "embedding", "index", "indexing", "redaction")

Notify = Callable[[str], None]


class BenchPlan(Struct, frozen=True):
    """The parts and sizes to measure, and how often."""

    vault: Path
    work: Path  # copies of the vault and their indexes are kept here
    parts: frozenset[str] = frozenset(PARTS)
    sizes: tuple[str, ...] = USUAL_SIZES
    notes: int | None = None  # cut the vault to so many notes, or add synthetic ones; None: as it is
    queries: tuple[Path, ...] = ()
    has_baseline: bool = True
    full: bool = False  # the published design at every size
    questions: int = QUESTIONS
    saves: int = SAVES
    repeats: int = REPEATS  # of what is done once: starting, opening


def measure(plan: BenchPlan, notify: Notify = lambda _: None) -> Iterator[Result]:
    """
    Measure the parts of *plan*. The result is yielded after each part, so that an interrupted run is not lost.

    Args:
        notify: Called with what is being measured.

    Raises:
        QuarryError: A part failed; the parts before it have been yielded.
    """
    yield from _Run(plan, notify).parts()


def size_of_name(name: str) -> int:
    """
    Parse a number of chunks such as `50k` or `1m`.

    Raises:
        BadRequest: *name* is not a size.
    """
    units = {"k": 1_000, "m": 1_000_000}
    digits, unit = (name[:-1], units[name[-1]]) if name[-1:] in units else (name, 1)
    if not (digits.isascii() and digits.isdigit() and int(digits)):
        raise BadRequest(f"{name!r} is not a number of chunks; use 50k, 150k, 1m or a number of at least 1")
    return int(digits) * unit


class _Run:
    def __init__(self, plan: BenchPlan, notify: Notify) -> None:
        self._plan = plan
        self._notify = notify
        self._document = results.empty(plan.sizes)
        self._document["machine"] = describe()
        self._texts, self._words = self._questions()

    def parts(self) -> Iterator[Result]:
        wanted = self._plan.parts
        if wanted - {"query", "socket", "peers"}:
            self._notify("copying the vault")
            corpus = create_corpus(self._plan.vault, self._plan.work, notes=self._plan.notes)
            for part, work in (
                ("index", self._index),
                ("unchanged", self._unchanged),
                ("start", self._start),
                ("while-indexing", self._while_indexing),
                ("save", self._save),
                ("door", self._door),
            ):
                if part in wanted:
                    work(corpus)
                    yield self._document
        for size in self._plan.sizes if wanted & {"query", "socket", "peers"} else ():
            self._notify(f"{size}: copying the vault")
            corpus = create_corpus(self._plan.vault, self._plan.work, chunks=size_of_name(size))
            yield from self._queries_at(size, corpus)
            if "peers" in wanted and size == self._plan.sizes[0]:
                self._ask_peers(corpus)
                yield self._document
        yield self._document

    # --- parts ---------------------------------------------------------------------------------

    def _index(self, corpus: Corpus) -> None:
        self._notify(f"indexing {corpus.notes} notes")
        path = _index_path(corpus)
        cost = _build(path, _builder(), index_cost.index_whole, corpus.vault, path)
        self._notify("indexing a sample, stage by stage")
        stages = run_in_subprocess(index_cost.stages, corpus.vault, self._scratch("stages.db")).result
        self._document["index"] = {
            **_index_figures(cost, path),
            "stages": stages,
            "tables_mb": tables_mb(path),
            "side_files_mb": side_files_mb(path),
            "chars": corpus.chars,
            "mixed_notes": corpus.notes - corpus.own_notes,
        }
        if self._plan.has_baseline:
            self._notify("indexing with the published design")
            path = _published_path(corpus)
            cost = _build(path, _published_design_hash(), baseline.index_whole, corpus.vault, path)
            self._document["baseline"]["index"] = {**_index_figures(cost, path), "stages": None}

    def _unchanged(self, corpus: Corpus) -> None:
        self._notify("opening an unchanged vault")
        path = self._indexed(corpus)
        run_in_subprocess(index_cost.open_unchanged_ms, corpus.vault, path)  # once for the cache of files
        self._document["unchanged_ms"] = median(self._repeated(index_cost.open_unchanged_ms, corpus.vault, path))
        if self._plan.has_baseline:
            taken = self._repeated(baseline.unchanged_ms, corpus.vault, self._published(corpus))
            self._document["baseline"]["unchanged_ms"] = median(taken)

    def _start(self, corpus: Corpus) -> None:
        self._notify("starting")
        self._indexed(corpus)
        self._document["start_ms"] = server_cost.measure_start(corpus.vault, self._texts[0], self._plan.repeats)
        if self._plan.has_baseline:
            taken = self._repeated(baseline.first_answers_ms, self._published(corpus), self._texts[0])
            both = {retriever: median([one[retriever] for one in taken]) for retriever in ("keyword", "hybrid")}
            self._document["baseline"]["start_ms"] = both

    def _while_indexing(self, corpus: Corpus) -> None:
        self._notify("searching during a full rebuild")
        self._indexed(corpus)
        measured = server_cost.measure_while_indexing(corpus.vault, self._texts)
        self._document["while_indexing_ms"] = measured
        if self._plan.has_baseline:
            path, other = self._published(corpus), self._scratch("published-anew.db")
            taken = run_in_subprocess(
                baseline.search_while_indexing, corpus.vault, path, other, self._texts, PAUSE_S
            ).result
            self._document["baseline"]["while_indexing_ms"] = taken

    def _save(self, corpus: Corpus) -> None:
        self._notify("saving notes")
        saved = run_in_subprocess(index_cost.save_notes, corpus.vault, self._indexed(corpus), self._plan.saves).result
        self._document["save_ms"] = {**saved.pop("wall"), **saved}
        if self._plan.has_baseline:
            taken = run_in_subprocess(
                baseline.save_notes, corpus.vault, self._published(corpus), self._plan.saves
            ).result
            self._document["baseline"]["save_ms"] = taken["wall"]

    def _door(self, corpus: Corpus) -> None:
        self._notify("asking as tools do")
        self._indexed(corpus)
        self._document["door"] = measure_interfaces(corpus.vault, self._texts, self._plan.repeats)

    def _queries_at(self, size: str, corpus: Corpus) -> Iterator[Result]:
        path = self._indexed(corpus)
        row = self._document["query"][size]
        if "query" in self._plan.parts:
            self._notify(f"{size}: asking")
            row |= run_in_subprocess(query_cost.measure_queries, corpus.vault, path, self._texts, self._words).result
            yield self._document
        if "socket" in self._plan.parts:
            self._notify(f"{size}: asking over the socket")
            served = server_cost.measure_socket(corpus.vault, self._texts)
            row |= served
            row["rss_mb"] = served["memory_mb"].get("private", row["rss_mb"])
            yield self._document
        row |= {"disk_mb": size_of(path), "mixed_notes": corpus.notes - corpus.own_notes}
        if self._plan.has_baseline and "query" in self._plan.parts:
            self._document["baseline"]["query"][size] |= self._published_queries_at(size, corpus)
        yield self._document

    def _published_queries_at(self, size: str, corpus: Corpus) -> dict[str, Any]:
        chunks = size_of_name(size)
        if chunks > LARGEST_PUBLISHED and not self._plan.full:
            self._document["notes"].append(
                f"the published design was not measured at {size}: it takes most of an hour; --full does"
            )
            return {}
        self._notify(f"{size}: asking the published design")
        path = self._published(corpus, chunks)
        found = run_in_subprocess(baseline.measure_queries, path, self._texts, self._words).result
        return {**found, "disk_mb": size_of(path)}

    def _ask_peers(self, corpus: Corpus) -> None:
        self._notify("asking the peers")
        tantivy = run_in_subprocess(peers.measure_tantivy, corpus.vault, self._scratch("tantivy"), self._texts).result
        ripgrep = peers.measure_ripgrep(corpus.vault, self._words)
        shutil.rmtree(self._scratch("tantivy"), ignore_errors=True)
        self._document["peers"] = {"tantivy": tantivy, "ripgrep": ripgrep}

    # --- indexes -------------------------------------------------------------------------------

    def _indexed(self, corpus: Corpus) -> Path:
        """The index of *corpus*, built by this version."""
        path = _index_path(corpus)
        if not _is_built_by(path, _builder()):
            self._notify(f"indexing {corpus.notes} notes to ask them")
            _build(path, _builder(), index_cost.index_whole, corpus.vault, path)
        return path

    def _published(self, corpus: Corpus, chunks: int | None = None) -> Path:
        path = _published_path(corpus)
        if not _is_built_by(path, _published_design_hash()):
            self._notify(f"indexing {corpus.notes} notes with the published design")
            _build(path, _published_design_hash(), baseline.index_whole, corpus.vault, path, chunks)
        return path

    def _scratch(self, name: str) -> Path:
        folder = self._plan.work / "scratch"
        folder.mkdir(exist_ok=True)
        return folder / name

    def _questions(self) -> tuple[list[str], list[str]]:
        plan = self._plan
        if plan.queries:
            texts = corpora.read_questions(plan.queries)[: plan.questions]
        else:
            texts = corpora.questions(plan.vault, plan.questions)
        return texts, corpora.words_of(texts, WORDS)

    def _repeated(self, work: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> list[T]:
        """The results of *work*, each in a process of its own."""
        return [run_in_subprocess(work, *arguments, **more).result for _ in range(self._plan.repeats)]


def _index_figures(cost: Cost[dict[str, int]], path: Path) -> dict[str, Any]:
    return {
        "files": cost.result["files"],
        "chunks": cost.result["chunks"],
        "cpu_s": round(cost.cpu_s, 3),
        "wall_s": round(cost.wall_s, 3),
        "peak_rss_mb": round(cost.peak_rss_mb, 1),
        "disk_mb": size_of(path),
    }


def _index_path(corpus: Corpus) -> Path:
    """Where `quarry serve` looks for the index of this vault."""
    return data_dir() / f"{vault_id(corpus.vault)}.db"


def _published_path(corpus: Corpus) -> Path:
    return corpus.vault.parent / "published.db"


def _build(path: Path, builder: str, index_whole: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> Cost[T]:
    """Build the index at *path* in a process of its own, and stamp it with *builder*, the hash of the code."""
    _stamp(path).unlink(missing_ok=True)
    cost = run_in_subprocess(index_whole, *arguments, **more)
    _stamp(path).write_text(builder, "utf-8")
    return cost


def _stamp(path: Path) -> Path:
    """The file that names the code which built an index; it is none of `index_cost.files_of`."""
    return path.with_name(f"built-{path.name}.txt")


def _is_built_by(path: Path, builder: str) -> bool:
    return path.is_file() and _stamp(path).is_file() and _stamp(path).read_text("utf-8") == builder


def _builder() -> str:
    """A hash of what decides the content of an index: the code of some folders, and the model."""
    files = [file for folder in _BUILDS_AN_INDEX for file in sorted((_PACKAGE / folder).rglob("*")) if _decides(file)]
    return _hash_of(files)


def _decides(file: Path) -> bool:
    return file.suffix in (".py", ".safetensors", ".json") and file.is_file()


def _published_design_hash() -> str:
    return _hash_of([Path(published.__file__)])


def _hash_of(files: Sequence[Path]) -> str:
    digest = hashlib.sha256(json.dumps([file.name for file in files]).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()

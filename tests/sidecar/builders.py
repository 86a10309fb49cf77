"""What engine tests are made of: a vault on disk, a model that hashes words, and ways to wait and to ask."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import zstandard
from msgspec.structs import replace

from quarry.analysis.analysis import phrase_terms
from quarry.embedding import Fingerprint
from quarry.embedding.encoder import FloatMatrix
from quarry.embedding.late_interaction import WordSimilarities
from quarry.engine import Engine
from quarry.errors import NoteNotFound
from quarry.index import CHUNK_WEIGHTS, ChunkWeights, Deadline, Index, KeywordQuery, NoteIds, Problem, Reader
from quarry.index.vectors.quantize import FloatVector
from quarry.indexing import preparation
from quarry.indexing.process import ChildProcess, IndexingLimits, ProcessLimits, WorkerTiming
from quarry.indexing.request_queue import Apply
from quarry.indexing.status import Activity, RunMonitor
from quarry.options import SearchOptions, Weights
from quarry.search import Answer, SearchExecution, serving_retrievers
from quarry.types import Ranking, VaultChange
from quarry.vault.file_reader import FileContent

DIM = 32
EAGER = WorkerTiming(retry_s=0.02, retry_max_s=0.05, retry_asked_s=0.02, first_poll_s=0.02, poll_every_s=0.02)
EQUAL = ProcessLimits(niceness=0)  # processes do not stand behind whatever else the machine does: a test waits for them
IMPATIENT = IndexingLimits(timing=EAGER, process=EQUAL)  # what the worker does by the clock, it does at once
PATIENCE_S = 30.0  # what is waited for takes milliseconds; this long only where it never comes


class Vault:
    """A folder of notes; every way to change it that a person or a sync tool has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str | bytes, *, mtime_ns: int | None = None) -> Path:
        """Write a file, with its folders."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        if mtime_ns is not None:
            os.utime(file, ns=(mtime_ns, mtime_ns))
        return file

    def write_all(self, notes: Mapping[str, str]) -> None:
        """Write several files."""
        for path, text in notes.items():
            self.write(path, text)

    def replace_silently(self, path: str, text: str) -> None:
        """Change the bytes, and keep size and time, as sync tools and backups manage."""
        file = self.root / path
        before = file.stat()
        assert len(text.encode()) == before.st_size, "a silent change keeps the size"
        file.write_text(text, "utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def hide_change(self, index: Index, path: str) -> None:
        """Have *index* know the file's present times, as where a disk has none that programs cannot set."""
        with index.reader() as reader:
            stamp = reader.stamps()[path]
        index.restamp(path, replace(stamp, ctime_ns=(self.root / path).stat().st_ctime_ns))

    def rename(self, old: str, new: str) -> VaultChange:
        """Rename a file or folder; returns what Obsidian would tell."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        return VaultChange("renamed", new, old)

    def remove(self, path: str) -> VaultChange:
        """Delete a file; returns what Obsidian would tell."""
        (self.root / path).unlink()
        return VaultChange("deleted", path)


def shut(monkeypatch: pytest.MonkeyPatch, folder: Path, error_number: int = errno.EACCES) -> None:
    """Have the system refuse to list *folder*, and to look at or open what lies below it, as it would refuse a user."""
    real_stat, real_lstat, real_scandir, real_open = os.stat, os.lstat, os.scandir, os.open

    def refuse_below(path: object) -> None:
        if isinstance(path, str | os.PathLike) and folder in Path(path).parents:
            raise OSError(error_number, os.strerror(error_number), path)

    def refuse(path: object) -> None:
        if path is not None and isinstance(path, str | os.PathLike) and Path(path) == folder:
            raise OSError(error_number, os.strerror(error_number), path)
        refuse_below(path)

    def stat(path: Any, **options: Any) -> os.stat_result:
        refuse_below(path)
        return real_stat(path, **options)

    def lstat(path: Any, **options: Any) -> os.stat_result:
        refuse_below(path)
        return real_lstat(path, **options)

    def scandir(path: Any = ".") -> Any:
        refuse(path)
        return real_scandir(path)

    def open_(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        refuse(folder if path == folder.name else path)
        return real_open(path, flags, *rest, **options)

    for name, patched in {"stat": stat, "lstat": lstat, "scandir": scandir, "open": open_}.items():
        monkeypatch.setattr(os, name, patched)


class HashEncoder:
    """
    Texts that share words are near each other. Counts what it is asked to embed.

    `hold()` makes the indexing thread wait in `encode` until `release()`, so that a test can look at the middle of a
    run; searches are never held.
    """

    def __init__(self, name: str = "hash", dim: int = DIM) -> None:
        self.dim = dim
        self.fingerprint = Fingerprint(name, 1, dim, hashlib.sha256(name.encode()).hexdigest())
        self.embedded: list[str] = []  # by the indexing thread
        self.known_words: set[str] = set()  # that are no slip of the finger, though no note has them
        self.is_waiting = threading.Event()
        self._may_go_on = threading.Event()
        self._may_go_on.set()

    def hold(self) -> None:
        """From now on the indexing thread waits before it embeds."""
        self.is_waiting.clear()
        self._may_go_on.clear()

    def release(self) -> None:
        """Let it go on."""
        self._may_go_on.set()

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit rows; a text without words gives a zero row."""
        if threading.current_thread().name == "quarry-index":
            self.is_waiting.set()
            assert self._may_go_on.wait(PATIENCE_S), "the test never released the encoder"
            self.embedded += texts
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row += _direction(word, self.dim)
            if row.any():
                row /= np.linalg.norm(row)
        return rows

    def vocabulary_coverage(self, text: str) -> float:
        """All of it, if it is anything."""
        return 1.0 if text.strip() else 0.0

    def max_similarities(self, words: Mapping[str, float], texts: Sequence[str]) -> WordSimilarities:
        """1 for each of *words* that a text holds, and the weighted share of all of them."""
        weights = np.array([*words.values()])
        split = [text.lower().split() for text in texts]
        held = np.array([[float(word.lower() in text) for text in split] for word in words])
        held = held.reshape(len(words), len(texts))
        return WordSimilarities(weights @ held / (weights.sum() or 1.0), held, np.ones(len(words)))

    def is_word(self, word: str) -> bool:
        """Whether it was said to be one."""
        return word.lower() in self.known_words

    def in_english(self, text: str, words: Sequence[str]) -> str:
        """Nothing: it knows no other languages."""
        return text


class HashContextualEncoder:
    """
    Texts that share words are near each other, and words that mean the same count as one.

    `hold()` makes the backfill wait before it embeds until `release()` or, for one batch, `step()`; `hold_queries()`
    does so with queries.

    Args:
        meanings: Word -> the word that it is another word for.
    """

    trouble = None

    def __init__(self, name: str = "contextual", meanings: Mapping[str, str] | None = None, dim: int = 48) -> None:
        self.dim = dim
        self.fingerprint = Fingerprint(name, 1, dim, hashlib.sha256(name.encode()).hexdigest())
        self.passages: list[str] = []
        self.queries: list[str] = []
        self.is_waiting = threading.Event()
        self._meanings = meanings or {}
        self._passages_may_go_on, self._queries_may_go_on = threading.Event(), threading.Event()
        self._steps = threading.Semaphore(0)
        self.release()

    def hold(self) -> None:
        """From now on the backfill waits before it embeds."""
        self.is_waiting.clear()
        self._passages_may_go_on.clear()

    def step(self) -> None:
        """Let one batch of passages go on."""
        self._steps.release()

    def hold_queries(self) -> None:
        """From now on queries wait before they are embedded."""
        self._queries_may_go_on.clear()

    def release(self) -> None:
        """Let everything go on."""
        self._passages_may_go_on.set()
        self._queries_may_go_on.set()

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """Unit rows; a text without words gives a zero row."""
        self.is_waiting.set()
        while not (self._passages_may_go_on.wait(0.002) or self._steps.acquire(blocking=False)):
            check()
        check()
        self.passages += texts
        return np.array([self._vector(text) for text in texts]).reshape(len(texts), self.dim)

    def encode_query(self, text: str) -> FloatVector:
        """A unit vector, or zero."""
        assert self._queries_may_go_on.wait(PATIENCE_S), "the test never released the encoder"
        self.queries.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> FloatVector:
        vector = np.zeros(self.dim, dtype=np.float32)
        for word in text.lower().split():
            vector += _direction("contextual " + self._meanings.get(word, word), self.dim)
        return vector / np.linalg.norm(vector) if vector.any() else vector


class FatalEncoder(HashEncoder):
    """Ends its process when it meets a certain word, as a defect in a library would."""

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """As `HashEncoder`, if that."""
        if any("poison" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts)


TOPICS = ("kettle", "bicycle", "sourdough", "garden", "violin", "compost", "harbour", "lantern")
TOPIC_SENTENCE = "Whoever keeps a {0} should look after the {0} every week of the year."


def write_topics(root: Path) -> Path:
    """Write a vault of eight notes of three sections, each about one of `TOPICS`, for benchmarks to work on."""
    for number, topic in enumerate(TOPICS):
        folder = root / f"Folder {number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        sentence = TOPIC_SENTENCE.format(topic)
        text = " ".join(f"{sentence} It costs {hours} hours, which is little." for hours in range(4))
        sections = [f"## Part {part}\n\n{text}" for part in range(3)]
        (folder / f"{topic}.md").write_text(f"# The {topic}\n\n" + "\n\n".join(sections) + "\n", "utf-8")
    return root


def load_hash_encoder(name: str) -> HashEncoder:
    """For processes of their own, which find it by its name."""
    return HashEncoder(name)


def load_fatal_encoder(name: str) -> HashEncoder:
    """Likewise."""
    return FatalEncoder(name)


def load_exiting_encoder(_: str) -> HashEncoder:
    """Ends the process that loads it."""
    os._exit(3)


@lru_cache(maxsize=100_000)
def _direction(word: str, dim: int) -> FloatVector:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return np.random.default_rng(seed).normal(size=dim).astype(np.float32)


def wait_until(condition: Callable[[], object], what: str = "") -> None:
    """Return as soon as *condition* holds."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"it never came to this: {what or condition}"
        time.sleep(0.002)


def killed(script: Path, *arguments: object) -> list[int]:
    """Start *script*, read the ids of processes that it prints, and kill it."""
    parent = subprocess.Popen(
        [sys.executable, str(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert pids
    parent.kill()
    parent.wait()
    parent.stdout.close()
    return pids


def settle(engine: Engine) -> None:
    """Return when the index equals the vault."""
    wait_until(lambda: not engine.is_working and engine.status().state == "live", f"{engine.status()}")


def open_with_contextual_model(root: Path, index: Path, limits: IndexingLimits = IMPATIENT) -> Engine:
    """Open an engine that knows a static model, and a contextual one where the settings name any."""
    return Engine.open(root, index, load=lambda _: HashEncoder(), load_contextual=HashContextualEncoder, limits=limits)


def settle_deeply(engine: Engine) -> None:
    """Return when the index equals the vault and every chunk and title has its contextual vector."""
    settle(engine)
    wait_until(lambda: not engine.is_backfilling, f"{engine.status()}")


def find(engine: Engine, query: str, **options: object) -> list[str]:
    """The paths that a search gives, best first."""
    return [hit.path for hit in ask(engine, query, **options).hits]


def ask(engine: Engine, query: str, **options: object) -> Answer:
    """A search with other defaults than the wire's: exactly as many hits as asked for, with all their passages."""
    defaults = {"expand_small_results": False, "expand": True, "detail": "full", "snippet_width": 120}
    if isinstance(weights := options.get("weights"), dict):
        options["weights"] = Weights(**weights)
    return engine.search(SearchOptions(query=query, **{**defaults, **options}))  # type: ignore[arg-type]


def execution_over(reader: Reader, encoder: Any = None, mode: Any = "hybrid", **fields: Any) -> SearchExecution:
    """A request in progress over *reader*; without *encoder*, the dense retriever is missing."""
    missing: dict[Any, Any] = {} if encoder is not None else {"dense": "not here"}
    retrievers = serving_retrievers(mode, missing)
    given = {
        "encoder": encoder if "dense" in retrievers else None,
        "retrievers": retrievers,
        "missing": missing,
        "weights": {"keyword": 1.0, "dense": 1.0},
        "deadline": Deadline.after(PATIENCE_S),
        "now": datetime(2026, 3, 1, 12),  # noqa: DTZ001
        **fields,
    }
    return SearchExecution(reader, **given)


EVERY_WAY = tuple(product(("hybrid", "keyword", "semantic"), ("convex", "rrf", "six-signals")))


def everything_found(engine: Engine, queries: Sequence[str], ways: Sequence[tuple[str, str]] = EVERY_WAY) -> str:
    """All that searches in these modes and fusions answer, but for row ids, which a rebuild assigns anew."""
    said: list[object] = []
    for query, (mode, fusion) in product(queries, ways):
        answer = ask(engine, query, mode=mode, fusion=fusion, limit=20)
        said.append((query, mode, fusion, replace(answer, hits=())))
        for hit in answer.hits:
            said.append((hit.path, hit.score, sorted(hit.retrievers), hit.title_marks, hit.shares))
            said += [
                (replace(p.chunk, chunk_id=0), replace(p.ranked, chunk_id=0), p.snippet, p.text) for p in hit.passages
            ]
    return "\n".join(map(repr, said))


@dataclass(frozen=True, slots=True)
class Said:
    """What a note says as it is indexed."""

    words: tuple[str, ...]  # of its text, between spaces, over all chunks
    terms: tuple[tuple[str, ...], ...]  # of its whole text, its title, each alias
    chunks: tuple[str, ...]

    def holds(self, phrase: str) -> bool:
        """Whether *phrase* stands in it: its terms side by side or, if it has none, as it is written."""
        wanted = phrase_terms(phrase)
        if not wanted:
            return any(phrase in text for text in self.chunks)
        return any(wanted == terms[at : at + len(wanted)] for terms in self.terms for at in range(len(terms)))


class Sayings(dict[str, Said]):
    """What every note says, by path; in few words where a test fails."""

    def __repr__(self) -> str:
        return f"what {len(self)} notes say"


def what_is_said(engine: Engine) -> Sayings:
    """What every note of the vault says; read from chunks, without the keyword index."""
    found = Sayings()
    with engine.reader() as reader:
        for path in sorted(reader.stamps()):
            stored = reader.note(path)
            assert stored is not None
            chunks = tuple(chunk.text for chunk in stored.note.chunks)
            text = " ".join(chunks)
            terms = tuple(map(phrase_terms, (text, stored.note.title, *stored.note.aliases)))
            found[path] = Said(tuple(text.split()), terms, chunks)
    return found


def tell(engine: Engine, *changes: VaultChange) -> None:
    """Tell of changes, and return when they are carried out."""
    engine.vault_changed(changes)
    settle(engine)


def modified(path: str) -> VaultChange:
    """What Obsidian tells of a saved note."""
    return VaultChange("modified", path)


def problems(index: Index, limit: int) -> list[Problem]:
    """The first *limit* problems on record, by path."""
    with index.reader() as reader:
        return reader.problems(limit)


def top_chunks(
    reader: Reader, query: KeywordQuery, admitted: NoteIds | None, depth: int, weights: ChunkWeights = CHUNK_WEIGHTS
) -> Ranking:
    """The best chunks by keyword, with the places where they stand."""
    return reader.candidates(reader.keywords.query(query).top_chunks(admitted, depth, weights))


def top_notes(reader: Reader, query: KeywordQuery, admitted: NoteIds | None, depth: int) -> list[tuple[str, float]]:
    """Path and score of the best notes by keyword; equal scores by path."""
    asked = reader.keywords.query(query)
    scores = asked.note_scores(asked.top_note_ids(admitted, depth))
    ranked = [(name.path, scores[name.note_id]) for name in reader.note_names([*scores])]
    return sorted(ranked, key=lambda note: (-note[1], note[0]))


def paths(index: Index) -> list[str]:
    """The notes that *index* holds."""
    with index.reader() as reader:
        return sorted(reader.stamps())


class Recorder(RunMonitor):
    """A monitor of the indexer that remembers what it received, and lets a test act at checkpoints."""

    def __init__(self) -> None:
        self.committed_paths: list[tuple[str, str]] = []
        self.reported: list[str] = []
        self.at_checkpoint: Callable[[], Sequence[VaultChange] | None] = lambda: None

    def committed(self, indexed: Sequence[str], removed: Sequence[str]) -> None:
        self.committed_paths += [("indexed", path) for path in indexed] + [("removed", path) for path in removed]

    def degraded(self, english: str) -> None:
        self.reported.append(english)

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:
        changes = self.at_checkpoint()
        if apply and changes:
            apply(changes)


def quiet_activity() -> Activity:
    """An activity that nobody listens to."""
    return Activity(lambda _: None, lambda *_: None)


def refuse(which: str | set[str] | None, error: NoteNotFound) -> Callable[..., FileContent]:
    """A `read_file` that raises *error* for *which* paths, None for all."""
    real = preparation.read_file
    refused = {which} if isinstance(which, str) else which

    def read(root: Path, path: str, *rest: Any) -> FileContent:
        if refused is None or path in refused:
            raise error
        return real(root, path, *rest)

    return read


def index_bytes(folder: Path) -> bytes:
    """Every byte of the index, its WAL and whatever lies beside it, and what is compressed among them."""
    raw = b""
    for file in sorted(folder.glob("index.db*")):
        with suppress(FileNotFoundError):  # a segment file that was being written has taken its name
            raw += file.read_bytes()
    found, at = [raw], raw.find(zstandard.FRAME_HEADER)
    while at >= 0:
        with suppress(zstandard.ZstdError):  # four bytes that only look like a frame
            found.append(zstandard.ZstdDecompressor().decompressobj().decompress(raw[at : at + (1 << 16)]))
        at = raw.find(zstandard.FRAME_HEADER, at + 1)
    return b"".join(found)


def record_processes(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> list[ChildProcess]:
    """The processes that *module* starts from now on."""
    started: list[ChildProcess] = []

    class Recorded(ChildProcess):
        def __init__(self, name: str, first: object, limits: ProcessLimits) -> None:
            super().__init__(name, first, limits)
            started.append(self)

    monkeypatch.setattr(module, "ChildProcess", Recorded)
    return started


def waiting(index: Index) -> list[str]:
    """The texts that wait for a contextual vector: chunks, then titles."""
    chunks = [pending.chunk.text for pending in index.contextual.pending_chunks(99)]
    return chunks + [pending.title for pending in index.contextual.pending_titles(99)]


def serving(index: Index) -> str | None:
    """The contextual model whose vectors answer."""
    with index.reader() as reader:
        return reader.contextual_model

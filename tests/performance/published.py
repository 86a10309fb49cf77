"""
The published design, as it is described: what every figure of ours stands beside.

34 patterns of secrets tried one by one on each chunk; texts embedded 64 at a time by the model's own library; a commit
every 64 chunks; FTS5 over an external content table, ranked by `ORDER BY rank` over every word of the query; float32
vectors in a `vec0` table; reciprocal rank fusion of 30 candidates a side, k = 60.

Only the benchmark uses it. Its chunks are cut by headings and length, about as long as ours.
"""

import hashlib
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import sqlite_vec  # type: ignore[import-untyped]
from msgspec import Struct

from quarry.embedding.model_files import BUNDLED

if TYPE_CHECKING:
    from model2vec import StaticModel

BATCH_CHUNKS = 64
DEPTH = 30
RRF_K = 60
MAX_CHUNK = 2_000  # characters
MIN_CHUNK = 300  # what is shorter goes with the section after it; so a vault has about as many chunks as ours cut
SNIPPET_SIGNS = 24

_SIGN = "[A-Za-z0-9_-]"
PATTERNS = tuple(
    map(
        re.compile,
        (
            r"\bAKIA[0-9A-Z]{16}\b",
            r"\bASIA[0-9A-Z]{16}\b",
            rf"\bghp_{_SIGN}{{36}}\b",
            rf"\bgho_{_SIGN}{{36}}\b",
            rf"\bghu_{_SIGN}{{36}}\b",
            rf"\bghs_{_SIGN}{{36}}\b",
            rf"\bgithub_pat_{_SIGN}{{50,}}\b",
            rf"\bglpat-{_SIGN}{{20}}\b",
            rf"\bsk-ant-{_SIGN}{{32,}}\b",
            rf"\bsk-{_SIGN}{{32,}}\b",
            r"\bsk_live_[A-Za-z0-9]{16,}\b",
            r"\brk_live_[A-Za-z0-9]{16,}\b",
            r"\bpk_live_[A-Za-z0-9]{16,}\b",
            r"\bwhsec_[A-Za-z0-9]{24,}\b",
            rf"\bxoxb-{_SIGN}{{20,}}\b",
            rf"\bxoxp-{_SIGN}{{20,}}\b",
            rf"\bxapp-{_SIGN}{{20,}}\b",
            rf"\bAIza{_SIGN}{{35}}\b",
            rf"\bya29\.{_SIGN}{{20,}}\b",
            r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b",
            r"\bkey-[0-9a-f]{32}\b",
            r"\bAC[0-9a-f]{32}\b",
            r"\bSK[0-9a-f]{32}\b",
            r"\bhf_[A-Za-z0-9]{34}\b",
            r"\bnpm_[A-Za-z0-9]{36}\b",
            rf"\bpypi-{_SIGN}{{32,}}\b",
            r"\bdop_v1_[0-9a-f]{64}\b",
            r"\bdckr_pat_[A-Za-z0-9_-]{20,}\b",
            r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
            rf"\beyJ{_SIGN}{{10,}}\.{_SIGN}{{10,}}\.{_SIGN}{{10,}}\b",
            r"(?i)\b(?:postgres|mysql|mongodb|redis)(?:ql)?://[^\s:@]+:[^\s:@]+@",
            r"(?i)\b(?:password|passwd|pwd)\s*[:=]\s*\S{8,}",
            r"(?i)\b(?:api[_-]?key|secret|token)\s*[:=]\s*['\"]?[A-Za-z0-9_-]{16,}",
        ),
    )
)
_HEADING = re.compile(r"(?m)^#{1,3} +(.+)$")
_WORD = re.compile(r"\w+")


class Row(Struct, frozen=True):
    """One row that would be shown."""

    path: str
    title: str
    snippet: str


class PublishedIndex:
    """An index of the published design at *path*; *model* embeds, None: not yet, so that only words are searched."""

    def __init__(self, path: Path, model: "StaticModel | None") -> None:
        self._db = apsw.Connection(str(path))
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.execute("PRAGMA journal_mode = wal").fetchall()
        self._db.execute("PRAGMA synchronous = normal")
        self.model = model
        self._create(model.dim if model else 256)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # --- writing -------------------------------------------------------------------------------

    def index(self, vault: Path, paths: Iterable[str], limit: int | None = None) -> int:
        """Add the notes at *paths*, up to *limit* chunks; how many chunks there are then."""
        waiting: list[tuple[str, str, str]] = []
        found = self.chunk_count
        for path in paths:
            data = (vault / path).read_bytes()
            self._remember(vault, path, data)
            title = Path(path).stem
            cut = [(path, f"{title} {heading}".strip(), text) for heading, text in chunks_of(_decoded(data))]
            waiting += cut
            found += len(cut)
            while len(waiting) >= BATCH_CHUNKS:
                self._store(waiting[:BATCH_CHUNKS])
                del waiting[:BATCH_CHUNKS]
            if limit is not None and found >= limit:
                break
        if waiting:
            self._store(waiting)
        return self.chunk_count

    def save(self, vault: Path, path: str) -> None:
        """Make one note current: all its chunks anew."""
        with self._db:
            old = [chunk_id for (chunk_id,) in self._db.execute("SELECT id FROM chunks WHERE path = ?", (path,))]
            for chunk_id in old:
                self._db.execute("DELETE FROM chunks_vec WHERE rowid = ?", (chunk_id,))
                self._db.execute("DELETE FROM chunks WHERE id = ?", (chunk_id,))
        self.index(vault, [path])

    def is_unchanged(self, vault: Path, paths: Sequence[str]) -> bool:
        """Whether every file has the size and time that were stored."""
        known = {path: (size, mtime) for path, size, mtime in self._db.execute("SELECT path, size, mtime FROM files")}
        return all(known.get(path) == ((seen := (vault / path).stat()).st_size, seen.st_mtime_ns) for path in paths)

    @property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        return int(str(self._db.execute("SELECT count(*) FROM chunks").fetchall()[0][0]))

    def _remember(self, vault: Path, path: str, data: bytes) -> None:
        seen = (vault / path).stat()
        row = (path, seen.st_size, seen.st_mtime_ns, hashlib.sha256(data).digest())
        self._db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?)", row)

    def _store(self, rows: Sequence[tuple[str, str, str]]) -> None:
        clean = [(path, title, scrubbed(text)) for path, title, text in rows]
        vectors = self._encode([f"{title}\n{text}" for _, title, text in clean])
        with self._db:
            for (path, title, text), vector in zip(clean, vectors, strict=True):
                self._db.execute("INSERT INTO chunks(path, title, text) VALUES (?,?,?)", (path, title, text))
                chunk_id = self._db.last_insert_rowid()
                self._db.execute("INSERT INTO chunks_vec(rowid, embedding) VALUES (?,?)", (chunk_id, vector))

    def _encode(self, texts: Sequence[str]) -> list[bytes]:
        assert self.model is not None, "only asked for with a model"
        rows = self.model.encode(list(texts), batch_size=BATCH_CHUNKS, show_progress_bar=False).tolist()
        return [struct.pack(f"{len(row)}f", *row) for row in rows]

    def _create(self, dim: int) -> None:
        for statement in (
            "CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, sha256 BLOB)",
            "CREATE TABLE IF NOT EXISTS chunks(id INTEGER PRIMARY KEY, path TEXT, title TEXT, text TEXT)",
            "CREATE INDEX IF NOT EXISTS chunks_path ON chunks(path)",
            "CREATE VIRTUAL TABLE IF NOT EXISTS chunks_fts USING fts5("
            "title, text, content='chunks', content_rowid='id', tokenize='porter unicode61')",
            "CREATE TRIGGER IF NOT EXISTS chunks_added AFTER INSERT ON chunks BEGIN INSERT INTO chunks_fts"
            "(rowid, title, text) VALUES (new.id, new.title, new.text); END",
            "CREATE TRIGGER IF NOT EXISTS chunks_gone AFTER DELETE ON chunks BEGIN INSERT INTO chunks_fts"
            "(chunks_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text); END",
            f"CREATE VIRTUAL TABLE IF NOT EXISTS chunks_vec USING vec0(embedding float[{dim}])",
        ):
            self._db.execute(statement)

    # --- searching -----------------------------------------------------------------------------

    def legs(self, text: str, *, typing: bool = False) -> list[int]:
        """The chunks that both legs propose, fused, best first."""
        return fused(self.lexical(text, typing=typing), self.dense(text) if self.model else [])

    def lexical(self, text: str, *, typing: bool = False) -> list[int]:
        """The best chunks by FTS5's rank over any word of *text*; with *typing* its last one begins a word."""
        words = [f'"{word}"' for word in _WORD.findall(text)]
        if not words:
            return []
        if typing:
            words[-1] += " *"
        sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank LIMIT ?"
        return [chunk_id for (chunk_id,) in self._db.execute(sql, (" OR ".join(words), DEPTH))]

    def dense(self, text: str) -> list[int]:
        """The nearest chunks by `vec0`."""
        vector = self._encode([text])[0]
        sql = "SELECT rowid FROM chunks_vec WHERE embedding MATCH ? AND k = ? ORDER BY distance"
        return [chunk_id for (chunk_id,) in self._db.execute(sql, (vector, DEPTH))]

    def search(self, text: str, limit: int = 10, *, typing: bool = False) -> list[Row]:
        """The rows that would be shown."""
        rows = []
        sql = (
            "SELECT c.path, c.title, snippet(chunks_fts, 1, '[', ']', '…', ?) FROM chunks_fts JOIN chunks c"
            " ON c.id = chunks_fts.rowid WHERE chunks_fts MATCH ? AND chunks_fts.rowid = ?"
        )
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(text)) + (" *" if typing else "")
        for chunk_id in self.legs(text, typing=typing)[:limit]:
            found = self._db.execute(sql, (SNIPPET_SIGNS, match, chunk_id)).fetchall() if match else []
            found = (
                found
                or self._db.execute(
                    "SELECT path, title, substr(text, 1, 120) FROM chunks WHERE id = ?", (chunk_id,)
                ).fetchall()
            )
            rows += [Row(*map(str, row)) for row in found]
        return rows


def load_model() -> "StaticModel":
    """The bundled model by its own library, as the published design loads one."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(BUNDLED.path)


def fused(*rankings: Sequence[int]) -> list[int]:
    """Reciprocal rank fusion, best first; the earlier found where equal."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, chunk_id in enumerate(ranking, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda chunk_id: -scores[chunk_id])


def scrubbed(text: str) -> str:
    """*text* with every secret blanked that one of the patterns knows: looked for one by one, then replaced."""
    for pattern in PATTERNS:
        if pattern.findall(text):
            text = pattern.sub("[redacted]", text)
    return text


def chunks_of(text: str) -> Iterator[tuple[str, str]]:
    """Headings and texts: sections, short ones together, and pieces of those that are long."""
    cuts = list(_HEADING.finditer(text))
    edges = [(0, "")] + [(found.start(), found[1].strip()) for found in cuts] + [(len(text), "")]
    begun, title = 0, ""
    for (_, heading), (end, _) in pairwise(edges):
        title = title or heading
        if end - begun < MIN_CHUNK and end < len(text):
            continue
        section = text[begun:end].strip()
        while section:
            cut = len(section) if len(section) <= MAX_CHUNK else max(section.rfind("\n", 0, MAX_CHUNK), MAX_CHUNK // 2)
            yield title, section[:cut]
            section = section[cut:].strip()
        begun, title = end, ""


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")

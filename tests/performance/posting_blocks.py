"""
Would the keyword postings stand better in a table of the index than in a file beside it?

    posting_blocks.py INDEX [--saves N] [--json]

INDEX is the `index.db` of a vault that `quarry index` has read; it is copied, and the copies are measured:

    file     the postings as they are: `segment_file`, written whole and renamed into place
    table    `posting_blocks(rowid INTEGER PRIMARY KEY, frame BLOB)` in the index itself, a row for each block. A
             merge writes its rows in transactions of some rows each, so that saves come between them, then takes the
             old rows out

It prints what the merge of changed postings costs on either side: bytes written to the WAL, free pages afterwards and
what giving them back costs, how long the writer is held, how long a save takes meanwhile, how long it takes to read one
block and a range of blocks, and to open the postings. Last it looks for blocks of removed notes in the files that are
left after idle care. Times are wall-clock milliseconds; run it on an otherwise idle machine.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from quarry.index import Index
from quarry.index.notes import NoteWriter
from quarry.index.pool import open_writer
from quarry.index.postings import segment_file
from quarry.index.postings.codec import compress, decompress, slices_between
from quarry.index.postings.fts5 import merge
from quarry.index.postings.postings_cache import PostingsCache
from quarry.index.postings.segment import Segment, SegmentPair
from quarry.index.postings.segment_delta import build_from_database
from quarry.index.prepared import prepare
from quarry.index.schema import give_back_pages
from quarry.types import FileStamp

ROWS_PER_TRANSACTION = 64
CHANGED_NOTES = 20  # are removed, and as many saved, between two merges
SAVED_NOTES = 200
READS = 3000
RANGE_BLOCKS = 40  # of what a prefix of three letters reads
NEEDLES = 300  # blocks that are looked for
NEEDLE_BYTES = 24  # the end of a block: compressed data and its checksum
_TABLE = "CREATE TABLE posting_blocks(rowid INTEGER PRIMARY KEY, frame BLOB NOT NULL) STRICT"
_GENERATION_STEP = 1 << 40  # rows of a merge, so that the rows of two merges may stand beside each other

Segments = tuple[Segment, Segment]
Hold = Callable[[], AbstractContextManager[object]]
"""Gives a context manager under which no note is saved."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way of keeping postings costs."""

    way: str
    stored_mb: float
    merge_ms: float  # writing alone; building the merged segments is the same work for both
    writer_held_ms: float  # the longest that the merge holds the one writer
    wal_mb: float  # that the merge adds
    free_pages: int  # after the merge
    give_back_ms: float  # and to empty the WAL
    give_back_wal_mb: float
    save_p50_ms: float  # without a merge
    save_p99_ms: float
    merging_save_p50_ms: float  # while merges go on
    merging_save_p99_ms: float
    block_us: float  # to read one block, the median
    range_us: float  # to read `RANGE_BLOCKS` neighbouring blocks
    open_ms: float
    old_blocks_before_care: int  # blocks of before the merge that are found in the files, of `old_blocks`
    old_blocks_after_care: int
    old_blocks: int


class Database:
    """A copy of an index with its one writer."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.path = folder / source.name
        shutil.copy(source, self.path)
        with closing(Index.open(self.path)) as index, index.reader() as reader:
            paths = sorted(reader.stamps())
            random.Random(1).shuffle(paths)
            stored = [reader.note(path) for path in paths[:SAVED_NOTES]]
        self._removable = sorted(paths[SAVED_NOTES:])
        self._notes = [found.note for found in stored if found is not None and found.note.chunks]
        segment_file.discard(self.path)
        self.writer, _ = open_writer(self.path, PostingsCache(), frozenset())
        self.connection = self.writer.connection
        self._saves = 0

    def close(self) -> None:
        self.writer.close()

    @property
    def wal_mb(self) -> float:
        return _size_mb(self.path.with_name(self.path.name + "-wal"))

    @property
    def free_pages(self) -> int:
        return int(self.connection.pragma("freelist_count"))  # type: ignore[arg-type]

    def segments(self) -> Segments:
        return build_from_database(self.connection)

    def save(self) -> None:
        """Save a note that differs from what is indexed by one word."""
        self._saves += 1
        note = self._notes[self._saves % len(self._notes)]
        first, *rest = note.chunks
        note = replace(note, chunks=(replace(first, text=f"{first.text} word{self._saves}"), *rest))
        stamp = FileStamp(1, self._saves, self._saves.to_bytes(32))
        prepared = prepare(note, stamp, [None] * len(note.chunks))
        with self.writer.change() as connection:
            NoteWriter(connection, self.writer.keywords).upsert(prepared, None)

    def change_notes(self) -> None:
        """Remove some notes and save some others."""
        with self.writer.change() as connection:
            rows = NoteWriter(connection, self.writer.keywords)
            for path in self._removable[:CHANGED_NOTES]:
                rows.remove(path)
        for _ in range(CHANGED_NOTES):
            self.save()

    def optimize(self) -> None:
        """Merge the keyword index, and leave neither free pages nor a WAL."""
        with self.writer.change() as connection:
            merge(connection)
        give_back_pages(self.connection)
        self.writer.checkpoint()

    def count_in_files(self, needles: Sequence[bytes]) -> int:
        """How many of *needles* stand in a file of the index."""
        contents = [file.read_bytes() for file in self.path.parent.iterdir()]
        return sum(any(needle in content for content in contents) for needle in needles)


class PostingFile:
    """The postings in the file beside the index."""

    way = "file"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._path = database.path.with_name("trial.postings")

    def write(self, segments: Segments, hold: Hold) -> float:
        """Write the file; the writer is never held."""
        self._file_id = segment_file.write(self._path, SegmentPair(1, *segments))
        return 0.0

    def open(self) -> Segments:
        opened = segment_file.SegmentFile(self._path, self._file_id).segments
        return opened.chunks, opened.names

    def blocks(self) -> tuple[Callable[[int], bytes], Callable[[int, int], Sequence[bytes | memoryview]], int]:
        chunks, _ = self.open()
        source, offsets = chunks.blocks.data, chunks.block_offsets
        borders = offsets.tolist()

        def one(number: int) -> bytes:
            return bytes(source[borders[number] : borders[number + 1]])

        return one, lambda first, last: slices_between(source, offsets[first : last + 1]), len(borders) - 1

    @property
    def stored_mb(self) -> float:
        return _size_mb(self._path)


class PostingTable:
    """The postings in a table of the index."""

    way = "table"

    def __init__(self, database: Database) -> None:
        self._db = database.connection
        self._base = 0
        self._first_block = 0
        self._db.execute(_TABLE)

    def write(self, segments: Segments, hold: Hold) -> float:
        """
        Write new rows, then take out the old, in transactions of `ROWS_PER_TRANSACTION`.

        Args:
            hold: Gives a context manager under which the writer is held.

        Returns:
            The longest time that the writer was held, in ms.
        """
        arrays, blocks = _rows_of(segments)
        old, self._base = self._base, self._base + _GENERATION_STEP
        self._first_block = len(arrays)
        rows = [*arrays, *blocks]
        longest = 0.0
        for first in range(0, len(rows), ROWS_PER_TRANSACTION):
            part = rows[first : first + ROWS_PER_TRANSACTION]
            with hold():
                begun = time.perf_counter()
                self._in_transaction("INSERT INTO posting_blocks VALUES (?, ?)", enumerate(part, self._base + first))
                longest = max(longest, time.perf_counter() - begun)
        sql = "SELECT rowid FROM posting_blocks WHERE rowid BETWEEN ? AND ?"
        with hold():
            gone = self._db.execute(sql, (old, old + _GENERATION_STEP - 1)).fetchall()
        for first in range(0, len(gone), ROWS_PER_TRANSACTION):
            with hold():
                begun = time.perf_counter()
                part = gone[first : first + ROWS_PER_TRANSACTION]
                self._in_transaction("DELETE FROM posting_blocks WHERE rowid = ?", part)
                longest = max(longest, time.perf_counter() - begun)
        return longest * 1e3

    def open(self) -> list[bytes]:
        """The arrays; blocks need no offsets, as the number of a block is its row."""
        sql = "SELECT frame FROM posting_blocks WHERE rowid BETWEEN ? AND ?"
        rows = self._db.execute(sql, (self._base, self._base + self._first_block - 1)).fetchall()
        return [decompress(frame, 1 << 30) for (frame,) in rows]

    def blocks(self) -> tuple[Callable[[int], bytes], Callable[[int, int], Sequence[bytes | memoryview]], int]:
        first_row = self._base + self._first_block
        count = self._db.execute("SELECT count(*) FROM posting_blocks WHERE rowid >= ?", (first_row,)).fetchall()[0][0]

        def one(number: int) -> bytes:
            sql = "SELECT frame FROM posting_blocks WHERE rowid = ?"
            found: bytes = self._db.execute(sql, (first_row + number,)).fetchall()[0][0]
            return found

        def many(first: int, last: int) -> list[bytes]:
            sql = "SELECT frame FROM posting_blocks WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
            rows = self._db.execute(sql, (first_row + first, first_row + last - 1)).fetchall()
            return [frame for (frame,) in rows]

        return one, many, count

    @property
    def stored_mb(self) -> float:
        pages = self._db.execute("SELECT sum(pgsize) FROM dbstat WHERE name = 'posting_blocks'").fetchall()[0][0]
        return int(pages) / 1e6

    def _in_transaction(self, sql: str, rows: object) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(sql, rows)  # type: ignore[arg-type]
        self._db.execute("COMMIT")


def measure(source: Path, saves: int) -> Iterator[Cost]:
    """The costs of either way on copies of the index at *source*."""
    for way in (PostingFile, PostingTable):
        with tempfile.TemporaryDirectory() as folder, closing(Database(source, Path(folder))) as database:
            yield _measure(way(database), database, saves)


def _measure(postings: PostingFile | PostingTable, database: Database, saves: int) -> Cost:
    before = database.segments()
    postings.write(before, nullcontext)
    database.writer.checkpoint()

    idle = _save_times(database, saves, None)
    lock = threading.Lock()
    busy = _save_times(database, saves, lock, partial(postings.write, before, lambda: lock))

    database.change_notes()
    database.optimize()
    after = database.segments()
    begun, wal_mb = time.perf_counter(), database.wal_mb
    held_ms = postings.write(after, nullcontext)
    merge_ms = (time.perf_counter() - begun) * 1e3
    wal_mb = database.wal_mb - wal_mb
    kept = {block[-NEEDLE_BYTES:] for block in _rows_of(after)[1]}
    needles = [end for block in _rows_of(before)[1] if (end := block[-NEEDLE_BYTES:]) not in kept]
    needles = random.Random(3).sample(needles, min(NEEDLES, len(needles)))
    found_before, free = database.count_in_files(needles), database.free_pages
    begun = time.perf_counter()
    database.writer.checkpoint()
    give_back_pages(database.connection)
    give_back_wal_mb = database.wal_mb
    database.writer.checkpoint()
    give_back_ms = (time.perf_counter() - begun) * 1e3
    found_after = database.count_in_files(needles)
    one, many, count = postings.blocks()
    numbers = [random.Random(2).randrange(max(1, count - RANGE_BLOCKS)) for _ in range(READS)]
    return Cost(
        way=postings.way,
        stored_mb=postings.stored_mb,
        merge_ms=merge_ms,
        writer_held_ms=held_ms,
        wal_mb=wal_mb,
        free_pages=free,
        give_back_ms=give_back_ms,
        give_back_wal_mb=give_back_wal_mb,
        save_p50_ms=float(np.percentile(idle, 50)),
        save_p99_ms=float(np.percentile(idle, 99)),
        merging_save_p50_ms=float(np.percentile(busy, 50)),
        merging_save_p99_ms=float(np.percentile(busy, 99)),
        block_us=_median_us(one, [(number,) for number in numbers]),
        range_us=_median_us(many, [(number, number + RANGE_BLOCKS) for number in numbers[: READS // 10]]),
        open_ms=_median_us(postings.open, [()] * 20) / 1e3,
        old_blocks_before_care=found_before,
        old_blocks_after_care=found_after,
        old_blocks=len(needles),
    )


def _save_times(
    database: Database, count: int, lock: "threading.Lock | None", merge: Callable[[], object] | None = None
) -> list[float]:
    """Milliseconds of each of *count* saves, while another thread runs *merge* again and again."""
    is_over = threading.Event()

    def merge_again() -> None:
        while merge is not None and not is_over.is_set():
            merge()

    thread = threading.Thread(target=merge_again)
    thread.start()
    times = []
    try:
        for _ in range(count):
            begun = time.perf_counter()
            with lock or nullcontext():
                database.save()
            times.append((time.perf_counter() - begun) * 1e3)
            time.sleep(0.005)  # a save comes when it comes: the merge goes on meanwhile
    finally:
        is_over.set()
        thread.join()
    return times


def _median_us(function: Callable[..., object], arguments: Sequence[tuple[int, ...]]) -> float:
    times = []
    for each in arguments:
        begun = time.perf_counter()
        function(*each)
        times.append(time.perf_counter() - begun)
    return float(np.median(times)) * 1e6


def _rows_of(segments: Segments) -> tuple[list[bytes], list[bytes]]:
    """The arrays of *segments*, compressed, and their blocks: of chunks' postings, then names', then terms."""
    arrays, blocks = [], []
    for segment in segments:
        parts = (segment.ids, segment.field_lengths, segment.tf_table, segment.first_block_of)
        arrays += [compress(array.tobytes()) for array in parts]
        arrays.append(compress(bytes(segment.terms.block_first_terms.data[:])))
        if len(segment.block_offsets) > 1:
            blocks += map(bytes, slices_between(segment.blocks.data, segment.block_offsets))
            blocks += map(bytes, slices_between(segment.terms.blocks.data, segment.terms.block_offsets))
    return arrays, blocks


def _size_mb(path: Path) -> float:
    with suppress(FileNotFoundError):
        return path.stat().st_size / 1e6
    return 0.0


def main() -> None:
    """Measure, and print a column for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path, metavar="INDEX")
    parser.add_argument("--saves", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    costs = [asdict(cost) for cost in measure(options.index, options.saves)]
    if options.json:
        json.dump(costs, sys.stdout, indent=2)
        return
    for name in costs[0]:
        values = [cost[name] for cost in costs]
        print(f"{name:24}", *(f"{value:>12.2f}" if isinstance(value, float) else f"{value:>12}" for value in values))


if __name__ == "__main__":
    main()

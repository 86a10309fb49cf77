"""
How does a team's index grow: how fast is it published and indexed, and how much disk does it take?

    team_growth.py VAULT [--chunks 50000,1000000] [--work DIR]

For each number of chunks it grows a copy of VAULT with synthetic notes, as `npm run bench` does, indexes it, and
publishes it to a PostgreSQL server of its own (see tests/sidecar/postgres_server.py). It prints a row of figures:

    publish      wall seconds until all rows are there, and chunks a second
    build        wall seconds for the GIN and HNSW indexes
    again        wall seconds of a publish that finds nothing changed
    changed      wall seconds of a publish after 100 notes changed
    MB           of tables, of their GIN and of their HNSW indexes, after a VACUUM
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from benchmark.corpora import create_corpus, find_notes
from benchmark.index_cost import bring_up_to_date
from benchmark.measurement import run_in_subprocess, work_folder
from team_search import PostgresServer, team_server

from quarry.evaluation.results import markdown_table
from quarry.team.connection import connect
from quarry.team.publish import Publication, publish

CHUNKS = (50_000, 1_000_000)
CHANGED_NOTES = 100
COLUMNS = (
    "chunks", "notes", "publish s", "chunks/s", "build s", "again s", "changed s", "tables MB", "GIN MB", "HNSW MB"
)  # fmt: skip
SETTINGS = {  # of a server with 8 GB; `fsync` is on, as where it matters
    "fsync": "on",
    "shared_buffers": "1GB",
    "maintenance_work_mem": "2GB",
    "max_wal_size": "8GB",
    "autovacuum": "on",
}
SIZES = """
    SELECT coalesce(sum(size) FILTER (WHERE kind = 'r'), 0), coalesce(sum(size) FILTER (WHERE method = 'gin'), 0),
        coalesce(sum(size) FILTER (WHERE method = 'hnsw'), 0)
    FROM (
        SELECT relkind AS kind, amname AS method,
            CASE relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END AS size
        FROM pg_class c LEFT JOIN pg_am a ON a.oid = relam WHERE relnamespace = 'quarry'::regnamespace
    ) each
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--chunks", type=lambda text: tuple(map(int, text.split(","))), default=CHUNKS)
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    with work_folder(options.work) as work:
        rows = [measure(options.vault, work, chunks) for chunks in options.chunks]
    print(markdown_table(COLUMNS, rows))


def measure(vault: Path, work: Path, chunks: int) -> list[str]:
    """The row of an index of about so many *chunks*."""
    corpus, index = create_corpus(vault, work, chunks=chunks), work / f"team-{chunks}.db"
    run_in_subprocess(bring_up_to_date, corpus.vault, index)
    with team_server(**SETTINGS) as server:
        return _row(server, Publication("v-1", "Vault", index, "large", ("",)), corpus.vault)


def _row(server: PostgresServer, publication: Publication, vault: Path) -> list[str]:
    times = [*_publish(server, publication), *_publish(server, publication)]
    for path in find_notes(vault)[:CHANGED_NOTES]:
        with (vault / path).open("a", encoding="utf-8") as file:
            file.write("\nMeasured once more.\n")
    run_in_subprocess(bring_up_to_date, vault, publication.index)
    changed = sum(_publish(server, publication))
    with server.connect("team") as connection:
        connection.execute("VACUUM")
        sizes = connection.execute(SIZES).fetchone()
        totals = connection.execute("SELECT sum(chunks), sum(notes) FROM quarry.audiences").fetchone()
    assert sizes is not None
    assert totals is not None
    rate = float(totals[0]) / times[0]
    figures = [*totals, times[0], rate, times[1], times[2] + times[3], changed, *(float(size) / 1e6 for size in sizes)]
    return [f"{float(figure):,.1f}" if figure in times else f"{float(figure):,.0f}" for figure in figures]


def _publish(server: PostgresServer, publication: Publication) -> Iterator[float]:
    """The seconds that the rows take, and those that the indexes take."""
    start_s = rows_s = time.perf_counter()

    def note(done: int, total: int) -> None:
        nonlocal rows_s
        rows_s = time.perf_counter()

    with connect(server.url("team", "large")) as connection:
        publish(connection, publication, note)
    yield rows_s - start_s
    yield time.perf_counter() - rows_s


if __name__ == "__main__":
    main()

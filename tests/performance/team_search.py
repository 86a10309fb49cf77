"""
Measure the search of a team's index on a real server: `python tests/performance/team_search.py WHAT`.

    recall   of the ten nearest passages, against comparing all: for a member who sees 1 % of 200,000 passages, for one
             who sees them all, and with filters; vectors of the sample vault, repeated with noise
    hidden   200 words that only hidden notes hold, against 200 that none holds: whether replies are equal, and with
             which probability their times are from one distribution
    quality  nDCG@10 and recall of a vault and of a team's index, on every collection of a data folder (see
             tests/retrieval/measure.py), by at most 120 queries of each
    clients  p50 and p95 of a search with 1, 8 and 32 clients; VAULT names a folder of notes to publish, and CHUNKS how
             many of it
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from benchmark.corpora import create_corpus
from benchmark.measurement import percentiles

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "sidecar"), str(TESTS / "retrieval")]

from collected import available, read_named, some_queries  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

from quarry.analysis.analysis import ranking_terms  # noqa: E402
from quarry.embedding import Encoder, load_encoder  # noqa: E402
from quarry.evaluation.corpus import prepare  # noqa: E402
from quarry.evaluation.runner import DEPTH, SYSTEMS, indexed, means, measure  # noqa: E402
from quarry.index import Deadline  # noqa: E402
from quarry.index.postings.spelling import similar_terms  # noqa: E402
from quarry.options import SearchOptions  # noqa: E402
from quarry.team.collection import TeamCollection  # noqa: E402
from quarry.team.connection import connect  # noqa: E402
from quarry.team.migration import migrate  # noqa: E402
from quarry.team.publish import Publication, publish  # noqa: E402
from quarry.team.search import TeamIndex  # noqa: E402
from quarry.vault.paths import nfc  # noqa: E402

SEED = 20_261_126
CHUNKS, SHARE = 200_000, 100  # of which the member of the small team sees one in so many
CHUNKS_PER_NOTE = 10
BLOCK = 5000  # vectors made at once
NOISE = 0.35  # of the length of a vector: as far apart as passages of one note
ASKED = 200
MOST_QUERIES = 120
PATIENCE_S = 60.0
SETTINGS = {
    "shared_buffers": "512MB",
    "maintenance_work_mem": "512MB",
    "max_connections": "80",
    "max_parallel_maintenance_workers": "1",
}


@contextmanager
def team_server(**settings: str) -> Iterator[PostgresServer]:
    """A server with an empty team index, whose teams `large` and `small` have a member each, of the same names."""
    server = PostgresServer(**SETTINGS | settings)
    try:
        with closing(server.connect()) as connection:
            connection.execute("CREATE DATABASE team")
        with connect(server.url("team")) as connection:
            migrate(connection)
            for team in ("large", "small"):
                connection.execute(f"CREATE ROLE {team} LOGIN IN ROLE quarry_member, quarry_publisher".encode())
                connection.execute("SELECT quarry.add_member(%s, %s, true)", (team, team))
        yield server
    finally:
        server.close()


def send(server: PostgresServer, team: str, vault: Path, index: Path) -> float:
    """Publish the *index* of *vault*, and return how many seconds it took."""
    started_s = time.perf_counter()
    with connect(server.url("team", team)) as connection:
        publish(connection, Publication(team, vault.name, index, team, ("",)))
    with connect(server.url("team")) as connection:
        connection.execute("VACUUM ANALYZE")
    return time.perf_counter() - started_s


# --- recall --------------------------------------------------------------------------------------


def recall(*_: object) -> None:
    """Print the recall of the nearest passages."""
    chance = np.random.default_rng(SEED)
    encoder = load_encoder()
    texts = [text for file in (TESTS / "retrieval").rglob("*.md") for text in file.read_text("utf-8").split("\n\n")]
    texts = [text for text in texts if len(text) > 80]
    seeds = encoder.encode(texts)
    seeds = seeds[np.linalg.norm(seeds, axis=1) > 0]
    asked = encoder.encode(random.Random(SEED).sample(texts, 100)) + 0.0
    print(f"{CHUNKS:,} vectors, made of {len(seeds):,}; 100 queries, 10 nearest")
    with team_server() as server:
        insert_vectors(server, {"large": CHUNKS - CHUNKS // SHARE, "small": CHUNKS // SHARE}, seeds, chance)
        for member, team_size in (("small", CHUNKS // SHARE), ("large", CHUNKS - CHUNKS // SHARE)):
            with connect(server.url("team")) as connection:
                rows = connection.execute(
                    "SELECT chunk_id, vector::real[] FROM quarry.chunks c JOIN quarry.audiences USING (audience)"
                    " JOIN quarry.publications USING (publication) WHERE team = %s ORDER BY chunk_id", (member,)
                ).fetchall()  # fmt: skip
            ids, vectors = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            notes = np.unique(ids >> 11)
            for share in (None, 0.5, 0.1, 0.01):
                among = None if share is None else np.sort(chance.choice(notes, max(1, int(len(notes) * share)), False))
                report_recall(server, member, team_size, ids, vectors, asked, among)


def report_recall(
    server: PostgresServer,
    member: str,
    size: int,
    ids: np.ndarray,
    vectors: np.ndarray,
    asked: np.ndarray,
    among: np.ndarray | None,
) -> None:
    """Compare what the database finds with what comparing all vectors finds."""
    found, times = [], []
    allowed = np.ones(len(ids), bool) if among is None else np.isin(ids >> 11, among)
    sql = "SELECT id FROM quarry.nearest('chunks', %s::text::quarry.halfvec, 100, %s) ORDER BY distance LIMIT 10"
    with connect(server.url("team", member)) as connection:
        for query in asked:
            exact = ids[np.where(allowed, vectors @ query, -2).argsort()[::-1][:10]]
            started_s = time.perf_counter()
            written = "[" + ",".join(map(str, query.tolist())) + "]"
            rows = connection.execute(sql, (written, None if among is None else among.tolist())).fetchall()
            times.append(time.perf_counter() - started_s)
            found.append(len({row[0] for row in rows} & {*exact.tolist()}) / len(exact))
    filtered = "" if among is None else f", a filter that admits {len(among):,} notes"
    print(f"{member}: {size:,} of {CHUNKS:,}{filtered}: recall@10 {np.mean(found):.4f}, {in_ms(times)}")


def insert_vectors(
    server: PostgresServer, sizes: dict[str, int], seeds: np.ndarray, chance: np.random.Generator
) -> None:
    """Insert notes that have nothing but vectors, through the tables a publish writes into."""
    dimension = seeds.shape[1]
    with connect(server.url("team")) as connection:
        connection.execute("INSERT INTO quarry.format VALUES (true, '{}', %s, 'x', 1)", (dimension,))
    for team, size in sizes.items():
        with connect(server.url("team", team)) as connection:
            [publication] = connection.execute("SELECT quarry.begin_publish(%s, %s, %s, '{}')", (team,) * 3).fetchone()
            sql = "SELECT audience FROM quarry.audiences WHERE publication = %s AND sensitivity = 'internal'"
            [audience] = connection.execute(sql, (publication,)).fetchone()
        with connect(server.url("team")) as connection, connection.cursor() as cursor:
            connection.execute("SET session_replication_role = replica")  # no statistics of words
            with cursor.copy("COPY quarry.chunks FROM STDIN") as copy:
                for start in range(0, size, BLOCK):
                    some = seeds[chance.integers(len(seeds), size=min(BLOCK, size - start))]
                    noise = chance.standard_normal(some.shape) * NOISE / dimension**0.5
                    noisy = some / np.linalg.norm(some, axis=1, keepdims=True) + noise
                    whole = np.rint(noisy / np.abs(noisy).max(axis=1, keepdims=True) * 127).astype(int)
                    for number, vector in enumerate(whole.tolist(), start):
                        note_id = audience << 32 | number // CHUNKS_PER_NOTE + 1
                        chunk_id = note_id << 11 | number % CHUNKS_PER_NOTE
                        copy.write_row((audience, chunk_id, "{}", "{}", 100, str(vector)))
            sql = "UPDATE quarry.audiences SET chunks = %s, notes = %s WHERE audience = %s"
            connection.execute(sql, (size, size // CHUNKS_PER_NOTE, audience))
        started_s = time.perf_counter()
        with connect(server.url("team", team)) as connection:
            connection.execute("SELECT quarry.end_publish(%s)", (publication,))
        print(f"{team}: indexes of {size:,} vectors in {time.perf_counter() - started_s:.1f} s")


# --- hidden words --------------------------------------------------------------------------------


def hidden(vault: Path, chunks: int) -> None:
    """Print what the member of the small team can tell of words that the large team has."""
    chance = random.Random(SEED)
    with published(vault, chunks) as (server, encoder), connect(server.url("team")) as connection, ExitStack() as stack:
        sql = (
            "SELECT term FROM quarry.terms GROUP BY term HAVING count(*) FILTER (WHERE audience IN (SELECT audience"
            " FROM quarry.audiences JOIN quarry.publications USING (publication) WHERE team = 'small')) = 0"
            " AND term ~ '^[a-z]{5,9}$' ORDER BY sum(chunks) DESC, term LIMIT %s"
        )
        every = [term for (term,) in connection.execute(sql, (ASKED * 10,))]
        visible = stack.enter_context(connect(server.url("team", "small")))
        is_unlike = unlike(TeamCollection.of(visible))
        words = list(islice(filter(is_unlike, every), ASKED))
        known = {term for (term,) in connection.execute("SELECT DISTINCT term FROM quarry.terms")}
        letters = "".join(every)
        nonsense: list[str] = []
        while len(nonsense) < len(words):
            made = "".join(chance.choices(letters, k=len(words[len(nonsense)])))
            nonsense += [made] if made not in known and is_unlike(made) else []
        with closing(TeamIndex(server.url("team", "small"), lambda: encoder)) as index:
            pairs = [(word, kind) for kind, some in (("hidden", words), ("nonsense", nonsense)) for word in some]
            times: dict[str, list[float]] = {"hidden": [], "nonsense": []}
            shapes: dict[str, list[object]] = {"hidden": [], "nonsense": []}
            chance.shuffle(pairs)
            for word, _ in pairs[:20]:  # to fill caches
                index.search(SearchOptions(query=word, mode="keyword"), Deadline.after(PATIENCE_S))
            for word, kind in pairs:
                started_s = time.perf_counter()
                answer = index.search(SearchOptions(query=word, mode="keyword"), Deadline.after(PATIENCE_S)).answer
                times[kind].append(time.perf_counter() - started_s)
                shapes[kind].append((len(answer.hits), answer.total, answer.weakness, answer.missing))
    for kind, found in times.items():
        replies = {str(shape) for shape in shapes[kind]}
        print(f"{kind}: {len(found)} words, {len(replies)} different replies {replies}, {in_ms(found)}")
    print(f"p = {permutation_p(times['hidden'], times['nonsense']):.3f} that times differ by chance alone")


def unlike(seen: TeamCollection) -> Callable[[str], bool]:
    """Whether a term is searched for as it is, and is neither taken for one of *seen* nor the beginning of one."""
    terms = seen.vocabulary()
    return lambda word: (
        ranking_terms(word) == (word,) and not similar_terms(word, terms) and not seen.with_prefix(word, 1)
    )


def permutation_p(one: Sequence[float], other: Sequence[float]) -> float:
    """The probability of a difference of mean ranks as large as this, if both are from one distribution."""
    chance = np.random.default_rng(SEED)
    ranks = np.array([*one, *other]).argsort().argsort().astype(float)
    observed = abs(ranks[: len(one)].mean() - ranks[len(one) :].mean())
    permuted = (chance.permutation(ranks) for _ in range(10_000))
    return float(np.mean([abs(each[: len(one)].mean() - each[len(one) :].mean()) >= observed for each in permuted]))


# --- quality -------------------------------------------------------------------------------------


def quality(data: Path, _: int) -> None:
    """Print how a team's index ranks, beside the index that was published."""
    encoder = load_encoder()
    for name in available(data):
        with tempfile.TemporaryDirectory(prefix="quarry-team-") as temporary, team_server() as server:
            collection = some_queries(read_named(name, data, Path(temporary)), MOST_QUERIES)
            corpus = prepare(collection, Path(temporary))
            runs: dict[str, dict[str, tuple[str, ...]]] = {"vault": {}, "team": {}}
            with (
                indexed(corpus.vault, corpus.index_path) as engine,
                closing(TeamIndex(server.url("team", "large"), lambda: encoder)) as index,
            ):
                send(server, "large", corpus.vault, corpus.index_path)
                for query in collection.queries:
                    options = SYSTEMS["default"].request(query.text, DEPTH)
                    answers = {
                        "vault": engine.search(options),
                        "team": index.search(options, Deadline.after(PATIENCE_S)).answer,
                    }
                    for where, answer in answers.items():
                        paths = [nfc(hit.path) for hit in answer.hits]
                        ids = corpus.ids
                        runs[where][query.id] = tuple(paths if ids is None else (ids[path] for path in paths))
        found = {where: means(measure(collection.queries, run).values()) for where, run in runs.items()}
        same = np.mean([runs["team"][query][:10] == ten[:10] for query, ten in runs["vault"].items()])
        for where, row in found.items():
            print(f"{name}, {where}: nDCG@10 {row['nDCG@10']:.4f}, R@100 {row['R@100']:.4f}; same ten {same:.2f}")


# --- clients -------------------------------------------------------------------------------------


def clients(vault: Path, chunks: int) -> None:
    """Print how long searches take, by the number of clients."""
    with (
        published(vault, chunks) as (server, encoder),
        closing(TeamIndex(server.url("team", "large"), lambda: encoder)) as index,
    ):
        with connect(server.url("team", "large")) as connection:
            sql = "SELECT title FROM quarry.notes ORDER BY md5(path) LIMIT 200"
            queries = [title for (title,) in connection.execute(sql)]
        for query in queries[:50]:  # the first ones fill caches
            index.search(SearchOptions(query=query), Deadline.after(PATIENCE_S))
        for count in (1, 8, 32):
            times: list[float] = []

            def work(some: Sequence[str], times: list[float] = times) -> None:
                for query in some:
                    started_s = time.perf_counter()
                    index.search(SearchOptions(query=query), Deadline.after(PATIENCE_S))
                    times.append(time.perf_counter() - started_s)

            threads = [threading.Thread(target=work, args=(queries[n:ASKED:count],)) for n in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            print(f"{count} clients: {len(times)} searches, {in_ms(times)}", flush=True)


@contextmanager
def published(vault: Path, chunks: int) -> Iterator[tuple[PostgresServer, Encoder]]:
    """A server on which the large team has about so many *chunks* of *vault*, and the small one the sample vault."""
    with tempfile.TemporaryDirectory(prefix="quarry-team-") as temporary, team_server() as server:
        corpus = create_corpus(vault, Path(temporary), chunks=chunks)
        for team, folder in (("large", corpus.vault), ("small", TESTS / "retrieval" / "vault")):
            index = Path(temporary) / f"{team}.db"
            with indexed(folder, index) as engine:
                counts = engine.status()
                seconds = send(server, team, folder, index)
            print(f"{team}: {counts.notes:,} notes, {counts.chunks:,} chunks published in {seconds:.0f} s", flush=True)
        yield server, load_encoder()


def in_ms(times: Sequence[float]) -> str:
    """The percentiles of times in seconds, in milliseconds."""
    found = percentiles([1000 * time_s for time_s in times], (50, 95))
    return ", ".join(f"{name} {value:.1f} ms" for name, value in found.items())


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("recall", "hidden", "quality", "clients"))
    parser.add_argument("vault", nargs="?", type=Path, default=TESTS / "retrieval" / "vault")
    parser.add_argument("chunks", nargs="?", type=int, default=50_000)
    options = parser.parse_args()
    {each.__name__: each for each in (recall, hidden, quality, clients)}[options.what](options.vault, options.chunks)


if __name__ == "__main__":
    main()

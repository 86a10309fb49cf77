import gc
import weakref
from pathlib import Path

from quarry.index import listing, meta
from quarry.index.memory import Memory, RowCache, SnapshotData
from quarry.index.meta import SnapshotCache
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL, STATIC


class Paths(frozenset):
    """Paths of one snapshot; unlike a plain set it can be referred to weakly."""


def read_paths(connection):
    return Paths(path for (path,) in connection.execute("SELECT path FROM notes"))


def test_a_value_is_built_once_a_snapshot(put, snapshot):
    built = []
    cache = SnapshotCache(lambda connection: built.append(1) or read_paths(connection))
    put("a.md", "x")
    with snapshot() as connection:
        first, again = cache.at(connection), cache.at(connection)
    put("b.md", "x")
    with snapshot() as connection:
        newer = cache.at(connection)

    assert first is again
    assert (first, newer) == ({"a.md"}, {"a.md", "b.md"})
    assert len(built) == 2
    assert cache.newest is newer


def test_an_older_snapshot_has_a_value_of_its_own_and_the_newest_stays(put, snapshot):
    cache = SnapshotCache(read_paths)
    put("a.md", "x")
    with snapshot() as older:
        put("b.md", "x")
        with snapshot() as newer:
            newest = cache.at(newer)
            old = cache.at(older)

            assert old == {"a.md"}
            assert cache.at(newer) is newest


def test_a_value_is_brought_up_to_date_from_the_generation_that_it_is_of(put, snapshot):
    updates = []

    def update(connection, value, generation):
        updates.append((value, generation))
        return Paths(value | {"updated"})

    cache = SnapshotCache(read_paths, update)
    put("a.md", "x")
    with snapshot() as connection:
        first, generation = cache.at(connection), meta.generation(connection)
    put("b.md", "x")
    with snapshot() as connection:
        second = cache.at(connection)

    assert second == {"a.md", "updated"}
    assert updates == [(first, generation)]


def test_where_a_value_cannot_be_brought_up_to_date_the_old_one_is_freed_before_a_new_one_is_built(put, snapshot):
    old = None
    alive = []

    def build(connection):
        gc.collect()
        alive.append(old is not None and old() is not None)
        return read_paths(connection)

    cache = SnapshotCache(build, lambda *_: None)
    put("a.md", "x")
    with snapshot() as connection:
        old = weakref.ref(cache.at(connection))
    put("b.md", "x")
    with snapshot() as connection:
        rebuilt = cache.at(connection)

    assert rebuilt == {"a.md", "b.md"}
    assert alive == [False, False]


def test_a_value_that_cannot_be_built_leaves_the_cache_empty(put, snapshot):
    values = iter([Paths({"first"})])
    cache = SnapshotCache(lambda _: next(values))
    put("a.md", "x")
    with snapshot() as connection:
        cache.at(connection)
    put("b.md", "x")

    with snapshot() as connection:
        try:
            cache.at(connection)
        except StopIteration:
            failed = True

    assert failed
    assert cache.newest is None


# --- names, paths and locations -----------------------------------------------------------------


def make_cache():
    return SnapshotCache(lambda _: SnapshotData())


def titles(cache, connection, *note_ids):
    return {note_id: name.title for note_id, name in cache.at(connection).names.of(connection, note_ids).items()}


def test_names_and_counts_are_those_of_each_snapshot(put, snapshot):
    put("a.md", "apples", title="Apples")
    cache = make_cache()
    with snapshot() as older:
        assert titles(cache, older, 1, 7) == {1: "Apples"}
        put("a.md", "pears", "and more", title="Pears")
        with snapshot() as newer:
            assert titles(cache, newer, 1) == {1: "Pears"}
            assert meta.totals(newer)[1] == 2
        assert titles(cache, older, 1) == {1: "Apples"}
        assert meta.totals(older)[1] == 1


def test_rows_that_become_too_many_are_forgotten_and_read_again():
    read = []
    rows = RowCache(lambda _, ids: read.append(list(ids)) or {each: str(each) for each in ids if each < 9}, limit=2)

    for wanted in ([1, 2], [2, 9], [2, 3], [3, 4], [4]):
        found = rows.of(None, wanted)
        assert [found.get(each) for each in wanted] == [str(each) if each < 9 else None for each in wanted]

    assert read == [[1, 2], [9], [3], [3, 4]]  # by then there were three


def test_places_are_read_once_and_ids_that_are_not_there_are_left_out(index, put):
    put("a.md", "x", "y")
    put("b.md", "x")
    chunk_ids, data = [(1 << 11) + 1, 2 << 11, 99], SnapshotData()
    statements = []

    with index.reader() as reader:
        reader._db.exec_trace = lambda _, sql, __: statements.append(sql) or True
        for _ in range(2):
            chunks = data.locations.of(reader._db, chunk_ids[:2])
            assert [chunks[chunk_id] for chunk_id in chunk_ids[:2]] == [("a.md", 1), ("b.md", 0)]
        assert len(statements) == 1
        assert 99 not in data.locations.of(reader._db, chunk_ids)
        reader._db.exec_trace = None


def test_a_value_is_read_once_a_snapshot_for_each_of_its_arguments(put, snapshot):
    for seconds, path in enumerate(("a.md", "b.md", "c.md")):
        put(path, "x", seconds=seconds)
    read = []

    def read_newest(connection, depth):
        read.append(depth)
        return listing.newest_of_all(connection, depth)

    def newest(connection, depth):
        found = cache.at(connection).once(read_newest, connection, depth)
        return [candidate.path for candidate in found.ranking], found.total

    cache = make_cache()
    with snapshot() as older:
        assert newest(older, 2) == newest(older, 2) == (["c.md", "b.md"], 3)
        assert newest(older, 3) == (["c.md", "b.md", "a.md"], 3)
        assert read == [2, 3]
        put("a.md", "y", seconds=9)
        with snapshot() as newer:
            assert newest(newer, 2) == (["a.md", "c.md"], 3)
        assert newest(older, 2) == (["c.md", "b.md"], 3)


def test_each_model_has_a_cache_of_its_own_with_the_same_limits(index, put, snapshot, tmp_path: Path):
    put("a.md", "apples")
    roomy, tight = Memory(tmp_path / "index.db"), Memory(tmp_path / "index.db", VectorLimits(memory_bytes=0))

    assert (roomy.vectors.tables, roomy.contextual.tables) == (STATIC, CONTEXTUAL)
    with snapshot() as connection:
        assert [cache.fits(connection) for cache in (roomy.vectors, roomy.contextual)] == [True, True]
        assert [cache.fits(connection) for cache in (tight.vectors, tight.contextual)] == [False, False]

import gc
import weakref

from quarry.index.snapshot_cache import SnapshotCache


class Paths(frozenset):
    """Paths of one snapshot; unlike a plain set it can be referred to weakly."""


def read_paths(connection):
    return Paths(path for (path,) in connection.execute("SELECT path FROM notes"))


def test_a_value_is_built_once_a_snapshot(index, put):
    built = []
    cache = SnapshotCache(lambda connection: built.append(1) or read_paths(connection))
    put("a.md", "x")
    with index.reader() as reader:
        first, again = cache.at(reader._db), cache.at(reader._db)
    put("b.md", "x")
    with index.reader() as reader:
        newer = cache.at(reader._db)

    assert first is again
    assert (first, newer) == ({"a.md"}, {"a.md", "b.md"})
    assert len(built) == 2
    assert cache.newest is newer


def test_an_older_snapshot_has_a_value_of_its_own_and_the_newest_stays(index, put):
    cache = SnapshotCache(read_paths)
    put("a.md", "x")
    with index.reader() as older:
        put("b.md", "x")
        with index.reader() as newer:
            newest = cache.at(newer._db)
            old = cache.at(older._db)

            assert old == {"a.md"}
            assert cache.at(newer._db) is newest


def test_a_value_is_brought_up_to_date_from_the_generation_that_it_is_of(index, put):
    updates = []

    def update(connection, value, generation):
        updates.append((value, generation))
        return Paths(value | {"updated"})

    cache = SnapshotCache(read_paths, update)
    put("a.md", "x")
    with index.reader() as reader:
        first, generation = cache.at(reader._db), reader.generation
    put("b.md", "x")
    with index.reader() as reader:
        second = cache.at(reader._db)

    assert second == {"a.md", "updated"}
    assert updates == [(first, generation)]


def test_where_a_value_cannot_be_brought_up_to_date_the_old_one_is_freed_before_a_new_one_is_built(index, put):
    old = None
    alive = []

    def build(connection):
        gc.collect()
        alive.append(old is not None and old() is not None)
        return read_paths(connection)

    cache = SnapshotCache(build, lambda *_: None)
    put("a.md", "x")
    with index.reader() as reader:
        old = weakref.ref(cache.at(reader._db))
    put("b.md", "x")
    with index.reader() as reader:
        rebuilt = cache.at(reader._db)

    assert rebuilt == {"a.md", "b.md"}
    assert alive == [False, False]


def test_a_value_that_cannot_be_built_leaves_the_cache_empty(index, put):
    values = iter([Paths({"first"})])
    cache = SnapshotCache(lambda _: next(values))
    put("a.md", "x")
    with index.reader() as reader:
        cache.at(reader._db)
    put("b.md", "x")

    with index.reader() as reader:
        try:
            cache.at(reader._db)
        except StopIteration:
            failed = True

    assert failed
    assert cache.newest is None

import gc
import weakref

from quarry.index import meta
from quarry.index.snapshot_cache import SnapshotCache


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

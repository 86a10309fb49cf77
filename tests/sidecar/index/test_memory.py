"""The caches of one index."""

from pathlib import Path

from quarry.index.memory import Memory
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL, STATIC


def test_each_model_has_a_cache_of_its_own_with_the_same_limits(index, put, snapshot, tmp_path: Path):
    put("a.md", "apples")
    roomy, tight = Memory.of(tmp_path / "index.db"), Memory.of(tmp_path / "index.db", VectorLimits(memory_bytes=0))

    assert (roomy.vectors.tables, roomy.contextual.tables) == (STATIC, CONTEXTUAL)
    with snapshot() as connection:
        assert [cache.fits(connection) for cache in (roomy.vectors, roomy.contextual)] == [True, True]
        assert [cache.fits(connection) for cache in (tight.vectors, tight.contextual)] == [False, False]

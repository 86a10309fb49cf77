from types import SimpleNamespace

from quarry.index.postings import snapshot_scorer
from quarry.index.postings.snapshot_scorer import ByteLimitedLru


def test_what_was_not_asked_for_the_longest_is_forgotten_first():
    memory, found = ByteLimitedLru(2 * (10 + snapshot_scorer.ENTRY_BYTES)), []

    def ask(key: str) -> None:
        memory.get(key, lambda: found.append(key) or SimpleNamespace(size_bytes=10))

    for key in ("a", "b", "a", "c", "a", "b"):
        ask(key)

    assert found == ["a", "b", "c", "b"]

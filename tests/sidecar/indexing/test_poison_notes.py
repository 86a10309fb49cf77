"""Notes that ended processes are remembered in the index."""

from quarry.index import Index
from quarry.indexing.poison_notes import poison_notes, set_poison_notes


def test_deadly_notes_are_remembered_and_forgotten(index: Index):
    assert poison_notes(index) == frozenset()

    set_poison_notes(index, frozenset({"b.md", "ä.md"}))
    assert poison_notes(index) == {"b.md", "ä.md"}

    set_poison_notes(index, frozenset())
    assert poison_notes(index) == frozenset()

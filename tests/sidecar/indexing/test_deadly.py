"""Notes that ended processes are remembered in the index."""

from quarry.index import Index
from quarry.indexing.deadly import deadly_notes, set_deadly


def test_deadly_notes_are_remembered_and_forgotten(index: Index):
    assert deadly_notes(index) == frozenset()

    set_deadly(index, frozenset({"b.md", "ä.md"}))
    assert deadly_notes(index) == {"b.md", "ä.md"}

    set_deadly(index, frozenset())
    assert deadly_notes(index) == frozenset()


def test_nothing_is_written_where_nothing_changes(index: Index):
    with index.reader() as reader:
        before = reader.generation

    set_deadly(index, frozenset())

    with index.reader() as reader:
        assert reader.generation == before

"""Vectors of models that were in use before are kept, and answer again as soon as such a model is chosen again."""

import json
from pathlib import Path

import pytest
from builders import serving, waiting

from quarry.errors import IndexDamaged
from quarry.index import Index, quantize
from quarry.index.database import connect
from quarry.index.vectors.kept_vectors import MAX_KEPT, ROW_BYTES

DIM = 32  # of the vectors of `encode`
ONE, TWO, THREE, FOUR, FIVE = "one", "two", "three", "four", "five"


def kept(index: Index) -> list[tuple[str, str, int, bool]]:
    with index.reader() as reader:
        return [(each.kind, each.model, each.chunks, each.is_used) for each in reader.stored_models]


def use(index: Index, model: str | None, backfill) -> list[str]:
    """Choose a contextual *model* and fill in what waits; the texts that did."""
    index.contextual.choose(model)
    return backfill(index) if model else []


def test_going_back_to_a_complete_model_costs_nothing(index, put, backfill, encode, in_time):
    put("a.md", "apples", "pears", title="A")
    put("b.md", "plums", title="B")
    use(index, ONE, backfill)

    def found() -> list[tuple[int, float]]:
        with index.reader() as reader:
            query = reader.contextual_query(encode(["plums"])[0], None)
            return query.top_chunks(None, 9, in_time) if query else []

    before = found()

    assert len(use(index, TWO, backfill)) == 5
    index.contextual.choose(ONE)

    assert (serving(index), waiting(index)) == (ONE, [])
    assert found() == before != []
    assert kept(index) == [("contextual", ONE, 3, True), ("contextual", TWO, 3, False)]


def test_none_in_use_keeps_the_last_one(index, put, backfill):
    put("a.md", "apples", title="A")
    use(index, ONE, backfill)

    index.contextual.choose(None)
    assert (serving(index), kept(index)) == (None, [("contextual", ONE, 1, False)])
    index.contextual.choose(ONE)

    assert serving(index) == ONE


def test_what_changed_meanwhile_waits_and_nothing_else(index, put, backfill):
    for number in range(40):
        put(f"{number}.md", f"text {number}", title=f"T{number}", context="")
    use(index, ONE, backfill)
    use(index, TWO, backfill)

    put("0.md", "plums", title="T0", context="")  # another text, another title, gone, new, in place of what is gone
    put("1.md", "text 1", title="Renamed", context="")
    index.remove("39.md")
    put("new.md", "cherries", title="New")
    assert kept(index)[1] == ("contextual", ONE, 38, False)
    index.contextual.choose(ONE)

    assert serving(index) == ONE
    assert sorted(waiting(index)) == ["New", "Renamed", "cherries", "plums"]
    assert index.verify(None, 99) == ([], None)
    backfill(index)
    index.check()


def test_a_model_whose_vectors_were_not_complete_does_not_answer(index, put, backfill, encode):
    put("a.md", "apples", "pears", title="A")
    index.contextual.choose(ONE)
    chunk, _ = index.contextual.pending_chunks(9)
    index.contextual.fill_in([(chunk.chunk_id, chunk.content_hash, quantize(encode(["apples"]))[0])])
    use(index, TWO, backfill)

    index.contextual.choose(ONE)

    assert (serving(index), waiting(index)) == (None, ["pears", "A"])
    backfill(index)
    assert serving(index) == ONE


def test_a_static_model_is_kept_as_well_and_never_taken_for_a_contextual_one(index, put, backfill, encode):
    index.static.choose(ONE)
    put("a.md", "apples", title="A")
    use(index, ONE, backfill)

    index.static.choose(TWO)
    assert index.static.pending_chunks(9)
    assert kept(index) == [("static", TWO, 0, True), ("contextual", ONE, 1, True), ("static", ONE, 1, False)]
    index.static.choose(ONE)

    assert not index.static.pending_chunks(9)
    assert index.static.model == ONE


def test_the_one_used_least_recently_goes(index, put, backfill, snapshot):
    put("a.md", "apples", title="A")
    for model in (ONE, TWO, THREE, FOUR, ONE, FIVE):
        use(index, model, backfill)

    assert MAX_KEPT == 3
    assert [model for _, model, _, _ in kept(index)] == [FIVE, ONE, FOUR, THREE]
    with snapshot() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'kept%'")]
    assert len(names) == 2 * MAX_KEPT


def test_one_is_forgotten_by_hand_but_not_one_in_use(index, put, backfill):
    put("a.md", "apples", title="A")
    for model in (ONE, TWO, THREE):
        use(index, model, backfill)

    index.forget_model(ONE)
    index.forget_model(THREE)
    index.forget_model("unknown")

    assert [model for _, model, _, _ in kept(index)] == [THREE, TWO]
    index.contextual.choose(ONE)
    assert waiting(index) == ["apples", "A"]


def test_the_size_is_about_what_the_file_grows_by(tmp_path: Path, index, put, backfill):
    for number in range(400):
        put(f"{number}.md", f"text {number}", title=f"T{number}")
    index.optimize()
    index.checkpoint()
    before = (tmp_path / "index.db").stat().st_size
    use(index, ONE, backfill)
    use(index, TWO, backfill)
    index.checkpoint()

    with index.reader() as reader:
        told = [each.size_bytes for each in reader.stored_models]

    assert told == [400 * 2 * (DIM + ROW_BYTES)] * 2
    assert sum(told) == pytest.approx((tmp_path / "index.db").stat().st_size - before, rel=0.3)


def test_a_rebuilt_index_takes_over_every_model(index, tmp_path, put, store, backfill, encode):
    index.static.choose("older")
    note = put("a.md", "apples", title="A")
    index.static.choose("static")
    for model in (ONE, TWO, THREE):
        use(index, model, backfill)
    index.contextual.choose(TWO)
    before = kept(index)
    other = Index.open(tmp_path / "other.db")
    store(other, note)
    other.static.choose("static")

    other.carry_over(index, lambda: None)

    assert kept(other) == before
    assert (serving(other), other.static.model) == (TWO, "static")
    assert other.verify(None, 99) == ([], None)
    other.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE kept_1_titles",
        "CREATE TABLE kept_7_vectors (chunk_id)",
        "UPDATE meta SET value = '[{}]' WHERE key = 'kept_models'",
        "UPDATE meta SET value = 'nonsense' WHERE key = 'kept_models'",
        """UPDATE meta SET value = replace(value, '"dimension": "', '"dimension": "x') WHERE key = 'kept_models'""",
        """UPDATE meta SET value = replace(value, '"place": 1', '"place": "1"') WHERE key = 'kept_models'""",
    ],
)
def test_an_index_that_keeps_other_tables_than_it_says_is_damaged(tmp_path: Path, index, put, backfill, sql):
    put("a.md", "apples", title="A")
    use(index, ONE, backfill)
    use(index, TWO, backfill)
    index.close()
    connection, _ = connect(tmp_path / "index.db", writable=True)
    stored = connection.execute("SELECT value FROM meta WHERE key = 'kept_models'").fetchone()[0]
    assert [each["model"] for each in json.loads(stored)] == [ONE]
    connection.execute(sql)
    connection.close()

    with pytest.raises(IndexDamaged):
        Index.open(tmp_path / "index.db")

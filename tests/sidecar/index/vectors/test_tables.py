"""The same SQL over the tables of either model."""

from quarry.index.database import select
from quarry.index.vectors.tables import (
    CONTEXTUAL,
    CONTEXTUAL_NAMES,
    STATIC,
    Waiting,
    contextual_model,
    create_contextual,
    drop_contextual,
    serving_model,
    waiting_count,
)


def test_a_template_names_the_tables_of_a_model():
    template = "SELECT 1 FROM {vectors}, {titles}, {pending}"

    assert STATIC.sql(template) == "SELECT 1 FROM vectors, title_vectors, pending"
    assert {CONTEXTUAL.vectors, CONTEXTUAL.titles, CONTEXTUAL.pending} == CONTEXTUAL_NAMES


def test_both_models_have_the_same_columns(index, snapshot):
    index.contextual.choose("network")

    with snapshot() as connection:
        for static, contextual in zip(STATIC.__struct_fields__[:3], CONTEXTUAL.__struct_fields__[:3], strict=True):
            columns = [
                [row[1:] for row in select(connection, "SELECT * FROM pragma_table_info(?)", (getattr(tables, name),))]
                for tables, name in ((STATIC, static), (CONTEXTUAL, contextual))
            ]
            assert columns[0] == columns[1] != []


def test_tables_come_and_go_whole(tmp_path, index, put):
    put("a.md", "apples", "pears")
    index.close()
    from quarry.index.database import connect

    connection, _ = connect(tmp_path / "index.db", writable=True)
    assert (contextual_model(connection), serving_model(connection)) == (None, None)

    create_contextual(connection, "network")
    waiting = Waiting.read(connection)
    assert (contextual_model(connection), serving_model(connection)) == ("network", None)
    assert (waiting_count(connection), waiting_count(connection, 1)) == (2, 1)
    assert (waiting.note_ids.tolist(), waiting.chunk_count) == ([1], 2)
    assert CONTEXTUAL.dimension(connection) is None

    drop_contextual(connection)
    assert contextual_model(connection) is None
    connection.close()

"""SQL is made of constants, and only `index/` knows SQLite."""

import ast
from pathlib import Path

import pytest
from sql_texts import made_of_more_than_constants

import quarry.index
from quarry.index.database import SqlFragment, concat, join

FOLDER = Path(quarry.index.__file__).parent
SOURCES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))
# Looked at by eye: each passes on what was looked at where it was made, or asks for a name that is in the schema.
PASSED_ON = {
    "database.py": {"select", "wrap", "join", "concat"},
    "integrity.py": {"check_opening"},
    "vectors/kept_vectors.py": {"_rename", "_drop"},  # of names in the schema, and `kept_` with a number
    "vectors/rows.py": {"notes_without_vectors"},  # of the two constant table names
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_sql_text_is_made_of_constants(source):
    found = made_of_more_than_constants((FOLDER / source).read_text())

    assert [place for place in found if place[0] not in PASSED_ON.get(source, ())] == []


@pytest.mark.parametrize(
    "body",
    [
        'connection.execute(f"SELECT {typed}")',
        'connection.execute("SELECT " + typed)',
        'connection.executemany("SELECT %s" % typed, [])',
        'connection.execute("SELECT {}".format(typed))',
        'select(connection, typed, ("x",))',
        'sql = "SELECT 1"\n    if typed: sql = typed\n    select(connection, sql)',
        'sql = "SELECT " + typed\n    return [select(connection, sql) for _ in range(3)]',
        "return lambda: select(connection, typed)",
        'return SqlFragment(f"instr({typed}, ?)", ("x",))',
        'return SqlFragment("1").wrap("NOT ", typed)',
        "return join(typed, [])",
        "for sql in [typed]: connection.execute(sql)",
        "return _private(connection, typed)",
    ],
)
def test_sql_that_holds_what_was_typed_is_seen(body):
    source = (
        f"def ask(connection, typed):\n    {body}\n\n\ndef _private(connection, sql):\n    select(connection, sql)\n"
    )

    assert made_of_more_than_constants(source)


def test_sql_of_constants_is_left_alone_however_it_is_put_together():
    source = """
from quarry.index.keys import SLOT_BITS, note_of_sql
_BEGIN, _END = "SELECT {} FROM t".split("{}")
_BITS = f"id >> {SLOT_BITS}"
_EVERY = {"a": "SELECT " + note_of_sql("id") + _END, "b": _BEGIN + _BITS}
def ask(connection, typed, is_long):
    sql = _EVERY[typed] if is_long else "SELECT ?"
    sql += " LIMIT 1"
    for statement in _EVERY.values():
        connection.execute(statement)
    return fetch(lambda limit: _private(connection, sql, typed))
def _private(connection, sql, value):
    return select(connection, sql, (value,))
"""

    assert made_of_more_than_constants(source) == []


def test_fragments_carry_the_values_of_their_placeholders_in_order():
    first, second = SqlFragment("a = ?", (1,)), SqlFragment("b = ?", (2,))

    assert join(" OR ", [first, second], SqlFragment("0")) == SqlFragment("(a = ? OR b = ?)", (1, 2))
    assert join(" OR ", [first], SqlFragment("0")) == first
    assert join(" OR ", [], SqlFragment("0")) == SqlFragment("0")
    assert concat(" UNION ", [second, first]).wrap("(", ")") == SqlFragment("(b = ? UNION a = ?)", (2, 1))


def test_only_this_folder_knows_sqlite_and_only_through_apsw():
    package = FOLDER.parent
    beside = {package / "bench" / "disk.py"}  # what is measured beside us
    imports = {
        (path.relative_to(package).parts[0], name.name.partition(".")[0])
        for path in set(package.rglob("*.py")) - beside
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([ast.alias(node.module or "")] if isinstance(node, ast.ImportFrom) else node.names)
    }

    assert {place for place, name in imports if name in ("apsw", "sqlite_vec")} == {"index"}
    assert not {place for place, name in imports if name == "sqlite3"}

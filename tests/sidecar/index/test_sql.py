import ast
from pathlib import Path

import pytest

import quarry.index

SOURCES = sorted(Path(quarry.index.__file__).parent.glob("*.py"))
SENDERS = {"execute", "executemany", "select", "Condition", "within", "also"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_sql_is_never_made_by_formatting(source):
    calls = [node for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Call)]
    names = [(call, getattr(call.func, "attr", getattr(call.func, "id", ""))) for call in calls]
    formatted = [
        call.lineno
        for call, name in names
        if name in SENDERS
        for node in ast.walk(call)
        if isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
        or (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format")
    ]

    assert formatted == []


def test_only_this_folder_knows_sqlite_and_only_through_apsw():
    package = Path(quarry.index.__file__).parents[1]
    beside = {package / "bench" / name for name in ("published.py", "disk.py")}  # what is measured beside us
    imports = {
        (path.relative_to(package).parts[0], name.name.partition(".")[0])
        for path in set(package.rglob("*.py")) - beside
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([ast.alias(node.module or "")] if isinstance(node, ast.ImportFrom) else node.names)
    }

    assert {place for place, name in imports if name in ("apsw", "sqlite_vec")} == {"index"}
    assert not {place for place, name in imports if name == "sqlite3"}

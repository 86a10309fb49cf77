from pathlib import Path

import pytest
from code_size import (
    ceilings,
    exceeded,
    imports_inside_functions,
    python_lines,
    sizes,
    totals,
    typescript_lines,
)


def test_blank_lines_comments_and_docstrings_of_python_do_not_count() -> None:
    source = (
        '"""A module."""\n\nX = 1  # why\n# a comment\n\n\ndef f():\n    """Two\n    lines."""\n    return """a\nb"""\n'
    )

    assert python_lines(source) == 4


def test_blank_lines_and_comments_of_typescript_do_not_count() -> None:
    source = "// one\n/** A type. */\nexport const x = 1; // why\n/**\n * Two\n * lines.\n */\n\nx();\n"

    assert typescript_lines(source) == 2


def test_each_folder_has_its_files_and_lines(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner" / "deep").mkdir(parents=True)
    (package / "a.py").write_text("A = 1\n", "utf-8")
    (package / "inner" / "b.py").write_text("B = 1\n", "utf-8")
    (package / "inner" / "deep" / "c.py").write_text("C = 1\nD = 2\n", "utf-8")

    assert sizes(tmp_path, "package", ".py") == [("package", (1, 1)), ("package/inner", (2, 3))]


def test_imports_inside_functions_count() -> None:
    assert imports_inside_functions("import a\n\ndef f():\n    import b\n\n    from c import d\n") == 2


def test_totals_count_what_is_written_by_hand(tmp_path: Path) -> None:
    for name, text in {
        "sidecar/quarry/a.py": "def f():\n    import b\n",
        "sidecar/quarry/inner/a.py": "A = 1\n",
        "sidecar/quarry/inner/__init__.py": '"""A package."""\n',
        "plugin/main.ts": "x();\n",
        "plugin/protocol/messages.ts": "generated();\n",
        "tests/test_a.py": "B = 1\n",
        "tests/a.test.mjs": "y();\n",
        "README.md": "# One\n\nTwo.\n",
        "docs/GUIDE.md": "# Three\n",
        "docs/PROTOCOL.md": "# Generated\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    assert list(totals(tmp_path).values()) == [3, 2, 1, 1, 2, 4, 1, 1]


@pytest.mark.parametrize(("allowed", "expected"), [(0, 1), (1, 0)])
def test_an_allowance_raises_a_ceiling(allowed: int, expected: int) -> None:
    limits = ceilings(f'[ceilings]\n"Python lines" = 9\n[[allowance]]\nissue = 1\n"Python lines" = {allowed}\n')

    assert len(exceeded({"Python lines": 10}, limits)) == expected

from pathlib import Path

from code_size import python_lines, sizes, typescript_lines


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

import json
from pathlib import Path

import pytest

from quarry.vault.obsidian import TEMPLATE_FILES, TemplateFolder, matcher, read_filters, read_template_folders


def write_app(root: Path, content: object) -> Path:
    (root / ".obsidian").mkdir()
    text = content if isinstance(content, str) else json.dumps(content)
    (root / ".obsidian" / "app.json").write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("entry", "path", "excluded"),
    [
        ("Templates/", "Templates/daily.md", True),
        ("Templates/", "Work/Templates/daily.md", False),
        ("templates/", "Templates/daily.md", True),
        ("README.md", "README.md", True),
        ("caf\u00e9/", "cafe\u0301/menu.md", False),  # paths come in NFC
        ("cafe\u0301/", "caf\u00e9/menu.md", True),
        ("/draft/", "a/My Draft.md", True),
        ("/^a\\/.*\\.md$/", "a/b.md", True),
        ("/^a\\/.*\\.md$/", "b/a/b.md", False),
        ("/^(?!Notes\\/)/", "Elsewhere/a.md", True),
        ("/^(?!Notes\\/).*$/", "Notes/a.md", False),
        ("/", "/a.md", True),
        ("//", "a.md", False),
    ],
)
def test_an_entry_excludes_what_obsidian_excludes(entry, path, excluded):
    assert matcher(entry)(path) is excluded


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|a)*b", "(.*)*x"])
def test_an_expression_that_backtracks_for_ever_elsewhere_answers(expression):
    pytest.importorskip("re2")

    assert matcher(f"/{expression}/")("a" * 4000 + "c.md") is False


def test_an_expression_that_cannot_be_run_is_reported_and_the_others_hold(tmp_path, capfd):
    write_app(tmp_path, {"userIgnoreFilters": ["/(?<=x)y/", "/[/", "Old/", "/^(?!A)|(B)/", 7, "  "]})

    filters, problems = read_filters(tmp_path)

    assert [entry.text for entry in filters] == ["Old/"]
    assert [problem.partition(" cannot be applied")[0] for problem in problems] == [
        "Obsidian's excluded-files entry '/(?<=x)y/'",
        "Obsidian's excluded-files entry '/[/'",
        "Obsidian's excluded-files entry '/^(?!A)|(B)/'",
        "Obsidian's excluded-files entry 7",
    ]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"userIgnoreFilters": ["half'])
def test_a_file_that_is_no_json_is_reported(tmp_path, content):
    filters, problems = read_filters(write_app(tmp_path, content))

    assert filters == ()
    assert len(problems) == 1
    assert problems[0].startswith(".obsidian/app.json cannot be read")


@pytest.mark.parametrize("entries", [5, "abc", True, {"Old/": 1}])
def test_entries_that_are_no_list_are_reported(tmp_path, entries):
    filters, problems = read_filters(write_app(tmp_path, {"userIgnoreFilters": entries}))

    assert filters == ()
    assert problems == (
        f"userIgnoreFilters in .obsidian/app.json is {entries!r}, which is not a list; "
        "Obsidian's excluded files are indexed",
    )


def test_a_file_that_is_too_large_is_reported(tmp_path):
    filters, problems = read_filters(write_app(tmp_path, " " * (1 << 20) + "{}"))

    assert filters == ()
    assert "is not a file of at most" in problems[0]


@pytest.mark.parametrize(
    ("entries", "applied"),
    [
        (["/x/"] * 150, 100),
        (["x/"] * 1_500, 1_000),
        (["/" + "a|" * 600 + "/"], 0),
        (["/(?:.?){1000}b/"], 0),
    ],
)
def test_more_than_can_be_compared_with_every_note_is_left_and_reported(tmp_path, entries, applied):
    filters, problems = read_filters(write_app(tmp_path, {"userIgnoreFilters": entries}))

    assert len(filters) == applied
    assert 1 <= len(problems) <= 21


def test_without_re2_no_expression_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr("quarry.vault.obsidian.re2", None)

    filters, problems = read_filters(write_app(tmp_path, {"userIgnoreFilters": ["/(a+)+b/", "Old/"]}))

    assert [entry.text for entry in filters] == ["Old/"]
    assert "google-re2, which is not installed" in problems[0]


@pytest.mark.parametrize("content", [{}, [], {"userIgnoreFilters": None}, {"userIgnoreFilters": []}])
def test_without_entries_nothing_is_excluded(tmp_path, content):
    assert read_filters(write_app(tmp_path, content)) == ((), ())


def test_a_vault_that_obsidian_never_saw_has_no_filters(tmp_path):
    assert read_filters(tmp_path) == ((), ())


def write_plugins(root: Path, *contents: str) -> Path:
    for name, content in zip(TEMPLATE_FILES, contents, strict=True):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def test_the_template_folders_are_those_that_the_plugins_name(tmp_path):
    root = write_plugins(tmp_path, '{"folder": "Templates/"}', '{"templates_folder": "Meta/Templater"}')

    assert read_template_folders(root) == (
        (TemplateFolder("Templates", "the core plugin Templates"), TemplateFolder("Meta/Templater", "Templater")),
        (),
    )


@pytest.mark.parametrize("content", ["{}", "[]", '{"folder": "/", "templates_folder": ""}', '{"folder": 1}'])
def test_the_whole_vault_is_no_folder_of_templates(tmp_path, content):
    assert read_template_folders(write_plugins(tmp_path, content, content)) == ((), ())
    assert read_template_folders(tmp_path / "without") == ((), ())


def test_settings_of_templates_that_cannot_be_read_are_told(tmp_path):
    found, problems = read_template_folders(write_plugins(tmp_path, "{", '{"templates_folder": "T"}'))

    assert found == (TemplateFolder("T", "Templater"),)
    assert [problem.partition(" ")[0] for problem in problems] == [".obsidian/templates.json"]

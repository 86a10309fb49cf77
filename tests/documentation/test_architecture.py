"""The tables of the architecture page name folders, files and functions that exist."""

import re

import pytest
from pages import REPOSITORY

SECTION = re.compile(r"^## Where things happen$.*?^\| question (?P<body>.*?)^## ", re.DOTALL | re.MULTILINE)
PLACE = re.compile(r"`(?P<path>[\w./-]+(?:\.py|\.ts|/))`(?P<symbols>(?:[:,] `\w+(?:\.\w+)?`)*)")
SYMBOL = re.compile(r"`(\w+(?:\.\w+)?)`")


def places() -> list[tuple[str, list[str]]]:
    """Each path that the table names, with the symbols named behind it."""
    body = SECTION.search((REPOSITORY / "docs/ARCHITECTURE.md").read_text("utf-8"))
    assert body
    return [(place["path"], SYMBOL.findall(place["symbols"])) for place in PLACE.finditer(body["body"])]


def test_every_file_and_function_is_where_the_page_says():
    missing = []
    for path, symbols in places():
        place = REPOSITORY / (path if path.startswith("plugin/") else f"sidecar/quarry/{path}")
        files = sorted(place.rglob("*.py")) if path.endswith("/") else [place]
        text = "\n".join(file.read_text("utf-8") for file in files if file.is_file())
        missing += [f"{path}: no such file"] if not text else []
        missing += [
            f"{path}: {symbol}"
            for symbol in symbols
            for name in symbol.split(".")
            if not re.search(rf"^ *(?:(?:async )?def|class) {name}\b|^{name}\b[^=\n]*=", text, re.MULTILINE)
        ]

    assert missing == []
    assert sum(len(symbols) for _, symbols in places()) > 15


@pytest.mark.parametrize(("heading", "root"), [("Sidecar", "sidecar/quarry"), ("Plugin", "plugin")])
def test_the_tables_of_folders_are_complete_and_name_files_that_exist(heading, root):
    page = (REPOSITORY / "docs/ARCHITECTURE.md").read_text("utf-8")
    table = page.partition(f"## {heading}: where to look")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")]
    folders = {place.name for place in (REPOSITORY / root).iterdir() if place.is_dir() and place.name != "__pycache__"}
    named = {name for row in rows for name in re.findall(r"`([\w.]+)/`", row[0])}
    begins = [
        (name, REPOSITORY / root / row[0].strip("| ").split("`")[1] / name)
        for row in rows
        for name in re.findall(r"`([\w./-]+)`", row[-1])
    ]

    assert folders - named - {"bench", "evaluation"} == set()
    assert [name for name, file in begins if not file.exists() and not (REPOSITORY / root / name).exists()] == []

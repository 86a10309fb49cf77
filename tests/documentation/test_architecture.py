"""The table of the architecture page that leads from a question to a function names what is there."""

import re

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
    assert sum(len(symbols) for _, symbols in places()) > 25

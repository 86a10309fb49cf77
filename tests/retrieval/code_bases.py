"""
Collections of code: a note for each documented function of a code base, without its documentation, as notes hold code.

The code is that of packages in `node_modules`, under the MIT licence, read where they are installed; only the queries
and judgments stand beside this file (`code/`). `python tests/retrieval/code_bases.py DIR` writes the collections to
DIR, in the layout that `quarry eval` reads.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from quarry.evaluation.collections import CORPUS, QRELS, QUERIES, Collection, CorpusDocument, read_collection

HERE = Path(__file__).parent / "code"
PACKAGES = Path(__file__).parents[2] / "node_modules"
SOURCES: Mapping[str, tuple[str, ...]] = {  # collection -> files and folders of its code base
    "eslint": ("eslint/lib",),
    "editor": ("@codemirror/state/dist/index.js", "@codemirror/view/dist/index.js", "jsdom/lib"),
}
LONGEST = 80  # lines of a function or class that are kept

_DOCUMENTED = re.compile(
    r"/\*\*(?:(?!\*/).)*\*/\s*\n"
    r"(?P<code>[ \t]*(?:export |static |async |default )*(?:function\s*\*?\s*|class |const |let |get )?"
    r"(?P<name>[A-Za-z_$][\w$]*)[^\n]*)",
    re.DOTALL,
)
_NO_NAMES = frozenset(("if", "import", "module", "return", "this"))


def is_installed(name: str) -> bool:
    """Whether the packages of a collection are there."""
    return all((PACKAGES / source).exists() for source in SOURCES[name])


def code_base(name: str, folder: Path) -> Collection:
    """Write the collection *name* below *folder*, and read it."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"_id": document.id, "title": document.title, "text": document.text}) for document in documents(name)
    ]
    (place / CORPUS).write_text("\n".join(lines) + "\n", "utf-8")
    for table in (QUERIES[1], QRELS[0]):
        shutil.copyfile(HERE / name / table, place / table)
    return read_collection(place)


def documents(name: str) -> Iterator[CorpusDocument]:
    """The notes of a code base, the first of each name in a module."""
    seen: set[str] = set()
    for source in SOURCES[name]:
        place = PACKAGES / source
        for file in [place] if place.is_file() else sorted(place.rglob("*.js")):
            module = file.relative_to(PACKAGES).with_suffix("").as_posix()
            for called, code in documented(file.read_text("utf-8")):
                document = f"{module}.{called}"
                if document not in seen:
                    seen.add(document)
                    text = f"# {called}\n\nFrom `{module}`.\n\n```js\n{code}\n```\n"
                    yield CorpusDocument(document, called, text)


def documented(text: str) -> Iterator[tuple[str, str]]:
    """The name and the code of each function, method and class of *text* that has a comment before it."""
    lines = text.splitlines()
    for found in _DOCUMENTED.finditer(text):
        start = text.count("\n", 0, found.start("code"))
        indent = _indent(lines[start])
        end = start + 1
        while end < min(len(lines), start + LONGEST) and not (lines[end].strip() and _indent(lines[end]) <= indent):
            end += 1
        code = lines[start : end + 1]
        if found["name"] not in _NO_NAMES and len(code) > 3:
            yield found["name"], "\n".join(code)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


if __name__ == "__main__":
    for collection in SOURCES:
        code_base(collection, Path(sys.argv[1]))

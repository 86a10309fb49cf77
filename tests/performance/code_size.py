"""
Count the source: lines and files of the Python package, the plugin, the tests and the documents.

    code_size.py [CHECKOUT] [--json] [--check]

Prints a row for each folder of the Python package and of the plugin, and then the totals that have a ceiling in
`ceilings.toml`. Blank lines, comments and docstrings are not counted, nor is the generated `messages.ts`. With
`--check`, prints the totals only and exits with 1 if one is above its ceiling.
"""

import argparse
import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent.parent
CEILINGS = Path(__file__).parent / "ceilings.toml"
PARTS = {"sidecar/quarry": ".py", "plugin": ".ts"}
GENERATED = {"messages.ts", "PROTOCOL.md"}
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def main() -> int:
    """Count, print, and compare with the ceilings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", type=Path, default=CHECKOUT)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a total is above its ceiling")
    arguments = parser.parse_args()
    total = totals(arguments.checkout)
    if arguments.check:
        above = exceeded(total, ceilings(CEILINGS.read_text("utf-8")))
        print("\n".join(above) or "; ".join(f"{name} {count:,}" for name, count in total.items()))
        return bool(above)
    folders = {name: size for part, suffix in PARTS.items() for name, size in sizes(arguments.checkout, part, suffix)}
    if arguments.json:
        print(json.dumps({"folders": folders, "totals": total}, indent=2))
        return 0
    print("| folder | files | lines of code |\n|---|--:|--:|")
    for name, (files, lines) in folders.items():
        print(f"| {name} | {files} | {lines:,} |")
    for name, count in total.items():
        print(f"{name}: {count:,}")
    return 0


def totals(checkout: Path) -> dict[str, int]:
    """The counts that have a ceiling, by name."""
    python = {file: python_lines(file.read_text("utf-8")) for file in _files(checkout, "sidecar/quarry", ".py")}
    plugin = [typescript_lines(file.read_text("utf-8")) for file in _files(checkout, "plugin", ".ts")]
    tests = [python_lines(file.read_text("utf-8")) for file in _files(checkout, "tests", ".py")]
    for suffix in (".ts", ".mjs"):
        tests += [typescript_lines(file.read_text("utf-8")) for file in _files(checkout, "tests", suffix)]
    pages = [file for file in (checkout / "README.md", *_files(checkout, "docs", ".md")) if file.exists()]
    names = Counter(file.stem for file in python if file.stem != "__init__")
    return {
        "Python lines": sum(python.values()),
        "Python files": sum(lines > 0 for lines in python.values()),
        "plugin lines": sum(plugin),
        "plugin files": len(plugin),
        "test lines": sum(tests),
        "document lines": sum(len(file.read_text("utf-8").splitlines()) for file in pages),
        "imports inside functions": sum(imports_inside_functions(file.read_text("utf-8")) for file in python),
        "module names used twice": sum(count > 1 for count in names.values()),
    }


def ceilings(text: str) -> dict[str, int]:
    """The ceiling of each total: its own figure plus the allowances of issues."""
    declared = tomllib.loads(text)
    limits: dict[str, int] = dict(declared["ceilings"])
    for allowance in declared.get("allowance", []):
        for name in limits:
            limits[name] += allowance.get(name, 0)
    return limits


def exceeded(total: dict[str, int], limits: dict[str, int]) -> list[str]:
    """A sentence for each total above its ceiling."""
    return [
        f"{name}: {total[name]:,} is above the ceiling of {limit:,} (tests/performance/ceilings.toml)"
        for name, limit in limits.items()
        if total[name] > limit
    ]


def sizes(checkout: Path, part: str, suffix: str) -> list[tuple[str, tuple[int, int]]]:
    """Files and lines of each folder directly below *part*; files directly in *part* have their own row."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    count = python_lines if suffix == ".py" else typescript_lines
    for file in _files(checkout, part, suffix):
        inner = file.relative_to(checkout / part).parts
        found[part if len(inner) == 1 else f"{part}/{inner[0]}"].append(count(file.read_text("utf-8")))
    return [(name, (len(lines), sum(lines))) for name, lines in sorted(found.items())]


def python_lines(source: str) -> int:
    """Lines of *source* with code; docstrings are not code, other strings are."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def imports_inside_functions(source: str) -> int:
    """Import statements within functions; one within two nested functions counts for each."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(
        isinstance(inner, (ast.Import, ast.ImportFrom))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, functions)
        for inner in ast.walk(node)
    )


def typescript_lines(source: str) -> int:
    """Lines of *source* that are neither blank nor only a comment."""
    lines = map(str.strip, _BLOCK_COMMENT.sub("", source).splitlines())
    return sum(bool(line) and not line.startswith("//") for line in lines)


def _files(checkout: Path, part: str, suffix: str) -> list[Path]:
    return [file for file in sorted((checkout / part).rglob(f"*{suffix}")) if file.name not in GENERATED]


if __name__ == "__main__":
    sys.exit(main())

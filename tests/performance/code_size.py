"""
How many source files are there, and how many lines of code?

    code_size.py [CHECKOUT] [--json]

Prints a row a folder of the Python package and of the plugin: files, and lines that hold code. Blank lines, comments
and docstrings do not count. Generated files do.
"""

import argparse
import ast
import io
import json
import tokenize
from collections import defaultdict
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent.parent
PARTS = {"sidecar/quarry": ".py", "plugin": ".ts"}
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", type=Path, default=CHECKOUT)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    folders = {name: count for part, suffix in PARTS.items() for name, count in sizes(arguments.checkout, part, suffix)}
    if arguments.json:
        print(json.dumps({name: {"files": files, "sloc": lines} for name, (files, lines) in folders.items()}, indent=2))
        return
    print("| folder | files | lines of code |\n|---|--:|--:|")
    for name, (files, lines) in folders.items():
        print(f"| {name} | {files} | {lines:,} |")
    total_files, total_lines = (sum(column) for column in zip(*folders.values(), strict=True))
    print(f"| together | {total_files} | {total_lines:,} |")


def sizes(checkout: Path, part: str, suffix: str) -> list[tuple[str, tuple[int, int]]]:
    """Files and lines of each folder right below *part*, which has a row for its own files."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    count = python_lines if suffix == ".py" else typescript_lines
    for file in sorted((checkout / part).rglob(f"*{suffix}")):
        inner = file.relative_to(checkout / part).parts
        found[part if len(inner) == 1 else f"{part}/{inner[0]}"].append(count(file.read_text("utf-8")))
    return [(name, (len(lines), sum(lines))) for name, lines in sorted(found.items())]


def python_lines(source: str) -> int:
    """Lines of *source* that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))  # a docstring
    return len(lines)


def typescript_lines(source: str) -> int:
    """Lines of *source* that are neither blank nor only a comment."""
    count, in_comment = 0, False
    for line in map(str.strip, source.splitlines()):
        if in_comment or line.startswith("/*"):
            in_comment = "*/" not in line
        elif line and not line.startswith("//"):
            count += 1
    return count


if __name__ == "__main__":
    main()

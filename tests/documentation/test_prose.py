"""Prose reads as a native technical writer's would: phrases that one would not write are absent, or become fewer."""

import ast
import re
import tomllib

import pytest
from pages import GUIDES, REPOSITORY, Page

PHRASES = {
    "hold, stand, lie, tell": re.compile(r"\b(?:holds?|held|stands?|stood|lies?|tells?|told)\b", re.IGNORECASE),
    "of ours, nobody": re.compile(r"\b(?:of ours|nobody|no matter of)\b", re.IGNORECASE),
    "a clause without a noun": re.compile(
        r"(?:^|[.;:] )What (?:is|was|are|a|an|the)\b[^?.]*(?:\.|$)|\bwhat was asked for\b"
    ),
}
FORBIDDEN = [PHRASES["of ours, nobody"], PHRASES["a clause without a noun"]]
QUESTIONS = "a question as docstring of a module"
CEILINGS = tomllib.loads((REPOSITORY / "tests/performance/ceilings.toml").read_text("utf-8"))["prose"]
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings():
    """Each docstring of the package, with the node that it documents."""
    for file in (REPOSITORY / "sidecar" / "quarry").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
                yield node, text


def counts():
    found = dict.fromkeys([*PHRASES, QUESTIONS], 0)
    for node, text in docstrings():
        found[QUESTIONS] += isinstance(node, ast.Module) and text.partition("\n")[0].endswith("?")
        for name, pattern in PHRASES.items():
            found[name] += len(pattern.findall(text))
    return found


@pytest.mark.parametrize("path", [path for path in GUIDES if path.startswith("docs/") or "/" not in path])
def test_a_page_has_no_forbidden_phrase(path):
    if path == "docs/PROTOCOL.md":  # generated from docstrings, which are counted below
        return
    prose = Page.read(path).prose

    assert [found[0] for pattern in FORBIDDEN for found in pattern.finditer(prose)] == []


def test_docstrings_have_no_more_such_phrases_than_before():
    found = counts()

    assert {name: found[name] for name, ceiling in CEILINGS.items() if found[name] > ceiling} == {}
    assert set(found) == set(CEILINGS)

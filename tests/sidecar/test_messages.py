"""Messages: every code has its sentence in each language, and English is rendered from it."""

import ast
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import quarry
from quarry.analysis.patterns import BadPattern, compile_pattern
from quarry.errors import BadQuery
from quarry.messages import Message, message, sentences, text
from quarry.protocol.context import Abstention
from quarry.query.parse import parse_query
from quarry.search.signals import SIGNAL_NAMES
from quarry.search.six_signals import WITH_VECTORS

SOURCE = Path(quarry.__file__).parent
ENGLISH = json.loads((SOURCE / "locales" / "en.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("args", "rendered"),
    [
        ({"words": ("a",)}, "“a”"),
        ({"words": ("a", "b")}, "“a” and “b”"),
        ({"words": ("a", "b", "c")}, "“a”, “b”, and “c”"),
        ({"words": (message("understood.all"), "b")}, "all notes and “b”"),
    ],
)
def test_lists_are_joined_with_texts_in_quotes(args: dict[str, tuple[str | Message, ...]], rendered: str):
    assert text(message("word.all-of", **args)) == rendered


def test_counts_choose_a_form_and_are_grouped():
    assert text(message("count.notes", count=1)) == "1 note"
    assert text(message("count.notes", count=12_345)) == "12,345 notes"


def test_sentences_are_joined_and_an_unknown_code_is_shown_as_it_is():
    assert sentences([message("relaxed.meaning"), message("x.y")]) == "These are the nearest in meaning. X.y."


def test_a_message_is_decoded_as_it_was_encoded():
    sent = message("understood.notes", conditions=(message("understood.tag", tag="x"),), count=2)

    assert msgspec.json.decode(msgspec.json.encode(sent), type=Message) == sent


def test_each_message_of_the_source_has_a_sentence_and_gives_its_arguments():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "message":
                given = {keyword.arg for keyword in call.keywords}
                if not any(_placeholders(code) <= given for code in _codes_of(call.args[0])):
                    wrong.append(f"{path.relative_to(SOURCE)}:{call.lineno} {ast.unparse(call.args[0])}")

    assert wrong == []


def test_each_reason_for_silence_and_each_signal_has_a_sentence():
    hooks = [ast.parse(path.read_text("utf-8")) for path in (SOURCE / "agents" / "hooks").rglob("*.py")]
    calls = [node for tree in hooks for node in ast.walk(tree) if isinstance(node, ast.Call)]
    silences = [call.args[0] for call in calls if ast.unparse(call.func) == "NoContext"]
    reasons = {node.value for node in silences if isinstance(node, ast.Constant)}

    assert len(reasons) > 20
    assert {f"abstained.{reason}" for reason in reasons | set(get_args(Abstention))} <= ENGLISH.keys()
    assert {f"signal.{name}" for name in (*SIGNAL_NAMES, *WITH_VECTORS)} <= ENGLISH.keys()


def test_each_sentence_of_the_engine_is_used():
    of_engine = "absent abstained consent explained incomplete mcp obstacle query reason relaxed status understood word"
    groups = tuple(f"{group}." for group in of_engine.split())
    trees = [ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")]
    texts = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)]
    used = {code for node in texts if ast.unparse(node).lstrip("f'\"").startswith(groups) for code in _codes_of(node)}

    assert [code for code in ENGLISH if code.startswith(groups) and code not in used] == []


def _placeholders(code: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", json.dumps(ENGLISH[code])))


def _codes_of(node: ast.expr) -> list[str]:
    """The codes of the catalogue that an expression can give; every one, if it is computed elsewhere."""
    if isinstance(node, ast.Constant):
        return [code for code in ENGLISH if code == node.value]
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    pattern = "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts)
    return [code for code in ENGLISH if re.fullmatch(pattern, code)]


BAD: dict[str, tuple[str, dict[str, object]]] = {
    "x" * 5000: ("query.too-long", {"count": 5000, "limit": 4096}),
    "-draft": ("query.only-excludes", {"query": "-draft"}),
    "a" + " (b" * 21: ("query.too-deep", {"limit": 20}),
    "-x " * 33: ("query.too-many-words", {"limit": 32}),
    "#a " * 101: ("query.too-many-filters", {"limit": 100}),
    "section:(" + "(a OR b) " * 6 + ")": ("query.too-many-alternatives", {"operator": "section", "limit": 32}),
    "/(/": ("query.regex-missing-parenthesis", {"pattern": "(", "reason": "missing ): ("}),
    "match-case:x tag:(a /b/)": ("query.no-regex-here", {"operator": "tag"}),
    "section:(a tag:b)": ("query.no-filter-here", {"operator": "section", "inner": "tag"}),
    "folder:(a [b])": ("query.no-filter-here", {"operator": "folder", "inner": "b"}),
    "kind:x y": ("query.bad-kind", {"operator": "kind", "value": "x", "kinds": ["note", "canvas", "pdf"]}),
    "modified:soon x": ("query.bad-date", {"operator": "modified", "value": "soon"}),
}


@pytest.mark.parametrize("typed", BAD, ids=lambda typed: typed[:20])
def test_a_query_that_cannot_be_read_says_why_by_code(typed: str):
    with pytest.raises(BadQuery) as refused:
        parse_query(typed, now=datetime(2026, 3, 1, tzinfo=UTC))

    assert isinstance(refused.value.message, Message)
    assert (refused.value.message.code, refused.value.message.args) == BAD[typed]
    assert str(refused.value) == text(refused.value.message)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        *(("(", "missing-parenthesis"), (")", "unexpected-parenthesis"), ("[", "missing-bracket")),
        *(("[z-a]", "bad-range"), ("*", "nothing-to-repeat"), ("a**", "bad-repetition"), ("\\q", "bad-escape")),
        *(("a\\", "trailing-backslash"), ("(?=a)", "unsupported"), ("\\pL{1000}", "too-large")),
    ],
)
def test_what_is_wrong_with_a_regular_expression_is_told_by_kind(pattern: str, problem: str):
    assert f"query.regex-{problem}" in ENGLISH
    with pytest.raises(BadPattern) as refused:
        compile_pattern(pattern)

    assert refused.value.problem == problem

"""Every tool over the shared vault: results that keep their schema and their budget, errors that say what to do."""

import json

import jsonschema
import pytest

from quarry.mcp.tools import described_tools

pytestmark = pytest.mark.slow  # starts a sidecar

OUTPUTS = {tool["name"]: tool["outputSchema"] for tool in described_tools(["Notes"], "2025-11-25")}

CALLS = [
    ("search", {"query": "trouble sleeping"}),
    ("search", {"query": "trouble sleeping", "detail": "scan", "limit": 20}),
    ("search", {"query": "sourdough", "limit": 50, "max_tokens": 20_000}),
    ("search", {"query": "sourdough", "limit": 50, "max_tokens": 50}),
    ("search", {"query": ""}),
    ("search", {"query": "tag:nowhere-at-all zzqqxx"}),
    ("read_note", {"path": "Health/Lying awake.md"}),
    ("read_note", {"path": "Health/Lying awake.md", "max_tokens": 50, "links": True}),
    ("read_note", {"paths": ["Home", "Sourdough rye", "Health/Lying awake.md:12"], "max_tokens": 600}),
    ("list_notes", {}),
    ("list_notes", {"limit": 200}),
    ("list_notes", {"tag": "nowhere-at-all"}),
    ("get_context", {"topic": "trouble sleeping"}),
    ("get_context", {"topic": "trouble sleeping", "max_tokens": 50}),
    ("get_context", {"topic": "zzqqxx"}),
    ("find_related", {"path": "Home.md"}),
    ("find_related", {"text": "bread", "max_tokens": 50}),
    ("explain_result", {"query": "sourdough elephant", "path": "Recipes/Sourdough rye.md"}),
    ("explain_result", {"query": "sourdough", "path": "Nothing.md"}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_result_keeps_its_schema_and_says_the_same_in_words(spoken, name, arguments):
    result = spoken.tool(name, **arguments)

    assert "isError" not in result, result
    jsonschema.validate(result["structuredContent"], OUTPUTS[name])
    assert result["content"][0]["text"]


@pytest.mark.parametrize(("name", "arguments"), [call for call in CALLS if call[0] in ("search", "read_note")])
def test_the_budget_counts_what_a_model_reads(spoken, name, arguments):
    result = spoken.tool(name, **arguments)

    structured = json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))
    read = max(len(result["content"][0]["text"]), len(structured))
    budget = arguments.get("max_tokens", 2000 if name == "search" else 8000)
    is_empty = not (result["structuredContent"].get("results") or result["structuredContent"].get("notes"))
    assert read <= budget * 4 or is_empty  # that nothing fits is said even where saying so does not


REFUSED = [
    ("read_note", {"path": "Nothing.md"}, "note-not-found", "list notes to find its path"),
    ("read_note", {"path": "../outside.md"}, "note-not-found", "find its path"),
    ("read_note", {"path": ".obsidian/app.json"}, "note-not-found", "find its path"),
    ("read_note", {"path": "Home.md", "first_line": 99_999}, "bad-arguments", "a line between 1 and"),
    ("read_note", {"path": "Home.md:99999"}, "bad-arguments", "a line between 1 and"),
    ("read_note", {}, "bad-arguments", "one of the two"),
    ("read_note", {"path": "Home.md", "paths": ["Home.md"]}, "bad-arguments", "one of the two"),
    ("read_note", {"paths": ["a", "b", "c", "d", "e"]}, "bad-arguments", "`paths`"),
    ("search", {"query": "-only"}, "bad-query", "correct the query"),
    ("search", {"query": "modified:someday"}, "bad-query", "correct the query"),
    ("search", {"query": "tag:"}, "bad-query", "correct the query"),
    ("search", {"query": "x", "limit": 0}, "bad-arguments", "`limit`"),
    ("search", {"query": "x" * 5000}, "bad-arguments", "`query`"),
    ("search", {"query": "x", "type": 'a"b'}, "bad-request", "correct that parameter"),
    ("search", {}, "bad-arguments", "`query`"),
    ("search", {"quary": "x"}, "bad-arguments", "did you mean `query`?"),
    ("search", {"query": "x", "vault": "Nowhere"}, "bad-arguments", "the names are"),
    ("find_related", {}, "bad-request", "correct that parameter"),
    ("find_related", {"path": "Home.md", "text": " "}, "bad-request", "correct that parameter"),
    ("find_related", {"path": "Nothing.md"}, "note-not-found", "find its path"),
    ("find_related", {"path": "Home.md", "line": 0}, "bad-arguments", "`line`"),
    ("explain_result", {"query": "x"}, "bad-arguments", "`path`"),
    ("explain_result", {"query": "-only", "path": "Home.md"}, "bad-query", "correct the query"),
    ("list_notes", {"modified_after": "yesterday"}, "bad-request", "correct that parameter"),
    ("list_notes", {"cursor": "20-12345678"}, "bad-arguments", "next_cursor"),
]


@pytest.mark.parametrize(("name", "arguments", "kind", "suggestion"), REFUSED)
def test_what_goes_wrong_is_told_to_the_model_with_the_way_out(spoken, name, arguments, kind, suggestion):
    result = spoken.tool(name, **arguments)

    told = result["structuredContent"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == told
    assert (told["kind"], suggestion in told["suggestion"]) == (kind, True), told
    assert told["error"]


def test_a_mistake_in_a_query_has_its_position(spoken):
    told = spoken.tool("search", query="🌱 modified:someday")["structuredContent"]

    assert told["kind"] == "bad-query"
    assert isinstance(told["position"], int)


def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_the_nearest(spoken):
    error = spoken.ask("tools/call", name="serch", arguments={"query": "x"})["error"]

    assert error["code"] == -32602
    assert "did you mean 'search'" in error["message"]


@pytest.mark.parametrize("name", [None, 5, "capture", "write_note", "x" * 5000])
def test_what_is_no_tool_is_refused_in_few_words(spoken, name):
    error = spoken.ask("tools/call", name=name)["error"]

    assert error["code"] == -32602
    assert len(error["message"]) < 250

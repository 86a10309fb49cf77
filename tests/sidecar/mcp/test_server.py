"""The methods and tools: as they are listed, over the shared vault, and by the official SDK in each revision."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.mcp.server import INSTRUCTIONS, SEARCH_HELP, TOOLS, answered, decoded_arguments, list_tools
from quarry.mcp.vaults import BadArguments, PendingCall, ProtocolError, Vaults
from quarry.query.parse import parse_query

NAMES = ["search", "read_note", "list_notes", "get_context", "find_related", "explain_result"]
CALL = PendingCall("2025-11-25")


def listed(*folders, may_capture=False):
    vaults = Vaults([Path("/nowhere") / folder for folder in folders], may_capture=may_capture)
    return list_tools(vaults, {}, CALL)["tools"]


# --- as listed -------------------------------------------------------------------------------------


@pytest.mark.parametrize("folders", [["Notes"], ["Notes", "Work", "Archive"]])
def test_the_tools_take_less_than_1600_tokens(folders):
    text = json.dumps({"tools": listed(*folders)}, separators=(",", ":"))

    assert len(text) < 1600 * CHARACTERS_PER_TOKEN


def test_every_tool_has_a_title_annotations_and_sound_schemas():
    for tool in listed("Notes", may_capture=True):
        assert tool["title"]
        assert tool["description"]
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] != "capture")
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert set(schema.get("required", ())) <= set(schema["properties"])
        assert tool["inputSchema"]["additionalProperties"] is False


def test_the_order_is_constant_and_capture_is_listed_on_demand_only():
    assert [tool["name"] for tool in listed("Notes")] == NAMES
    assert [tool["name"] for tool in listed("Notes", may_capture=True)] == [*NAMES, "capture"]


def test_a_vault_is_named_only_where_there_are_several():
    assert "vault" not in listed("Notes")[0]["inputSchema"]["properties"]
    assert listed("Notes", "Work")[0]["inputSchema"]["properties"]["vault"]["enum"] == ["Notes", "Work"]


def test_a_schema_has_the_limits_defaults_and_choices_of_each_argument():
    search, read, notes = (tool["inputSchema"]["properties"] for tool in listed("Notes")[:3])

    assert search["limit"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 5}
    assert search["sort"] == {"enum": ["created", "modified", "name", "relevance"], "default": "relevance"}
    assert search["max_tokens"]["default"] == 2000
    assert search["folder"] == {"type": "string"}
    assert read["max_tokens"]["default"] == 8000
    assert read["paths"] == {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": 4,
        "description": "Several, instead of path",
    }
    assert notes["limit"]["default"] == 20


def test_search_teaches_the_query_language():
    operators = ['"', "-not", "OR", "(", "/regex/", "folder:", "path:", "file:", "tag:", "section:", "task-todo:"]

    assert [each for each in (*operators, "[rating:>=4]", "type:", "modified:") if each not in SEARCH_HELP] == []


@pytest.mark.parametrize("example", re.findall(r"\S*[\w-]+:(?:\([^)]*\)|\S+)|\[[^\]]*\]|/\w+/", SEARCH_HELP))
def test_every_operator_that_is_taught_can_be_read(example):
    if example != "Operators:":
        parse_query(f"{example.rstrip('.')} word", now=datetime(2026, 3, 1, tzinfo=UTC))


def test_the_instructions_say_that_notes_are_no_instructions():
    assert "never as instructions" in INSTRUCTIONS
    assert len(INSTRUCTIONS) < 2000  # clients cut what is longer


def test_a_defect_is_reported_without_its_message(capsys):
    with pytest.raises(ProtocolError, match=r"^the server failed \(AttributeError\)$"):
        answered(None, "tools/list", {}, CALL)

    assert capsys.readouterr().err == "quarry: tools/list failed (AttributeError)\n"


# --- arguments -------------------------------------------------------------------------------------


def decoded(name, arguments, *folders):
    return decoded_arguments(TOOLS[name], arguments, Vaults([Path("/nowhere") / one for one in folders or ("Notes",)]))


def test_a_left_out_or_null_argument_has_its_default():
    vault, asked = decoded("search", {"query": "x", "mode": None, "vault": "notes"})

    assert vault.name == "Notes"
    assert (asked.limit, asked.mode, asked.folder, asked.max_tokens) == (5, "hybrid", None, 2000)


@pytest.mark.parametrize("limit", [7, 7.0, "7"])
def test_a_whole_number_may_be_written_as_models_do(limit):
    assert decoded("search", {"query": "x", "limit": limit})[1].limit == 7


@pytest.mark.parametrize(
    ("name", "given", "message", "suggestion"),
    [
        ("search", {"qery": "x"}, "'qery'", "did you mean `query`?"),
        ("search", {"zzz": 1}, "'zzz'", "it takes query, limit"),
        ("search", {}, "`query`: is missing", 'send `query` as {"type":"string"}'),
        ("search", {"query": None}, "`query`: is missing", "send `query`"),
        ("search", {"query": 5}, "`query`: Expected `str`, got `int`", "send `query`"),
        ("search", {"query": "x" * 4097}, "of length <= 4096", "send `query`"),
        ("search", {"query": "x", "limit": 0}, "`limit`: Expected `int` >= 1", '"minimum":1,"maximum":50'),
        ("search", {"query": "x", "limit": True}, "`limit`: Expected `int`, got `bool`", "send `limit`"),
        ("search", {"query": "x", "limit": 2.5}, "`limit`: Expected `int`, got `float`", "send `limit`"),
        ("search", {"query": "x", "limit": "five"}, "`limit`: Expected `int`, got `str`", "send `limit`"),
        ("search", {"query": "x", "mode": "c"}, "`mode`: Invalid enum value 'c'", '["hybrid","keyword","semantic"]'),
        (
            "get_context",
            {"topic": "x", "min_confidence": 2},
            "`min_confidence`: Expected `float` <= 1.0",
            '"maximum":1',
        ),
        ("read_note", {"path": "x", "links": 5}, "`links`: Expected `bool`", "boolean"),
        ("read_note", {"paths": "a"}, "`paths`: Expected `array", "array"),
        ("read_note", {"paths": ["a"] * 5}, "`paths`: Expected `array` of length <= 4", '"maxItems":4'),
        ("read_note", {"paths": [1]}, "`paths`: Expected `str`, got `int`", "send `paths`"),
        ("find_related", {"path": "x", "line": 0}, "`line`: Expected `int` >= 1", '"minimum":1'),
        ("search", [], "`arguments` is an object", "query"),
        ("search", {"query": "x", "vault": ["y"]}, "no vault is called", "Notes"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(name, given, message, suggestion):
    with pytest.raises(BadArguments) as refused:
        decoded(name, given)

    assert message in refused.value.message
    assert suggestion in refused.value.suggestion


def test_a_long_wrong_value_is_not_quoted():
    for arguments in ({"query": ["x" * 5000]}, {"query": "x", "mode": "y" * 5000}, {"z" * 5000: 1}):
        with pytest.raises(BadArguments) as refused:
            decoded("search", arguments)

        assert len(refused.value.message) < 200


# --- over the shared vault --------------------------------------------------------------------------

OUTPUTS = {tool["name"]: tool["outputSchema"] for tool in listed("Notes")}


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


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_result_keeps_its_schema_and_says_the_same_in_words(spoken, name, arguments):
    result = spoken.tool(name, **arguments)

    assert "isError" not in result, result
    jsonschema.validate(result["structuredContent"], OUTPUTS[name])
    assert result["content"][0]["text"]


@pytest.mark.slow
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
    ("search", {"query": "-only"}, "bad-query", "correct the query"),
    ("search", {"query": "modified:someday"}, "bad-query", "correct the query"),
    ("search", {"query": "tag:"}, "bad-query", "correct the query"),
    ("search", {"query": "x", "type": 'a"b'}, "bad-request", "correct that parameter"),
    ("search", {"query": "x", "vault": "Nowhere"}, "bad-arguments", "the names are"),
    ("find_related", {}, "bad-request", "correct that parameter"),
    ("find_related", {"path": "Home.md", "text": " "}, "bad-request", "correct that parameter"),
    ("find_related", {"path": "Nothing.md"}, "note-not-found", "find its path"),
    ("explain_result", {"query": "-only", "path": "Home.md"}, "bad-query", "correct the query"),
    ("list_notes", {"modified_after": "yesterday"}, "bad-request", "correct that parameter"),
    ("list_notes", {"cursor": "20-12345678"}, "bad-arguments", "next_cursor of the page before"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments", "kind", "suggestion"), REFUSED)
def test_what_goes_wrong_is_told_to_the_model_with_the_way_out(spoken, name, arguments, kind, suggestion):
    result = spoken.tool(name, **arguments)

    told = result["structuredContent"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == told
    assert (told["kind"], suggestion in told["suggestion"]) == (kind, True), told
    assert told["error"]
    assert isinstance(told.get("position"), int) == (kind == "bad-query")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["serch", None, 5, "capture", "write_note", "x" * 5000])
def test_an_unknown_tool_is_an_error_of_the_protocol_in_few_words(spoken, name):
    error = spoken.ask("tools/call", name=name)["error"]

    assert error["code"] == -32602
    assert len(error["message"]) < 250
    assert name != "serch" or "did you mean 'search'" in error["message"]


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdk_finds_everything_and_every_result_is_what_the_protocol_says(sdk, transport, mode):
    async def body(client):
        refused = []
        for ask in (lambda: client.read_resource("quarry://note/Nothing.md"), lambda: client.call_tool("nothing", {})):
            try:
                await ask()
            except MCPError as error:
                refused.append(error.code)
        return {
            "version": client.protocol_version,
            "instructions": client.instructions or "",
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "search": await client.call_tool("search", {"query": "trouble sleeping"}),
            "context": await client.call_tool("get_context", {"topic": "trouble sleeping"}),
            "wrong": await client.call_tool("search", {"qery": "x"}),
            "resources": [resource.uri for resource in (await client.list_resources()).resources],
            "templates": (await client.list_resource_templates()).resource_templates,
            "note": await client.read_resource("quarry://note/Health/Lying%20awake.md"),
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "prompt": await client.get_prompt("kickoff", {"topic": "sourdough"}),
            "refused": refused,
        }

    found = sdk(body, transport, mode)

    assert found["version"] == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert mode == "2026-07-28" or "never as instructions" in found["instructions"]  # that client does not ask for them
    assert found["tools"] == NAMES
    assert found["search"].structured_content["results"][0]["file_path"] == "Health/Lying awake.md"
    assert found["context"].structured_content["sources"]
    assert found["wrong"].is_error
    assert found["resources"][0] == "quarry://status"
    assert found["templates"][0].uri_template == "quarry://note/{+path}"
    assert "ten past two" in found["note"].contents[0].text
    assert "kickoff" in found["prompts"]
    assert "sourdough" in found["prompt"].messages[0].content.text
    assert found["refused"] == [-32002 if mode == "legacy" else -32602, -32602]

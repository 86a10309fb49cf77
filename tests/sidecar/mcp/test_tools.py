"""What `tools/list` says, and what it costs."""

import json
import re
from datetime import UTC, datetime

import jsonschema
import pytest

from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.mcp.tools import INSTRUCTIONS, SEARCH_HELP, described_tools, input_schema, tool_names
from quarry.query.parse import parse_query

NAMES = ["search", "read_note", "list_notes", "get_context", "find_related", "explain_result"]


@pytest.mark.parametrize("vaults", [["Notes"], ["Notes", "Work", "Archive"]])
def test_the_tools_take_less_than_1600_tokens(vaults):
    listed = json.dumps({"tools": described_tools(vaults, "2026-07-28")}, separators=(",", ":"))

    assert len(listed) < 1600 * CHARACTERS_PER_TOKEN


@pytest.mark.parametrize("with_capture", [False, True])
def test_every_tool_has_a_title_annotations_and_sound_schemas(with_capture):
    for tool in described_tools(["Notes"], "2025-11-25", with_capture=with_capture):
        assert tool["title"]
        assert tool["description"]
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] != "capture")
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert set(schema.get("required", ())) <= set(schema["properties"])
        assert tool["inputSchema"]["additionalProperties"] is False


def test_the_order_is_constant_and_capture_is_listed_on_demand_only():
    assert tool_names() == NAMES
    assert tool_names(with_capture=True) == [*NAMES, "capture"]


def test_a_vault_is_to_be_named_only_where_there_are_several():
    assert "vault" not in input_schema("search", ["Notes"])["properties"]
    assert input_schema("search", ["Notes", "Work"])["properties"]["vault"]["enum"] == ["Notes", "Work"]


def test_older_revisions_are_sent_nothing_that_they_do_not_know():
    for tool in described_tools(["Notes"], "2025-03-26"):
        assert not {"title", "outputSchema"} & set(tool)


def test_the_defaults_are_few_and_short_first():
    schema = input_schema("search", ["Notes"])

    assert schema["properties"]["limit"]["default"] == 5
    assert schema["properties"]["max_tokens"]["default"] == 2000
    assert input_schema("read_note", ["Notes"])["properties"]["max_tokens"]["default"] == 8000
    assert input_schema("list_notes", ["Notes"])["properties"]["limit"]["default"] == 20


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

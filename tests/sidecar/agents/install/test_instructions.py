"""Agents are told when to search, with examples that the server can answer."""

import re

from quarry.agents.install.instructions import CURSOR_RULE, instructions


def test_three_example_queries_name_the_servers_tools():
    examples = re.findall(r"`(\w+)\(", instructions("notes"))

    assert examples == ["search", "search", "get_context"]
    assert "MCP server `notes`" in instructions("notes")


def test_no_folder_of_this_machine_is_named():
    assert not re.search(r"/home|/Users|--vault", instructions("notes"))


def test_a_rule_of_cursor_has_front_matter():
    assert re.fullmatch(r"---\ndescription: [^\n]+\nalwaysApply: true\n---\n\n", CURSOR_RULE)

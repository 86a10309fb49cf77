import pytest

pytestmark = pytest.mark.slow  # starts a sidecar


def test_a_note_is_captured_where_the_flag_and_the_vault_allow_it(vault, home, tools, speak):
    tools.write_vault(vault, {".quarry.toml": "[capture]\nby_agents = true\n"})
    speaker = speak(vault, home=home, options=["--allow-capture"])
    speaker.greet()

    listed = [tool["name"] for tool in speaker.result("tools/list")["tools"]]
    result = speaker.tool("capture", text="Steep the zanzibar tea twice.", title="Zanzibar", tags=["tea"])
    found = speaker.tool("search", query="zanzibar")["structuredContent"]["results"]

    assert listed[-1] == "capture"
    assert "isError" not in result, result
    assert found[0]["file_path"] == result["structuredContent"]["path"]
    assert (vault / result["structuredContent"]["path"]).read_text(encoding="utf-8").endswith("tea twice.\n")


def test_a_vault_that_does_not_allow_it_says_what_to_set(vault, home, speak):
    speaker = speak(vault, home=home, options=["--allow-capture"])
    speaker.greet()

    told = speaker.tool("capture", text="x")["structuredContent"]

    assert told["kind"] == "forbidden"
    assert "by_agents = true" in told["suggestion"]


def test_without_the_flag_there_is_no_such_tool(spoken):
    assert "capture" not in [tool["name"] for tool in spoken.result("tools/list")["tools"]]
    assert spoken.ask("tools/call", name="capture", arguments={"text": "x"})["error"]["code"] == -32602

"""The official SDK as client, in each revision that it speaks."""

import pytest
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

pytestmark = pytest.mark.slow  # starts a sidecar


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdk_finds_everything_and_every_result_is_what_the_protocol_says(at_shared, sdk, mode):
    async def body(client):
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        return {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "search": await client.call_tool("search", {"query": "trouble sleeping"}),
            "context": await client.call_tool("get_context", {"topic": "trouble sleeping"}),
            "refused": await client.call_tool("search", {"qery": "x"}),
            "resources": [resource.uri for resource in resources],
            "templates": (await client.list_resource_templates()).resource_templates,
            "note": await client.read_resource("quarry://note/Health/Lying%20awake.md"),
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "prompt": await client.get_prompt("kickoff", {"topic": "sourdough"}),
        }

    found = sdk(body, at_shared.vault, home=at_shared.home, mode=mode)

    assert found["version"] == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert found["tools"][:2] == ["search", "read_note"]
    assert found["search"].structured_content["results"][0]["file_path"] == "Health/Lying awake.md"
    assert found["context"].structured_content["sources"]
    assert found["refused"].is_error
    assert found["resources"][0] == "quarry://status"
    assert found["templates"][0].uri_template == "quarry://note/{+path}"
    assert "ten past two" in found["note"].contents[0].text
    assert "kickoff" in found["prompts"]
    assert "sourdough" in found["prompt"].messages[0].content.text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_sdk_is_told_of_errors_as_the_revision_has_them(at_shared, sdk, mode):
    async def body(client):
        codes = []
        for ask in (lambda: client.read_resource("quarry://note/Nothing.md"), lambda: client.call_tool("nothing", {})):
            try:
                await ask()
            except MCPError as error:
                codes.append(error.code)
        return codes

    missing = -32002 if mode == "legacy" else -32602
    assert sdk(body, at_shared.vault, home=at_shared.home, mode=mode) == [missing, -32602]


def test_a_listening_client_of_the_newest_revision_hears_of_a_saved_note(vault, home, sdk, tools):
    async def body(client):
        uri = "quarry://note/Tea.md"
        async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as subscription:
            tools.write_vault(vault, {"Tea.md": "# Tea\n\nAnother sentence.\n"})
            async for event in subscription:
                if isinstance(event, ResourceUpdated):
                    return event.uri
        return None

    assert sdk(body, vault, home=home, mode="2026-07-28") == "quarry://note/Tea.md"

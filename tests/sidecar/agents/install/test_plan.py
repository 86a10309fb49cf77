"""What is installed in a client's files, and that it goes again without a trace."""

import json
import tomllib
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonc_texts import documents

from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.files import backup_of
from quarry.agents.install.jsonc import parse, value_of
from quarry.errors import BadConfiguration

VARIANTS = {
    "as it is": lambda text: text,
    "with line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "with tabs": lambda text: text.replace("  ", "\t"),
    "without a last line end": lambda text: text.rstrip("\n"),
    "blank": lambda text: "\n",
    "empty": lambda text: "",
}
TOML = [
    b"",
    b"mcp_servers = 1",
    b"mcp_servers = {}",
    b"[mcp_servers]",
    b"[[mcp_servers]]\n",
    b'a.b = """\n[mcp_servers.notes]\n"""',
    b"[mcp_servers.other] # no line end",
    b"\xef\xbb\xbfa = 1\r\n",
]


def meaning(path):
    text = path.read_text(encoding="utf-8-sig")
    return tomllib.loads(text) if path.suffix == ".toml" else value_of(text, parse(text))


def servers(client, path):
    found = meaning(path)
    for key in CLIENTS[client].servers_path:
        found = found[key]
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_install_and_remove_leave_every_byte(filled, client, variant):
    hooks = [filled.hooks_file(client)] if CLIENTS[client].hooks else []
    files = list(dict.fromkeys([filled.configuration(client), *hooks]))
    for file in files:
        file.write_bytes(VARIANTS[variant](file.read_bytes().decode()).encode())
    before = filled.content()

    filled.install(client, hooks=True, instructions=True)
    between = filled.content()
    filled.install(client, hooks=True, instructions=True)

    assert filled.content() == between
    assert between != before
    assert servers(client, files[0])["notes"]["args"] == ["mcp", "--vault", str(filled.vault)]
    filled.remove(client)
    assert filled.content() == before


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", CLIENTS)
def test_files_and_folders_that_were_made_go_again(desk, client, scope):
    if scope not in CLIENTS[client].servers:
        with pytest.raises(BadConfiguration, match="leave --scope out"):
            desk.install(client, scope=scope)
        return
    before = desk.content()

    desk.install(client, scope=scope, hooks=True, instructions=True)
    assert len(desk.content()) > len(before)
    desk.remove(client, scope=scope)

    assert desk.content() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_there_means_what_it_meant(filled, client):
    path = filled.configuration(client)
    before = meaning(path)

    filled.install(client)

    after = meaning(path)
    inner = after
    for key in CLIENTS[client].servers_path[:-1]:
        inner = inner[key]
    del inner[CLIENTS[client].servers_path[-1]]["notes"]
    if CLIENTS[client].servers_path[-1] not in before:
        del inner[CLIENTS[client].servers_path[-1]]
    assert after == before
    assert list(after) == list(before)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "malformed", ['{\n  "mcpServers": {\n', "[mcp_servers\n", "nonsense = = 1\n", '{"a": 1}}', "\x00"]
)
def test_a_malformed_file_is_refused_with_its_line_and_untouched(desk, client, malformed):
    path = desk.configuration(client)
    path.write_text(malformed, encoding="utf-8")
    before = desk.content()

    with pytest.raises(BadConfiguration, match=rf"{path.name}, line \d"):
        desk.install(client, hooks=True)

    assert desk.content() == before


def test_of_several_clients_none_is_written_if_one_file_is_malformed(filled):
    filled.hooks_file("claude-code").write_text("{")
    before = filled.content()

    with pytest.raises(BadConfiguration):
        filled.install("claude-code", hooks=True)

    assert filled.content() == before


def test_a_file_that_is_not_utf_8_is_refused(desk):
    desk.configuration("cursor").write_bytes(b'{"a":\n "\xe4"}')

    with pytest.raises(BadConfiguration, match=r"line 2: it is not UTF-8 \(byte 8\)"):
        desk.install("cursor")


@pytest.mark.parametrize("taken", ['{"command": "other", "args": ["x"]}', '{"url": "https://example.com"}', "null"])
def test_a_server_of_that_name_of_another_program_is_not_overwritten(desk, taken):
    path = desk.configuration("cursor")
    path.write_text(f'{{"mcpServers": {{"notes": {taken}}}}}')
    before = path.read_bytes()

    with pytest.raises(BadConfiguration, match="give another name with --name"):
        desk.install("cursor")

    assert path.read_bytes() == before
    desk.install("cursor", name="my-notes")
    assert set(meaning(path)["mcpServers"]) == {"notes", "my-notes"}


def test_a_second_vault_has_a_server_of_its_own_name(desk, tmp_path):
    work = tmp_path / "Work"
    work.mkdir()
    desk.install("cursor")
    desk.install("cursor", vault=str(work))

    found = servers("cursor", desk.configuration("cursor"))

    assert {name: entry["args"][-1] for name, entry in found.items()} == {"notes": str(desk.vault), "work": str(work)}


def test_a_second_vault_of_the_same_name_is_refused(desk, tmp_path):
    other = tmp_path / "elsewhere" / "Notes"
    other.mkdir(parents=True)
    desk.install("cursor")

    with pytest.raises(BadConfiguration, match="--name"):
        desk.install("cursor", vault=str(other))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor", "gemini", "zed", "windsurf"])
def test_two_vaults_are_removed_in_any_order(filled, client, order, tmp_path):
    (tmp_path / "Work").mkdir()
    vaults = [str(filled.vault), str(tmp_path / "Work")]
    before = filled.content()

    for vault in vaults:
        filled.install(client, vault=vault, hooks=True, instructions=True)
    filled.remove(client, vault=vaults[order[0]])
    remaining = servers(client, filled.configuration(client))
    assert [entry["args"][-1] for entry in remaining.values() if "args" in entry and entry["args"][0] == "mcp"] == [
        vaults[order[1]]
    ]
    filled.remove(client, vault=vaults[order[1]])

    assert filled.content() == before


def test_a_new_path_of_the_program_replaces_the_old_entry(filled, sample):
    before = filled.content()
    filled.install("claude-code", hooks=True)
    filled.install("claude-code", hooks=True, launcher=sample.launcher._replace(command="/new/quarry"))

    found = servers("claude-code", filled.configuration("claude-code"))
    assert set(found) == {"github", "notes"}
    assert found["notes"]["command"] == "/new/quarry"
    assert filled.hooks_file("claude-code").read_text().count("/new/quarry") == 6
    assert "/opt/quarry" not in filled.hooks_file("claude-code").read_text()
    filled.remove("claude-code")
    assert filled.content() == before


def test_a_new_path_of_the_program_leaves_the_hooks_in_the_same_file(filled, sample):
    filled.install("gemini", hooks=True)
    before = meaning(filled.configuration("gemini"))["hooks"]

    filled.install("gemini", launcher=sample.launcher._replace(command="/new/quarry"))

    assert meaning(filled.configuration("gemini"))["hooks"] == before


def test_a_file_that_its_client_rewrote_is_cleaned_as_well(filled):
    path = filled.configuration("claude-code")
    filled.install("claude-code")
    rewritten = {**meaning(path), "numStartups": 43}
    path.write_text(json.dumps(rewritten, indent=2, ensure_ascii=False))
    del rewritten["mcpServers"]["notes"]

    filled.remove("claude-code")

    assert path.read_text(encoding="utf-8") == json.dumps(rewritten, indent=2, ensure_ascii=False)
    assert backup_of(path).exists()


def test_what_was_added_to_our_hooks_stays(filled):
    path = filled.hooks_file("claude-code")
    filled.install("claude-code", hooks=True)
    changed = meaning(path)
    mine = {"type": "command", "command": "mine"}
    changed["hooks"]["SessionStart"][0]["hooks"].append(mine)
    path.write_text(json.dumps(changed, indent=2))

    filled.remove("claude-code")

    assert meaning(path)["hooks"]["SessionStart"] == [{"hooks": [mine]}]
    assert "quarry" not in path.read_text()


def test_nothing_is_removed_where_nothing_is(filled):
    before = filled.content()

    assert not any(change.is_change for change in filled.remove("claude-code"))

    assert filled.content() == before


def test_without_a_record_what_is_ours_is_found_by_what_it_says(filled, home):
    path = filled.configuration("cursor")
    before = path.read_bytes()
    filled.install("cursor")
    (home / "data" / "installed.json").write_text("not JSON")

    filled.remove("cursor")

    assert path.read_bytes() == before


def test_a_section_that_two_clients_read_stays_until_both_are_removed(desk):
    desk.install("codex", scope="project", instructions=True)
    desk.install("zed", scope="project", instructions=True)
    section = (desk.project / "AGENTS.md").read_text()
    assert section.count("## Notes of the user") == 1

    desk.remove("codex", scope="project")
    assert (desk.project / "AGENTS.md").read_text() == section
    desk.remove("zed", scope="project")

    assert desk.content() == {}


def test_instructions_are_added_to_what_is_there(desk):
    file = desk.project / "CLAUDE.md"
    file.write_bytes(b"# Rules\r\n\r\nBe brief.")

    desk.install("claude-code", scope="project", instructions=True)
    assert file.read_bytes().startswith(b"# Rules\r\n\r\nBe brief.\r\n\r\n<!-- quarry:notes:start")
    desk.remove("claude-code", scope="project")

    assert file.read_bytes() == b"# Rules\r\n\r\nBe brief."


def test_a_plan_changes_nothing(filled):
    before = filled.content()

    changes = filled.plan("claude-code", hooks=True)

    assert all(change.is_change for change in changes)
    assert filled.content() == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        documents().map(lambda case: case[1].encode()), st.binary(max_size=60), st.text(max_size=40).map(str.encode)
    )
)
def test_any_file_is_refused_untouched_or_restored_to_the_byte(desk, content):
    path = desk.configuration("gemini")
    path.write_bytes(content)
    with suppress(BadConfiguration):
        desk.install("gemini", hooks=True)

        assert servers("gemini", path)["notes"]["command"] == "/opt/quarry/bin/quarry"
        desk.remove("gemini")
    assert path.read_bytes() == content
    assert [found.name for found in path.parent.iterdir()] == [path.name]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.sampled_from(TOML), st.binary(max_size=60), st.text(max_size=40).map(str.encode)))
def test_any_toml_is_refused_untouched_or_restored_to_the_byte(desk, content):
    path = desk.configuration("codex")
    path.write_bytes(content)
    with suppress(BadConfiguration):
        desk.install("codex")

        assert servers("codex", path)["notes"]["command"] == "/opt/quarry/bin/quarry"
        desk.remove("codex")
    assert path.read_bytes() == content

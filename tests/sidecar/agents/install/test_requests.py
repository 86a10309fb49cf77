"""What was asked for becomes requests for files."""

import pytest

from quarry.agents.install.requests import left_out, requests_to_install, requests_to_remove
from quarry.errors import BadConfiguration


def names(requests):
    return [request.path.name for request in requests]


def test_only_what_was_asked_for_is_requested(desk):
    assert names(requests_to_install(desk.setup("claude-code"), desk.host)) == [".claude.json"]
    setup = desk.setup("claude-code", hooks=True, instructions=True)
    assert names(requests_to_install(setup, desk.host)) == [".claude.json", "settings.json", "CLAUDE.md"]


def test_everything_is_removed_without_being_named(desk):
    assert names(requests_to_remove(desk.setup("claude-code"), desk.host)) == [
        "CLAUDE.md",
        "settings.json",
        ".claude.json",
    ]


def test_hooks_alone_are_removed_where_they_are_named(desk):
    desk.install("claude-code", hooks=True, instructions=True)

    desk.remove("claude-code", hooks=True)

    assert {path.rpartition("/")[2] for path, content in desk.content().items() if content} == {
        ".claude.json",
        "CLAUDE.md",
    }


def test_a_server_of_another_name_is_found_for_its_removal(desk):
    desk.install("continue", name="mine", instructions=True)
    assert (desk.home / ".continue/mcpServers/mine.json").exists()

    desk.remove("continue")

    assert desk.content() == {}


@pytest.mark.parametrize(
    ("client", "setups", "says"),
    [
        ("zed", {"hooks": True}, "Zed has no hooks"),
        ("cursor", {"instructions": True}, "use --scope project"),
        ("claude-desktop", {"instructions": True}, "it has the server alone"),
    ],
)
def test_what_a_client_cannot_do_is_said_and_the_rest_is_done(desk, client, setups, says):
    setup = desk.setup(client, **setups)

    assert says in " ".join(left_out(setup))
    assert len(list(requests_to_install(setup, desk.host))) == 1


def test_a_scope_that_a_client_has_not_is_refused(desk):
    with pytest.raises(BadConfiguration, match="leave --scope out"):
        list(requests_to_install(desk.setup("claude-desktop", scope="project"), desk.host))

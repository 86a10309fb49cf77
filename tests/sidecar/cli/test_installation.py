"""The command that adds an extra, by how the program was installed."""

import pytest

from quarry.cli.installation import extra_command, install_command


@pytest.mark.parametrize(
    ("prefix", "source", "command"),
    [
        ("/home/me/.local/share/uv/tools/quarry-search", None, "uv tool install --force 'quarry-search[eval]'"),
        (
            "/home/me/.local/share/uv/tools/quarry-search",
            "/home/me/quarry/sidecar",
            "uv tool install --force '/home/me/quarry/sidecar[eval]'",
        ),
        ("/home/me/.local/pipx/venvs/quarry-search", None, "pipx install --force 'quarry-search[eval]'"),
        ("/home/me/venv", None, "/home/me/venv/bin/python -m pip install 'quarry-search[eval]'"),
        ("/home/me/venv", "/a b/sidecar", "/home/me/venv/bin/python -m pip install '/a b/sidecar[eval]'"),
    ],
)
def test_the_tool_that_installed_it_installs_the_extra(prefix, source, command):
    assert install_command("eval", source, prefix, "/home/me/venv/bin/python") == command


def test_this_installation_has_a_command():
    assert extra_command("eval").endswith(("[eval]", "[eval]'"))

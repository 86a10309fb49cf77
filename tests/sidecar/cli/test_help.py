"""`quarry help`: texts on what is no command."""

import pytest

from quarry.cli.failure import MEANINGS
from quarry.cli.help import TOPICS
from quarry.cli.main import COMMANDS
from quarry.settings import Settings, load_settings


def test_without_a_topic_commands_and_topics_are_listed(command):
    done = command("help")

    assert done.code == 0
    assert [name for name in COMMANDS if f"    {name}" not in done.out] == []
    assert done.out.endswith(f"topics: {', '.join(TOPICS)}; see `quarry help TOPIC`\n")


@pytest.mark.parametrize(
    ("topic", "says"),
    [
        ("query", "- `section:(a b)`"),
        ("settings", "[embedding]"),
        ("agents", "quarry mcp --vault DIR"),
        ("exit-codes", f"  130  {MEANINGS[130]}"),
    ],
)
def test_a_topic_is_explained(command, topic, says):
    done = command("help", topic)

    assert done.code == 0
    assert says in done.out


def test_the_query_language_ends_with_its_section(command):
    assert "PROTOCOL_VERSION" not in command("help", "query").out


def test_the_settings_that_are_shown_are_the_defaults(command, tmp_path):
    shown = command("help", "settings").out
    example = shown[shown.index("[folders]") :].replace("\n    ", "\n")
    (tmp_path / ".quarry.toml").write_text(example)

    told = load_settings(tmp_path)

    assert not told.problems
    assert (told.fusion, told.rrf_k, told.model) == (Settings().fusion, Settings().rrf_k, Settings().model)


def test_a_command_is_explained_by_its_own_help(command):
    assert command("help", "read").out == command("read", "--help").out

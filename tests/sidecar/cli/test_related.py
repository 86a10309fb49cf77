"""`quarry related`: notes like a note, a passage or a text."""

import json
from types import SimpleNamespace

import pytest

RYE = "Recipes/Sourdough rye.md"


def paths(done):
    return [note["path"] for note in json.loads(done.out)["notes"]]


def test_notes_are_numbered_with_score_place_and_snippet(at_shared, command):
    done = command("related", "--limit", "2", RYE)

    first, snippet, *_ = done.out.splitlines()
    assert done.code == 0
    assert first.startswith(" 1. Sourdough rye  ")
    assert " · Archive/Sourdough rye (old).md:" in first
    assert snippet.startswith("    ")
    assert " 2. " in done.out
    assert " 3. " not in done.out


def test_a_linked_note_is_marked_so(at_shared, command):
    linked = {note["path"]: note["linked"] for note in json.loads(command("related", "--json", "Home.md").out)["notes"]}
    shown = command("related", "Home.md").out

    assert any(linked.values())
    assert shown.count("linked · ") == sum(linked.values())


def test_a_line_counts_from_1(at_shared, command):
    note, passage = (
        command("related", "--json", place)
        for place in ("Howto/The long guide to tuning reeds.md", "Howto/The long guide to tuning reeds.md:30")
    )

    assert paths(note) != []
    assert paths(passage) != []
    assert json.loads(note.out) != json.loads(passage.out)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-"], "lying awake and trouble sleeping at night"),
        (["--text", "-"], "trouble sleeping at night " * 40_000),  # of which the beginning counts
        (["--text", "lying awake and trouble sleeping at night"], ""),
    ],
)
def test_a_text_may_come_from_a_pipe_or_the_command_line(at_shared, quarry, arguments, text):
    done = quarry("related", "--vault", str(at_shared.vault), *arguments, "--json", input=text)

    assert done.returncode == 0
    assert "Health/Lying awake.md" in paths(SimpleNamespace(out=done.stdout))


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "give either a note or --text"),
        (["--text", "x", RYE], 2, "either a note or --text"),
        ([f"{RYE}:0"], 2, "lines count from 1"),
        (["--text", "  "], 2, "`text` is empty"),
        (["Nowhere.md"], 1, "there is no note 'Nowhere.md' in the index"),
        (["Recipes/Sourdoughrye.md"], 1, f"'{RYE}'"),
        (["Home.md:99999"], 2, "there is no line 99,999; Home.md has 36 lines"),
        (["--text", "x" * 100_001], 2, "--text has 100,001 characters; it takes up to 100,000"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(at_shared, command, arguments, code, says):
    done = command("related", *arguments)

    assert done.code == code
    assert says in done.err
    assert len(done.err.splitlines()) == 2


@pytest.mark.slow
def test_a_vault_of_one_note_has_none_that_is_like_it(tmp_path, tools, command):
    vault = tools.write_vault(tmp_path / "lonely", {"Tea.md": "# Tea\n\nSteep the oolong.\n"})
    command("index", str(vault))

    done = command("related", "--vault", str(vault), "Tea.md")

    assert (done.code, done.out) == (0, "")
    assert "no similar notes found" in done.err

"""`quarry why`: whether a note can be found, whatever is searched for."""

import json

import pytest

RYE = "Recipes/Sourdough rye.md"


def test_a_note_that_is_found_is_told_with_what_is_indexed(at_shared, command):
    done = command("why", RYE)

    path, message, blank, *table = done.out.splitlines()
    assert (done.code, path, blank) == (0, RYE, "")
    assert "can be found" in message
    assert any(line.startswith("  passages ") for line in table)


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [(".obsidian/app.md", 0, "hidden"), ("x.png", 0, "Only notes"), ("No such.md", 1, "There is no note")],
)
def test_what_is_not_indexed_is_told(at_shared, command, path, code, says):
    done = command("why", path)

    assert done.code == code
    assert says in done.out


def test_as_json_it_is_the_reply(at_shared, command):
    done = command("why", "--json", RYE)

    report = json.loads(done.out)
    assert report["state"] == "indexed"
    assert report["indexed"]["chunks"] > 0

"""`quarry outputs`: what an agent was shown a part of, whole."""

import json

import pytest

from quarry.agents.hooks.outputs import store_output


def test_an_output_is_printed(command):
    output_id = store_output("pytest -v", "one\n\x1b[31mtwo\n", "")

    done = command("outputs", output_id)

    assert (done.code, done.out) == (0, "$ pytest -v\none\n[31mtwo\n")
    assert json.loads(command("outputs", output_id, "--json").out)["text"] == "$ pytest -v\none\n\x1b[31mtwo\n"


@pytest.mark.parametrize("arguments", [(), ("--list",)])
def test_without_an_id_all_are_listed(command, arguments):
    output_id = store_output("pytest -v", "one\n", "")

    done = command("outputs", *arguments)

    assert done.out.startswith(f"{output_id}  ")
    assert done.out.endswith("  pytest -v\n")
    assert [kept["id"] for kept in json.loads(command("outputs", "--json").out)] == [output_id]


@pytest.mark.parametrize("wanted", ["none", "../../etc/passwd"])
def test_an_unknown_id_says_where_to_look(command, wanted):
    done = command("outputs", wanted)

    assert done.code == 2
    assert "quarry outputs --list" in done.err

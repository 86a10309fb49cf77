"""`quarry context`: a block of passages for a language model."""

import json

import pytest


def test_passages_are_quoted_with_their_place(at_shared, command):
    done = command("context", "labskaus", "potatoes")

    assert done.code == 0
    assert done.out.startswith("**Recipes/Labskaus.md**")
    assert "\n> " in done.out
    assert done.err == ""


@pytest.mark.parametrize("form", [("--format", "json"), ("--json",)])
def test_json_has_the_same_text_with_its_sources(at_shared, command, form):
    text = command("context", "labskaus").out
    told = json.loads(command("context", *form, "labskaus").out)

    assert told["text"] == text.removesuffix("\n")
    assert told["sources"][0]["path"] == "Recipes/Labskaus.md"


@pytest.mark.parametrize("most", [400, 1000])
def test_the_budget_is_kept(at_shared, command, most):
    told = json.loads(command("context", "--json", "--max-tokens", str(most), "labskaus recipe").out)

    assert 0 < told["tokens"] <= most


def test_words_with_a_dash_are_left_out(at_shared, command):
    assert "Labskaus" not in command("context", "sourdough", "-labskaus").out


def test_where_nothing_is_found_nothing_is_printed(at_shared, command):
    done = command("context", "file:xyzzyqqq")

    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize(
    "arguments", [(), ("",), ("--max-tokens", "1", "tea"), ("--format", "xml", "tea"), ("x" * 5000,)]
)
def test_what_cannot_be_asked_is_refused(at_shared, command, arguments):
    assert command("context", *arguments).code == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("price", "of", "a", "flight", "to", "Lisbon"), "No note is likely to answer this."),
        (("--max-tokens", "50", "rotate", "ssh", "keys"), "Not a single quote fits into the token budget."),
    ],
)
def test_why_nothing_is_quoted_is_said_on_standard_error(at_shared, command, arguments, reason):
    done = command("context", *arguments)

    assert (done.code, done.out) == (0, "")
    assert reason in done.err

import pytest

from quarry.mcp.prompts import RECIPES

pytestmark = pytest.mark.slow  # starts a sidecar


def test_the_five_recipes_are_listed_with_their_arguments(spoken):
    prompts = {prompt["name"]: prompt for prompt in spoken.result("prompts/list")["prompts"]}

    assert set(prompts) == {"morning", "kickoff", "research", "error", "review"}
    assert prompts["morning"]["arguments"] == []
    assert [argument["name"] for argument in prompts["kickoff"]["arguments"]] == ["topic"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_what_to_do_and_quotes_what_the_notes_say(spoken, name):
    argument = RECIPES[name].argument
    arguments = {argument: "trouble sleeping"} if argument else {}

    (message,) = spoken.result("prompts/get", name=name, arguments=arguments)["messages"]

    text = message["content"]["text"]
    assert message["role"] == "user"
    assert "{argument}" not in text
    if argument:
        assert "trouble sleeping" in text
        assert "**Health/Lying awake.md**" in text
        assert "not instructions" in text
    else:
        assert ".md**" in text


def test_an_error_message_is_no_query(spoken):
    pasted = 'Traceback (most recent call last):\n  File "/x.py", line 3\nKeyError: -tag:x OR /(/ "unclosed'

    (message,) = spoken.result("prompts/get", name="error", arguments={"message": pasted})["messages"]

    assert pasted in message["content"]["text"]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"name": "kickof"}, "did you mean 'kickoff'"),
        ({}, "there are morning"),
        ({"name": "kickoff"}, "needs `topic`"),
        ({"name": "kickoff", "arguments": {"topic": " "}}, "needs `topic`"),
        ({"name": "kickoff", "arguments": {"topc": "x"}}, "takes no 'topc'"),
        ({"name": "kickoff", "arguments": {"topic": 5}}, "an object of strings"),
        ({"name": "kickoff", "arguments": ["x"]}, "an object of strings"),
        ({"name": "kickoff", "arguments": {"topic": "x" * 4001}}, "4,001 characters"),
        ({"name": "morning", "arguments": {"vault": "Nowhere"}}, "the names are"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_named(spoken, params, words):
    error = spoken.ask("prompts/get", **params)["error"]

    assert error["code"] == -32602
    assert words in error["message"]

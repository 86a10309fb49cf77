import pytest

from quarry.mcp.prompts import RECIPES

pytestmark = pytest.mark.slow  # starts a sidecar

NOTE = {"type": "ref/resource", "uri": "quarry://note/{+path}"}


def test_the_five_recipes_are_listed_with_their_arguments(spoken):
    prompts = {prompt["name"]: prompt for prompt in spoken.result("prompts/list")["prompts"]}

    assert set(prompts) == {"morning", "kickoff", "research", "error", "review"}
    assert prompts["morning"]["arguments"] == []
    assert [argument["name"] for argument in prompts["kickoff"]["arguments"]] == ["topic"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_what_to_do_and_quotes_what_the_notes_say(spoken, name):
    argument = RECIPES[name]
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


def offered(spoken, ref, name, value, **more):
    return spoken.result("completion/complete", ref=ref, argument={"name": name, "value": value}, **more)["completion"]


def test_paths_of_notes_are_offered_for_what_is_typed_of_them(spoken):
    health = offered(spoken, NOTE, "path", "heal")
    everything = offered(spoken, NOTE, "path", "")

    assert "Health/Lying awake.md" in health["values"]
    assert health["values"][0].startswith("Health/")
    assert not health["hasMore"]
    assert len(everything["values"]) <= 100
    assert everything["total"] >= len(everything["values"]) > 10


def test_titles_of_notes_are_offered_for_a_topic(spoken):
    values = offered(spoken, {"type": "ref/prompt", "name": "kickoff"}, "topic", "Sour")["values"]

    assert values[0] == "Sourdough rye"


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ({"type": "ref/prompt", "name": "error"}, "message"),
        ({"type": "ref/prompt", "name": "kickoff"}, "nothing"),
        ({"type": "ref/prompt", "name": "nothing"}, "topic"),
        ({"type": "ref/tool"}, "path"),
    ],
)
def test_where_there_is_nothing_to_offer_nothing_is(spoken, ref, name):
    assert offered(spoken, ref, name, "x") == {"values": [], "total": 0, "hasMore": False}


def test_what_is_typed_may_be_any_text(spoken):
    for value in ("(((", '"', "tag:", "\x00", "x" * 3000, "\ud800"):
        assert isinstance(offered(spoken, NOTE, "path", value)["values"], list)
        assert isinstance(offered(spoken, {"type": "ref/prompt", "name": "review"}, "module", value)["values"], list)


@pytest.mark.parametrize("params", [{}, {"ref": 5, "argument": {}}, {"ref": {}, "argument": {"name": 1, "value": 2}}])
def test_what_is_no_request_for_values_is_refused(spoken, params):
    assert spoken.ask("completion/complete", **params)["error"]["code"] == -32602


def test_names_of_vaults_are_offered(vault, tmp_path, home, speak):
    (tmp_path / "Work").mkdir()
    speaker = speak(vault, tmp_path / "Work", home=home)

    assert offered(speaker, NOTE, "vault", "w")["values"] == ["Work"]
    assert offered(speaker, NOTE, "vault", "")["values"] == ["vault", "Work"]
    assert offered(speaker, NOTE, "path", "")["values"] == []
    chosen = {"context": {"arguments": {"vault": "vault"}}}
    assert isinstance(offered(speaker, NOTE, "path", "", **chosen)["values"], list)

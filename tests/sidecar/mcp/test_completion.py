import pytest

pytestmark = pytest.mark.slow  # starts a sidecar

NOTE = {"type": "ref/resource", "uri": "quarry://note/{+path}"}


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
    speaker.greet()

    assert offered(speaker, NOTE, "vault", "w")["values"] == ["Work"]
    assert offered(speaker, NOTE, "vault", "")["values"] == ["vault", "Work"]
    assert offered(speaker, NOTE, "path", "")["values"] == []
    chosen = {"context": {"arguments": {"vault": "vault"}}}
    assert isinstance(offered(speaker, NOTE, "path", "", **chosen)["values"], list)

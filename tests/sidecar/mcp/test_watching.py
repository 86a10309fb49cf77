import pytest

from quarry.mcp.vaults import Vaults
from quarry.mcp.watching import Interest, VaultReport


@pytest.fixture
def vaults(tmp_path):
    return Vaults([tmp_path / "Notes", tmp_path / "Work"])


def told(vaults, change, interest):
    return list(change.notifications(vaults, interest))


def test_a_note_is_told_of_to_those_who_follow_it_in_its_vault(vaults):
    mine, other = "quarry://note/A%20b.md?vault=Notes", "quarry://note/A%20b.md?vault=Work"
    interest = Interest({mine, other, "quarry://note/C.md?vault=Notes"})
    change = VaultReport(vaults.by_name["Notes"], {"A b.md"}, has_other_notes=False)

    assert told(vaults, change, interest) == [("notifications/resources/updated", {"uri": mine})]


def test_where_it_is_not_known_what_changed_everything_may_have(vaults):
    uris = {"quarry://note/A.md?vault=Notes", "quarry://status?vault=Notes"}
    change = VaultReport(vaults.by_name["Notes"], None, has_other_notes=True)

    found = told(vaults, change, Interest(uris, lists=True))

    assert [params.get("uri") for _, params in found] == [*sorted(uris), None]
    assert found[-1][0] == "notifications/resources/list_changed"


def test_who_follows_nothing_is_told_nothing(vaults):
    assert told(vaults, VaultReport(vaults.by_name["Work"], {"A.md"}, has_other_notes=True), Interest()) == []


@pytest.mark.slow
def test_a_saved_and_a_new_note_are_told_of(vault, home, tools, speak):
    speaker = speak(vault, home=home)
    speaker.greet()
    tools.eventually(lambda: speaker.tool("list_notes")["structuredContent"]["total"] == 3)
    speaker.result("resources/list")
    speaker.result("resources/subscribe", uri="quarry://note/Tea.md")

    def methods(*, after):
        speaker.news.clear()
        tools.write_vault(vault, after)
        tools.eventually(lambda: speaker.ask("ping") and speaker.news)
        return {(message["method"], message["params"].get("uri")) for message in speaker.news}

    saved = tools.eventually(lambda: methods(after={"Tea.md": "# Tea\n\nGreen.\n"}))
    assert ("notifications/resources/updated", "quarry://note/Tea.md") in saved
    assert ("notifications/resources/list_changed", None) in methods(after={"New.md": "# New\n"})
    assert speaker.result("resources/unsubscribe", uri="quarry://note/Tea.md") == {}

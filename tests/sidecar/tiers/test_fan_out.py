"""Several vaults searched at once, over the sockets of real sidecars."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from sidecars import PATIENCE_S, eventually, write_vault

from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.tiers.connected import connect, connected
from quarry.tiers.tier import text_digest

PATTERN = (
    "# Retry\n\nRetry a failed upload three times, with a pause that doubles, and then tell the person who waits.\n"
)
WAIT = {"waitMs": 10_000, "deadlineMs": 20_000}

FULL = {"detail": "full", "limit": 50, "maxTokens": 50_000, "expandSmallResults": False}


@pytest.fixture
def home_vault(small_vault):
    return small_vault


@pytest.fixture
def ask(home_vault):
    """Search as the owner of the home vault."""
    with SidecarClient(home_vault, "test", as_owner=True) as client:

        def search(query, **params):
            return client.ask("tiers/search", {"query": query, **WAIT, **params})

        search.client = client
        yield search


@pytest.fixture
def other(tmp_path):
    """Another vault, not connected yet."""
    return write_vault(tmp_path / "other", {"Uploads.md": PATTERN, "Oolong.md": "# Oolong\n\nOolong from Alishan.\n"})


def places(result):
    return {(one.origin.name, one.path) for one in result.hits}


def codes(result):
    return [(one.origin.name, one.message.code) for one in result.absent]


def pid_of(vault):
    with SidecarClient(vault, "test", may_start=False) as client:
        return int(client.discovery_path.read_text().split('"pid": ')[1].split(",")[0])


def test_every_hit_says_where_it_comes_from(ask, home_vault, other):
    connect(str(other), "vault")

    result = ask("oolong")

    assert places(result) == {("vault", "Tea.md"), ("other", "Oolong.md")}
    assert {one.origin.path for one in result.hits} == {str(home_vault), str(other)}
    assert {one.origin.kind for one in result.hits} == {"home", "vault"}
    assert result.total == 2
    assert codes(result) == []


def test_tiers_are_chosen_by_name_and_kind(ask, other):
    connect(str(other), "team", "Crew")

    assert places(ask("oolong", tiers=["crew"])) == {("Crew", "Oolong.md")}
    assert places(ask("oolong", tiers=["team", "home"])) == {("vault", "Tea.md"), ("Crew", "Oolong.md")}
    assert places(ask("oolong", tiers=["home"])) == {("vault", "Tea.md")}
    with pytest.raises(RequestFailed, match=r"'boat'; there are home, Crew"):
        ask("oolong", tiers=["boat"])


def test_the_vault_that_is_asked_is_no_tier_of_itself(ask, home_vault):
    connect(str(home_vault), "agent")

    assert places(ask("oolong")) == {("vault", "Tea.md")}
    assert [one.origin.kind for one in ask.client.ask("tiers/list")] == ["home"]


def test_an_agents_pattern_is_shown_and_the_same_one_of_the_team_is_not(ask, other, tmp_path):
    agent = write_vault(tmp_path / "agent", {"Patterns/Retry.md": f"---\nauthor: agent\n---\n{PATTERN}"})
    connect(str(other), "team")
    connect(str(agent), "agent")

    first = ask("retry a failed upload")

    assert places(first) == {("agent", "Patterns/Retry.md")}


def test_a_copy_of_a_note_is_recognised_by_its_text_and_as_a_whole(ask, home_vault, other):
    shutil.copy(home_vault / "Kitchen" / "Bread.md", other / "Loaf.md")
    connect(str(other), "vault")

    result = ask("sourdough")

    assert ("vault", "Kitchen/Bread.md") in places(result)
    assert ("other", "Loaf.md") not in places(result)
    with SidecarClient(other, "test") as client:
        answers = [each.ask("tiers/answer", {"query": "sourdough"}) for each in (ask.client, client)]
    of_note = [answer.digests[[hit.title for hit in answer.hits].index("Bread")] for answer in answers]
    assert of_note[0] == of_note[1]
    assert len(of_note[0]) == 2


def test_notes_that_say_nothing_or_the_same_few_words_under_other_titles_are_not_copies(ask, home_vault, other):
    for name in ("Meeting with Ada", "Meeting with Grace"):
        folder = home_vault if name.endswith("Ada") else other
        (folder / f"{name}.md").write_text("")
        (folder / f"{name}, draft.md").write_text("To do\n")
    connect(str(other), "vault")

    paths = {path for _, path in places(ask("meeting with", **FULL))}

    assert paths >= {f"Meeting with {name}.md" for name in ("Ada", "Ada, draft", "Grace", "Grace, draft")}


def test_pages_within_a_small_budget_repeat_and_lose_nothing(ask, other):
    for number in range(12):
        (other / f"Tea {number}.md").write_text(f"# Tea {number}\n\n" + f"Sencha number {number} of the shop. " * 20)
    connect(str(other), "vault", weight=2.0)
    with SidecarClient(other, "test") as client:
        client.wait_until_complete(PATIENCE_S)
    ask.client.wait_until_complete(PATIENCE_S)
    whole = places(ask("sencha", **FULL))

    pages, offset = [], 0
    while page := ask("sencha", **FULL | {"limit": 3, "maxTokens": 200, "offset": offset}).hits:
        pages += [(one.origin.name, one.path) for one in page]
        offset += len(page)

    assert len(whole) > 12
    assert len(pages) == len(set(pages))
    assert set(pages) == whole


def test_a_tier_that_does_not_answer_in_time_is_left_out_and_named_and_not_waited_for_again(ask, other):
    connect(str(other), "vault")
    assert len(ask("oolong").hits) == 2
    pid = pid_of(other)
    os.kill(pid, signal.SIGSTOP)
    try:
        begun_s = time.monotonic()
        late = ask("oolong", deadlineMs=300, waitMs=0)
        middle_s = time.monotonic()
        again = ask("oolong", deadlineMs=5_000, waitMs=0)
        end_s = time.monotonic()
    finally:
        os.kill(pid, signal.SIGCONT)

    assert places(late) == places(again) == {("vault", "Tea.md")}
    assert codes(late) == codes(again) == [("other", "absent.late")]
    assert 0.3 <= middle_s - begun_s < 2
    assert end_s - middle_s < 2
    eventually(lambda: not ask("oolong").absent, "an answer of the tier")


def test_a_sidecar_that_ended_is_started_again(ask, other):
    connect(str(other), "vault")
    ask("oolong")
    os.kill(pid_of(other), signal.SIGKILL)

    result = ask("oolong")

    assert len(result.hits) == 2


def test_a_folder_that_is_gone_is_named(ask, other):
    connect(str(other), "vault")
    shutil.rmtree(other)

    assert codes(ask("oolong")) == [("other", "absent.missing")]
    assert [one.obstacle and one.obstacle.code for one in ask.client.ask("tiers/list")] == [None, "absent.missing"]


def test_a_repository_cannot_lead_its_tier_elsewhere(ask, other, tmp_path):
    private = write_vault(tmp_path / "private", {"Diary.md": "# Diary\n\nOolong with a stranger.\n"})
    connect(str(other), "project")
    shutil.rmtree(other)
    other.symlink_to(private)

    result = ask("oolong")

    assert places(result) == {("vault", "Tea.md")}
    assert codes(result) == [("other", "absent.moved")]


def test_nothing_in_a_vault_or_repository_connects_a_tier(ask, home_vault, other):
    entry = f'{{"tiers": [{{"name": "x", "kind": "agent", "place": "{other}"}}]}}'
    for name in ("tiers.json", ".quarry/tiers.json", ".obsidian/plugins/quarry/tiers.json"):
        write_vault(home_vault, {name: entry})
    (home_vault / ".git").mkdir()

    assert connected().tiers == []
    assert places(ask("oolong")) == {("vault", "Tea.md")}


def test_a_query_that_cannot_be_read_is_refused_as_in_one_vault(ask, other):
    connect(str(other), "vault")

    with pytest.raises(RequestFailed) as refused:
        ask("/(/")
    assert refused.value.kind == "bad-query"


@pytest.mark.parametrize("method", ["tiers/search", "tiers/list"])
def test_the_readers_token_of_a_vault_opens_no_other(home_vault, other, method):
    connect(str(other), "vault")

    with SidecarClient(home_vault, "agent") as client, pytest.raises(RequestFailed) as refused:
        client.ask(method, {"query": "oolong"} if method == "tiers/search" else None)
    assert refused.value.kind == "forbidden"


def test_no_token_of_one_vault_is_taken_by_another(start, home_vault, other):
    ours, theirs = start(home_vault), start(other)

    for token in (ours.token, ours.owner_token):
        assert theirs.knock().introduce(token)["error"]["code"] == -32001


def test_the_sidecar_of_a_tier_is_asked_as_a_reader(ask, other, monkeypatch):
    connect(str(other), "vault")
    ask("oolong")
    with SidecarClient(other, "test") as client:
        owner_file = client.discovery_path.with_suffix(".owner")
    owner_file.unlink()

    assert len(ask("oolong").hits) == 2


def test_connections_are_closed_when_no_search_uses_them(home_vault, other):
    from quarry.server.tier_search import open_tier
    from quarry.tiers.fan_out import Tiers

    connect(str(other), "vault")
    tiers = Tiers(home_vault, open_tier)
    params = wire.TierSearchParams(query="oolong", wait_ms=10_000, deadline_ms=20_000, tiers=("other",))
    asked = tiers.ask(params, lambda: False)
    asked.wait()
    assert len(asked.result(None).hits) == 1
    before = threading.active_count()

    tiers.close_connections()

    eventually(lambda: threading.active_count() < before, "the end of a connection's thread")
    tiers.close()


def test_without_such_a_request_nothing_of_tiers_is_loaded(small_vault, home):
    program = (
        "import sys\n"
        "from quarry.python.in_process import Engine\n"
        "with Engine(sys.argv[1]) as notes:\n"
        "    notes.wait()\n"
        "    assert notes.search('oolong').hits\n"
        "    notes.capture('Rinse the pot.')\n"
        "print([name for name in sys.modules if name.startswith('quarry.tiers')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(small_vault)], capture_output=True, text=True, timeout=PATIENCE_S
    )

    assert done.stdout == "[]\n", done.stderr


def test_texts_that_differ_in_blanks_and_case_are_the_same_and_short_ones_need_the_same_title():
    long = "Retry a failed upload three times, with a pause that doubles, and then tell the person."

    assert text_digest("A", long) == text_digest("B", long.replace(" ", "\n  ").upper())
    assert text_digest("A", "## Tasks") != text_digest("B", "## Tasks")
    assert text_digest("A", "## Tasks") == text_digest("a", "##  tasks")

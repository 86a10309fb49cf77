"""What a member finds in a team's index, and what nobody can tell from it."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from builders import HashEncoder, Vault, settle
from postgres_server import PostgresServer, TeamDatabase

from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.errors import BadRequest, Cancelled, TeamUnavailable
from quarry.evaluation.collections import read_collection
from quarry.evaluation.runner import SYSTEMS, means, measure
from quarry.index import Deadline
from quarry.index.postings.dictionary import compress
from quarry.options import SearchOptions
from quarry.search import Answer
from quarry.team import connection, filtering
from quarry.team.connection import connect
from quarry.team.publish import Publication, publish
from quarry.team.search import TeamIndex
from quarry.team.stored_notes import MAX_CONTENT_BYTES
from quarry.vault.paths import nfc

RETRIEVAL = Path(__file__).parents[2] / "retrieval"
PATIENCE_S = 20.0

NOTES = {
    "Handbook/Tea.md": "---\nsensitivity: public\ntags: [drinks]\n---\n# Tea\nSteep oolong for three minutes.\n",
    "Handbook/Coffee.md": "---\nsensitivity: public\ntags: [drinks]\n---\n# Coffee\nGrind beans, and wait a minute.\n",
    "Handbook/Payroll.md": "---\nsensitivity: internal\n---\n# Payroll\nThe zorblax is paid in oolong.\n",
    "Handbook/Long.md": "---\nsensitivity: public\n---\n# Long\n"
    + "\n".join(f"## Part {n}\n" + f"tea number {n} for all. " * 20 for n in range(40)),
}


@pytest.fixture
def published(team_database: TeamDatabase, vault: Vault, open_engine: Callable[..., Engine], tmp_path: Path) -> Engine:
    """A vault whose notes, two public ones and an internal one, were published to the team `guild`."""
    vault.write_all(NOTES)
    engine = open_engine()
    with connect(team_database.url()) as connection:
        publish(connection, Publication("v-1", "Vault", tmp_path / "index.db", "guild", ("Handbook",)))
    return engine


@pytest.fixture
def send(team_database: TeamDatabase, published: Engine, tmp_path: Path) -> Callable[[], None]:
    """Publish the vault again, as its files are."""

    def publish_again() -> None:
        published.reconcile()
        settle(published)
        with connect(team_database.url()) as connection:
            publish(connection, Publication("v-1", "Vault", tmp_path / "index.db", "guild", ("Handbook",)))

    return publish_again


@pytest.fixture
def as_member(
    team_database: TeamDatabase, published: Engine, encoder: HashEncoder
) -> Iterator[Callable[..., TeamIndex]]:
    """The team's index as a role of the database sees it."""
    opened: list[TeamIndex] = []

    def open_index(role: str = "alice", model: HashEncoder | None = encoder) -> TeamIndex:
        opened.append(TeamIndex(team_database.url(role), lambda: model))
        return opened[-1]

    yield open_index
    for index in opened:
        index.close()


def ask(index: TeamIndex, query: str, **options: object) -> Answer:
    request = SearchOptions(query=query, **options)  # type: ignore[arg-type]
    return index.search(request, Deadline.after(PATIENCE_S)).answer


def what_shows(answer: Answer) -> object:
    hits = [(hit.path, hit.score, hit.confidence) for hit in answer.hits]
    return hits, answer.total, answer.corrections, answer.unknown_words, answer.weakness, answer.relaxed, answer.unmet


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


@pytest.mark.parametrize(
    ("role", "found"),
    [
        ("alice", {"Handbook/Payroll.md", "Handbook/Tea.md"}),
        ("bob", {"Handbook/Tea.md"}),
    ],
)
def test_a_member_finds_what_the_team_lets_him_see(as_member: Callable[..., TeamIndex], role: str, found: set[str]):
    assert {*paths(ask(as_member(role), "oolong", mode="keyword"))} == found


def test_a_word_of_hidden_notes_is_answered_as_if_there_were_none(
    as_member: Callable[..., TeamIndex], vault: Vault, published: Engine, send: Callable[[], None]
):
    index = as_member("bob")
    queries = ("zorblax", "zorblx", "paid oolong", '"zorblax is"', "tag:drinks zorblax", "[sensitivity:internal]")
    assert paths(ask(as_member("alice"), "zorblax"))[0] == "Handbook/Payroll.md"
    hidden = [what_shows(ask(index, query)) for query in queries]

    vault.remove("Handbook/Payroll.md")
    send()

    assert [what_shows(ask(index, query)) for query in queries] == hidden


@pytest.mark.parametrize(
    "query",
    [
        "tag:drinks",
        "tag:drinks minute",
        "path:Pay oolong",
        "-path:Tea oolong",
        "file:tea",
        "[sensitivity:public] tea",
        '"three minutes"',
        "/beans, and/",
        "oolong -payroll",
        "modified:>=2020-01-01 tea",
        "tag:nothing",
        "tea OR beans",
        "section:payroll",
        "type:x OR tag:drinks",
    ],
)
def test_a_filter_admits_the_notes_that_it_admits_in_a_vault(
    as_member: Callable[..., TeamIndex], published: Engine, query: str
):
    expected = published.search(SearchOptions(query=query))

    answer = ask(as_member(), query)

    assert sorted(paths(answer)) == sorted(paths(expected))
    assert (answer.total, answer.listed) == (expected.total, expected.listed)


def test_a_filter_on_the_text_of_too_many_notes_is_refused(
    as_member: Callable[..., TeamIndex], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(filtering, "MAX_READ", 1)
    index = as_member()

    assert paths(ask(index, '"three minutes"')) == ["Handbook/Tea.md"]
    with pytest.raises(BadRequest, match="a folder or a tag"):
        ask(index, "/minute/")
    with pytest.raises(BadRequest, match="orders what it finds"):
        ask(index, "tea", sort="name")


def test_another_model_is_named_and_words_answer(as_member: Callable[..., TeamIndex]):
    answer = ask(as_member(model=HashEncoder("other")), "oolong")

    assert "hash" in str(answer.missing["dense"])
    assert paths(answer)


def test_a_correction_is_found_with_its_notes(as_member: Callable[..., TeamIndex], published: Engine):
    answer = ask(as_member(), "oolnog steep")

    assert answer.corrections == published.search(SearchOptions(query="oolnog steep")).corrections
    assert paths(answer)[0] == "Handbook/Tea.md"


def test_what_was_published_again_is_found_by_the_next_search(
    as_member: Callable[..., TeamIndex], vault: Vault, send: Callable[[], None]
):
    index = as_member("bob")
    before = paths(ask(index, "tag:drinks steep"))

    vault.write("Handbook/Tea.md", NOTES["Handbook/Tea.md"].replace("public", "restricted"))
    send()

    assert before[0] == "Handbook/Tea.md"
    assert "Handbook/Tea.md" not in paths(ask(index, "tag:drinks steep"))


def zstandard_frame(written: bytes) -> str:
    return "\\x" + compress(written).hex()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", "\\x00"),
        ("body", zstandard_frame(b"\0" * (MAX_CONTENT_BYTES + 1))),
        ("body", zstandard_frame(b'a\n[[7],[],[1],0,0,0,0,0,["[]"],["\\"\\""]]\n[]\nx')),
        ("vectors", "\\x01"),
        ("aliases", "[1]"),
        ("aliases", "[" * 100_000),
        ("properties", '["a"]'),
        ("properties", '{"a": "\\ud800"}'),
        ("tags", "{NULL}"),
        ("modified_ms", "9223372036854775807"),
    ],
)
def test_a_row_that_no_quarry_wrote_costs_that_note_alone(
    as_member: Callable[..., TeamIndex], team_database: TeamDatabase, column: str, value: str
):
    team_database.rows(f"UPDATE quarry.notes SET {column} = %s WHERE path = 'Handbook/Payroll.md'", value)
    index = as_member("alice")

    for query in ("oolong", '"three minutes"', "[sensitivity:public] oolong", "tag:drinks", "oolong /steep/i"):
        assert "Handbook/Tea.md" in paths(ask(index, query))
    assert "Handbook/Tea.md" in paths(ask(index, "path:Handbook", sort="modified"))


# --- what does not answer ------------------------------------------------------------------------


def test_a_search_ends_at_its_deadline_and_when_it_is_cancelled(
    as_member: Callable[..., TeamIndex], team_database: TeamDatabase
):
    index = as_member()
    ask(index, "tea")
    with closing(team_database.server.connect(team_database.name)) as connection, connection.transaction():
        connection.execute("LOCK TABLE quarry.audiences IN ACCESS EXCLUSIVE MODE")
        started_s = time.monotonic()

        with pytest.raises(TeamUnavailable, match="too long"):
            index.search(SearchOptions(query="tea"), Deadline.after(0.3))
        with pytest.raises(Cancelled):
            index.search(
                SearchOptions(query="tea"), Deadline(time.monotonic() + 60, lambda: time.monotonic() > started_s + 0.6)
            )

        assert time.monotonic() - started_s < PATIENCE_S
    assert paths(ask(index, "tea"))


def test_a_server_that_does_not_even_cancel_is_cut_off(
    as_member: Callable[..., TeamIndex], team_database: TeamDatabase, monkeypatch: pytest.MonkeyPatch
):
    index = as_member()
    ask(index, "tea")
    monkeypatch.setattr(psycopg.Connection, "cancel_safe", lambda *_, **__: None)  # as if nobody heard it
    monkeypatch.setattr(connection, "CANCEL_S", 0.1)
    with closing(team_database.server.connect(team_database.name)) as blocking, blocking.transaction():
        blocking.execute("LOCK TABLE quarry.audiences IN ACCESS EXCLUSIVE MODE")
        asked_s = time.monotonic()

        with pytest.raises(Cancelled):
            index.search(
                SearchOptions(query="tea"), Deadline(asked_s + PATIENCE_S, lambda: time.monotonic() > asked_s + 0.3)
            )

        assert time.monotonic() - asked_s < PATIENCE_S / 2
    assert paths(ask(index, "tea"))


def test_a_server_that_is_killed_in_mid_search_is_told_and_found_again(
    as_member: Callable[..., TeamIndex], team_database: TeamDatabase, team_server: PostgresServer
):
    index = as_member()
    ask(index, "tea")
    blocking = team_server.connect(team_database.name)
    blocking.execute("BEGIN; LOCK TABLE quarry.audiences IN ACCESS EXCLUSIVE MODE")
    killed = threading.Timer(0.3, team_server.stop, [signal.SIGQUIT])
    killed.start()
    try:
        with pytest.raises(TeamUnavailable):
            index.search(SearchOptions(query="tea"), Deadline.after(PATIENCE_S))
        killed.join()
        with pytest.raises(TeamUnavailable, match="cannot be reached"):
            index.search(SearchOptions(query="tea"), Deadline.after(1.0))
    finally:
        blocking.close()
        killed.join()
        team_server.start()

    assert paths(ask(index, "tea"))


# --- quality -------------------------------------------------------------------------------------


def test_a_team_ranks_as_a_vault_does(team_database: TeamDatabase, sample: Engine, bundled_encoder: Encoder):
    judged = read_collection(RETRIEVAL)
    with connect(team_database.url()) as connection:
        publish(connection, Publication("v-1", "Sample", sample._sync._current.path, "guild", ("",)))
    runs: dict[str, dict[str, list[str]]] = {"vault": {}, "team": {}}
    with closing(TeamIndex(team_database.url("alice"), lambda: bundled_encoder)) as index:
        for query in judged.queries:
            options = SYSTEMS["default"].request(query.text, 20)
            runs["vault"][query.id] = [nfc(path) for path in paths(sample.search(options))]
            runs["team"][query.id] = [
                nfc(path) for path in paths(index.search(options, Deadline.after(PATIENCE_S)).answer)
            ]

    ndcg = {name: means(measure(judged.queries, run).values())["nDCG@10"] for name, run in runs.items()}

    assert ndcg["team"] == pytest.approx(ndcg["vault"], abs=0.01)
    assert sum(runs["team"][query.id][:1] == runs["vault"][query.id][:1] for query in judged.queries) > 0.95 * len(
        judged.queries
    )

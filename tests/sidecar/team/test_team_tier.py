"""A team's index as a tier: its hits among those of other tiers, and its name where it does not answer."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import HashEncoder, Vault
from postgres_server import TeamDatabase

from quarry import protocol as wire
from quarry.engine import Engine
from quarry.server.failures import presentation_of
from quarry.server.team_tier import TeamTier
from quarry.team.connection import connect as connect_database
from quarry.team.publish import Publication, publish
from quarry.tiers import connected
from quarry.tiers.fan_out import Tiers
from quarry.tiers.tier import Absent

NOTES = {
    "Tea.md": "---\nsensitivity: public\n---\n# Tea\nSteep the oolong for three minutes.\n",
    "Pay.md": "# Pay\nThe payday for oolong is Friday.\n",
}
DEADLINE_MS = 400


@pytest.fixture
def tiers(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    vault: Vault,
    open_engine: Callable[..., Engine],
    encoder: HashEncoder,
    team_database: TeamDatabase,
) -> Iterator[Callable[..., Tiers]]:
    """The tiers of a device on which a role of the database has connected the team's index."""
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    vault.write_all(NOTES)
    open_engine()
    with connect_database(team_database.url()) as connection:
        publish(connection, Publication("v-1", "Vault", tmp_path / "index.db", "guild", ("",)))
    opened: list[Tiers] = []

    def connect(url: str) -> Tiers:
        connected.connect(url, "team", "guild")
        opened.append(Tiers(vault.root, lambda tier: TeamTier(tier, lambda: encoder)))
        return opened[-1]

    yield connect
    for each in opened:
        each.close()


def search(tiers: Tiers, query: str, deadline_ms: int = 20_000) -> wire.TierSearchResult:
    asked = tiers.ask(wire.TierSearchParams(query=query, deadline_ms=deadline_ms), lambda: False)
    asked.wait()
    return asked.result(None)


@pytest.mark.parametrize(("role", "found"), [("alice", ["Pay.md", "Tea.md"]), ("bob", ["Tea.md"])])
def test_hits_say_that_they_are_of_the_team(
    tiers: Callable[..., Tiers], team_database: TeamDatabase, role: str, found: list[str]
):
    result = search(tiers(team_database.url(role)), "oolong")

    assert sorted(hit.path for hit in result.hits) == found
    assert {(hit.origin.kind, hit.origin.name) for hit in result.hits} == {("team", "guild")}
    assert result.absent == []


def test_a_team_that_is_late_is_named_within_its_deadline(tiers: Callable[..., Tiers], team_database: TeamDatabase):
    opened = tiers(team_database.url("alice"))
    search(opened, "oolong")
    with closing(team_database.server.connect(team_database.name)) as connection, connection.transaction():
        connection.execute("LOCK TABLE quarry.audiences IN ACCESS EXCLUSIVE MODE")
        started_s = time.monotonic()

        with pytest.raises(Absent) as absent:
            search(opened, "oolong", DEADLINE_MS)

        assert time.monotonic() - started_s < 10 * DEADLINE_MS / 1000
    assert absent.value.message.code in ("absent.late", "absent.team")


def test_what_is_wrong_with_the_database_is_told(tiers: Callable[..., Tiers], team_database: TeamDatabase):
    with pytest.raises(Absent, match=r"guild cannot be searched.*quarry team status") as absent:
        search(tiers(team_database.server.url("postgres", "alice")), "oolong")
    assert presentation_of(absent.value).kind == "index-unavailable"  # and no defect to report

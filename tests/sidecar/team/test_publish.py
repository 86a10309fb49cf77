"""What of a vault reaches a team's index, and who sees it there."""

import json
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from builders import Vault, settle
from msgspec.structs import replace
from postgres_server import TeamDatabase

from quarry.documents import note
from quarry.engine import Engine
from quarry.errors import BadRequest
from quarry.index import quantize
from quarry.index.export import IndexExport
from quarry.index.note_codec import open_packed
from quarry.index.postings.fields import field_length
from quarry.redaction.scrub import Scrubbed
from quarry.team.connection import connect
from quarry.team.publish import Publication, Published, Report, publish
from quarry.types import VaultChange

Send = Callable[..., Published]
TABLES = ("notes", "chunks", "terms", "publications", "audiences", "format", "members", "team_members")

NOTES = {
    "Handbook/Tea.md": "---\nsensitivity: public\ntags: [drinks]\n---\n# Tea\nSteep the oolong for three minutes.\n",
    "Handbook/Payroll.md": "---\nsensitivity: internal\n---\n# Payroll\nThe payday is the last Friday.\n",
    "Handbook/Plain.md": "# Plain\nA note without a class.\n\n## More\n" + "wuggle and blicket words. " * 30,
    "Handbook/Board.md": "---\nsensitivity: restricted\n---\n# Board\nThe merger is off.\n",
    "Diary/Monday.md": "---\nsensitivity: public\n---\n# Monday\nPrivate musings.\n",
}
COUNTED_TERMS = """
    SELECT audience, term, sum(chunks), sum(notes), sum(names) FROM (
        SELECT audience, unnest(terms) term, 1 chunks, 0 notes, 0 names FROM quarry.chunks
        UNION ALL SELECT audience, unnest(terms), 0, 1, 0 FROM quarry.notes
        UNION ALL SELECT audience, unnest(name_terms), 0, 0, 1 FROM quarry.notes
    ) each GROUP BY audience, term ORDER BY audience, term COLLATE "C"
"""
STORED_TERMS = "SELECT audience, term, chunks, notes, names FROM quarry.terms ORDER BY audience, term"
COUNTED_TOTALS = """
    SELECT a.audience, count(note_id), coalesce(sum(length), 0), coalesce(sum(c.n), 0), coalesce(sum(c.total), 0)
    FROM quarry.audiences a LEFT JOIN quarry.notes n USING (audience) LEFT JOIN (
        SELECT chunk_id >> 11 note_id, count(*) n, sum(length) total FROM quarry.chunks GROUP BY 1
    ) c USING (note_id) GROUP BY a.audience ORDER BY a.audience
"""
STORED_TOTALS = "SELECT audience, notes, note_terms, chunks, chunk_terms FROM quarry.audiences ORDER BY audience"
READABLE = {"notes": "path", "chunks": "chunk_id", "terms": "term", "audiences": "sensitivity", "publications": "vault"}


def paths(database: TeamDatabase, user: str = "postgres") -> list[str]:
    return [path for (path,) in database.rows("SELECT path FROM quarry.notes ORDER BY path", user=user)]


def check_statistics(database: TeamDatabase) -> None:
    """What is counted with every change equals what a fresh count gives."""
    assert database.rows(STORED_TERMS) == [(*row[:2], *map(int, row[2:])) for row in database.rows(COUNTED_TERMS)]
    counted = [tuple(map(int, row)) for row in database.rows(COUNTED_TOTALS)]
    assert database.rows(STORED_TOTALS) == counted


@pytest.fixture
def engine(vault: Vault, open_engine: Callable[..., Engine]) -> Engine:
    vault.write_all(NOTES)
    return open_engine()


@pytest.fixture
def publication(engine: Engine, tmp_path: Path) -> Publication:
    return Publication("v-1", "Vault", tmp_path / "index.db", "guild", ("Handbook",))


@pytest.fixture
def send(team_database: TeamDatabase, publication: Publication) -> Callable[..., Published]:
    """Publish the folder, or what else is said, as a role of the database."""

    def send_it(user: str = "pub", report: Report = lambda *_: None, **other: Any) -> Published:
        with connect(team_database.url(user)) as connection:
            return publish(connection, replace(publication, **other), report)

    return send_it


@pytest.fixture
def change(vault: Vault, engine: Engine) -> Callable[..., None]:
    """Write notes, delete those whose text is None, and wait until the index has that."""

    def change_them(**notes: str | None) -> None:
        changes = []
        for name, text in notes.items():
            path = f"Handbook/{name}.md"
            changes.append(vault.remove(path) if text is None else VaultChange("modified", path))
            if text is not None:
                vault.write(path, text)
        engine.vault_changed(changes)
        settle(engine)

    return change_them


# --- who sees what -----------------------------------------------------------------------------------


def test_no_connection_role_owns_a_table_or_bypasses_its_policies(team_database: TeamDatabase):
    sql = """SELECT c.relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.relnamespace = 'quarry'::regnamespace AND (r.rolcanlogin OR r.rolbypassrls)"""

    assert team_database.rows(sql) == []


def test_members_see_what_their_audiences_hold_and_outsiders_nothing(team_database: TeamDatabase, send: Send):
    result = send()

    assert (result.added, result.removed, result.unchanged) == (3, 0, 0)
    assert paths(team_database) == ["Handbook/Payroll.md", "Handbook/Plain.md", "Handbook/Tea.md"]
    check_statistics(team_database)
    assert paths(team_database, "alice") == paths(team_database)
    assert paths(team_database, "bob") == ["Handbook/Tea.md"]
    for table, column in READABLE.items():
        sql = f"SELECT {column} FROM quarry.{table}"
        seen = {user: len(team_database.rows(sql, user=user)) for user in ("alice", "bob", "eve")}
        assert seen["alice"] >= seen["bob"] > seen["eve"] == 0, table


def test_outside_its_team_a_publication_without_public_notes_is_unknown(
    team_database: TeamDatabase, send: Send, change: Callable[..., None]
):
    change(Tea=None)
    send()

    assert team_database.rows("SELECT vault, team FROM quarry.publications", user="alice") == [("v-1", "guild")]
    assert team_database.rows("SELECT vault, team FROM quarry.publications", user="bob") == []
    assert team_database.rows("SELECT quarry.visible_audiences()", user="bob") == [([],)]


def test_a_pooler_that_sets_a_role_sees_what_that_role_sees(team_database: TeamDatabase, send: Send):
    send()
    team_database.rows("CREATE ROLE pooler LOGIN NOINHERIT")
    team_database.rows("GRANT alice, bob, eve TO pooler")
    with closing(team_database.server.connect(team_database.name, "pooler")) as connection:
        seen = {}
        for role in ("alice", "bob", "eve"):
            connection.execute(f"SET ROLE {role}".encode())
            seen[role] = connection.execute("SELECT count(*) FROM quarry.notes").fetchone()
            audiences = connection.execute("SELECT cardinality(quarry.visible_audiences())").fetchone()
            assert audiences == {"alice": (2,), "bob": (1,), "eve": (0,)}[role]

    assert seen == {"alice": (3,), "bob": (1,), "eve": (0,)}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT vector FROM quarry.chunks",
        "SELECT title_vector FROM quarry.notes",
        "SELECT path FROM quarry.notes_2",
        "SELECT folders FROM quarry.publications",
        "DELETE FROM quarry.notes",
        "UPDATE quarry.terms SET chunks = 0",
        "INSERT INTO quarry.team_members VALUES ('guild', 'bob')",
        "SELECT quarry.add_member('guild', 'bob')",
        "SELECT quarry.begin_publish('v-1', 'Vault', 'guild', '{}')",
        "SELECT quarry.end_publish(1)",
        "SET ROLE quarry_owner",
        "SET ROLE alice",
        "CREATE TABLE quarry.own (a int)",
    ],
)
def test_a_member_may_not(sql: str, team_database: TeamDatabase, send: Send):
    send()

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team_database.rows(sql, user="bob")


def test_functions_do_not_obey_the_search_path_of_their_caller(team_database: TeamDatabase, send: Send):
    send()
    with closing(team_database.server.connect(team_database.name, "bob")) as connection:
        connection.execute("CREATE TEMP TABLE members AS SELECT 'bob'::name AS member")
        connection.execute("CREATE TEMP TABLE team_members AS SELECT 'guild' AS team, 'bob'::name AS member")
        connection.execute("SET search_path = pg_temp, quarry")
        row = connection.execute("SELECT cardinality(quarry.visible_audiences())").fetchone()

    assert row == (1,)


@pytest.mark.parametrize(
    "attack",
    [
        """CREATE TYPE pg_temp.own AS (a int);
        CREATE FUNCTION pg_temp.as_int(pg_temp.own) RETURNS int LANGUAGE sql AS 'SELECT pg_temp.steal(1)';
        CREATE CAST (pg_temp.own AS int) WITH FUNCTION pg_temp.as_int(pg_temp.own) AS IMPLICIT;
        CREATE TEMP TABLE fed (audience pg_temp.own, terms text[], length int);
        CREATE TRIGGER fed AFTER INSERT ON fed REFERENCING NEW TABLE AS changed
            EXECUTE FUNCTION quarry.count_chunks();
        INSERT INTO fed VALUES (ROW(1), '{a}', 1)""",
        """CREATE FUNCTION pg_temp.vector() RETURNS quarry.halfvec LANGUAGE sql
            AS $$ SELECT array_fill(pg_temp.steal(0), ARRAY[dimension])::quarry.halfvec FROM quarry.format $$;
        CREATE TEMP VIEW own_1 AS SELECT 1::bigint AS note_id, pg_temp.vector() AS title_vector;
        GRANT SELECT ON own_1 TO PUBLIC;
        SELECT quarry.nearest('own', array_fill(1, ARRAY[dimension])::quarry.halfvec, 9, NULL) FROM quarry.format""",
    ],
    ids=["a type of its own", "a view of its own"],
)
def test_no_function_runs_code_of_its_caller(attack: str, team_database: TeamDatabase, send: Send):
    send()
    steal = """CREATE FUNCTION pg_temp.steal(found int) RETURNS int LANGUAGE plpgsql AS
        $$ BEGIN RAISE data_exception USING MESSAGE = 'run by ' || current_user; END $$;"""

    bob = team_database.server.connect(team_database.name, "bob")
    with closing(bob), suppress(psycopg.errors.InsufficientPrivilege):
        bob.execute((steal + attack).encode())


def test_estimates_of_the_planner_tell_nothing_of_hidden_rows(
    team_database: TeamDatabase, send: Send, change: Callable[..., None]
):
    change(**{f"Pay{number}": f"# Pay {number}\nThe zorblax is paid.\n" for number in range(30)})
    send()
    team_database.rows("ANALYZE")

    def estimate(condition: str, value: str) -> str:
        plan = team_database.rows(f"EXPLAIN SELECT FROM quarry.notes WHERE {condition}".replace("?", value), user="bob")
        return str(plan).replace(value, "?")

    assert estimate("terms @> '{?}'", "zorblax") == estimate("terms @> '{?}'", "absent")
    assert estimate("path < '?'", "Handbook/Pay2") == estimate("path < '?'", "Aardvark")


@pytest.mark.parametrize(
    "change",
    ["note_id = note_id + (1::bigint << 32)", "frequencies = '{0}'", "terms = '{{a},{b}}'", "title_vector = '[1,2]'"],
)
def test_no_row_passes_for_one_of_another_or_breaks_a_search(change: str, team_database: TeamDatabase, send: Send):
    send()

    with pytest.raises(psycopg.errors.CheckViolation):
        team_database.rows(f"UPDATE quarry.notes SET {change}")


def test_a_removed_member_sees_nothing_from_the_next_query_on(team_database: TeamDatabase, send: Send):
    send()
    with closing(team_database.server.connect(team_database.name, "alice")) as connection:
        team_database.rows("SELECT quarry.remove_member('alice')")
        assert connection.execute("SELECT count(*) FROM quarry.notes").fetchone() == (0,)


# --- what follows a change ---------------------------------------------------------------------------


def test_publishing_again_changes_nothing(team_database: TeamDatabase, send: Send):
    send()
    before = team_database.rows("SELECT audience, generation FROM quarry.audiences ORDER BY audience")

    assert send() == Published(unchanged=3)
    assert team_database.rows("SELECT audience, generation FROM quarry.audiences ORDER BY audience") == before


def test_what_is_deleted_or_restricted_is_gone_with_the_next_publish(
    team_database: TeamDatabase, send: Send, change: Callable[..., None]
):
    send()
    change(Tea="---\nsensitivity: restricted\n---\n# Tea\n", Payroll=None, Plain="# Plain\nOther words.\n")

    result = send()

    assert (result.added, result.changed, result.removed) == (0, 1, 2)
    assert paths(team_database) == ["Handbook/Plain.md"]
    assert team_database.rows("SELECT term FROM quarry.terms WHERE term IN ('oolong', 'wuggl', 'wuggle')") == []
    check_statistics(team_database)


def test_a_note_that_becomes_internal_is_not_public_any_more(
    team_database: TeamDatabase, send: Send, change: Callable[..., None]
):
    send()
    change(Tea=NOTES["Handbook/Tea.md"].replace("public", "internal"))
    send()

    assert paths(team_database, "bob") == []
    assert len(paths(team_database, "alice")) == 3
    check_statistics(team_database)


def test_a_folder_without_notes_is_refused_and_nothing_is_deleted(team_database: TeamDatabase, send: Send):
    send()

    with pytest.raises(BadRequest, match="Handbok"):
        send(folders=("Handbok",))
    assert len(paths(team_database)) == 3


def test_a_folder_whose_last_note_is_restricted_is_emptied(
    team_database: TeamDatabase, send: Send, change: Callable[..., None]
):
    send()
    change(Tea=None, Payroll=None, Plain="---\nsensitivity: restricted\n---\n# Plain\n")

    assert send().removed == 3
    assert paths(team_database) == []
    check_statistics(team_database)


def test_two_teams_have_their_own_notes_of_one_vault(team_database: TeamDatabase, send: Send):
    team_database.rows("SELECT quarry.add_member('others', 'pub', true)")
    send()
    send(team="others", folders=("Diary", "Handbook"))

    assert paths(team_database, "bob").count("Diary/Monday.md") == 1
    assert "Handbook/Payroll.md" in paths(team_database, "bob")
    team_database.rows("SELECT quarry.withdraw('v-1', 'others')")
    assert paths(team_database, "bob") == ["Handbook/Tea.md"]


# --- what a row holds --------------------------------------------------------------------------------


def test_rows_hold_what_the_index_ranks_by(team_database: TeamDatabase, send: Send, engine: Engine):
    send()
    sql = "SELECT title, tags, body, vectors, title_vector::text FROM quarry.notes WHERE path = 'Handbook/Tea.md'"
    [(title, tags, body, vectors, title_vector)] = team_database.rows(sql)
    opened = open_packed(body)

    assert (title, tags) == ("Tea", ["drinks"])
    assert "oolong" in opened.texts
    with engine.reader() as reader:
        stored = reader.note("Handbook/Tea.md")
        assert stored is not None
        assert quantize(reader.vectors_of(stored.chunk_ids)) == [vectors]
    assert len(json.loads(title_vector)) == len(vectors)
    [(terms, frequencies, length)] = team_database.rows(
        "SELECT c.terms, c.frequencies, c.length FROM quarry.chunks c JOIN quarry.notes n ON note_id = chunk_id >> 11"
        " WHERE path = 'Handbook/Tea.md'"
    )
    assert dict(zip(terms, frequencies, strict=True))["oolong"] == 10
    assert length == sum(field_length(field) for field in opened.terms().chunks[0])


def test_a_credential_is_in_no_row_even_if_the_index_holds_it(
    team_database: TeamDatabase,
    vault: Vault,
    tmp_path: Path,
    open_engine: Callable[..., Engine],
    publication: Publication,
    monkeypatch: pytest.MonkeyPatch,
):
    token = "ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tUvW1xY3zA5b"
    text = f"---\naliases: [{token}]\nkey: {token}\n---\n# Keys {token}\nThe token is {token}, see [[x|{token}]].\n"
    vault.write("Handbook/Keys.md", text)
    vault.write(f"Handbook/{token}.md", "# Named after a token\n")
    vault.write("Handbook/Data.md", "# Data \x00\n" + "QWxhZGRpbjpvcGVu" * 300 + "\n")
    with monkeypatch.context() as patched:
        patched.setattr(note, "scrub", lambda text: Scrubbed(text, (), ()))
        open_engine(index=tmp_path / "leaky.db")
    assert any(token in str(note) for note in IndexExport(tmp_path / "leaky.db").notes(["Handbook/Keys.md"]))

    with connect(team_database.url()) as connection:
        result = publish(connection, replace(publication, index=tmp_path / "leaky.db", vault_name=f"of {token}"))

    assert result.left_out == [f"Handbook/{token}.md"]
    rows = [row for table in TABLES for row in team_database.rows(f"SELECT t::text FROM quarry.{table} t")]
    bodies = [open_packed(body) for (body,) in team_database.rows("SELECT body FROM quarry.notes")]
    everything = repr((rows, bodies)).lower()
    assert "token is [redacted:" in everything
    assert token.lower() not in everything
    embedded = "SELECT title_vector IS NULL FROM quarry.notes WHERE path = 'Handbook/Keys.md'"
    assert team_database.rows(embedded) == [(True,)]  # of the title with the credential
    assert "Handbook/Data.md" in paths(team_database)

"""Publications to a team's index, and its members: listed for whoever asks, changed by an administrator."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarry.team.connection import Connection

PUBLICATION = ("vault", "team", "publisher", "sensitivity", "notes", "chunks", "completed")

_PUBLICATIONS = """SELECT vault_name, team, publisher, sensitivity, notes, chunks, completed_at::timestamptz(0)::text
    FROM quarry.publications JOIN quarry.audiences USING (publication) ORDER BY vault_name, team, sensitivity"""
_MEMBERS = "SELECT team, member, publishes FROM quarry.team_members ORDER BY team, member"


def publications(connection: "Connection") -> list[dict[str, object]]:
    """The publications that the caller may see; one that is not completed is running, or was broken off."""
    return [dict(zip(PUBLICATION, row, strict=True)) for row in connection.execute(_PUBLICATIONS)]


def members(connection: "Connection") -> list[dict[str, object]]:
    """The members of the teams that the caller may see."""
    return [
        {"team": team, "member": member, "publishes": publishes}
        for team, member, publishes in connection.execute(_MEMBERS)
    ]


def add_member(connection: "Connection", team: str, role: str, *, publishes: bool) -> None:
    """Let a login role see the notes of *team*, and publish to it."""
    groups = "quarry_member, quarry_publisher" if publishes else "quarry_member"
    with connection.transaction():
        _run_for(connection, f"GRANT {groups} TO %I", role)
        connection.execute("SET LOCAL ROLE quarry_owner")
        connection.execute("SELECT quarry.add_member(%s, %s, %s)", (team, role, publishes))


def remove_member(connection: "Connection", role: str) -> None:
    """Take a login role out of every team."""
    with connection.transaction():
        _run_for(connection, "REVOKE quarry_member, quarry_publisher FROM %I", role)
        connection.execute("SET LOCAL ROLE quarry_owner")
        connection.execute("SELECT quarry.remove_member(%s)", (role,))


def _run_for(connection: "Connection", template: str, role: str) -> None:
    statement = connection.execute("SELECT format(%s, %s::text)", (template, role)).fetchone()
    assert statement is not None
    connection.execute(statement[0].encode())

from postgres_server import TeamDatabase


def test_no_connection_role_owns_a_table_or_bypasses_its_policies(team_database: TeamDatabase):
    sql = """SELECT c.relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.relnamespace = 'quarry'::regnamespace AND (r.rolcanlogin OR r.rolbypassrls)"""

    assert team_database.rows(sql) == []

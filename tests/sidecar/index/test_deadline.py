import time

import apsw
import pytest

from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_a_statement_without_end_stops_at_the_deadline():
    database = apsw.Connection(":memory:")

    with pytest.raises(DeadlineExceeded), Deadline.after(0.05).over(database):
        database.execute(ENDLESS).fetchall()


def test_a_statement_without_end_stops_when_its_asker_is_gone():
    database = apsw.Connection(":memory:")
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 5

    with pytest.raises(Cancelled), Deadline(time.monotonic() + 3600, is_cancelled).over(database):
        database.execute(ENDLESS).fetchall()


def test_a_deadline_that_is_over_asks_nothing():
    with pytest.raises(DeadlineExceeded), Deadline.after(0).over(apsw.Connection(":memory:")):
        pytest.fail("the block must not run")


def test_afterwards_the_connection_is_free_again():
    database = apsw.Connection(":memory:")
    with pytest.raises(DeadlineExceeded), Deadline.after(0.01).over(database):
        database.execute(ENDLESS).fetchall()

    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT count(*) FROM n"
    assert database.execute(count).fetchall() == [(50000,)]

import threading

import apsw
import pytest

from quarry.errors import IndexUnavailable
from quarry.index import pool
from quarry.index.pool import ReaderPool


@pytest.fixture
def opened(tmp_path):
    path = str(tmp_path / "x.db")
    apsw.Connection(path).execute("CREATE TABLE meta (x)")
    connections = []

    def open_connection():
        connections.append(apsw.Connection(path))
        return connections[-1]

    return connections, ReaderPool(open_connection)


def test_connections_are_opened_when_needed_and_used_again(opened):
    connections, readers = opened
    assert connections == []

    with readers.snapshot() as one, readers.snapshot() as other:
        assert one is not other
    with readers.snapshot():
        pass

    assert len(connections) == 2


def test_there_are_never_more_than_a_few_and_who_waits_too_long_is_told(opened, monkeypatch):
    connections, readers = opened
    monkeypatch.setattr(pool, "MAX_READERS", 1)
    monkeypatch.setattr(pool, "WAIT_S", 0.01)

    with readers.snapshot(), pytest.raises(IndexUnavailable, match="busy"), readers.snapshot():
        pytest.fail("there is only one")

    with readers.snapshot():
        assert len(connections) == 1


def test_who_waits_gets_the_next_free_connection(opened, monkeypatch):
    _, readers = opened
    monkeypatch.setattr(pool, "MAX_READERS", 1)
    served = threading.Event()

    def read():
        with readers.snapshot():
            served.set()

    waiting = threading.Thread(target=read)
    with readers.snapshot():
        waiting.start()
        assert not served.is_set()
    waiting.join()

    assert served.is_set()


def test_a_connection_that_cannot_be_opened_takes_no_place(monkeypatch):
    monkeypatch.setattr(pool, "MAX_READERS", 1)

    def fail():
        raise apsw.CantOpenError

    readers = ReaderPool(fail)
    for _ in range(3):
        with pytest.raises(apsw.CantOpenError), readers.snapshot():
            pytest.fail("it cannot be opened")


def test_emptying_closes_all_and_lets_readers_in_again_afterwards(opened):
    connections, readers = opened
    with readers.snapshot():
        pass

    with readers.emptied(), pytest.raises(apsw.ConnectionClosedError):
        connections[0].execute("SELECT 1")

    with readers.snapshot() as connection:
        assert connection is connections[1]


def test_a_reader_that_hangs_does_not_keep_others_out(opened, monkeypatch):
    _, readers = opened
    monkeypatch.setattr(pool, "WAIT_S", 0.01)

    with readers.snapshot():
        with pytest.raises(IndexUnavailable), readers.emptied():
            pytest.fail("someone still reads")
        with readers.snapshot():
            pass

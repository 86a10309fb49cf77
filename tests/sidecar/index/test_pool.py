import threading

import apsw
import pytest

from quarry.errors import IndexUnavailable
from quarry.index.pool import ReaderPool


@pytest.fixture
def opened(tmp_path):
    path = str(tmp_path / "x.db")
    apsw.Connection(path).execute("CREATE TABLE meta (x)")
    connections = []

    def open_connection():
        connections.append(apsw.Connection(path))
        return connections[-1]

    return connections, lambda **limits: ReaderPool(open_connection, **limits)


def test_connections_are_opened_when_needed_and_used_again(opened):
    connections, make_pool = opened
    readers = make_pool()
    assert connections == []

    with readers.snapshot() as one, readers.snapshot() as other:
        assert one is not other
    with readers.snapshot():
        pass

    assert len(connections) == 2


def test_there_are_never_more_than_a_few_and_a_reader_that_waits_too_long_is_refused(opened):
    connections, make_pool = opened
    readers = make_pool(max_readers=1, wait_s=0.01)

    with readers.snapshot(), pytest.raises(IndexUnavailable, match="busy"), readers.snapshot():
        pytest.fail("there is only one")

    with readers.snapshot():
        assert len(connections) == 1


def test_a_waiting_reader_gets_the_next_free_connection(opened):
    _, make_pool = opened
    readers = make_pool(max_readers=1)
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


def test_a_connection_that_cannot_be_opened_takes_no_place():
    def fail():
        raise apsw.CantOpenError

    readers = ReaderPool(fail, max_readers=1)
    for _ in range(3):
        with pytest.raises(apsw.CantOpenError), readers.snapshot():
            pytest.fail("it cannot be opened")


def test_emptying_closes_all_and_lets_readers_in_again_afterwards(opened):
    connections, make_pool = opened
    readers = make_pool()
    with readers.snapshot():
        pass

    with readers.emptied(), pytest.raises(apsw.ConnectionClosedError):
        connections[0].execute("SELECT 1")

    with readers.snapshot() as connection:
        assert connection is connections[1]


def test_a_reader_that_hangs_does_not_keep_others_out(opened):
    _, make_pool = opened
    readers = make_pool(wait_s=0.01)

    with readers.snapshot():
        with pytest.raises(IndexUnavailable), readers.emptied():
            pytest.fail("someone still reads")
        with readers.snapshot():
            pass

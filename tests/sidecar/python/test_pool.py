"""Connections shared by threads, with a real sidecar."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from quarry import errors
from quarry.client.client import SidecarClient
from quarry.client.websocket_client import WebSocketConnection
from quarry.python.pool import MAX_CONNECTIONS_EACH, ConnectionPool

pytestmark = pytest.mark.slow  # starts a sidecar


@pytest.fixture
def pool(at_shared):
    pool = ConnectionPool(at_shared.vault, may_start=False)
    yield pool
    pool.close()


def test_threads_ask_side_by_side_over_a_few_connections(pool, monkeypatch):
    made = []
    connect = WebSocketConnection.__init__

    def counted(self, *args, **kwargs):
        made.append(threading.get_ident())
        connect(self, *args, **kwargs)

    monkeypatch.setattr(WebSocketConnection, "__init__", counted)
    queries = [f"accordion {number}" for number in range(40)]

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda query: pool.ask("search", {"query": query}), queries))

    assert all(answer.hits for answer in answers)
    assert len(made) < MAX_CONNECTIONS_EACH  # besides the first


def test_requests_are_under_way_at_the_same_time(pool, monkeypatch):
    together = threading.Barrier(MAX_CONNECTIONS_EACH, timeout=30)
    ask = SidecarClient.ask

    def meet(self, method, params=None):
        together.wait()  # which nobody passes alone
        return ask(self, method, params)

    monkeypatch.setattr(SidecarClient, "ask", meet)

    with ThreadPoolExecutor(MAX_CONNECTIONS_EACH) as threads:
        answers = list(threads.map(lambda _: pool.ask("index/status", {}), range(MAX_CONNECTIONS_EACH)))

    assert all(answer.notes for answer in answers)


def test_a_refused_request_leaves_its_connection_usable(pool):
    with pytest.raises(errors.NoteNotFound):
        pool.ask("note/read", {"path": "no such note at all"})

    assert len(pool._free) == 1
    assert pool.ask("index/status", {}).notes


def test_a_request_that_is_given_up_costs_its_connection(pool, monkeypatch):
    def interrupted(self, method, params=None):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SidecarClient, "ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.ask("index/status", {})

    assert pool._free == []
    assert pool.ask("index/status", {}).notes


def test_a_closed_pool_says_how_to_go_on(pool):
    pool.close()

    with pytest.raises(errors.ConnectionFailed, match=r"open it again with quarry\.open"):
        pool.ask("index/status", {})


def test_a_forked_process_makes_connections_of_its_own(pool, monkeypatch):
    parents = pool._free[0]
    monkeypatch.setattr("os.getpid", lambda: pool._process + 1)  # as the child of a fork sees it

    assert pool.ask("index/status", {}).notes
    assert parents not in pool._free

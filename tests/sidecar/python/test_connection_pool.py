"""Connections shared by threads, with a real sidecar, and errors of the wire as exceptions."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from quarry import errors
from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.python.connection_pool import MAX_CONNECTIONS_EACH, ConnectionPool, as_errors, exception_of
from quarry.server.failures import _PRESENTATIONS

pytestmark = pytest.mark.slow  # starts a sidecar


@pytest.fixture
def pool(at_shared):
    pool = ConnectionPool(at_shared.vault, may_start=False)
    yield pool
    pool.close()


def test_threads_ask_side_by_side_over_a_few_connections(pool, monkeypatch):
    made = []
    connect = SidecarClient._connect

    def counted(self, port):
        made.append(threading.get_ident())
        connect(self, port)

    monkeypatch.setattr(SidecarClient, "_connect", counted)
    queries = [f"accordion {number}" for number in range(40)]

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda query: pool.ask("search", wire.SearchOptions(query=query)), queries))

    assert all(answer.hits for answer in answers)
    assert len(made) < MAX_CONNECTIONS_EACH  # besides the first


def test_requests_are_under_way_at_the_same_time(pool, monkeypatch):
    together = threading.Barrier(MAX_CONNECTIONS_EACH, timeout=30)
    ask = SidecarClient.ask

    def meet(self, *request):
        together.wait()  # for all of them
        return ask(self, *request)

    monkeypatch.setattr(SidecarClient, "ask", meet)

    with ThreadPoolExecutor(MAX_CONNECTIONS_EACH) as threads:
        answers = list(threads.map(lambda _: pool.ask("index/status", wire.NoParams()), range(MAX_CONNECTIONS_EACH)))

    assert all(answer.notes for answer in answers)


def test_a_refused_request_leaves_its_connection_usable(pool):
    with pytest.raises(errors.NoteNotFound):
        pool.ask("note/read", wire.ReadNoteParams(path="no such note at all"))

    assert len(pool._free) == 1
    assert pool.ask("index/status", wire.NoParams()).notes


def test_a_request_that_is_given_up_costs_its_connection(pool, monkeypatch):
    def interrupted(self, *request):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SidecarClient, "ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.ask("index/status", wire.NoParams())

    assert pool._free == []
    assert pool.ask("index/status", wire.NoParams()).notes


def test_a_closed_pool_says_how_to_go_on(pool):
    pool.close()

    with pytest.raises(errors.ConnectionFailed, match=r"open it again with quarry\.open"):
        pool.ask("index/status", wire.NoParams())


def test_a_forked_process_makes_connections_of_its_own(pool, monkeypatch):
    parents = pool._free[0]
    monkeypatch.setattr("os.getpid", lambda: pool._process + 1)  # as the child of a fork sees it

    assert pool.ask("index/status", wire.NoParams()).notes
    assert parents not in pool._free


@pytest.mark.parametrize(("kind", "of"), [(form.kind, of) for of, form in _PRESENTATIONS.items()])
def test_a_kind_becomes_the_class_that_it_stands_for(kind, of):
    error = exception_of(RequestFailed("what happened", kind, "do this"))

    assert type(error) is of
    assert str(error) == "what happened"
    assert error.__notes__ == ["Next: do this."]


def test_an_unknown_kind_is_an_error_of_ours_all_the_same():
    assert type(exception_of(RequestFailed("x", "from-the-future", "y"))) is errors.QuarryError


def test_a_position_counts_characters():
    error = exception_of(RequestFailed("x", "bad-query", "y", position=3, query="🍞 (("))

    assert error.position == 2


def test_a_parameter_out_of_range_is_named_as_it_is_in_python():
    failed = RequestFailed("search: Expected `int` <= 100000 - at `$.maxTokens`", "invalid-params", "search takes …")

    error = exception_of(failed)

    assert isinstance(error, errors.BadRequest)
    assert str(error) == "max_tokens: Expected `int` <= 100000"


def test_what_is_raised_inside_does_not_show_the_wire():
    with pytest.raises(errors.NoteNotFound) as caught, as_errors():
        raise RequestFailed("no such note", "note-not-found", "search")

    assert caught.value.__suppress_context__

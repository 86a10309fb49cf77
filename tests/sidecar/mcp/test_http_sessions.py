import pytest

from quarry.mcp import http_sessions
from quarry.mcp.http_sessions import MAX_SESSIONS, MAX_UNREAD, Outgoing, Sessions
from quarry.mcp.server import Server
from quarry.mcp.vaults import Vaults


@pytest.fixture
def sessions(tmp_path):
    return Sessions(Server(Vaults([tmp_path])))


def test_messages_come_in_order_and_the_answer_is_the_last():
    outgoing = Outgoing()
    outgoing.send({"n": 1})
    outgoing.finish({"n": 2})

    assert [outgoing.next(0), outgoing.next(0), outgoing.next(0)] == [({"n": 1}, False), ({"n": 2}, True), None]


def test_a_stream_that_nobody_reads_stays_small_and_still_ends():
    outgoing = Outgoing()
    for number in range(MAX_UNREAD * 2):
        outgoing.send({"n": number})
    outgoing.finish(None)

    found = [outgoing.next(0) for _ in range(MAX_UNREAD)]

    assert found[-1] == (None, True)
    assert outgoing.next(0) is None


def test_the_session_unused_for_longest_makes_room(sessions):
    opened = [sessions.begin() for _ in range(MAX_SESSIONS)]
    sessions.find(opened[0].id)

    sessions.begin()

    assert sessions.find(opened[0].id)
    assert sessions.find(opened[1].id) is None
    assert opened[1].unasked.next(0) == (None, True)


def test_sessions_that_nobody_used_for_an_hour_end(sessions, monkeypatch):
    old = sessions.begin()
    now = http_sessions.time.monotonic()
    monkeypatch.setattr(http_sessions.time, "monotonic", lambda: now + http_sessions.UNUSED_S + 1)

    sessions.begin()

    assert sessions.find(old.id) is None


def test_ids_are_long_and_never_the_same(sessions):
    ids = {sessions.begin().id for _ in range(50)}

    assert len(ids) == 50
    assert {len(each) for each in ids} == {32}


def test_an_ended_session_is_found_no_more(sessions):
    session = sessions.begin()
    sessions.end(session.id)
    sessions.end("nothing")

    assert sessions.find(session.id) is None
    sessions.close()

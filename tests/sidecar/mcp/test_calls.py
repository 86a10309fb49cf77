from quarry.mcp import calls
from quarry.mcp.calls import PendingCall


def test_progress_is_told_with_the_token_and_never_faster_than_a_person_reads(monkeypatch):
    moments = iter([0.0, 0.5, 1.0, 1.2, 1.9, 2.1])
    monkeypatch.setattr(calls.time, "monotonic", lambda: next(moments))
    sent = []
    call = PendingCall(1, "2025-11-25", sent.append, {"progressToken": "p"})
    for _ in range(5):
        call.wait("indexing")

    told = [message["params"] for message in sent]
    assert [each["progress"] for each in told] == [1.0, 2.1]
    assert {each["progressToken"] for each in told} == {"p"}
    assert {each["message"] for each in told} == {"indexing"}


def test_without_a_token_and_after_a_cancel_nothing_is_told(monkeypatch):
    moments = iter([0.0, 0.0, 9.0, 9.0])
    monkeypatch.setattr(calls.time, "monotonic", lambda: next(moments))
    sent = []
    silent, given_up = (
        PendingCall(1, "", sent.append, meta) for meta in ({"progressToken": True}, {"progressToken": 7})
    )
    given_up.cancel()

    assert (silent.wait("x"), given_up.wait("x")) == (False, True)
    assert sent == []

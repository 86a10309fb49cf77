"""The gate, tried from outside: raw bytes against a real sidecar, and its counting on its own."""

import socket

import pytest
from websockets.exceptions import ConnectionClosed

from quarry.limits import MAX_CONNECTIONS
from quarry.server.gate import (
    FAILURES_BEFORE_DELAY,
    MAX_UNAUTHENTICATED,
    Gate,
)

TOKEN = "5e" * 32
OWNER_TOKEN = "e5" * 32


def upgrade(port, *, hosts=None, origins=(), extra=(), method="GET", version="1.1"):
    """A handshake request with exactly these headers."""
    named = [f"127.0.0.1:{port}"] if hosts is None else [host.replace("PORT", str(port)) for host in hosts]
    lines = [
        f"{method} / HTTP/{version}",
        *(f"Host: {host}" for host in named),
        *(f"Origin: {origin.replace('PORT', str(port))}" for origin in origins),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
        *extra,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def status_of(response):
    return int(response.split(b" ")[1]) if response.startswith(b"HTTP/1.1 ") else None


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"])
def test_a_program_on_this_machine_may_knock(shared, raw, host):
    response = raw(upgrade(shared.port, hosts=[host]))

    assert status_of(response) == 101


def test_obsidian_may_knock(shared, raw):
    response = raw(upgrade(shared.port, origins=["app://obsidian.md"]))

    assert status_of(response) == 101


@pytest.mark.parametrize(
    "hosts",
    [
        ["attacker.example:PORT"],
        ["127.0.0.1.evil.com:PORT"],
        ["localhost.evil:PORT"],
        ["localhost.:PORT"],
        ["LOCALHOST:PORT"],
        ["[::ffff:127.0.0.1]:PORT"],
        ["2130706433:PORT"],
        ["127.1:PORT"],
        ["0.0.0.0:PORT"],
        ["127.0.0.1"],
        ["127.0.0.1:1"],
        ["127.0.0.1:0PORT"],
        ["127.0.0.1:PORT@attacker.example"],
        ["127.0.0.1:PORT, attacker.example"],
        ["127.0.0.1:PORT", "127.0.0.1:PORT"],
        ["127.0.0.1:PORT", "attacker.example"],
        [""],
        [],
    ],
)
def test_any_other_host_is_refused_before_the_handshake(shared, raw, hosts):
    response = raw(upgrade(shared.port, hosts=hosts))

    assert status_of(response) == 403


@pytest.mark.parametrize(
    "origins",
    [
        ["https://attacker.example"],
        ["http://localhost"],
        ["http://localhost:PORT"],
        ["http://127.0.0.1:PORT"],
        ["http://127.0.0.1:8080"],
        ["https://obsidian.md"],
        ["app://obsidian.md.evil.com"],
        ["APP://OBSIDIAN.MD"],
        ["app://obsidian.md/"],
        ["app://obsidian.md", "https://attacker.example"],
        ["app://obsidian.md", "app://obsidian.md"],
        ["null"],
        ["file://"],
        ["chrome-extension://abcdefgh"],
        [""],
    ],
)
def test_every_web_page_is_refused_before_the_handshake(shared, raw, origins):
    response = raw(upgrade(shared.port, origins=origins))

    assert status_of(response) == 403


def test_a_page_that_rebound_its_name_is_refused_even_with_the_origin_of_obsidian(shared, raw):
    response = raw(upgrade(shared.port, hosts=["attacker.example:PORT"], origins=["app://obsidian.md"]))

    assert status_of(response) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "OPTIONS", "TRACE", "CONNECT", "DELETE", "get", "PRI"])
def test_only_get_leads_to_a_handshake(shared, raw, method):
    response = raw(upgrade(shared.port, method=method))

    assert status_of(response) in (None, 400, 403, 405)


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: documents/plain\r\nContent-Length: 2\r\n\r\n{}",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET http://attacker.example/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_handshake_gets_nowhere(shared, raw, request_):
    response = raw(request_.replace(b"PORT", str(shared.port).encode()))

    assert status_of(response) != 101
    assert status_of(response) != 200


def test_a_request_hidden_behind_another_is_not_answered(shared, raw):
    hidden = upgrade(shared.port)
    smuggling = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\nContent-Length: {len(hidden)}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ).encode()

    response = raw(smuggling + hidden, until=b"never")

    assert b"101" not in response


@pytest.mark.parametrize(
    "token",
    ["", "0" * 64, "X" * 200, "é" * 64, "\x00" * 64],
)
def test_a_wrong_token_opens_nothing(shared, token):
    stranger = shared.knock()

    answer = stranger.introduce(token)

    assert answer["error"]["code"] == -32001
    assert answer["error"]["message"] == "the token is not one of this vault's sidecar"
    assert answer["error"]["data"]["next"]
    with pytest.raises(ConnectionClosed):
        stranger.ask("index/status")
    assert stranger.close_code == 4401


@pytest.mark.parametrize(
    "first",
    [
        '{"jsonrpc":"2.0","id":1,"method":"index/status"}',
        '{"jsonrpc":"2.0","id":1,"method":"shutdown"}',
        '{"jsonrpc":"2.0","method":"initialize","params":{}}',
        '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
        '{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}',
        "[]",
        "no JSON",
        b"\x00\x01",
    ],
)
def test_whatever_else_comes_first_ends_the_connection(shared, first):
    stranger = shared.knock()

    stranger.send_text(first)

    with pytest.raises(ConnectionClosed):
        assert all("error" in answer for answer in iter(stranger.receive, None))
    assert stranger.close_code == 4401


@pytest.mark.slow
def test_the_token_of_one_vault_opens_no_other(shared, start, vault):
    other = start(vault)

    crossed = other.knock().introduce(shared.token)
    other_way = shared.knock().introduce(other.token)

    assert crossed["error"]["data"]["kind"] == "unauthorized"
    assert other_way["error"]["data"]["kind"] == "unauthorized"


def test_a_crowd_of_strangers_keeps_no_friend_out(shared):
    crowd = [
        socket.create_connection(("127.0.0.1", shared.port)) for _ in range(100)
    ]  # the system's own queue holds so many
    try:
        for stranger in crowd[-MAX_UNAUTHENTICATED:]:
            stranger.sendall(upgrade(shared.port))
        friend = shared.talk()

        assert friend.live()["state"] == "live"
    finally:
        for stranger in crowd:
            stranger.close()


def test_the_crowd_is_bounded_by_turning_the_longest_waiting_away():
    gate = Gate(TOKEN, OWNER_TOKEN)
    away = []

    for number in range(MAX_UNAUTHENTICATED + 2):
        gate.register_pending(number, lambda number=number: away.append(number))

    assert away == [0, 1]


def test_who_was_let_in_or_has_left_is_not_turned_away():
    gate = Gate(TOKEN, OWNER_TOKEN)
    away = []
    gate.register_pending("friend", lambda: away.append("friend"))
    gate.register_pending("passer-by", lambda: away.append("passer-by"))
    gate.admit("friend")
    gate.leave("passer-by")

    for number in range(MAX_UNAUTHENTICATED):
        gate.register_pending(number, lambda number=number: away.append(number))

    assert away == []


def test_the_gate_is_full_with_so_many_members_and_opens_when_one_leaves():
    gate = Gate(TOKEN, OWNER_TOKEN)
    for number in range(MAX_CONNECTIONS):
        gate.admit(number)

    assert gate.is_full
    gate.leave(0)
    assert not gate.is_full


@pytest.mark.parametrize("token", ["", "short", "0" * 31])
def test_without_two_real_tokens_there_is_no_gate(token):
    with pytest.raises(ValueError, match="128 bits"):
        Gate(token, OWNER_TOKEN)
    with pytest.raises(ValueError, match="128 bits"):
        Gate(TOKEN, token)
    with pytest.raises(ValueError, match="two tokens"):
        Gate(TOKEN, TOKEN)


def test_no_token_is_shown_with_the_gate():
    shown = repr(Gate(TOKEN, OWNER_TOKEN))

    assert TOKEN not in shown
    assert OWNER_TOKEN not in shown


def test_each_token_opens_what_is_its_own():
    gate = Gate(TOKEN, OWNER_TOKEN)

    assert gate.access_of(TOKEN) == "reader"
    assert gate.access_of(OWNER_TOKEN) == "owner"
    assert gate.access_of(TOKEN[:-1]) is None


def test_ten_thousand_guesses_find_nothing_and_begin_to_cost_after_a_few():
    gate = Gate(TOKEN, OWNER_TOKEN)

    delays = []
    for number in range(10_000):
        assert gate.access_of(f"{number:064x}") is None
        delays.append(gate.delay_s)

    assert delays[: FAILURES_BEFORE_DELAY - 1] == [0.0] * (FAILURES_BEFORE_DELAY - 1)
    assert all(delays[FAILURES_BEFORE_DELAY - 1 :])
    assert gate.access_of(TOKEN)


def test_refusals_say_the_same_whatever_was_wrong(shared, raw):
    answers = {raw(upgrade(shared.port, hosts=[host]), until=b"name\n") for host in ("a:PORT", "b.example", "")}

    bodies = {answer.partition(b"\r\n\r\n")[2] for answer in answers}

    assert len(bodies) == 1
    assert b"quarry" not in b"".join(answers).lower()

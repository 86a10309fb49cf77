"""Frames without a socket; websockets, which every sidecar speaks with, says what is right."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import CLIENT, SERVER, Protocol

from quarry.client.websocket_frames import (
    CLOSE,
    PING,
    PONG,
    TEXT,
    Closing,
    FrameError,
    FrameReader,
    close_frame,
    frame,
    text_frame,
)

LIMIT = 100_000


def read(data, limit=LIMIT):
    """All messages of *data*."""
    reader = FrameReader(limit)
    reader.feed(data)
    return list(iter(reader.next_message, None)), bytes(reader.outgoing)


def by_server(opcode, payload, *, final=True):
    """A frame as a server sends it."""
    return Frame(Opcode(opcode), payload, final).serialize(mask=False)


def received_by_a_server(data):
    """The frames that a server of websockets sees in *data*."""
    server = Protocol(SERVER, max_size=None)
    server.receive_data(data)
    return [(event.opcode, bytes(event.data), event.fin) for event in server.events_received()]


@pytest.mark.parametrize("size", [0, 1, 3, 125, 126, 127, 0xFFFF, 0x10000, 0x10001])
def test_what_is_sent_is_received_by_a_server_whatever_its_length(size):
    message = "é" * (size // 2) + "x" * (size % 2)

    assert received_by_a_server(text_frame(message)) == [(Opcode.TEXT, message.encode(), True)]


@settings(deadline=None)
@given(st.text())
def test_every_text_arrives_as_it_is(message):
    assert received_by_a_server(text_frame(message)) == [(Opcode.TEXT, message.encode(), True)]
    assert read(by_server(TEXT, message.encode())) == ([message], b"")


def test_a_frame_is_masked_differently_each_time():
    assert text_frame("tea") != text_frame("tea")
    assert b"tea" not in text_frame("tea")


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=300), st.integers(1, 5)), max_size=5), st.integers(1, 50), st.booleans())
def test_messages_arrive_whole_however_they_were_cut(messages, piece_size, with_pings):
    data = b""
    for message, cuts in messages:
        encoded = message.encode()
        ends = [len(encoded) * cut // cuts for cut in range(cuts + 1)]
        for number, (start, end) in enumerate(itertools.pairwise(ends)):
            data += by_server(0 if number else TEXT, encoded[start:end], final=number == cuts - 1)
            if with_pings:
                data += by_server(PING, b"p")
    reader = FrameReader(LIMIT)
    found = []
    for start in range(0, len(data), piece_size):
        reader.feed(data[start : start + piece_size])
        found += iter(reader.next_message, None)

    assert found == [message for message, _ in messages]
    pings = received_by_a_server(bytes(reader.outgoing))
    assert pings == [(Opcode.PONG, b"p", True)] * (sum(cuts for _, cuts in messages) if with_pings else 0)


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (b"\xc1\x00", 1002),  # a reserved bit, as of compression
        (b"\x82\x00", 1002),  # binary
        (b"\x83\x00", 1002),  # an unknown kind
        (b"\x8b\x00", 1002),  # an unknown control frame
        (b"\x81\x80abcd", 1002),  # masked
        (b"\x09\x00", 1002),  # a fragmented ping
        (b"\x89\x7e\x00\x7e" + bytes(126), 1002),  # a ping of 126 bytes
        (b"\x80\x00", 1002),  # the continuation of nothing
        (b"\x01\x00\x81\x00", 1002),  # a message within a message
        (b"\x81\x7e\x00\x7d" + b"x" * 125, 1002),  # a length in more bytes than it needs
        (b"\x81\x7f" + (0xFFFF).to_bytes(8, "big"), 1002),
        (b"\x81\x01\xff", 1007),  # no UTF-8
        (b"\x01\x01\xc3\x80\x01x", 1007),  # a character that ends in another
        (b"\x88\x01\x03", 1002),  # half a close code
        (b"\x88\x02\x03\xed", 1002),  # a close code that is never sent: 1005
        (b"\x88\x02\x00\x00", 1002),
        (b"\x88\x02\x04\x00", 1002),  # a code that nobody has registered: 1024
        (b"\x88\x03\x03\xe8\xff", 1007),
        (b"\x81\x7f" + (2**63 + 5).to_bytes(8, "big"), 1009),
        (b"\x81\x7f" + (LIMIT + 1).to_bytes(8, "big"), 1009),
    ],
)
def test_what_a_server_may_not_send_is_refused_with_the_code_to_leave_with(frames, code):
    with pytest.raises(FrameError) as refused:
        read(frames)

    assert refused.value.code == code


def test_a_message_may_be_no_larger_than_the_limit_in_fragments_either():
    assert read(by_server(TEXT, b"x" * 60, final=False) + by_server(0, b"x" * 40), limit=100)[0] == ["x" * 100]
    with pytest.raises(FrameError, match="too large"):
        read(by_server(TEXT, b"x" * 60, final=False) + by_server(0, b"x" * 41), limit=100)


@pytest.mark.parametrize(
    ("payload", "code", "reason", "answered"),
    [(b"", 1005, "", 1000), (b"\x03\xe9", 1001, "", 1001), (b"\x11\x31no token", 4401, "no token", 4401)],
)
def test_a_close_is_answered_in_kind(payload, code, reason, answered):
    reader = FrameReader(LIMIT)
    reader.feed(by_server(CLOSE, payload))

    with pytest.raises(Closing) as closing:
        reader.next_message()

    assert (closing.value.code, closing.value.reason) == (code, reason)
    assert received_by_a_server(bytes(reader.outgoing)) == [(Opcode.CLOSE, answered.to_bytes(2, "big"), True)]


def test_messages_before_a_close_are_read_first():
    reader = FrameReader(LIMIT)
    reader.feed(by_server(TEXT, b"last words") + by_server(CLOSE, b""))

    assert reader.next_message() == "last words"
    with pytest.raises(Closing):
        reader.next_message()


def test_a_pong_that_nobody_asked_for_is_let_pass():
    assert read(by_server(PONG, b"x") + by_server(TEXT, b"tea")) == (["tea"], b"")


def outcome_of(data):
    """The texts in *data* until it ends, closes or breaks the protocol, and which of these it does."""
    reader = FrameReader(LIMIT)
    reader.feed(data)
    texts = []
    try:
        while (message := reader.next_message()) is not None:
            texts.append(message)
    except FrameError:
        return texts, "refused"
    except Closing:
        return texts, "closed"
    return texts, "open"


def outcome_by_websockets(data):
    client = Protocol(CLIENT, max_size=LIMIT)
    client.receive_data(data)
    texts, fragments = [], None
    for event in client.events_received():
        if event.opcode in (Opcode.TEXT, Opcode.CONT):
            fragments = (b"" if event.opcode is Opcode.TEXT else fragments) + bytes(event.data)
            if event.fin:
                try:
                    texts.append(fragments.decode())
                except UnicodeDecodeError:
                    return texts, "refused"
        elif event.opcode is Opcode.BINARY:
            return texts, "refused"
    if client.parser_exc:
        return texts, "refused"
    return texts, "closed" if client.close_rcvd else "open"


FRAMES = st.builds(
    lambda first, payload, mask: bytes([first, mask | len(payload)]) + payload,
    st.sampled_from([0x80 * final | opcode for final in (0, 1) for opcode in (0, 1, 2, 3, 8, 9, 10, 11, 0x41)]),
    st.one_of(st.binary(max_size=20), st.text(max_size=5).map(str.encode), st.just(b"\x03\xe8bye")),
    st.sampled_from([0] * 9 + [0x80]),
)


@settings(deadline=None, max_examples=400)
@example(b"\x01\x05first\x88\x00")  # closed before the last part of a message
@given(st.lists(FRAMES, max_size=6).map(b"".join))
def test_whatever_comes_is_read_or_refused_as_websockets_does(data):
    assert outcome_of(data) == outcome_by_websockets(data)


@settings(deadline=None, max_examples=400)
@given(st.binary(max_size=200))
def test_noise_ends_in_nothing_else(data):
    assert outcome_of(data)[1] in ("open", "closed", "refused")


def test_the_close_frame_says_why():
    assert received_by_a_server(close_frame(1009)) == [(Opcode.CLOSE, b"\x03\xf1", True)]
    assert received_by_a_server(frame(PING, b"x")) == [(Opcode.PING, b"x", True)]

"""
The frames of a WebSocket client (RFC 6455, sections 5 and 7), without a socket: bytes in, messages out.

Of the standard library alone: a command that asks one question takes less time than a library takes to be imported.
"""

import os

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
NORMAL_CLOSURE, PROTOCOL_ERROR, INVALID_TEXT, TOO_LARGE = 1000, 1002, 1007, 1009
NO_STATUS = 1005  # stands for a close frame without a code, and is never sent
_FINAL, _MASKED, _RESERVED = 0x80, 0x80, 0x70
_MAX_CONTROL_BYTES = 125
_CODES = frozenset({*range(1000, 1004), *range(1007, 1015), *range(3000, 5000)})  # that are sent: section 7.4


class FrameError(Exception):
    """The server broke the protocol; `code` is the close code to leave with."""

    def __init__(self, message: str, code: int = PROTOCOL_ERROR) -> None:
        super().__init__(message)
        self.code = code


class Closing(Exception):
    """The server closes the connection; `code` and `reason` are its own."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}".strip())
        self.code = code
        self.reason = reason


class FrameReader:
    """Takes bytes as they come and gives whole text messages; what control frames call for is put in `outgoing`."""

    def __init__(self, max_message_bytes: int) -> None:
        self._max_message_bytes = max_message_bytes
        self._received = bytearray()
        self._message: bytearray | None = None  # of the fragments so far
        self.outgoing = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes that were received."""
        self._received += data

    def next_message(self) -> str | None:
        """
        The next whole message; None until more bytes are fed.

        Raises:
            FrameError: What came is no frame that a server may send, or the message is too large.
            Closing: The server closes the connection.
        """
        while frame := self._next_frame():
            opcode, is_final, payload = frame
            if opcode >= CLOSE:
                self._obey(opcode, payload)
                continue
            if opcode == TEXT and self._message is None:
                self._message = bytearray()
            elif opcode != CONTINUATION or self._message is None:
                raise FrameError("a message begins within another, or continues none")
            self._message += payload
            if is_final:
                whole, self._message = self._message, None
                return _text(whole)
        return None

    def _next_frame(self) -> tuple[int, bool, bytes] | None:
        """The opcode, whether it is the last of its message, and the payload; None while it is not whole."""
        received = self._received
        if len(received) < 2:
            return None
        opcode, size = received[0] & 0x0F, received[1] & 0x7F
        if received[0] & _RESERVED or opcode not in (CONTINUATION, TEXT, CLOSE, PING, PONG):
            raise FrameError(f"frame of kind {received[0]:#04x}")
        if received[1] & _MASKED:
            raise FrameError("masked frame")
        is_final = bool(received[0] & _FINAL)
        if opcode >= CLOSE and not (is_final and size <= _MAX_CONTROL_BYTES):
            raise FrameError("fragmented or long control frame")
        start = 2 + {126: 2, 127: 8}.get(size, 0)
        if len(received) < start:
            return None
        if size > _MAX_CONTROL_BYTES:
            least = 126 if size == 126 else 0x1_0000
            size = int.from_bytes(received[2:start], "big")
            if size < least:
                raise FrameError("length in more bytes than it needs")
        if size + len(self._message or b"") > self._max_message_bytes:
            raise FrameError("message too large", TOO_LARGE)
        if len(received) < start + size:
            return None
        payload = bytes(received[start : start + size])
        del received[: start + size]
        return opcode, is_final, payload

    def _obey(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.outgoing += frame(PONG, payload)
        elif opcode == CLOSE:
            code, reason = _closing(payload)
            if self._message is not None:
                raise FrameError("closed within a message")
            self.outgoing += close_frame(NORMAL_CLOSURE if code == NO_STATUS else code)
            raise Closing(code, reason)


def text_frame(message: str) -> bytes:
    """*message* as one frame."""
    return frame(TEXT, message.encode())


def close_frame(code: int) -> bytes:
    """The frame that closes a connection with *code*."""
    return frame(CLOSE, code.to_bytes(2, "big"))


def frame(opcode: int, payload: bytes) -> bytes:
    """A final frame, masked as a client's must be (section 5.3)."""
    size = len(payload)
    if size <= _MAX_CONTROL_BYTES:
        length = bytes([_MASKED | size])
    elif size < 0x1_0000:
        length = bytes([_MASKED | 126]) + size.to_bytes(2, "big")
    else:
        length = bytes([_MASKED | 127]) + size.to_bytes(8, "big")
    mask = os.urandom(4)
    return bytes([_FINAL | opcode]) + length + mask + _masked(payload, mask)


def _masked(payload: bytes, mask: bytes) -> bytes:
    """*payload* XOR *mask* repeated, as one long number: byte by byte takes a hundred times as long."""
    size = len(payload)
    repeated = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")


def _closing(payload: bytes) -> tuple[int, str]:
    """Code and reason of a close frame."""
    if not payload:
        return NO_STATUS, ""
    code = int.from_bytes(payload[:2], "big")
    if len(payload) == 1 or code not in _CODES:
        raise FrameError("close frame without a usable code")
    return code, _text(payload[2:])


def _text(data: bytes | bytearray) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FrameError("text that is not UTF-8", INVALID_TEXT) from None

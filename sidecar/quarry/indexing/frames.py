"""
How the serving process and one of its own speak to each other: pickled values in frames, over two pipes.

Only a process that we started, from our own code, holds the other ends, so that unpickling is safe.
"""

import pickle
import struct
from typing import IO

from msgspec import Struct

_LENGTH = struct.Struct("<Q")


class Heartbeat(Struct, frozen=True):
    """Said every so often by a process, whatever it is doing: one that is stopped or hangs says nothing."""


def encode_frame(value: object) -> bytes:
    """
    *value* as it is sent.

    Raises:
        PicklingError, AttributeError, TypeError: It cannot be.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def read_frame(pipe: IO[bytes]) -> object | None:
    """The next value; None when the other end is gone, be it in the middle of one."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    [length] = _LENGTH.unpack(header)
    data = pipe.read(length)
    if len(data) < length:
        return None
    found: object = pickle.loads(data)  # noqa: S301  from our own process, see above
    return found

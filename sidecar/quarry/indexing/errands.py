"""
What the serving process and a preparing one say to each other: pickled values in frames, over two pipes.

Only a process that we started, from our own code, holds the other ends, so that unpickling is safe.
"""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, TypeAlias

from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.text.note import ReadingRules

_LENGTH = struct.Struct("<Q")

TaskKind = Literal["prepare", "stamps", "embed"]


@dataclass(frozen=True, slots=True)
class Employment:
    """What a process is told first."""

    root: Path
    rules: ReadingRules
    load: Callable[[str], Encoder]  # pickled by name: has to stand at the top of a module
    model_name: str
    fingerprint: Fingerprint | None  # of the model that the index is made with; None: prepare without one


@dataclass(frozen=True, slots=True)
class Task:
    """A part of a plan; `items` are `Move`s, paths or texts, by *kind*."""

    kind: TaskKind
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """The first thing a process says: it can work."""


@dataclass(frozen=True, slots=True)
class Part:
    """
    Results for the next items of a task, in their order.

    Each is pickled by itself: unpickling holds the interpreter, and searches want it in between.
    """

    results: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """Every item of the task was answered."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The process cannot go on, and ends."""

    reason: str
    is_vault_missing: bool = False


Reply: TypeAlias = Started | Part | Done | Refused


def write_frame(pipe: IO[bytes], value: object) -> None:
    """
    Send *value*.

    Raises:
        OSError: The other end is gone.
        PicklingError, AttributeError, TypeError: *value* cannot be sent; nothing was.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


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

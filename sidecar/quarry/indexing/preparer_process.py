"""
The process that prepares notes: takes tasks from its standard input, answers on its standard output, ends with it.

It opens no database and no socket, runs behind everything else on the machine, and is never left behind: a thread
reads the input all the time, and its end, which the system sees to however the serving process ends, ends the process
in the middle of whatever it does.
"""

import os
import queue
import signal
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, TypeVar

from quarry.embedding.encoder import Encoder
from quarry.errors import QuarryError, VaultMissing
from quarry.indexing.errands import Done, Employment, Part, Refused, Started, Task, read_frame, write_frame
from quarry.indexing.preparing import Preparer

_IN, _OUT = 0, 1
_PART_ITEMS = 512  # stamps or vectors in one reply


def main() -> None:
    """Work until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the serving process, which ends us
    requests, replies = _take_pipes()
    tasks: queue.SimpleQueue[object] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, tasks), daemon=True).start()
    try:
        _work(tasks, replies)
    except OSError:  # nobody reads our answers any more
        os._exit(1)


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Our two pipes, kept from whatever prints or reads by habit."""
    requests, replies = os.fdopen(os.dup(_IN), "rb"), os.fdopen(os.dup(_OUT), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _IN)
    os.dup2(nowhere, _OUT)
    return requests, replies


def _listen(requests: IO[bytes], tasks: "queue.SimpleQueue[object]") -> None:
    while (request := read_frame(requests)) is not None:
        tasks.put(request)
    os._exit(0)  # a thread cannot end a process otherwise


def _work(tasks: "queue.SimpleQueue[object]", replies: IO[bytes]) -> None:
    employment = tasks.get()
    assert isinstance(employment, Employment)
    try:
        encoder = _load(employment)
    except QuarryError as error:
        write_frame(replies, Refused(str(error)))
        return
    preparer = Preparer(employment.root, employment.rules, encoder, with_terms=True)
    write_frame(replies, Started())
    while True:
        task = tasks.get()
        assert isinstance(task, Task)
        try:
            for results in _results(preparer, task):
                write_frame(replies, Part.of(results))
        except VaultMissing as error:
            write_frame(replies, Refused(str(error), is_vault_missing=True))
            return
        write_frame(replies, Done())


def _load(employment: Employment) -> Encoder | None:
    """
    The same model as that of the serving process.

    Raises:
        ModelMissing: It is not there, or it is another by now.
    """
    if employment.fingerprint is None:
        return None
    encoder = employment.load(employment.model_name)
    if encoder.fingerprint != employment.fingerprint:
        raise QuarryError(f"the files of the model {employment.model_name!r} changed; restart Quarry to use them")
    return encoder


def _results(preparer: Preparer, task: Task) -> Iterator[Iterable[object]]:
    match task.kind:
        case "prepare":
            yield from preparer.prepare(task.items)  # type: ignore[arg-type]  # the pipe carries no types
        case "stamps":
            yield from _parts(preparer.stamps(task.items))  # type: ignore[arg-type]
        case "embed":
            yield from _parts(preparer.embed(task.items))  # type: ignore[arg-type]


T = TypeVar("T")


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    source = iter(items)
    while part := list(islice(source, _PART_ITEMS)):
        yield part

"""
Reads PDF files in a process of their own, within limits.

A PDF file is a program for a page description machine, and may come from anywhere: it can ask for all memory, or never
end. The process runs behind those that prepare notes, has a limit on its memory and processor time where the system has
such limits, and is killed when it is silent for too long. The pages that it sent before that are kept.
"""

import io
import logging
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from quarry.config import MAX_PDF_BYTES
from quarry.documents.document import PdfText
from quarry.errors import NoteNotFound, UnreadableDocument, VaultMissing
from quarry.indexing.process import ChildProcess, ParentConnection, ProcessDied, ProcessLimits, ProcessUnavailable
from quarry.messages import Message, message
from quarry.vault.file_reader import read_file, reason_unread

FIELDS = ("title", "author", "subject", "keywords")
MAX_FIELD_CHARS = 2_000


class PdfLimits(Struct, frozen=True):
    """How much of a PDF file is read, and at which cost."""

    max_bytes: int = MAX_PDF_BYTES
    max_pages: int = 2_000
    max_chars: int = 10 * 1024 * 1024  # as much as is read of a note
    cpu_s: float = 30.0  # a book of 1,000 pages; between pages, reading ends then
    page_cpu_s: int = 15  # on top: a single page that takes longer ends the process
    memory_bytes: int = 1024 * 1024 * 1024
    process: ProcessLimits = ProcessLimits(niceness=15, silence_s=120.0)  # for systems without a limit on CPU time


class PdfStart(Struct, frozen=True):
    """The document's own metadata and its number of pages, sent before any page."""

    fields: dict[str, str]
    page_count: int


class PdfPage(Struct, frozen=True):
    """The text of the next page."""

    text: str


class PdfEnd(Struct, frozen=True):
    """The end of what is read of the file, with the reason if something is wrong with it."""

    problem: Message | None = None


class PdfReader:
    """
    Reads PDF files below *root*; the process is started for the first of them, and ended by `close`.

    Args:
        on_wait: Called again and again while a file is read; may raise, to stop.
    """

    def __init__(
        self,
        root: Path,
        on_wait: Callable[[], None] | None = None,
        limits: PdfLimits = PdfLimits(),  # noqa: B008  a frozen value
    ) -> None:
        self._root = root
        self._on_wait = on_wait
        self._limits = limits
        self._process: ChildProcess | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, while there is one."""
        return self._process.pid if self._process else None

    def read(self, path: str) -> PdfText:
        """
        The text of the file at *path*. Whatever is wrong with it is in `PdfText.problems`.

        Raises:
            UnreadableDocument: No process can be started.
            QuarryError: The vault is gone, or `on_wait` says so.
        """
        try:
            process = self._started()
        except ProcessUnavailable as error:
            raise UnreadableDocument(message("reason.unreadable.process", detail=str(error))) from error
        found, problem = PdfText(), None
        try:
            process.send(path)
            while not isinstance(part := process.receive(self._on_wait), PdfEnd):
                match part:
                    case PdfStart(fields=fields):
                        found = replace(found, fields=fields)
                    case PdfPage(text=text):
                        found = replace(found, pages=(*found.pages, text))
                    case _:
                        raise ProcessDied("it ended early")
            problem = part.problem
        except ProcessDied as death:
            self.close()
            problem = message("reason.too-large.page", page=len(found.pages) + 1, how=str(death))
        except BaseException:
            self.close()  # it is in the middle of a file
            raise
        return replace(found, problems=(problem,)) if problem else found

    def close(self) -> None:
        """End the process; the next file starts another."""
        if self._process:
            self._process.close()
            self._process = None

    def _started(self) -> ChildProcess:
        if self._process is None:
            self._process = ChildProcess(__name__, (self._root, self._limits), self._limits.process)
        return self._process


# --- in the process that reads ----------------------------------------------------------------------


def main(parent: ParentConnection) -> None:
    """Read the files that *parent* names, until it ends."""
    root, limits = parent.receive()
    assert isinstance(root, Path)
    assert isinstance(limits, PdfLimits)
    warnings.simplefilter("ignore")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # its warnings quote the file
    if sys.platform != "win32":
        _limit("RLIMIT_AS", limits.memory_bytes)
    while True:
        path = parent.receive()
        if sys.platform != "win32":  # set anew for each file: ends the process where one page takes all the time
            _limit("RLIMIT_CPU", math.ceil(time.process_time() + limits.cpu_s) + limits.page_cpu_s)
        for part in _read(root, path, limits):
            parent.send(part)


def _read(root: Path, path: str, limits: PdfLimits) -> Iterator[PdfStart | PdfPage | PdfEnd]:
    """The file at *path*: its beginning, its pages, and its end with what is wrong with it."""
    try:
        file = read_file(root, path, limits.max_bytes + 1)
        if file.size_bytes > limits.max_bytes:
            yield PdfEnd(message("reason.too-large.pdf", megabytes=f"{limits.max_bytes / 2**20:g}"))
            return
        yield from _pages(file.data, limits)
    except VaultMissing:
        raise
    except NoteNotFound as error:
        yield PdfEnd(reason_unread(error))
    except MemoryError:
        yield PdfEnd(message("reason.too-large.memory", megabytes=f"{limits.memory_bytes / 2**20:g}"))
    except Exception as error:  # a library of 30,000 lines, and a file from anywhere
        logging.getLogger(__name__).info("a PDF file is damaged: %s", type(error).__name__)
        yield PdfEnd(message("reason.damaged"))


def _pages(data: bytes, limits: PdfLimits) -> Iterator[PdfStart | PdfPage | PdfEnd]:
    import pypdf  # an extra
    from pypdf.errors import DependencyError

    began_s = time.process_time()
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            yield PdfEnd(message("reason.locked"))
            return
        page_count = len(reader.pages)
    except DependencyError:
        yield PdfEnd(message("reason.locked"))
        return
    yield PdfStart(_fields(reader), page_count)
    chars = damaged = 0
    for number in range(min(page_count, limits.max_pages)):
        try:
            text = reader.pages[number].extract_text()
        except (MemoryError, RecursionError):
            raise
        except Exception:  # one page of many
            text, damaged = "", damaged + 1
        chars += len(text)
        yield PdfPage(text[: limits.max_chars])
        is_late = time.process_time() - began_s > limits.cpu_s
        if (is_late or chars > limits.max_chars) and number + 1 < page_count:
            why = "reason.too-large.time" if is_late else "reason.too-large.text"
            yield PdfEnd(message(why, pages=number + 1, total=page_count))
            return
    if page_count > limits.max_pages:
        yield PdfEnd(message("reason.too-large.pages", pages=limits.max_pages, total=page_count))
    elif damaged:
        yield PdfEnd(message("reason.damaged.pages", pages=damaged, total=page_count))
    else:
        yield PdfEnd(message("reason.no-text") if page_count and not chars else None)


def _fields(reader: Any) -> dict[str, str]:
    """The document's own metadata, as far as it can be read."""
    found: dict[str, str] = {}
    for name in FIELDS:
        try:
            value = getattr(reader.metadata, name, None)
        except Exception:  # of little worth
            value = None
        if isinstance(value, str) and value.strip():
            found[name] = value[:MAX_FIELD_CHARS]
    return found


def _limit(name: str, wanted: int) -> None:
    """Lower our limit *name* of the system to *wanted*, where it is not lower."""
    import resource  # which Windows does not have

    which = getattr(resource, name)
    _, hard = resource.getrlimit(which)
    try:
        resource.setrlimit(which, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    except (OSError, ValueError):
        logging.getLogger(__name__).info("%s cannot be set here", name)

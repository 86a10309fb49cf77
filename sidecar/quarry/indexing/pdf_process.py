"""
Reads PDF files in a process of their own, within limits.

A PDF file is a program for a page description machine, and may come from anywhere: it can ask for all memory, or never
end. The process has the priority of those that prepare notes, a limit on its memory and its processor time where the
system has such limits, and is ended when it is silent for too long. What it told before that is kept.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from quarry.config import MAX_PDF_BYTES
from quarry.documents.pdf import PdfText
from quarry.errors import UnreadableDocument
from quarry.indexing.limits import ProcessLimits
from quarry.indexing.worker_process import WAIT_S, ProcessUnavailable, WorkerDied, WorkerProcess


class PdfLimits(Struct, frozen=True):
    """How much of a PDF file is read, and at which cost."""

    max_bytes: int = MAX_PDF_BYTES
    max_pages: int = 2_000
    max_chars: int = 10 * 1024 * 1024  # as much as is read of a note
    cpu_s: float = 30.0  # a book of 1,000 pages; between pages, reading ends then
    page_cpu_s: int = 15  # on top: a single page that takes longer ends the process
    silence_s: float = 120.0  # by the clock, for systems that cannot limit the processor time
    memory_bytes: int = 1024 * 1024 * 1024
    process: ProcessLimits = ProcessLimits(niceness=15)


class PdfRequest(Struct, frozen=True):
    """A file to be read."""

    path: str


class PdfStart(Struct, frozen=True):
    """The document's own metadata and its number of pages, sent before any page."""

    fields: dict[str, str]
    page_count: int


class PdfPage(Struct, frozen=True):
    """The text of the next page."""

    text: str


class PdfEnd(Struct, frozen=True):
    """There is nothing more to tell of the file, for this reason if there is one."""

    problem: str | None = None


class PdfProcess:
    """
    Reads PDF files below *root*; the process is started for the first of them, and ended by `close`.

    Args:
        on_wait: Called again and again while a file is read; may raise, to stop.
    """

    def __init__(
        self,
        root: Path,
        on_wait: Callable[[], None] = lambda: None,
        limits: PdfLimits = PdfLimits(),  # noqa: B008  a frozen value
    ) -> None:
        self._root = root
        self._on_wait = on_wait
        self._limits = limits
        self._process: WorkerProcess | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, while there is one."""
        return self._process.pid if self._process else None

    def read(self, path: str) -> PdfText:
        """
        The text of the file at *path*. Whatever is wrong with it is told in `PdfText.problems`.

        Raises:
            UnreadableDocument: No process can be started.
            QuarryError: The vault is gone, or `on_wait` says so.
        """
        try:
            process = self._started()
        except ProcessUnavailable as error:
            raise UnreadableDocument(f"no process could be started that reads it ({error})") from error
        found = PdfText()
        try:
            process.send(PdfRequest(path))
            while not isinstance(said := self._next(process), PdfEnd):
                if isinstance(said, PdfStart):
                    found = replace(found, fields=said.fields)
                elif isinstance(said, PdfPage):
                    found = replace(found, pages=(*found.pages, said.text))
        except WorkerDied as death:
            self.close()
            return replace(found, problems=(_how_far(found, str(death)),))
        except BaseException:
            self.close()  # it is in the middle of a file
            raise
        return replace(found, problems=(said.problem,)) if said.problem else found

    def close(self) -> None:
        """End the process; the next file starts another."""
        if self._process:
            self._process.close()
            self._process = None

    def _started(self) -> WorkerProcess:
        if self._process is None:
            first = (self._root, self._limits)
            self._process = WorkerProcess("quarry.indexing.pdf_child", first, self._limits.process)
        return self._process

    def _next(self, process: WorkerProcess) -> object:
        waited_s = 0.0
        while (said := process.receive()) is None:
            waited_s += WAIT_S
            if waited_s > self._limits.silence_s:
                raise WorkerDied(f"nothing came of it for {self._limits.silence_s:g} s")
            self._on_wait()
        if not isinstance(said, PdfStart | PdfPage | PdfEnd):
            raise WorkerDied("it ended early")
        return said


def _how_far(found: PdfText, how: str) -> str:
    at = len(found.pages) + 1
    before = "only the pages before it are indexed" if at > 1 else "none of its text is indexed"
    return f"reading page {at:,} took too much time or memory ({how}); {before}"

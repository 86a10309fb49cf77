"""The process that reads PDF files: what a page says is found out here, and nowhere else is the library imported."""

import io
import logging
import math
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quarry.errors import NoteNotFound, VaultMissing
from quarry.indexing.pdf_process import PdfEnd, PdfLimits, PdfPage, PdfRequest, PdfStart
from quarry.indexing.worker_process import ParentConnection
from quarry.vault.read import read_file

FIELDS = ("title", "author", "subject", "keywords")
MAX_FIELD_CHARS = 2_000

NO_TEXT = "it has no text: its pages are pictures; a program for text recognition can add it"
PASSWORD = "it is protected by a password"  # noqa: S105  a sentence
DAMAGED = "it is damaged, or no PDF file"


def main(parent: ParentConnection) -> None:
    """Read what *parent* asks for, until it ends."""
    root, limits = parent.receive()
    assert isinstance(root, Path)
    assert isinstance(limits, PdfLimits)
    warnings.simplefilter("ignore")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # its warnings quote the file
    _limit_memory(limits.memory_bytes)
    while True:
        request = parent.receive()
        assert isinstance(request, PdfRequest)
        _limit_time(limits)
        for told in _read(root, request.path, limits):
            parent.send(told)


def _read(root: Path, path: str, limits: PdfLimits) -> Iterator[PdfStart | PdfPage | PdfEnd]:
    """The file at *path*: its beginning, its pages, and its end with what is wrong with it."""
    try:
        file = read_file(root, path, limits.max_bytes + 1)
        if file.size_bytes > limits.max_bytes:
            yield PdfEnd(f"it is larger than {limits.max_bytes / 2**20:g} MB, and is not read")
            return
        yield from _pages(file.data, limits)
    except VaultMissing:
        raise
    except NoteNotFound as error:
        yield PdfEnd(str(error))
    except MemoryError:
        yield PdfEnd(f"reading it takes more than {limits.memory_bytes / 2**20:g} MB of memory")
    except RecursionError:
        yield PdfEnd(DAMAGED)
    except Exception as error:  # a library of 30,000 lines, and a file from anywhere
        yield PdfEnd(f"{DAMAGED} ({type(error).__name__})")


def _pages(data: bytes, limits: PdfLimits) -> Iterator[PdfStart | PdfPage | PdfEnd]:
    import pypdf
    from pypdf.errors import DependencyError

    began_s = time.process_time()
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            yield PdfEnd(PASSWORD)
            return
        page_count = len(reader.pages)
    except DependencyError:
        yield PdfEnd("it is encrypted in a way that cannot be read here")
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
            why = f"it takes more than {limits.cpu_s:g} s" if is_late else "it is very long"
            yield PdfEnd(f"only its first {number + 1:,} of {page_count:,} pages are indexed: {why}")
            return
    if page_count > limits.max_pages:
        yield PdfEnd(f"only its first {limits.max_pages:,} of {page_count:,} pages are indexed; split the file")
    elif damaged:
        yield PdfEnd(f"{damaged:,} of its {page_count:,} pages cannot be read")
    else:
        yield PdfEnd(NO_TEXT if page_count and not chars else None)


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


def _limit_memory(max_bytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    except (OSError, ValueError):
        logging.getLogger(__name__).info("the memory of a process cannot be limited here")


def _limit_time(limits: PdfLimits) -> None:
    """Have the system end the process where one page takes all the time and more; set anew for each file."""
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time() + limits.cpu_s) + limits.page_cpu_s
    if hard == resource.RLIM_INFINITY or soft < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))

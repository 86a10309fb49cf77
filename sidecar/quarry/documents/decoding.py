"""
From the bytes of a file to the text that an editor shows, and from offsets in it to those that an editor counts.

Obsidian's editor (CodeMirror) counts every line end as one character, `\\r\\n` and a lone `\\r` too, so all become
`\\n`. It counts in UTF-16 code units, and so does every offset that leaves this program. A chunk is a slice of the
scrubbed text; `Chunk.shifts` says how far that and the note drift apart at each redaction.
"""

import codecs

from quarry.types import Chunk

_UTF16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def decode_note(data: bytes) -> str:
    """
    Decode a file as an editor shows it: no byte order mark, every line end `\\n`.

    UTF-8, with U+FFFD for what is not; UTF-16 where a byte order mark says so. Never raises.
    """
    encoding = _UTF16_MARKS.get(data[:2])
    if encoding is not None:
        text = data[2:].decode(encoding, "replace")
    else:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def cut_at_character(data: bytes, max_bytes: int) -> bytes:
    """The first *max_bytes* of a file, less the part of a character that the cut would leave at the end."""
    if len(data) <= max_bytes:
        return data
    encoding = _UTF16_MARKS.get(data[:2])
    end = max_bytes
    if encoding is None:
        while end > max(0, max_bytes - 3) and data[end] & 0xC0 == 0x80:  # a continuation byte: at most three of them
            end -= 1
        return data[:end]
    end -= end % 2
    high_byte = data[end - 1] if encoding == "utf-16-le" else data[end - 2]
    return data[: end - 2] if end > 2 and 0xD8 <= high_byte <= 0xDB else data[:end]  # half of a surrogate pair


_MARKER_START = "[REDACTED:"


def utf16_length(text: str) -> int:
    """The length of *text* in UTF-16 code units, the unit of editors and of JavaScript."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_offset(text: str, offset: int) -> int:
    """Convert *offset*, in code points of *text*, to UTF-16 code units."""
    return offset if text.isascii() else utf16_length(text[:offset])


def note_utf16_offset(chunk: Chunk, offset: int) -> int:
    """
    Convert *offset*, in code points of the chunk's text, to UTF-16 code units of its note.

    An offset inside a redaction marker is converted to the start of the redacted secret.
    """
    drift = 0
    for shift in chunk.shifts:
        if offset < shift.offset:
            marker_start = chunk.text.rfind(_MARKER_START, 0, shift.offset)
            offset = marker_start if 0 <= marker_start < offset else offset
            break
        drift += shift.utf16
    return chunk.start_utf16 + utf16_length(chunk.text[:offset]) + drift


def note_line(chunk: Chunk, offset: int) -> int:
    """Convert *offset*, in code points of the chunk's text, to a line number of its note, from 0."""
    line = chunk.line + chunk.text.count("\n", 0, offset)
    return line + sum(shift.lines for shift in chunk.shifts if shift.offset <= offset) if chunk.shifts else line

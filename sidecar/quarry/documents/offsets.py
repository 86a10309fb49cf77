"""
Where is an offset into a text or a chunk, as an editor counts?

Obsidian's editor (CodeMirror) counts in UTF-16 code units, and so does every offset that leaves this program. A chunk
is a slice of the scrubbed text; `Chunk.shifts` says how far that and the note drift apart at each redaction.
"""

from quarry.types import Chunk

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

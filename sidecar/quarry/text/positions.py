"""
Where does a place in a chunk stand in its note, as an editor counts?

A chunk is a stretch of the scrubbed text; `Chunk.shifts` says how far that and the note drift apart at each redaction.
"""

from quarry.text.decoding import utf16_length
from quarry.types import Chunk

_MARKER_START = "[REDACTED:"


def note_utf16_offset(chunk: Chunk, offset: int) -> int:
    """
    Where the code point *offset* of a chunk's text stands in its note, in UTF-16 code units.

    An offset inside a redaction's marker leads to the start of what was redacted.
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
    """On which line of its note, from 0, the code point *offset* of a chunk's text stands."""
    line = chunk.line + chunk.text.count("\n", 0, offset)
    return line + sum(shift.lines for shift in chunk.shifts if shift.offset <= offset) if chunk.shifts else line

"""
How do the bytes of a file become the text that an editor shows?

Obsidian's editor (CodeMirror) counts every line end as one character, `\\r\\n` and a lone `\\r` too, so all become
`\\n`.
"""

import codecs

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

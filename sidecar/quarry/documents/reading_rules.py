"""
By which settings, and by which version of our own rules, is a note read?

An index stores the two version numbers; a note that was read under other numbers is read again. They are kept apart
from the code that reads notes, because every start needs them and most starts read no note.
"""

from msgspec import Struct

from quarry.options import Stemming

SCRUBBER_VERSION = 2
"""Raise it with every change to the rules in `secrets/`, so that notes indexed before are scrubbed again."""

READER_VERSION = 1
"""Raise it with every change to what `note.py` extracts from a note, so that notes indexed before are read again."""


class ReadingRules(Struct, frozen=True):
    """The settings that decide what of a note is indexed, and as which terms."""

    skip_sections: tuple[str, ...] = ("Related", "See also", "Links", "References")
    max_bytes: int = 10 * 2**20  # a longer file is a log or an export; its beginning says what it is
    max_chunks: int = 2_000
    stemming: Stemming = "by-language"

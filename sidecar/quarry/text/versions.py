"""
Which state of our rules made the rows of a note? An index keeps these numbers; one of other numbers is read anew.

They stand here and not beside the rules because every start asks for them, and most starts read no note.
"""

SCRUBBER_VERSION = 2
"""Raise it with every change to the rules of `secrets/`, so that notes indexed before are scrubbed again."""

READER_VERSION = 1
"""Raise it with every change of what `note.py` reads out of a note, so that old notes are read again."""

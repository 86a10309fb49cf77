"""
Where may a text be cut without breaking what a reader sees as one character?

A subset of Unicode's rules for extended grapheme clusters (UAX #29): enough for emoji, flags, accents and vowel signs.
"""

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_TAG_CHARACTERS = ("\U000e0020", "\U000e007f")
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")
_EVERY_FLAG_LETTER = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_KOREAN_INNER = ("\u1160", "\u11ff")  # vowels and final consonants, where syllables are written in parts
_THAI_AND_LAO_AM = "\u0e33\u0eb3"
_VIRAMA = 9  # combining class of the signs that join two consonants


def is_safe_cut(text: str, offset: int) -> bool:
    """Whether *text* can be cut before the code point at *offset*; its two ends are always safe."""
    before, after = text[offset - 1 : offset], text[offset : offset + 1]
    if offset <= 0 or not after:
        return True
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if before == _ZERO_WIDTH_JOINER or _extends(after):
        return False
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(after) == "Lo":
        return False
    if _within(after, _FLAG_LETTERS) and _within(before, _FLAG_LETTERS):
        ahead = text[:offset]
        return (offset - len(ahead.rstrip(_EVERY_FLAG_LETTER))) % 2 == 0  # two letters make a flag
    return True


def _extends(character: str) -> bool:
    """Whether the character belongs to the one before it: accents, vowel signs, joiners, variants, skin tones."""
    return (
        character == _ZERO_WIDTH_JOINER
        or unicodedata.category(character) in ("Mn", "Mc", "Me")  # holds the variation selectors too
        or character in _THAI_AND_LAO_AM
        or _within(character, _SKIN_TONES)
        or _within(character, _TAG_CHARACTERS)
        or _within(character, _KOREAN_INNER)
    )


def _within(character: str, ends: tuple[str, str]) -> bool:
    return ends[0] <= character <= ends[1]

"""
Splits a text into tokens, and a token into words and identifiers.

In two steps, for speed: a text is split into *tokens* at spaces and at punctuation that no name contains; most tokens
recur. Then each distinct token is split into *sub-tokens*.
"""

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.analysis.scripts import (
    FLAG_LETTERS,
    HANGUL,
    JOINERS,
    MARKS,
    MARKS_BELOW_THAI,
    SKIN_TONES,
    SYMBOLS,
    UNSPACED,
    UNSPACED_MARKS,
    VARIATIONS,
)
from quarry.analysis.scripts import ZERO_WIDTH_JOINER as ZWJ
from quarry.lazy_pattern import lazy_pattern

_BETWEEN_TOKENS = (
    "\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    '!"$%()*,;<=>?\\[\\]^`{|}¡«»¿–—“”„…、。「」『』【】《》〈〉！（），．：；？'
)
TOKEN = re.compile(f"[^{_BETWEEN_TOKENS}]+")
_NO_TOKEN = lazy_pattern(f"[{_BETWEEN_TOKENS}]")

# A translation table: the ASCII characters that `TOKEN` excludes become spaces.
_ASCII_SPACES = bytes(32 if byte < 128 and not TOKEN.match(chr(byte)) else byte for byte in range(256))

_LETTER = rf"[^\W_{UNSPACED}{HANGUL}]"
_INNER = rf"(?:{_LETTER}|[{MARKS}])"
_SIGN = rf"[{SYMBOLS}][{VARIATIONS}{SKIN_TONES}]*+"
_CHARACTER = lazy_pattern(rf"[{UNSPACED}][{UNSPACED_MARKS}]*+")
# The punctuation that joins the words of a name, and the leads and tails that belong to it: --flag, .NET, @user, C++.
_LEAD = r"(?:(?<![\w.])(?:--|\.)|(?<!\w)@)?"
_JOINT = r"(?:::|->|[-._/:@&+~\\#])"
_TAIL = r"(?:\+\+|\#)?"


def _word(letter: str, inner: str) -> str:
    """
    The pattern of a word: *letter* begins it, *inner* continues it. All that repeats is possessive: nothing is retried.

    `user's` is `user`, `we're` is `we`, but `can't` is `cant`: an ending behind an apostrophe goes with its word.
    """
    return rf"(?P<word>{letter}{inner}*+(?:['’](?i:s|t|ll|ve|re|d|m)(?!{inner}))?)"


def _identifier(letter: str, inner: str) -> str:
    """The pattern of a name: words and what joins them, with its lead and tail."""
    word = rf"{letter}{inner}*+"
    return rf"{_LEAD}{word}(?:{_JOINT}{word})*+{_TAIL}(?!{inner})"


_SUB_TOKEN = lazy_pattern(
    _word(_LETTER, _INNER)
    + rf"|(?P<korean>[{HANGUL}][{HANGUL}{JOINERS}]*+)"
    + rf"|(?P<unspaced>[{UNSPACED}][{UNSPACED}{UNSPACED_MARKS}]*+)"
    + rf"|(?P<sign>[{FLAG_LETTERS}]{{2}}|{_SIGN}(?:{ZWJ}{_SIGN})*+)"
)
_IDENTIFIER = lazy_pattern(_identifier(_LETTER, _INNER))
# Patterns that find the same in ASCII, where they are several times faster, and below U+0E01, the first letter without
# spaces around its words (typographic apostrophes are in): there they compile in .5 ms, and those above in 6 each.
_ASCII_SUB_TOKEN = lazy_pattern("(?P<word>[A-Za-z0-9]++(?:'(?i:s|t|ll|ve|re|d|m)(?![A-Za-z0-9]))?)")
_ASCII_IDENTIFIER = lazy_pattern(rf"{_LEAD}[A-Za-z0-9]++(?:{_JOINT}[A-Za-z0-9]++)*+{_TAIL}(?![A-Za-z0-9])", re.ASCII)
_BELOW_THAI = lazy_pattern("[\x00-\u0e00’]*+")
_BELOW_THAI_INNER = rf"(?:[^\W_]|[\xad{MARKS_BELOW_THAI}])"
_BELOW_THAI_SUB_TOKEN = lazy_pattern(_word(r"[^\W_]", _BELOW_THAI_INNER) + "|(?P<sign>[¢-¦©®°±×÷])")
_BELOW_THAI_IDENTIFIER = lazy_pattern(_identifier(r"[^\W_]", _BELOW_THAI_INNER))

SubTokenKind = Literal["word", "korean", "unspaced", "sign"]


class SubToken(Struct, frozen=True):
    """A word, a run of characters in a script without spaces, or a symbol; `[start, end)` in its token."""

    kind: SubTokenKind
    text: str
    start: int
    end: int


def coarse_tokens(text: str) -> list[str]:
    """
    Split *text* at the ASCII characters that separate tokens; `TOKEN.findall` then splits what is not ASCII further.

    `translate` and `split` take half the time of the regular expression: 48 against 99 ms for 6.7 MB of notes.
    """
    return text.encode("utf-8", "surrogatepass").translate(_ASCII_SPACES).decode("utf-8", "surrogatepass").split()


def spaced_tokens(text: str) -> str:
    """*text* with a space in the place of each character between tokens, so that these are found by `str.find`."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_SPACES).decode("ascii")
    return _NO_TOKEN.sub(" ", text)


def split_token(token: str) -> Iterator[SubToken]:
    """Yield the sub-tokens of *token* in order; between them is punctuation."""
    for match in _chosen(token, _ASCII_SUB_TOKEN, _BELOW_THAI_SUB_TOKEN, _SUB_TOKEN).finditer(token):
        kind: SubTokenKind = match.lastgroup  # type: ignore[assignment]  # the groups are named for the kinds
        yield SubToken(kind, match[0], match.start(), match.end())


def ascii_words(token: str) -> list[str]:
    """The texts of the sub-tokens of an ASCII *token*, faster than `split_token`."""
    return _ASCII_SUB_TOKEN.findall(token)


def ascii_word_spans(token: str) -> list[tuple[str, int, int]]:
    """The sub-tokens of an ASCII *token* with their spans: (text, start, end)."""
    return [(match[0], *match.span()) for match in _ASCII_SUB_TOKEN.finditer(token)]


def unspaced_characters(run: str) -> Iterator[tuple[str, int]]:
    """Yield the characters of a run without spaces, each with its combining marks, and their offsets."""
    return ((match[0], match.start()) for match in _CHARACTER.finditer(run))


def identifiers(token: str) -> list[str]:
    """The identifiers in *token*: words joined by punctuation, and plain words."""
    found: list[str] = _chosen(token, _ASCII_IDENTIFIER, _BELOW_THAI_IDENTIFIER, _IDENTIFIER).findall(token)
    return found


def _chosen(
    token: str, ascii_pattern: re.Pattern[str], simpler_pattern: re.Pattern[str], any_pattern: re.Pattern[str]
) -> re.Pattern[str]:
    """The cheapest of three equivalent patterns that covers the characters of *token*."""
    if token.isascii():
        return ascii_pattern
    return simpler_pattern if _BELOW_THAI.fullmatch(token) else any_pattern


MAX_SHORT = 15  # two integers of 8 bytes, less one byte for the length

_HALF = 8  # bytes of an integer
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_HALF + 1)], np.uint64)  # by number of bytes
_SLOT_BITS = 17  # several times the distinct words of a batch; 1 MB, which a cache holds
_MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64
)  # odd constants of a multiplicative hash


def unique_words(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    Number the distinct words among `[starts[i], ends[i])` of *data*, none of them empty.

    Returns:
        int64 arrays, as `numpy.unique` has them with `return_index` and `return_inverse`: for each number the index of
        the first word that has it, ascending; for each word its number.
    """
    lengths = ends - starts
    in_head = np.minimum(lengths, _HALF)
    numbers = np.ndarray(
        len(data) + _HALF + 1, "<u8", data + bytes(2 * _HALF), strides=(1,)
    )  # the 8 bytes from each byte on
    heads = numbers[starts] & _MASKS[in_head]
    tails = numbers[starts + _HALF] & _MASKS[np.minimum(lengths - in_head, _HALF - 1)]
    tails |= lengths.astype(np.uint64) << np.uint64(56)  # as text may hold zero bytes
    slots = (heads * _MULTIPLIERS[0] ^ tails * _MULTIPLIERS[1]) * _MULTIPLIERS[2] >> np.uint64(64 - _SLOT_BITS)
    in_slot = np.empty(1 << _SLOT_BITS, np.int64)
    in_slot[slots[::-1]] = np.arange(len(slots))[::-1]  # the last write wins: the first word of each slot
    first = in_slot[slots]
    is_alike = (heads[first] == heads) & (tails[first] == tails) & (lengths <= MAX_SHORT)
    known: dict[bytes, int] = {}
    others = np.flatnonzero(~is_alike)
    for at, start, end in zip(others.tolist(), starts[others].tolist(), ends[others].tolist(), strict=True):
        first[at] = known.setdefault(data[start:end], at)
    is_first = first == np.arange(len(first))
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first]

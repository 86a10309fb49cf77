"""
Boundaries of sentences, and the places where a text can be cut without breaking a character.

Good enough to divide long paragraphs and to mark the sentence that answers; it knows no grammar. Headings, table rows,
code lines and list items are sentences of their own; the lines of a wrapped paragraph belong together.

Characters are a subset of Unicode's extended grapheme clusters (UAX #29): enough for emoji, flags, accents and vowel
signs.
"""

import re
import unicodedata
from collections.abc import Iterator

from quarry.lazy_pattern import lazy_pattern
from quarry.types import Span

_LINE = lazy_pattern(r"[^\n]+")
_STRUCTURE = lazy_pattern(
    r"(?P<quote>[ \t]*>)?[ \t>]*"
    r"(?:(?P<fence>`{3,}|~{3,})|(?P<alone>#{1,6}[ \t]|\|)|(?P<item>[-*+][ \t]|[0-9]{1,9}[.)][ \t])|(?P<plain>))"
)
_SIGN = lazy_pattern(r"(?:>[ \t]*|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|[0-9]{1,9}[.)][ \t]+)+")
# A heading; a fence; or nothing but embeds, links of one word, addresses, tags, HTML tags, rules and other signs.
_MUTE = lazy_pattern(
    r"#{1,6}[ \t].*|[`~]{3,}.*"
    r"|(?:!\[\[[^\[\]\n]{0,1000}\]\]|(?:!\[[^\[\]\n]{0,1000}|\[\w{1,40})\]\([^()\n]{0,1000}\)|https?://\S++|#[^\s#]++"
    r"|</?[A-Za-z][^<>\n]{0,1000}>|[\W_])*+",
    re.DOTALL,
)
_HEADING_SIGN = lazy_pattern(r"(?m)^#{1,6}[ \t]+")
# The first sign comes before the lookbehinds about it, so that `re` can skip to where such a sign is.
_END = lazy_pattern(
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*+[」』”’）】]*+"
    r"|(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+[\"'”’»)\]*_~`]*+(?=\s))"
)
_WORD_BEFORE = lazy_pattern(r"[\w.]*\Z")
_NEXT_SIGN = lazy_pattern(r"\s*(\S?)")
# A full stop after these ends no sentence; single letters (initials) are handled in `_is_abbreviation`.
_SHORTENED = """
al approx bzw ca cf d.h dr e.g eg etc fig figs i.e ie inc jr ltd mr mrs ms no nr
pp prof resp sec sr st usw vol vs z.b
"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())


def split_sentences(text: str) -> tuple[Span, ...]:
    """The sentences of *text* in order: trimmed, not empty, not overlapping, together all text that is not space."""
    return tuple(Span(start, end) for start, end in _split(text))


def informative_sentences(text: str) -> tuple[Span, ...]:
    """
    The sentences worth quoting: without headings, which are shown above a passage anyway, fences, rules, what says
    nothing (see `says_something`), and the markers of lists and quotes. If there are none, all sentences of *text*.
    """
    return tuple(Span(start, end) for start, end in _informative(text)) or split_sentences(text)


def first_informative_sentence(text: str) -> Span | None:
    """The first of `informative_sentences`, found without reading on; None when *text* is blank."""
    first = next(_informative(text), None) or next(_split(text), None)
    return Span(*first) if first else None


def says_something(text: str, *, headings: bool = False) -> bool:
    """
    Whether *text* has a sentence worth quoting or, if *headings* count, one.

    `![[Books.base]]`, `[Source](https://example.org)` and a line of tags answer nothing.
    """
    return next(_informative(_HEADING_SIGN.sub("", text) if headings else text), None) is not None


def _informative(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _split(text):
        if not text[start].isalpha() or text.startswith("http", start):  # else it is not mute
            sign = _SIGN.match(text, start, end)
            start = sign.end() if sign else start
            if _MUTE.fullmatch(text, start, end):
                continue
        yield start, end


def _split(text: str) -> Iterator[tuple[int, int]]:
    for start, end, is_prose in _blocks(text):
        for begin, until in _sentences(text, start, end) if is_prose else ((start, end),):
            if begin < until and (text[begin].isspace() or text[until - 1].isspace()):
                bare = text[begin:until].lstrip()
                begin = until - len(bare)
                until = begin + len(bare.rstrip())
            if begin < until:
                yield begin, until


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Blocks that no sentence crosses, each with whether it is prose, in which sentences end."""
    start = end = 0
    in_fence = False
    alone = True  # whether the line before is a stretch of its own
    quoted = False
    for line in _LINE.finditer(text):
        line_start, line_end = line.span()
        shape = None if text[line_start].isalpha() else _STRUCTURE.match(text, line_start, line_end)
        kind = shape.lastgroup if shape else None
        is_quoted = shape is not None and shape["quote"] is not None
        is_alone = in_fence or kind == "fence" or kind == "alone"
        if kind == "fence":
            in_fence = not in_fence
        goes_on = line_start == end + 1 and is_quoted == quoted and not (alone or is_alone or kind == "item")
        if not goes_on or line[0].isspace():
            yield start, end, not alone
            start = line_start
        end, alone, quoted = line_end, is_alone, is_quoted
    yield start, end, not alone


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of `[start, end)`, with the spaces around them."""
    found = []
    for ending in _END.finditer(text, start, end):
        if ending[0] != "." or not _is_abbreviation(text, start, ending):
            found.append((start, ending.end()))
            start = ending.end()
    found.append((start, end))
    return found


def _is_abbreviation(text: str, begin: int, found: re.Match[str]) -> bool:
    """Whether the full stop at *found* belongs to a word, a number of a list, or stands before a small letter."""
    following = _NEXT_SIGN.match(text, found.end())
    if following is not None and following[1].islower():
        return True
    tail = text[max(begin, found.start() - 12) : found.start()]
    before = _WORD_BEFORE.search(tail)
    word = before[0].lower() if before else ""
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (word.isdigit() and word == tail.strip())


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

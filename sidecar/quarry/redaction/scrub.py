"""
Removes credentials from a note before it is stored, embedded or shown.

`scrub` replaces each secret by `[REDACTED:name]` and remembers where, so that an
offset into the scrubbed text can be converted back. The whole note is scanned
before it is divided into chunks: a key may cross any border. `rules` defines
the formats; this module runs the rules and records what they find.

Bytes are scanned, one per character, so that byte offsets are character
offsets; no rule distinguishes characters beyond ASCII.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from quarry.lazy_pattern import lazy_pattern
from quarry.redaction.secret_rules import FOREIGN_LABEL, ReEngine, default_scrub_engine, rules

MAX_PASSES = 8
"""A redaction can expose a secret next to it. Two passes are usual; the limit bounds the cost of hostile notes."""

_PLAIN = (
    dict.fromkeys("\u00a0\u3000。，；、！？（）【】「」《》", " ")
    | dict.fromkeys("“”„", '"')
    | dict.fromkeys("‘’", "'")
)
_PLAIN |= {"：": ":", "＝": "="}
_PASSWORD_WORDS = ("密码", "密碼", "口令", "パスワード", "비밀번호", "пароль", "Пароль")


class Redaction(Struct, frozen=True):
    """A secret at `[start, end)` of the original text, in code points, and the rule that found it."""

    start: int
    end: int
    name: str

    @property
    def marker(self) -> str:
        """The text that replaces the secret."""
        return f"[REDACTED:{self.name}]"


@dataclass(frozen=True, slots=True, repr=False)
class Scrubbed:
    """A text without its secrets, and where they were. The `repr` shows neither."""

    text: str
    redactions: tuple[Redaction, ...]  # ascending, not overlapping
    _marker_starts: tuple[int, ...] = field(compare=False)  # where each marker begins in `text`

    def __repr__(self) -> str:
        return f"Scrubbed({len(self.text)} characters, {dict(self.names())})"

    def original_offset(self, offset: int, *, edge: Literal["start", "end"] = "start") -> int:
        """
        Convert *offset* into the scrubbed text to one into the original.

        An offset inside a marker becomes the start or the end of the secret, as *edge* says, so that a span
        converted from its "start" to its "end" contains every secret that it touches.
        """
        index = bisect_right(self._marker_starts, offset) - 1
        if index < 0:
            return offset
        redaction = self.redactions[index]
        into = offset - self._marker_starts[index]
        beyond = into - len(redaction.marker)
        if beyond >= 0:
            return redaction.end + beyond
        return redaction.end if edge == "end" and into > 0 else redaction.start

    def scrubbed_offset(self, offset: int) -> int:
        """Convert *offset* into the original text to one into the scrubbed; inside a secret it is the marker's end."""
        index = bisect_right(self.redactions, offset, key=lambda redaction: redaction.start) - 1
        if index < 0:
            return offset
        redaction = self.redactions[index]
        if offset == redaction.start:
            return self._marker_starts[index]
        return self._marker_starts[index] + len(redaction.marker) + max(0, offset - redaction.end)

    def names(self) -> Mapping[str, int]:
        """The number of redactions by rule, which is all that may be logged about secrets."""
        return Counter(redaction.name for redaction in self.redactions)


def scrub(text: str, engine: ReEngine | None = None) -> Scrubbed:
    """
    Replace every credential in *text*, a whole note, by a marker that names its kind.

    Scrubbing is idempotent. *engine* defaults to the fastest one that is installed.
    """
    return _replace(text, _find(text, engine or default_scrub_engine()))


def scrub_text(text: str) -> str:
    """Return *text* without its credentials; for everything that leaves the process, scrubbed before or not."""
    return scrub(text).text


def scrub_texts(texts: Sequence[str]) -> list[str]:
    """
    Return `scrub_text` of each of *texts*, in a tenth of the time.

    All texts are searched at once, joined by line ends, which is also what a rule sees around a single text. Only those
    in which a rule begins to match are scrubbed.
    """
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    suspects = _suspects("\n".join(texts), starts)
    return [scrub_text(text) if number in suspects else text for number, text in enumerate(texts)]


def _suspects(joined: str, starts: Sequence[int]) -> set[int]:
    """
    The numbers of the texts in which any rule begins to match, as stored or as rendered; *starts* are their offsets.

    A match may extend into the next text, or overlap a match that begins there. So the search continues at the line end
    before the next text, and every match that begins there or later is found.
    """
    engine, suspects = default_scrub_engine(), set[int]()
    for view in text_views(joined):
        data = _without_markers(view.text)
        for index in engine.candidates(data):
            position = 0
            while (place := engine.place(index, data, position)) is not None:
                # Byte `place` is character `place - 1`; a line end counts to the text after it.
                offset = view.starts[place] if place < len(view.text) else len(joined)
                number = bisect_right(starts, offset) - 1
                suspects.add(number)
                line_end = starts[number + 1] - 1
                position = max(place, view.from_note(line_end, line_end + 1)[0]) + 1
    return suspects


def _replace(text: str, redactions: tuple[Redaction, ...]) -> Scrubbed:
    if not redactions:
        return Scrubbed(text, (), ())
    pieces: list[str] = []
    starts: list[int] = []
    done = size = 0
    for redaction in redactions:
        starts.append(size + redaction.start - done)
        pieces += text[done : redaction.start], redaction.marker
        size = starts[-1] + len(redaction.marker)
        done = redaction.end
    pieces.append(text[done:])
    return Scrubbed("".join(pieces), redactions, tuple(starts))


def _find(text: str, engine: ReEngine) -> tuple[Redaction, ...]:
    """All secrets of *text*, as stored and as rendered; the rest is scanned again until nothing more is found."""
    views = text_views(text)
    contents = [_without_markers(view.text) for view in views]
    found: list[Redaction] = []
    for _ in range(MAX_PASSES):
        fresh = [
            Redaction(*view.to_note(secret.start, secret.end), secret.name)
            for view, data in zip(views, contents, strict=True)
            for secret in _scan(data, engine)
        ]
        if not fresh:
            break
        found = _merge(found + fresh)
        contents = [
            _blank(data, [view.from_note(secret.start, secret.end) for secret in fresh])
            for view, data in zip(views, contents, strict=True)
        ]
    return tuple(found)


def _without_markers(text: str) -> bytes:
    data = _to_bytes(text)
    if b"[REDACTED:" not in data:
        return data
    return _blank(data, [marker.span() for marker in _markers().finditer(text)])


@cache
def _markers() -> re.Pattern[str]:
    return re.compile(r"\[REDACTED:(?:" + "|".join(sorted({re.escape(rule.name) for rule in rules()})) + r")\]")


@cache
def _precedence() -> Mapping[str, int]:
    return {rule.name: index for index, rule in reversed(list(enumerate(rules())))}


def _to_bytes(text: str) -> bytes:
    """
    Encode *text* with one byte per character: Latin-1, with plain punctuation for wide and typographic, `?` for the
    rest.

    Words for "password" in other scripts become as many `FOREIGN_LABEL`s, which the rules read as one label. A line
    break is added before and after, so that every character has two neighbours: byte = character + 1.
    """
    if not text.isascii():
        for typographic, plain in _PLAIN.items():
            text = text.replace(typographic, plain)
        for word in _PASSWORD_WORDS:
            text = text.replace(word, FOREIGN_LABEL * len(word))
    return b"\n" + text.encode("latin-1", "replace") + b"\n"


def _blank(data: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Put zero bytes, which no rule crosses, over *spans* of the text in *data*."""
    blanked = bytearray(data)
    for start, end in spans:
        blanked[start + 1 : end + 1] = bytes(end - start)
    return bytes(blanked)


def _scan(data: bytes, engine: ReEngine) -> Iterator[Redaction]:
    """Yield what each rule finds in *data*. Matches of one rule do not overlap; those of two rules may."""
    for index in engine.candidates(data):
        rule = rules()[index]
        visible = rule.masked(data)
        position = 0
        while span := engine.search(index, visible, position):
            secret = rule.validate(visible, *span)
            if secret:
                yield Redaction(secret[0] - 1, secret[1] - 1, rule.name)
            position = max(span[1], secret[1] if secret else 0)


def _merge(redactions: Sequence[Redaction]) -> list[Redaction]:
    """Merge overlapping redactions, so that nothing of either secret is kept; the first of their rules names them."""
    merged: list[Redaction] = []
    for redaction in sorted(redactions, key=lambda redaction: redaction.start):
        if merged and redaction.start < merged[-1].end:
            last = merged.pop()
            name = min(last.name, redaction.name, key=_precedence().__getitem__)
            merged.append(Redaction(last.start, max(last.end, redaction.end), name))
        else:
            merged.append(redaction)
    return merged


_INVISIBLE = (
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f"  # control characters, but for tab and line breaks
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"  # joiners, directions, marks
)
_HYPHEN_ESCAPES = {"\\-", "&#45;"}
_ESCAPES = (r"\\[_-]", "&(?:#(?:95|[xX]5[fF]|45)|lowbar);", "%5[fF]")
_NOT_RENDERED = lazy_pattern(f"[{_INVISIBLE}]+|" + "|".join(_ESCAPES))
_ONE_BY_ONE = tuple(map(lazy_pattern, _ESCAPES))  # `re` skips to the literal that each begins with
_INVISIBLE_CHARACTER = lazy_pattern(f"[{_INVISIBLE}]")
_ASCII_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])


class TextView(Struct, frozen=True):
    """A view of the note: character `i` of `text` is `[starts[i], ends[i])` of the note, in code points."""

    text: str
    starts: Sequence[int]  # both ascending
    ends: Sequence[int]

    def to_note(self, start: int, end: int) -> tuple[int, int]:
        """Convert `[start, end)` of this view, not empty, to the note, with what is not rendered in between."""
        return self.starts[start], self.ends[end - 1]

    def from_note(self, start: int, end: int) -> tuple[int, int]:
        """Convert `[start, end)` of the note to this view: all characters that overlap it."""
        first = bisect_right(self.ends, start)
        return first, max(first, bisect_left(self.starts, end))


def text_views(text: str) -> list[TextView]:
    """
    Return the note as stored and, if it differs, as rendered: without invisible characters and escapes of `_` and `-`.

    Both are needed: a zero-width space may divide a key, or may separate a key from the word before it.
    """
    stored = TextView(text, range(len(text)), range(1, len(text) + 1))
    return [stored, _as_rendered(text)] if _differs_when_rendered(text) else [stored]


def _differs_when_rendered(text: str) -> bool:
    """
    Whether `_NOT_RENDERED` finds anything in *text*: a quick no for most notes.

    The whole expression takes 119 ms for 7.5 MB of notes, as it tries five alternatives at every character; this takes
    20.
    """
    for escape in _ONE_BY_ONE:
        if escape.search(text):
            return True
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _ASCII_CONTROLS)) < len(data)
    return _INVISIBLE_CHARACTER.search(text) is not None


def _as_rendered(text: str) -> TextView:
    pieces: list[str] = []
    starts, ends = array("L"), array("L")
    done = 0

    def keep(upto: int) -> None:
        pieces.append(text[done:upto])
        starts.extend(range(done, upto))
        ends.extend(range(done + 1, upto + 1))

    for unshown in _NOT_RENDERED.finditer(text):
        keep(unshown.start())
        if unshown.group()[0] in "\\&%":
            pieces.append("-" if unshown.group() in _HYPHEN_ESCAPES else "_")
            starts.append(unshown.start())
            ends.append(unshown.end())
        done = unshown.end()
    keep(len(text))
    return TextView("".join(pieces), starts, ends)

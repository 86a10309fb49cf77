"""
How are credentials taken out of a note before anyone stores, embeds or shows it?

`scrub` replaces each secret by `[REDACTED:name]` and remembers where, so that an
offset into the scrubbed text leads back into the note. The whole note is scanned
at once, before it is cut into chunks: a key may lie across any border. What a
secret is stands in `rules`; this module runs the rules and keeps the books.

Scanning works on bytes, one a character, so that byte offsets are character
offsets; beyond ASCII no rule makes a difference.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from quarry.lazy_pattern import lazy_pattern
from quarry.text.secrets.engines import ScrubEngine, default_scrub_engine
from quarry.text.secrets.rendered_text import text_views
from quarry.text.secrets.rules import FOREIGN_LABEL, RULES

MAX_PASSES = 8
"""A redaction can bare a secret beside it. Two passes are the rule; notes made to need more cannot cost more."""

_NAMES = sorted({rule.name for rule in RULES})
_MARKER = lazy_pattern(r"\[REDACTED:(?:" + "|".join(map(re.escape, _NAMES)) + r")\]")
_PRECEDENCE = {rule.name: index for index, rule in reversed(list(enumerate(RULES)))}
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
        """What stands in place of the secret."""
        return f"[REDACTED:{self.name}]"


@dataclass(frozen=True, slots=True, repr=False)
class Scrubbed:
    """A text without its secrets, and where they were. Its `repr` shows neither."""

    text: str
    redactions: tuple[Redaction, ...]  # ascending, not overlapping
    _marker_starts: tuple[int, ...] = field(compare=False)  # where each marker begins in `text`

    def __repr__(self) -> str:
        return f"Scrubbed({len(self.text)} characters, {dict(self.names())})"

    def original_offset(self, offset: int, *, edge: Literal["start", "end"] = "start") -> int:
        """
        Where the character at *offset* of the scrubbed text stands in the original.

        Inside a marker there is no such character: *edge* chooses between the start and the end of the
        secret, so that a span mapped from its "start" to its "end" holds every secret that it touches.
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

    def names(self) -> Mapping[str, int]:
        """How often each rule fired: all that may be logged about secrets."""
        return Counter(redaction.name for redaction in self.redactions)


def scrub(text: str, engine: ScrubEngine | None = None) -> Scrubbed:
    """
    Replace every credential in *text*, a whole note, by a marker that names its kind.

    Scrubbing what is scrubbed changes nothing. *engine* is the best one here, if not given.
    """
    return _replace(text, _find(text, engine or default_scrub_engine()))


def scrub_text(text: str) -> str:
    """Give *text* without its credentials: for all that leaves the process, scrubbed before or not."""
    return scrub(text).text


def scrub_texts(texts: Sequence[str]) -> list[str]:
    """
    Give each of *texts* as `scrub_text` does.

    All of them are looked through at once, with line ends between, as a rule sees around each by itself: most are
    passed over so, and only those in which a rule begins to match are scrubbed.
    """
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    suspects = _suspects("\n".join(texts), starts)
    return [scrub_text(text) if number in suspects else text for number, text in enumerate(texts)]


def _suspects(joined: str, starts: Sequence[int]) -> set[int]:
    """
    The numbers of the texts in which any rule begins to match, as stored or as shown; *starts* has where each begins.

    A match may reach into the next text, or hide what begins within it. So the search goes on at the line end before
    the next text, and whatever begins there or later is found.
    """
    engine, suspects = default_scrub_engine(), set[int]()
    for view in text_views(joined):
        data = _without_markers(view.text)
        for index in engine.candidates(data):
            position = 0
            while (place := engine.place(index, data, position)) is not None:
                # The byte at `place` is the character before: a line end begins what the next text is seen with.
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


def _find(text: str, engine: ScrubEngine) -> tuple[Redaction, ...]:
    """Every secret of *text*, as stored and as shown: what is left is scanned again until nothing more is found."""
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
    return _blank(data, [marker.span() for marker in _MARKER.finditer(text)])


def _to_bytes(text: str) -> bytes:
    """
    Turn *text* into one byte a character: Latin-1, wide and typographic punctuation made plain, `?` for all else.

    The word for password in other scripts becomes as many `FOREIGN_LABEL`s, which the rules read as one. A line
    break is put before and after, so that every character has two neighbours: byte = character + 1.
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


def _scan(data: bytes, engine: ScrubEngine) -> Iterator[Redaction]:
    """What each rule finds in *data*. The matches of one rule do not overlap, those of two may."""
    for index in engine.candidates(data):
        rule = RULES[index]
        visible = rule.mask(data) if rule.mask else data
        position = 0
        while span := engine.search(index, visible, position):
            secret = rule.validator(visible, *span)
            if secret:
                yield Redaction(secret[0] - 1, secret[1] - 1, rule.name)
            position = max(span[1], secret[1] if secret else 0)


def _merge(redactions: Sequence[Redaction]) -> list[Redaction]:
    """Join what overlaps, so that nothing of either secret stays; the rule that stands first gives the name."""
    merged: list[Redaction] = []
    for redaction in sorted(redactions, key=lambda redaction: redaction.start):
        if merged and redaction.start < merged[-1].end:
            last = merged.pop()
            name = min(last.name, redaction.name, key=_PRECEDENCE.__getitem__)
            merged.append(Redaction(last.start, max(last.end, redaction.end), name))
        else:
            merged.append(redaction)
    return merged

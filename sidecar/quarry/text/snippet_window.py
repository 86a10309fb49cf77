"""
Which stretch of a text holds the most of what is wanted?

The one where the different things in it are the most telling together: a word counts once, however often it stands
there; two words near each other count for more than apart, a phrase for more than all words. Of equals the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from quarry.text.snippet_marks import Found

NEAR = 16  # characters between two words, about two other words: closer ones say something together
HEADING_SHARE = 4  # headings are shown above a passage anyway: what stands in those counts for a quarter

_Thing = tuple[str, int]  # what it is, and how telling it is


def best_window(found: Sequence[Found], width: int, body: int) -> tuple[int, int]:
    """
    From the first to the last thing worth showing in at most *width* characters, in time linear in *found*.

    Args:
        found: At least one, in order of their starts. One that is longer than *width* can be a window alone.
        width: Characters.
        body: Where the text behind its headings begins.
    """
    first_key = found[0].key
    if found[0].start >= body and all(at.key == first_key for at in found):  # as for most queries of one word
        return found[0].start, found[0].end
    words = [_word(at, body) for at in found]
    pairs = [None, *map(_pair, found, found[1:], words, words[1:])]
    inside = _Different()
    first, best, chosen = 0, 0, (0, 0)
    for last, at in enumerate(found):
        inside.add(words[last])
        inside.add(pairs[last])
        while first < last and (
            at.end > found[first].start + width or (inside.repeats(words[first]) and inside.repeats(pairs[first + 1]))
        ):
            inside.remove(words[first])
            inside.remove(pairs[first + 1])
            first += 1
        if inside.value > best:
            best, chosen = inside.value, (first, last)
    first, last = chosen
    return found[first].start, max(at.end for at in found[first : last + 1])


def _word(at: Found, body: int) -> _Thing:
    return (at.key, at.value) if at.start >= body else (f"# {at.key}", max(1, at.value // HEADING_SHARE))


def _pair(before: Found, at: Found, one: _Thing, other: _Thing) -> _Thing | None:
    """Two different things near each other, worth half of the lesser once more."""
    if at.start - before.end > NEAR or before.key == at.key:
        return None
    lesser, greater = (one, other) if one < other else (other, one)
    return f"{lesser[0]} + {greater[0]}", min(one[1], other[1]) // 2


@dataclass
class _Different:
    """The sum over different things, while they come and go."""

    value: int = 0
    _counts: dict[str, int] = field(default_factory=dict)

    def add(self, thing: _Thing | None) -> None:
        if thing is not None:
            count = self._counts.get(thing[0], 0)
            self._counts[thing[0]] = count + 1
            self.value += 0 if count else thing[1]

    def remove(self, thing: _Thing | None) -> None:
        if thing is not None:
            self._counts[thing[0]] -= 1
            self.value -= 0 if self._counts[thing[0]] else thing[1]

    def repeats(self, thing: _Thing | None) -> bool:
        """Whether nothing is lost without one of it."""
        return thing is None or self._counts[thing[0]] > 1

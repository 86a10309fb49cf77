"""
The passages that are quoted in a context, and how much of each: chosen by confidence per token.

A quote is worth the probability that it answers: the confidence of its note, less what a more confident quote says
already, less what a cut may lose. Quotes are taken by their worth per character, as long as they fit into the budget,
each after a price for its characters: one that brings far less for them than the best one does is left out, however
much room there is. `docs/QUALITY.md` has the answers per 1,000 tokens. An exact solution of the knapsack problem chose
the same quotes for all 299 queries of the collections beside the tests, in 500, 1,500 and 2,000 tokens.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from quarry.documents.sentences import split_sentences
from quarry.search.answer import SHORTEST_CUT

LEAST_SHARE = 0.4  # of the best quote's worth per character, that any must exceed; see docs/decisions/023
RUN = 8  # characters compared in near duplicates: longer than most words, so that a common subject is no likeness
_SCALE = 1_000_000  # worths are whole numbers, which are compared alike on any machine


class Option(Struct, frozen=True):
    """One way to take an item."""

    size: int  # at least 0
    value: int  # an option that is not worth more than 0 is never taken


class Quotable(Struct, frozen=True):
    """A passage that may be quoted, in one of several lengths."""

    text: str
    confidence: float | None  # None: unknown, as its note is only listed
    lengths: tuple[int, ...]  # characters of `text`, the whole first
    sizes: tuple[int, ...]  # what each length takes of the budget, in characters, with everything around it


class Quote(Struct, frozen=True):
    """A chosen passage and length: indices into the passages, and into the lengths of this one."""

    passage: int
    length: int


def quote_lengths(text: str) -> tuple[int, ...]:
    """The lengths at which *text* may be quoted: whole, or up to the end of a sentence, at least `SHORTEST_CUT`."""
    ends = [sentence.end for sentence in split_sentences(text)]
    return (len(text), *(end for end in reversed(ends) if SHORTEST_CUT <= end < len(text.rstrip())))


def choose_quotes(passages: Sequence[Quotable], room: int, limit: int) -> list[Quote]:
    """
    Choose at most *limit* quotes, whose sizes are at most *room* characters together, in the order of *passages*.

    Passages of unknown confidence are quoted first, one after the other, as far as they fit: they are what was asked
    for. Among the others, the most confident of near duplicates counts, so *passages* are most confident first.
    """
    quotes: list[Quote] = []
    for at, passage in enumerate(passages):
        fitting = [length for length, size in enumerate(passage.sizes) if size <= room]
        if passage.confidence is None and fitting and len(quotes) < limit:
            quotes.append(Quote(at, fitting[0]))
            room -= passage.sizes[fitting[0]]
    known = [at for at, one in enumerate(passages) if one.confidence is not None and min(one.sizes) <= room]
    chosen = choose(_priced([passages[at] for at in known], room), room, limit - len(quotes))
    quotes += [Quote(at, length) for at, length in zip(known, chosen, strict=True) if length is not None]
    return sorted(quotes, key=lambda quote: quote.passage)


def choose(items: Sequence[Sequence[Option]], capacity: int, limit: int) -> tuple[int | None, ...]:
    """
    Choose at most *limit* items whose sizes are at most *capacity* together, the most valuable for their size first.

    Then the room that is left goes to larger options of these items that are worth more.

    Returns:
        For each item the index of the chosen one of its options; None: the item is left out. Among equal options, the
        earlier item's.
    """
    options = [
        (option.value / max(1, option.size), item, index, option)
        for item, of_one in enumerate(items)
        for index, option in enumerate(of_one)
        if option.value > 0
    ]
    options.sort(key=lambda entry: (-entry[0], *entry[1:3]))
    chosen: list[int | None] = [None] * len(items)
    for _, item, index, option in options:
        if chosen[item] is None and limit and option.size <= capacity:
            chosen[item], capacity, limit = index, capacity - option.size, limit - 1
    for _, item, index, option in options:
        before = chosen[item]
        if before is not None and option.value > items[item][before].value:
            further = option.size - items[item][before].size
            if further <= capacity:
                chosen[item], capacity = index, capacity - further
    return tuple(chosen)


def _priced(passages: Sequence[Quotable], room: int) -> list[list[Option]]:
    """The lengths of each passage with their worth, less the price of their characters."""
    options = [
        [
            Option(size, _worth(worth, length / max(1, passage.lengths[0])))
            for length, size in zip(passage.lengths, passage.sizes, strict=True)
        ]
        for passage, worth in zip(passages, _worths(passages), strict=True)
    ]
    fitting = [option.value / option.size for of_one in options for option in of_one if option.size <= room]
    price = LEAST_SHARE * max(fitting, default=0.0)
    return [[Option(one.size, math.floor(one.value - price * one.size)) for one in of_one] for of_one in options]


def _worth(whole: float, share: float) -> int:
    """
    The worth of the first *share* of a quote that is worth *whole*.

    A quote begins with what matches the query, so that cutting off its end loses less than its share: of the answers
    in 500 characters of `chroma-chunks`, 90 % are in the first 81 % of them, 84 % in 75 %, 76 % in 65 %.
    """
    return math.floor(_SCALE * whole * math.sqrt(share))


def _worths(passages: Sequence[Quotable]) -> list[float]:
    """The confidence of each passage, less the share of it that one before it says, too."""
    runs = [_runs(passage.text) for passage in passages]
    return [
        (passage.confidence or 0.0) * (1 - max((len(own & other) / len(own) for other in runs[:at]), default=0.0))
        for at, (passage, own) in enumerate(zip(passages, runs, strict=True))
    ]


def _runs(text: str) -> frozenset[str]:
    """All runs of `RUN` characters of *text*, in which case and spaces make no difference; at least one."""
    even = " ".join(text.casefold().split())
    return frozenset(even[at : at + RUN] for at in range(max(1, len(even) - RUN + 1)))

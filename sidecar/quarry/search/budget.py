"""The token budget: filled in ranked order, so that the lowest-ranked text is cut first."""

from collections.abc import Iterable

from msgspec import Struct

CHARACTERS_PER_TOKEN = 4  # the usual estimate for English prose; a budget needs no tokenizer
SHORTEST_CUT = 300  # characters; a shorter piece of a chunk is not worth reading
ELLIPSIS = "..."


class Fitted(Struct, frozen=True):
    """A text that fits the budget, whole or cut."""

    text: str
    truncated: bool


def estimate_tokens(text: str) -> int:
    """Tokens of *text*, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def fit(texts: Iterable[str], max_tokens: int) -> tuple[Fitted, ...]:
    """
    The leading *texts* that fit into *max_tokens* together.

    The one that would overflow is cut, with `...`, when at least `SHORTEST_CUT` characters of it fit; nothing after
    it is taken, or even looked at, even if it were short enough.
    """
    fitted: list[Fitted] = []
    room = max_tokens * CHARACTERS_PER_TOKEN
    for text in texts:
        if len(text) <= room:
            fitted.append(Fitted(text, truncated=False))
            room -= len(text)
            continue
        if room >= SHORTEST_CUT:
            fitted.append(Fitted(text[: room - len(ELLIPSIS)].rstrip() + ELLIPSIS, truncated=True))
        break
    return tuple(fitted)

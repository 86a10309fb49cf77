"""The interface of a tier, and digests by which duplicates are recognised."""

import hashlib
from collections.abc import Callable
from typing import Protocol

from quarry import protocol as wire
from quarry.errors import IndexUnavailable
from quarry.messages import Message
from quarry.options import SearchOptions

TELLING_CHARS = 80  # texts as long as that are hardly equal by chance; shorter ones, such as a template, are


class Absent(IndexUnavailable):
    """A tier cannot answer; the message says why, and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Tier(Protocol):
    """Notes that can be searched. Any thread may call its methods, several at once."""

    def search(self, options: SearchOptions, deadline_s: float, is_cancelled: Callable[[], bool]) -> wire.TierAnswer:
        """
        The hits for *options*, best first, and their digests (`text_digest` at least).

        Args:
            deadline_s: On the monotonic clock. A later answer is not used.
            is_cancelled: Whether the answer is no longer needed.

        Raises:
            Absent: The tier cannot be searched.
            QuarryError: As `search` of the sidecar.
        """

    def obstacle(self) -> Message | None:
        """Why it cannot be searched, as far as that shows without asking; None if nothing is known."""

    def close(self) -> None:
        """Release all resources."""


def text_digest(title: str, text: str) -> str:
    """A digest of the *text* of a passage, and of the *title* of its note if the text may be equal by chance."""
    words = " ".join(text.split()).casefold()
    telling = words if len(words) >= TELLING_CHARS else f"{title.casefold()}\n{words}"
    return hashlib.blake2b(telling.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

"""
What is wanted in a file of a client, whichever kind of file it is.

A target takes the text of a file and gives the text with its content, or without what is ours; it reads and writes no
file. Every text is checked to mean what it should before anybody sees it. The kinds are in `server_targets.py`,
`hook_targets.py` and `instructions.py`.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from quarry.agents.install.insertions import Insertion

KeyPath = tuple[str, ...]


class Addition(NamedTuple):
    """A text with something added: the steps that led to it, and the objects that it had not before."""

    text: str
    steps: tuple[tuple[Insertion, ...], ...]
    containers: tuple[KeyPath, ...] = ()


class Target(Protocol):
    """An entry wanted in a file. All methods raise `Malformed` for a text that they cannot read."""

    def is_done(self, text: str) -> bool:
        """Whether *text* has what is wanted, and nothing else of ours."""

    def has_ours(self, text: str) -> bool:
        """Whether *text* has anything that an earlier call wrote."""

    def add(self, text: str) -> Addition:
        """*text*, which has nothing of ours, with what is wanted. Raises `BadConfiguration` where a name is taken."""

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """*text* without what is ours, and without those of *containers*, which we made, that are empty then."""

    def is_bare(self, text: str) -> bool:
        """Whether *text* is as good as no file."""

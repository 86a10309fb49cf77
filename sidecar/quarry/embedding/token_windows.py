"""
The token ids that a network reads for a text: in windows, where the text is longer than what it reads at once.

Each window begins with the prompt and the head of the text, as a passage begins with its title and heading, without
which the rest says less. Windows overlap, so that what stands at the end of one is read in its context by the next.
Each is marked at both ends as a text of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quarry.embedding.contextual_config import ContextualConfig
from quarry.embedding.tokens import MAX_TEXT_CHARS, encodable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

OVERLAP = 1 / 8  # of a window's own tokens
# Repeated in every window: nDCG@10 by meaning is .733 with it, .693 without, .727 with the first window alone
# (anthropic-docs, all-MiniLM-L6-v2; decision 018).
HEAD_TOKENS = 32
MAX_HEAD = 1 / 4  # of a window


class WindowTokenizer:
    """Turns texts into windows of token ids. Safe to share between threads."""

    def __init__(self, tokenizer: "Tokenizer", config: ContextualConfig) -> None:
        """
        Take a *tokenizer*, whose truncation and padding are turned off here.

        Raises:
            ValueError: The marks and prompts of the model leave no room for a text.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._config = config
        self._unknown_id = None if config.unknown_token is None else tokenizer.token_to_id(config.unknown_token)
        self._before, self._after = _marks(tokenizer)
        for prompt in (config.prompts.query, config.prompts.passage):
            if self._room(self._read("a", prompt)[0]) < 1:
                raise ValueError(f"of {config.max_tokens} tokens its prompt {prompt!r} leaves none for a text")

    @property
    def vocabulary_size(self) -> int:
        """The number of tokens it knows."""
        return self._tokenizer.get_vocab_size()

    def passage(self, text: str) -> list[list[int]]:
        """The windows of a passage, as many tokens in each; none if *text* has no token that the model knows."""
        prompt_ids, ids = self._read(text, self._config.prompts.passage)
        room = self._room(prompt_ids)
        if self._is_unknown(ids):
            return []
        if len(ids) <= room:
            return [self._marked(prompt_ids, ids)]
        cut = min(HEAD_TOKENS, int(room * MAX_HEAD))
        head, rest = ids[:cut], ids[cut:]
        return [self._marked(prompt_ids, [*head, *window]) for window in split_evenly(rest, room - cut)]

    def query(self, text: str) -> list[int]:
        """The first window of a query; empty if *text* has no token that the model knows."""
        prompt_ids, ids = self._read(text, self._config.prompts.query)
        return [] if self._is_unknown(ids) else self._marked(prompt_ids, ids[: self._room(prompt_ids)])

    def any_window(self, text: str) -> list[int]:
        """A window of *text*, even if none of its tokens is known: to try a network on."""
        prompt_ids, ids = self._read(text, self._config.prompts.passage)
        return self._marked(prompt_ids, ids[: self._room(prompt_ids)])

    def _read(self, text: str, prompt: str) -> tuple[list[int], list[int]]:
        """The token ids of *prompt*, and those of *text* behind it."""
        text = encodable(text[:MAX_TEXT_CHARS])
        whole = prompt + (text.lower() if self._config.is_lowercased else text)
        encoding = self._tokenizer.encode(whole, add_special_tokens=False)
        # They are read together, as a space between them may belong to either.
        prompt_end = len(prompt.rstrip())
        cut = sum(start < prompt_end for start, _ in encoding.offsets)
        return encoding.ids[:cut], encoding.ids[cut:]

    def _is_unknown(self, ids: Sequence[int]) -> bool:
        return all(token_id == self._unknown_id for token_id in ids)

    def _room(self, prompt_ids: Sequence[int]) -> int:
        return self._config.max_tokens - len(self._before) - len(prompt_ids) - len(self._after)

    def _marked(self, prompt_ids: Sequence[int], ids: Sequence[int]) -> list[int]:
        return [*self._before, *prompt_ids, *ids, *self._after]


def split_evenly(ids: Sequence[int], room: int) -> list[Sequence[int]]:
    """
    Split *ids* into as few windows of at most *room* as overlap by OVERLAP, all of one length, give or take a few.

    So each of them counts the same in the mean, and none is a rest of a few words.
    """
    if len(ids) <= room:
        return [ids]
    overlap = int(room * OVERLAP)
    count = -(-(len(ids) - overlap) // (room - overlap))
    step = -(-(len(ids) - overlap) // count)
    return [ids[start : start + step + overlap] for start in range(0, step * count, step)]


def _marks(tokenizer: "Tokenizer") -> tuple[list[int], list[int]]:
    """The token ids that *tokenizer* puts before and after every text."""
    encoding = tokenizer.encode("a")
    is_mark = encoding.special_tokens_mask
    first, last = is_mark.index(0), len(is_mark) - is_mark[::-1].index(0)
    return encoding.ids[:first], encoding.ids[last:]

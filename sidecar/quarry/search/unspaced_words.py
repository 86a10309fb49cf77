"""
Which words of a run without spaces does a note lack? Of 簧片怎么调音, a note about 簧片 lacks 调音.

A question in Chinese or Japanese is typed as one word, and no note holds all of it side by side. The index knows each
two neighbouring characters; those of a pair that a note holds are in the note, and what lies between them is lacking.
Single characters in between join words, and so do hiragana; words of questions say nothing of a note.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from quarry.analysis.normalize import fold
from quarry.analysis.tokenizer import TOKEN, split_token, unspaced_characters
from quarry.lazy_pattern import lazy_pattern
from quarry.query.question import CJK_QUESTION_WORDS
from quarry.query.terms import is_stop_word

MIN_RUN = 5  # characters; fewer are mostly one word (数据库), which is lacking where not all of it stands side by side
MIN_WORD = 2  # characters; most words have two, and a single one may be what joins two of them

_HAN_AND_KANA = lazy_pattern(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_JOINING = lazy_pattern("[\u3041-\u309f]+|^[的了地得之和与及在是]+|[的了吗呢吧啊]+$")


def split_runs(word: str) -> list[str] | None:
    """The words and runs in *word*: `glue` and `とは何ですか` in `glueとは何ですか`; None if it is one word."""
    tokens = TOKEN.findall(word)
    parts = [piece.text for token in tokens for piece in split_token(token)]
    if not any(map(_HAN_AND_KANA.fullmatch, parts)):
        parts = tokens  # between other scripts, punctuation alone separates words
    content = [part for part in parts if is_run(part) or not is_stop_word(part.lower())]
    return content if len(parts) > 1 or any(map(is_run, parts)) else None


def is_run(part: str) -> bool:
    """Whether *part* is in Chinese or Japanese characters, and may be several words: it is long, or it asks."""
    if _HAN_AND_KANA.fullmatch(part) is None:
        return False
    return len(part) >= MIN_RUN or (len(part) > MIN_WORD and CJK_QUESTION_WORDS.search(part) is not None)


def pairs_of(run: str) -> list[str]:
    """The terms of each two neighbouring characters of *run*, in order."""
    characters = [fold(character) for character, _ in unspaced_characters(run)]
    return [one + next_one for one, next_one in pairwise(characters)]


def lacking_words(run: str, is_held: Sequence[bool]) -> list[str]:
    """
    The words of *run* that lie outside of the pairs that a note holds, in order.

    Args:
        is_held: Whether the note holds each of `pairs_of(run)`.
    """
    starts = [start for _, start in unspaced_characters(run)]
    ends = [*starts[1:], len(run)]
    is_covered = [before or behind for before, behind in zip([False, *is_held], [*is_held, False], strict=True)]
    outside: list[tuple[int, int]] = []
    for start, end, covered in zip(starts, ends, is_covered, strict=True):
        if covered:
            continue
        if outside and outside[-1][1] == start:
            outside[-1] = (outside[-1][0], end)
        else:
            outside.append((start, end))
    return [word for start, end in outside for word in _words_in(run[start:end])]


def _words_in(text: str) -> Iterator[str]:
    """*text* without what joins words or asks."""
    for asked in CJK_QUESTION_WORDS.split(text):
        for word in _JOINING.split(asked):
            if len(word) >= MIN_WORD:
                yield word

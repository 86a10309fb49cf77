"""
Which window of a text holds the most of the query?

The one whose distinct matches weigh the most together: a word counts once, however often it occurs; two words near each
other count for more than apart, a phrase for more than all words. Among equal windows, the first.
"""

from collections.abc import Sequence

from quarry.search.snippet.matcher import TermMatch

NEAR = 16  # characters between two words, about two other words: closer ones say something together
HEADING_SHARE = 4  # headings are shown above a passage anyway: what stands in those counts for a quarter

_NO_PAIR = ("", "")  # stands for "no pair": weighs nothing and is always present


def best_window(found: Sequence[TermMatch], width: int, body: int) -> tuple[int, int]:
    """
    The span of at most *width* characters with the heaviest matches, in time linear in *found*.

    Args:
        found: At least one, in order of their starts. One that is longer than *width* can be a window alone.
        width: Characters.
        body: Where the text behind its headings begins.
    """
    start, end, _, _ = found[0]
    if start >= body and len({key for _, _, key, _ in found}) == 1:  # as for most queries of one word
        return start, end
    items, values = _weigh(found, body)
    counts = dict.fromkeys(values, 0)  # of words and pairs within the window
    counts[_NO_PAIR] = 2 * len(found)
    first, total, best, chosen = 0, 0, 0, (0, 0)
    for last, (_, end, _, _) in enumerate(found):
        word, pair = items[last]
        if not counts[word]:
            total += values[word]
        counts[word] += 1
        if not counts[pair]:
            total += values[pair]
        counts[pair] += 1
        while first < last:
            word, pair = items[first][0], items[first + 1][1]
            # A word that the window holds again may go, unless its pair is held only once.
            if (counts[word] == 1 or counts[pair] == 1) and end <= found[first][0] + width:
                break
            counts[word] -= 1
            if not counts[word]:
                total -= values[word]
            counts[pair] -= 1
            if not counts[pair]:
                total -= values[pair]
            first += 1
        if total > best:
            best, chosen = total, (first, last)
    first, last = chosen
    return found[first][0], max([end for _, end, _, _ in found[first : last + 1]])


def _weigh(
    found: Sequence[TermMatch], body: int
) -> tuple[list[tuple[str, tuple[str, str]]], dict[str | tuple[str, str], int]]:
    """
    Weigh the words of *found*, and the pairs of words near each other.

    Returns:
        For each match its word and the pair that it forms with the match before it, `_NO_PAIR` if none; and the weight
        of each word and pair.
    """
    items: list[tuple[str, tuple[str, str]]] = []
    values: dict[str | tuple[str, str], int] = {_NO_PAIR: 0}
    end_before, key_before, word_before, value_before = -NEAR - 1, "", "", 0
    for start, end, key, value in found:
        word = key
        if start < body:
            word, value = f"# {key}", max(1, value // HEADING_SHARE)
        if word not in values:
            values[word] = value
        pair = _NO_PAIR
        if start - end_before <= NEAR and key != key_before:
            pair = (word_before, word) if word_before < word else (word, word_before)
            if pair not in values:
                values[pair] = min(value_before, value) // 2  # of the lesser
        items.append((word, pair))
        end_before, key_before, word_before, value_before = end, key, word, value
    return items, values

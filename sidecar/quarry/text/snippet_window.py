"""
Which stretch of a text holds the most of what is wanted?

The one where the different things in it are the most telling together: a word counts once, however often it stands
there; two words near each other count for more than apart, a phrase for more than all words. Of equals the first.
"""

from collections.abc import Sequence

from quarry.text.snippet_marks import Found

NEAR = 16  # characters between two words, about two other words: closer ones say something together
HEADING_SHARE = 4  # headings are shown above a passage anyway: what stands in those counts for a quarter

# Two words near each other are a thing, too, known by both.
_Key = str | tuple[str, str]


def best_window(found: Sequence[Found], width: int, body: int) -> tuple[int, int]:
    """
    From the first to the last thing worth showing in at most *width* characters, in time linear in *found*.

    Args:
        found: At least one, in order of their starts. One that is longer than *width* can be a window alone.
        width: Characters.
        body: Where the text behind its headings begins.
    """
    start, end, first_key, _ = found[0]
    if start >= body and all(at[2] == first_key for at in found):  # as for most queries of one word
        return start, end
    words, pairs, values = _things(found, body)
    counts: dict[_Key, int] = dict.fromkeys(values, 0)  # of things while they come and go
    first, total, best, chosen = 0, 0, 0, (0, 0)
    for last, (_, end, _, _) in enumerate(found):
        word, pair = words[last], pairs[last]
        if not counts[word]:
            total += values[word]
        counts[word] += 1
        if pair is not None:
            if not counts[pair]:
                total += values[pair]
            counts[pair] += 1
        while first < last:
            word, pair = words[first], pairs[first + 1]
            # What stands there again is not needed, unless it makes up a pair that does not.
            if end <= found[first].start + width and (counts[word] == 1 or (pair is not None and counts[pair] == 1)):
                break
            counts[word] -= 1
            if not counts[word]:
                total -= values[word]
            if pair is not None:
                counts[pair] -= 1
                if not counts[pair]:
                    total -= values[pair]
            first += 1
        if total > best:
            best, chosen = total, (first, last)
    first, last = chosen
    return found[first].start, max(at.end for at in found[first : last + 1])


def _things(found: Sequence[Found], body: int) -> tuple[list[_Key], list[_Key | None], dict[_Key, int]]:
    """For each of *found* its word and the pair that it makes with the one before it, and how telling each thing is."""
    words: list[_Key] = []
    pairs: list[_Key | None] = []
    values: dict[_Key, int] = {}
    end_before, key_before, word_before, value_before = -NEAR - 1, "", "", 0
    for start, end, key, value in found:
        word = key
        if start < body:
            word, value = f"# {key}", max(1, value // HEADING_SHARE)
        pair = None
        if start - end_before <= NEAR and key != key_before:
            pair = (word_before, word) if word_before < word else (word, word_before)
            values[pair] = min(value_before, value) // 2  # of the lesser
        words.append(word)
        pairs.append(pair)
        values[word] = value
        end_before, key_before, word_before, value_before = end, key, word, value
    return words, pairs, values

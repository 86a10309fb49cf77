"""
The notes about the two subjects of a comparison, which are quoted together: each side has a reading of its own.

One side alone does not answer, unless no note is about the other: then the answer names that one.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from quarry.limits import SUBJECT_CONFIDENCE, WEAK_CONFIDENCE
from quarry.options import PromptOptions, SearchOptions
from quarry.search.answer import Answer, Hit
from quarry.search.execution import SearchExecution


def compare(
    subjects: Sequence[str],
    options: PromptOptions,
    execution: SearchExecution,
    search: Callable[[SearchOptions, SearchExecution], Answer],
) -> tuple[list[Hit], str]:
    """
    The most likely note about each of *subjects*, and the subject that no note is about; none and "" where that fails.

    A subject promises less than a question, so that one side has to be likely and the other is believed with less.
    Where the sides are quoted, a character of one is worth as much as a character of the other.
    """
    found: list[Hit] = []
    unknown: list[str] = []
    least = min(SUBJECT_CONFIDENCE, options.least_confidence)
    for subject in subjects:
        answer = search(replace(options, query=subject, least_confidence=least), execution)
        hits = () if answer.relaxed and answer.relaxed.step == "meaning" else answer.hits
        likely = [hit for hit in hits if hit.retrievers and hit.confidence >= least]
        taken = {hit.path for hit in found}
        found += [hit for hit in likely if hit.path not in taken][:1]
        unknown += [] if likely else [subject]
    says_unknown = len(found) == len(unknown) == 1 and execution.is_complete()
    enough = options.least_confidence if says_unknown else min(WEAK_CONFIDENCE, options.least_confidence)
    if len(found) < 2 - says_unknown or max(hit.confidence for hit in found) < enough:
        return [], ""
    worths = [hit.confidence * hit.passages[0].share / len(hit.passages[0].snippet.text) for hit in found]
    for at, worth in enumerate(worths):
        passages = [replace(one, share=one.share * min(worths) / worth) for one in found[at].passages]
        found[at] = replace(found[at], passages=tuple(passages))
    return found, unknown[0] if says_unknown else ""

"""Which sentence is best, and how sure that is."""

import numpy as np
from quarry.search.sentence_confidence import SHOWN, SentenceEvidence, best_sentence


def evidence(wording, held, note_confidence=0.8) -> SentenceEvidence:
    """What speaks for some sentences."""
    return SentenceEvidence(np.array(wording), np.array(held), note_confidence)


def test_a_sentence_that_stands_out_is_shown_and_one_among_alike_is_not():
    at, sure = best_sentence(evidence([0.2, 0.9, 0.1], [0.0, 1.0, 0.0]))
    same, unsure = best_sentence(evidence([0.4, 0.4, 0.4], [0.3, 0.3, 0.3]))

    assert (at, same) == (1, 0)
    assert unsure < SHOWN <= sure


def test_the_confidence_of_the_note_counts():
    _, of_a_likely_note = best_sentence(evidence([0.7, 0.4], [0.7, 0.2], 0.9))
    _, of_an_unlikely_one = best_sentence(evidence([0.7, 0.4], [0.7, 0.2], 0.1))

    assert of_an_unlikely_one < of_a_likely_note


def test_a_sentence_without_a_rival_is_rated():
    at, confidence = best_sentence(evidence([0.9], [1.0]))

    assert at == 0
    assert 0 <= confidence <= 1

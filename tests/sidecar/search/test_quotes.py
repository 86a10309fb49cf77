"""Which passages are quoted, and how much of each: by confidence per token."""

import random

import pytest

from quarry.search.answer import SHORTEST_CUT
from quarry.search.quotes import Option, Quotable, Quote, choose, choose_quotes, quote_lengths

ROOMY = 100_000


def words(seed, characters):
    dice = random.Random(seed)
    text = " ".join("".join(dice.choices("abcdefghijklmnop", k=6)) for _ in range(characters // 7 + 1))
    return text[:characters]


def passage(confidence, characters=400, seed=None, text=None, around=40):
    text = text or words(seed if seed is not None else confidence, characters)
    lengths = quote_lengths(text)
    return Quotable(text, confidence, lengths, tuple(length + around for length in lengths))


def indices(quotes):
    return [quote.passage for quote in quotes]


def test_all_that_is_likely_is_quoted_where_there_is_room_in_the_order_given():
    assert choose_quotes([passage(0.9), passage(0.6), passage(0.4)], ROOMY, 8) == [
        Quote(0, 0),
        Quote(1, 0),
        Quote(2, 0),
    ]


def test_two_short_quotes_are_worth_more_than_a_long_one():
    passages = [passage(0.6, 450), passage(0.5, 200), passage(0.4, 200)]

    assert indices(choose_quotes(passages, 500, 8)) == [1, 2]


def test_what_brings_far_less_for_its_tokens_than_the_best_is_left_out_however_much_room_there_is():
    assert indices(choose_quotes([passage(0.9), passage(0.4), passage(0.2)], ROOMY, 8)) == [0, 1]


def test_a_weak_answer_is_quoted_where_there_is_no_better_one():
    assert indices(choose_quotes([passage(0.12), passage(0.1)], ROOMY, 8)) == [0, 1]


def test_what_was_said_is_not_said_again():
    said = words(1, 400)
    passages = [passage(0.9, text=said), passage(0.8, text=said.upper().replace(" ", "\n")), passage(0.5)]

    assert indices(choose_quotes(passages, ROOMY, 8)) == [0, 2]


def test_what_does_not_fit_says_nothing_that_another_may_not_say():
    said = words(1, 400)
    passages = [passage(0.9, text=said, around=600), passage(0.8, text=said)]

    assert indices(choose_quotes(passages, 500, 8)) == [1]


def test_a_half_repeated_passage_counts_for_its_new_half():
    said, new, other = words(1, 400), words(2, 200), words(3, 400)
    passages = [passage(0.9, text=said), passage(0.5, text=said[:200] + new), passage(0.4, text=other)]

    assert indices(choose_quotes(passages, 900, 8)) == [0, 2]


def test_a_quote_is_cut_behind_a_sentence_where_the_whole_does_not_fit():
    sentences = [f"{words(at, 100)}. A" for at in range(5)]
    one = passage(0.9, text=" ".join(sentences))

    (chosen,) = choose_quotes([one], 420, 8)

    shown = one.text[: one.lengths[chosen.length]]
    assert SHORTEST_CUT <= len(shown) <= 380
    assert shown.endswith(".")


def test_no_quote_is_cut_to_less_than_is_worth_reading():
    short = " ".join(f"{words(at, 60)}. A" for at in range(5))

    assert all(length >= SHORTEST_CUT for length in quote_lengths(short)[1:])
    assert quote_lengths("Short. Text.") == (12,)
    assert quote_lengths("") == (0,)


def test_what_holds_no_text_is_not_quoted():
    assert choose_quotes([Quotable("", 0.9, (0,), (40,))], ROOMY, 8) == []


def test_nothing_is_chosen_that_does_not_fit():
    dice = random.Random(5)
    passages = [passage(dice.random(), dice.randint(50, 500), seed=at) for at in range(20)]

    for room in range(0, 3_000, 37):
        chosen = choose_quotes(passages, room, 8)
        assert sum(passages[quote.passage].sizes[quote.length] for quote in chosen) <= room
        assert len(chosen) <= 8
        assert chosen or room < min(one.sizes[-1] for one in passages)


def test_listed_notes_are_quoted_in_their_order_as_far_as_they_fit_before_all_others():
    passages = [passage(None, 400, seed=1), passage(None, 400, seed=2), passage(None, 50, seed=3), passage(0.9, 100)]

    assert indices(choose_quotes(passages, 600, 8)) == [0, 2]
    assert indices(choose_quotes(passages, 1_200, 8)) == [0, 1, 2, 3]
    assert indices(choose_quotes(passages, ROOMY, 2)) == [0, 1]


@pytest.mark.parametrize(
    ("items", "capacity", "limit", "chosen"),
    [
        ([[Option(100, 9)], [Option(50, 6)], [Option(50, 5)]], 100, 3, (None, 0, 0)),
        ([[Option(90, 10), Option(50, 8)], [Option(50, 5)]], 100, 2, (1, 0)),
        ([[Option(90, 10), Option(50, 8)], [Option(50, 5)]], 140, 2, (0, 0)),
        ([[Option(1, 0)], [Option(1, -3)]], 100, 2, (None, None)),
        ([[Option(10, 5)]] * 4, 20, 4, (0, 0, None, None)),
        ([[Option(10, 5)]] * 4, 40, 1, (0, None, None, None)),
    ],
    ids=["small ones", "a smaller size", "a larger size", "worth nothing", "the earlier", "the limit"],
)
def test_the_most_valuable_for_their_size_are_taken(items, capacity, limit, chosen):
    assert choose(items, capacity, limit) == chosen

import itertools

import pytest

from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline


def test_any_of_the_words_is_enough_and_more_of_them_rank_higher(put, lexical):
    put("one.md", "apples and other things entirely")
    put("both.md", "apples with pears")
    put("none.md", "plums")

    assert lexical("apples pears") == [("both.md", 0), ("one.md", 0)]


def test_words_match_by_their_stem_and_without_accents(put, lexical):
    put("a.md", "Running the résumés")

    assert lexical("run") == lexical("resume") == [("a.md", 0)]


def test_text_weighs_more_than_section_and_section_more_than_context(put, lexical):
    put("text.md", "apples", heading="x", context="y")
    put("section.md", "x", heading="apples", context="y")
    put("context.md", "x", heading="y", context="apples")

    assert [path for path, _ in lexical("apples")] == ["text.md", "section.md", "context.md"]


def test_a_higher_score_is_better(put, index, ask, in_time):
    put("a.md", "apples apples pears")
    put("b.md", "apples and so much more that it matters less")
    put("c.md", "plums")
    put("d.md", "cherries")

    with index.reader() as reader:
        ranking = reader.lexical(ask("apples"), 5, deadline=in_time)

    assert [c.path for c in ranking] == ["a.md", "b.md"]
    assert ranking[0].score > ranking[1].score > 0


def test_a_phrase_must_stand_and_is_found_however_low_it_ranks(put, lexical):
    put("right.md", "some long text where apples are named once, then red car, and much more follows after " * 3)
    for n in range(40):
        put(f"wrong{n}.md", "apples apples apples car red")

    assert lexical("apples", depth=1, phrases=["red car"]) == [("right.md", 0)]


def test_words_beside_a_phrase_rank_and_are_not_required(put, lexical):
    put("phrase.md", "a red car here")
    put("both.md", "a red car with apples")
    put("word.md", "apples")

    assert lexical("apples", phrases=["red car"]) == [("both.md", 0), ("phrase.md", 0)]


def test_an_excluded_word_may_stand_nowhere_in_the_note(put, lexical):
    put("text.md", "apples pears")
    put("section.md", "apples", heading="On pears")
    put("context.md", "apples", context="pears")
    put("clean.md", "apples")
    put("phrase.md", "apples red car")
    put("elsewhere.md", "apples", "and pears in another chunk")

    assert lexical("apples", excluded=["pear", "red car"]) == [("clean.md", 0)]


def test_excluded_words_are_gone_before_the_cut(put, lexical):
    for n in range(40):
        put(f"n{n:02}.md", "apples apples pears")
    put("last.md", "one apples among so many other words that it ranks below all of them")

    assert lexical("apples", depth=1, excluded=["pears"]) == [("last.md", 0)]


def test_the_scope_holds_before_the_cut(put, lexical):
    for n in range(40):
        put(f"other/n{n:02}.md", "apples apples")
    put("here/last.md", "one apples among so many other words that it ranks below all of them")

    assert lexical("apples", depth=1, folders=("here",)) == [("here/last.md", 0)]


def test_equal_chunks_are_cut_by_path_whatever_the_order_they_came_in(put, lexical):
    for name in ("m", "z", "b", "y", "a", "x", "c"):
        put(f"{name}.md", "apples", "apples", title="Same")

    assert lexical("apples", depth=3) == [("a.md", 0), ("a.md", 1), ("b.md", 0)]


@pytest.mark.parametrize("phrase", ["学習", "機械学習入門", "😀", "→ 42", "ｶﾀｶﾅ学"])
def test_what_fts5_cannot_see_is_found_as_it_is_written(put, lexical, dense, phrase):
    put("a.md", f"序文の機械学習入門です 😀 → 42 ｶﾀｶﾅ学 {phrase}")
    put("b.md", "something else")

    assert lexical(phrase) == [("a.md", 0)]
    assert lexical("", phrases=[phrase]) == [("a.md", 0)]
    assert dense("something", phrases=[phrase]) == [("a.md", 0)]
    assert dense("something", excluded=[phrase]) == [("b.md", 0)]


def test_chunks_that_hold_more_of_the_literal_words_stand_first(put, lexical):
    put("a.md", "日本")
    put("b.md", "日本の学習")
    put("c.md", "ranked word")

    assert lexical("日本 学習 ranked") == [("c.md", 0), ("b.md", 0), ("a.md", 0)]


@pytest.mark.parametrize("text", ["", '"', '""" AND NOT (', "NEAR(a b)", "text:apples*", "a\0b", "^x", "-", "'; --"])
def test_syntax_in_a_query_is_only_text(put, lexical, text):
    put("a.md", "plums")

    assert lexical(text) == []


def test_a_huge_query_stops_at_its_deadline(index, store, make_note, ask, monkeypatch):
    with index.batch():
        for n in range(3000):
            store(index, make_note(f"{n}.md", " ".join(f"w{(n * k) % 50}" for k in range(60))))
    query = ask(" ".join(f"w{n}" for n in range(32)))

    clock = itertools.count()
    monkeypatch.setattr("quarry.index.deadline.time.monotonic", lambda: float(next(clock)))

    with index.reader() as reader:
        with pytest.raises(DeadlineExceeded):
            reader.lexical(query, 30, deadline=Deadline.after(10))
        assert len(reader.lexical(query, 30, deadline=Deadline.after(1_000_000))) == 30


def test_a_cancelled_query_stops(index, store, make_note, ask):
    with index.batch():
        for n in range(500):
            store(index, make_note(f"{n}.md", " ".join(f"w{(n * k) % 50}" for k in range(60))))
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 2

    with index.reader() as reader, pytest.raises(Cancelled):
        reader.lexical(ask("w1 w2 w3 w4 w5 w6"), 30, deadline=Deadline(float("inf"), is_cancelled))


def test_matches_are_counted_no_further_than_asked(put, index, ask):
    for n in range(7):
        put(f"{n}.md", "apples", "日本", "plums", tags=("t",) if n < 4 else ())

    with index.reader() as reader:
        assert reader.count_matching(ask("apples"), 50) == 7
        assert reader.count_matching(ask("apples 日本"), 50) == 14
        assert reader.count_matching(ask("apples 日本"), 9) == 9
        assert reader.count_matching(ask("apples", tags=("t",)), 50) == 4
        assert reader.count_matching(ask(""), 50) == 0
        assert reader.count_in_scope(ask("", tags=("t",)).scope, 50) == 12
        assert reader.count_in_scope(ask("").scope, 5) == 5

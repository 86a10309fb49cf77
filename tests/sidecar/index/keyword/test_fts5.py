import itertools

import numpy as np
import pytest

from quarry.conditions import HasPhrase, InFolder, Not
from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline, note_of


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
        ranking = reader.lexical(ask("apples"), None, 5, deadline=in_time)

    assert [c.path for c in ranking] == ["a.md", "b.md"]
    assert ranking[0].score > ranking[1].score > 0


def test_a_phrase_ranks_where_its_words_stand_side_by_side(put, lexical):
    put("phrase.md", "a red car here")
    put("both.md", "a red car with apples")
    put("word.md", "apples")
    put("apart.md", "a car that is red")

    assert lexical("apples", phrases=["red car"]) == [("both.md", 0), ("word.md", 0), ("phrase.md", 0)]


def test_conditions_hold_before_the_cut(put, lexical):
    for n in range(40):
        put(f"other/n{n:02}.md", "apples apples pears")
    put("here/last.md", "one apples among so many other words, a red car too, that it ranks below all of them")

    for where in (InFolder("here"), Not(HasPhrase("pears")), HasPhrase("red car")):
        assert lexical("apples", depth=1, where=where) == [("here/last.md", 0)]


def test_equal_chunks_are_cut_by_path_whatever_the_order_they_came_in(put, lexical):
    for name in ("m", "z", "b", "y", "a", "x", "c"):
        put(f"{name}.md", "apples", "apples", title="Same")

    assert lexical("apples", depth=3) == [("a.md", 0), ("a.md", 1), ("b.md", 0)]


@pytest.mark.parametrize(
    "word",
    [
        "学習",
        "機械学習入門",
        "習",
        "😀",
        "→",
        "ｶﾀｶﾅ",
        "getStaleFiles",
        "stale",
        "snake_case",
        "SnakeCase",
        "c++",
        "v1.2.3",
    ],
)
def test_scripts_without_spaces_signs_and_names_are_found(put, lexical, word):
    put("a.md", "序文の機械学習入門です 😀 → 42 ｶﾀｶﾅ getStaleFiles() snake_case, in C++ since v1.2.3.")
    put("b.md", "something else, of 1, 2, 3")

    assert lexical(word)[0] == ("a.md", 0)


def test_runs_without_spaces_rank_by_their_pairs(put, lexical):
    put("apart.md", "学んで、習う")
    put("together.md", "学習する人の日記はここから始まりそしてとても長いので")

    assert lexical("学習") == [("together.md", 0)]


def test_a_word_may_be_the_beginning_of_one(put, index, ask, in_time):
    put("a.md", "the repository")

    with index.reader() as reader:
        assert reader.lexical(ask("repos"), None, 5, deadline=in_time) == ()
        assert len(reader.lexical(ask("repos", prefix="repos"), None, 5, deadline=in_time)) == 1


@pytest.mark.parametrize("text", ["", '"', '""" AND NOT (', "NEAR(a b)", "text:apples*", "a\0b", "^x", "-", "'; --"])
def test_syntax_in_a_query_is_only_text(put, lexical, text):
    put("d.md", "plums")

    assert lexical(text) == []


# --- whole notes -------------------------------------------------------------------------------


def test_a_title_counts_for_more_than_many_mentions(put, index, ask, in_time):
    put("mentions.md", "apples apples apples", "apples")
    put("titled.md", "nothing of the kind", title="Apples")
    put("other.md", "plums")

    with index.reader() as reader:
        ranked = reader.lexical_notes(ask("apples"), None, 5, deadline=in_time)

    assert [path for _, path, _ in ranked] == ["titled.md", "mentions.md"]


def test_a_note_scores_what_it_is_called_and_its_chunks(put, index, ask, in_time):
    put("both.md", "x", "apples", title="Apples", context="")
    put("called.md", "x", "y", title="Apples", context="")
    put("more.md", "apples and w", "apples and v", title="z", context="")
    put("once.md", "apples and w", "z and v", title="z", context="")
    put("none.md", "plums", title="z", context="")

    with index.reader() as reader:
        ranked = reader.lexical_notes(ask("apples"), None, 9, deadline=in_time)
        named = reader.lexical_notes(ask("apples"), None, 9, deadline=in_time, by_name=True)

    assert [path for _, path, _ in ranked] == ["both.md", "called.md", "more.md", "once.md"]
    assert ranked[3][2] < ranked[2][2] < 2 * ranked[3][2]
    assert [path for _, path, _ in named] == ["both.md", "called.md"]


def test_notes_are_counted_once_wherever_they_hold_a_word(put, index, ask, admit):
    put("f/a.md", "apples", "apples", title="Apples")
    put("f/b.md", "x", title="Apples")
    put("c.md", "x", "a red apple", title="C")
    put("d.md", "plums", title="D")

    with index.reader() as reader:
        assert reader.count_notes(ask("apples"), None) == 3
        assert reader.count_notes(ask("apples"), admit(reader, InFolder("f"))) == 2
        assert reader.count_notes(ask("", "red apple"), None) == 1
        assert reader.count_notes(ask(""), None) == 0


def test_equal_notes_are_cut_by_path_and_only_admitted_ones_are_ranked(put, index, ask, admit, in_time):
    for name in ("m", "z", "b", "a"):
        put(f"{name}.md", "apples", title="Same", context="")
        put(f"f/{name}.md", "apples", title="Same", context="")

    with index.reader() as reader:
        every = reader.lexical_notes(ask("apples"), None, 2, deadline=in_time)
        some = reader.lexical_notes(ask("apples"), admit(reader, InFolder("f")), 2, deadline=in_time)

    assert [path for _, path, _ in every] == ["a.md", "b.md"]
    assert [path for _, path, _ in some] == ["f/a.md", "f/b.md"]


# --- scores of given chunks and notes ----------------------------------------------------------


def test_scores_are_those_of_the_ranking(put, index, ask, in_time):
    for n in range(9):
        put(f"{n}.md", "apples " * n + "red car", "pears", title=f"t{n}")
    query = ask("apples pears", "red car")

    with index.reader() as reader:
        chunks = {c.chunk_id: c.score for c in reader.lexical(query, None, 99, deadline=in_time)}
        notes = {note_id: score for note_id, _, score in reader.lexical_notes(query, None, 99, deadline=in_time)}
        some = sorted(chunks)[3:7]

        assert reader.lexical_scores(query, some) == {chunk_id: chunks[chunk_id] for chunk_id in some}
        assert reader.note_scores(query, [note_of(some[0])]) == {note_of(some[0]): notes[note_of(some[0])]}
        assert reader.lexical_scores(ask(""), some) == reader.phrase_scores([], some) == {}
        assert reader.lexical_scores(query, [99, 2**40]) == {}


# --- cost --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_huge_query_stops_at_its_deadline(index, store, make_note, ask, monkeypatch):
    with index.batch():
        for n in range(3000):
            store(index, make_note(f"{n}.md", " ".join(f"w{(n * k) % 50}" for k in range(60))))
    query = ask(" ".join(f"w{n}" for n in range(32)))

    clock = itertools.count()
    monkeypatch.setattr("quarry.index.deadline.time.monotonic", lambda: float(next(clock)))

    with index.reader() as reader:
        with pytest.raises(DeadlineExceeded):
            reader.lexical(query, None, 30, deadline=Deadline.after(10))
        assert len(reader.lexical(query, None, 30, deadline=Deadline.after(1_000_000))) == 30


@pytest.mark.slow
def test_a_cancelled_query_stops(index, store, make_note, ask):
    with index.batch():
        for n in range(500):
            store(index, make_note(f"{n}.md", " ".join(f"w{(n * k) % 50}" for k in range(60))))
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 2

    with index.reader() as reader, pytest.raises(Cancelled):
        reader.lexical(ask("w1 w2 w3 w4 w5 w6"), None, 30, deadline=Deadline(float("inf"), is_cancelled))


def test_matches_are_counted_no_further_than_asked(put, index, ask):
    for n in range(7):
        put(f"{n}.md", "apples", "日本", "plums")

    with index.reader() as reader:
        some = np.array(sorted({note_of(chunk_id) for chunk_id in reader.holding("appl", 4)}), dtype=np.int64)

        assert reader.count_matching(ask("apples"), None, 50) == 7
        assert reader.count_matching(ask("apples 日本"), None, 50) == 14
        assert reader.count_matching(ask("apples 日本"), None, 9) == 9
        assert reader.count_matching(ask("apples"), some, 50) == 4
        assert reader.count_matching(ask(""), None, 50) == 0

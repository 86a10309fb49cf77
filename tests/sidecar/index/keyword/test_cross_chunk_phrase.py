import pytest

from quarry.index.keyword.cross_chunk_phrase import MAX_ENDS, also_across, holds_phrase, terms_ahead
from quarry.index.sql import SqlFragment


@pytest.mark.parametrize(
    ("text", "ahead", "left"),
    [
        ("it was a red car", 3, 0),
        ("it was a red car", 2, -1),
        ("a red", 2, 0),
        ("red", 2, 1),
        ("car", 3, 2),
        ("blue car", 3, -1),
        ("car red", 2, -1),
        ("", 2, 2),
        ("--- ```", 2, 2),
        ("a red ... ``` - ( ) * + ; : !", 2, 0),
        ("x" * 5000 + " a red", 2, 0),
        ("a " * 3000 + "red", 2, 0),
        ("a red" + " ." * 3000, 2, 0),
    ],
)
def test_a_text_ends_with_what_stands_ahead_or_leaves_the_rest_to_the_one_before(text, ahead, left):
    assert terms_ahead(text, "a red car here", ahead) == left


def test_texts_without_spaces_end_with_their_last_characters():
    assert terms_ahead("機械学習" * 400, "学 習 機", 2) == 0
    assert terms_ahead("機械学習" * 400, "学 機 習", 2) == -1


def test_a_phrase_stands_in_a_text_between_whole_terms():
    assert holds_phrase("A red\n\nCar, here", "red car")
    assert not holds_phrase("a tired carpet", "red car")


def test_a_long_phrase_may_fill_many_chunks(index, put, admit):
    from quarry.conditions import HasPhrase, Not

    words = [f"w{n}" for n in range(3 * MAX_ENDS)]
    put("tiny.md", *words)
    put("whole.md", "before " + " ".join(words) + " after")
    put("over.md", "before " + " ".join(words[:20]), " ".join(words[20:]) + " after")
    put("lacks.md", *words[:20], *words[21:])
    put("turned.md", *reversed(words))

    def found(condition):
        with index.reader() as reader:
            return [name.path for name in reader.note_names(admit(reader, condition).tolist())]

    assert found(HasPhrase(" ".join(words))) == ["tiny.md", "whole.md", "over.md"]
    assert found(HasPhrase(" ".join(words[5 : 5 + MAX_ENDS]))) == ["tiny.md", "whole.md", "over.md"]
    assert found(Not(HasPhrase(" ".join(words)))) == ["lacks.md", "turned.md"]


@pytest.mark.parametrize("count", [2, MAX_ENDS + 1])
def test_the_chunks_of_a_note_are_found_without_going_through_all_of_them(index, put, count):
    put("a.md", "a red", "car here")
    query = also_across(SqlFragment("SELECT 0 AS id WHERE 0"), [f"w{n}" for n in range(count)])

    with index.reader() as reader:
        plan = [row[3] for row in reader._db.execute(f"EXPLAIN QUERY PLAN {query.text}", query.bindings)]

    assert [step for step in plan if step.startswith("SEARCH r")]
    assert not [step for step in plan if step.startswith("SCAN r ") or ("AUTOMATIC" in step and " r " in step)]

"""The measures of chunking, on spans that can be checked by hand, and the way from texts to a table."""

from pathlib import Path

import pytest
from chunking import Place, Quality, Question, by_engine, by_meaning, mean, merged, quality, read_questions, table

QUESTION = Question("what is red?", "fruit", ((100, 150), (300, 350)))


def test_a_passage_that_is_the_whole_answer_and_nothing_else_has_every_measure_at_its_best():
    question = Question("what is red?", "fruit", ((100, 150),))
    place = Place("fruit", 100, 150)

    assert quality(question, [place], [place, Place("fruit", 150, 300)]) == Quality(1, 1, 1, 1)


def test_precision_falls_with_all_that_is_shown_and_recall_with_all_that_is_missed():
    found = [Place("fruit", 50, 150), Place("fruit", 400, 500)]

    measured = quality(QUESTION, found, found)

    assert measured.recall == 50 / 100
    assert measured.precision == 50 / 200
    assert measured.iou == 50 / (200 + 50)


def test_precision_omega_counts_the_passages_with_a_part_of_the_answer_and_no_other():
    every = [Place("fruit", 0, 200), Place("fruit", 200, 340), Place("fruit", 340, 400), Place("fruit", 400, 900)]

    assert quality(QUESTION, [], every).precision_omega == 100 / 400


def test_the_same_stretch_of_another_text_answers_nothing():
    assert quality(QUESTION, [Place("bread", 100, 350)], [Place("bread", 100, 350)]) == Quality(0, 0, 0, 0)


def test_what_two_passages_share_answers_once_and_is_shown_twice():
    found = [Place("fruit", 100, 150), Place("fruit", 100, 150)]

    measured = quality(QUESTION, found, found)

    assert (measured.recall, measured.precision) == (50 / 100, 50 / 100)


def test_nothing_found_is_a_value_and_no_error():
    assert quality(QUESTION, [], []) == Quality(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("spans", "whole"),
    [([], []), ([(3, 5), (1, 3)], [(1, 5)]), ([(1, 9), (2, 3)], [(1, 9)]), ([(1, 2), (4, 5)], [(1, 2), (4, 5)])],
)
def test_spans_that_meet_become_one(spans: list[tuple[int, int]], whole: list[tuple[int, int]]):
    assert merged(spans) == whole


def test_the_mean_is_taken_of_each_measure_by_itself():
    assert mean([Quality(1, 0, 0, 0.5), Quality(0, 1, 0, 0.5)]) == Quality(0.5, 0.5, 0, 0.5)


def test_questions_are_read_with_their_references(tmp_path: Path):
    file = tmp_path / "questions_df.csv"
    references = '[{""content"": ""x"", ""start_index"": 3, ""end_index"": 4}]'
    rows = f'question,references,corpus_id\n"Red, or not?","{references}",a\n'
    file.write_text(rows, "utf-8")

    assert read_questions(file) == [Question("Red, or not?", "a", ((3, 4),))]


def test_texts_are_cut_asked_and_told_about_with_the_real_parts(tmp_path: Path):
    bread = "# Baking\n\n## Flour\n\nRye flour makes a dense loaf.\n\n## Oven\n\nSteam gives the loaf its crust."
    answer = "Steam gives the loaf its crust."
    for name, text in (("baking", bread), ("boats", "# Boats\n\nA keel keeps a sailing boat upright in the wind.")):
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    files = sorted(tmp_path.glob("*.md"))
    start = bread.index(answer)
    questions = [Question("how does bread get a crust?", "baking", ((start, start + len(answer)),))]

    every, nearest = by_meaning(files, questions)
    found = {"meaning": nearest, "engine": by_engine(files, questions)}
    values = {system: [quality(questions[0], lists[0], every)] for system, lists in found.items()}

    assert len(every) == 3
    assert [values[system][0].recall for system in found] == [1, 1]
    assert "| engine | all | 1 | 1.0000 |" in table(values, questions)

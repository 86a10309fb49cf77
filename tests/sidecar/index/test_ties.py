from quarry.index.ties import cut, fetch_past_ties
from quarry.types import Candidate


def test_equal_scores_stand_by_path_and_number_whatever_their_ids():
    rows = [Candidate(1, "b", 0, 1.0), Candidate(2, "a", 1, 1.0), Candidate(3, "a", 0, 1.0), Candidate(4, "z", 0, 2.0)]

    assert [(c.path, c.number) for c in cut(rows, 3)] == [("z", 0), ("a", 0), ("a", 1)]


def test_a_cut_amid_equal_scores_asks_for_all_of_them():
    rows = [(n, 2.0) for n in range(3)] + [(n, 1.0) for n in range(3, 40)] + [(40, 0.5)]

    found = fetch_past_ties(lambda limit: rows[:limit], 5)

    assert {row for row in rows if row[1] >= 1.0} <= set(found)


def test_one_question_is_enough_where_the_cut_is_clear():
    asked = []

    def fetch(limit):
        asked.append(limit)
        return [(n, float(-n)) for n in range(limit)]

    fetch_past_ties(fetch, 30)
    assert asked == [31]

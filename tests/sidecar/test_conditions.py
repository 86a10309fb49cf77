"""Conditions are combined without nesting what is alike."""

from quarry.conditions import MATCH_ALL, AllOf, AnyOf, HasTag, MatchesPattern, Not, all_of, any_of, text_patterns

A, B, C = HasTag("a"), HasTag("b"), HasTag("c")


def test_a_conjunction_of_conjunctions_is_one_without_repeats():
    assert all_of([A, AllOf((B, A)), C]) == AllOf((A, B, C))
    assert all_of([]) == all_of([MATCH_ALL]) == MATCH_ALL


def test_a_disjunction_of_disjunctions_is_one_without_repeats():
    assert any_of([A, AnyOf((B, A)), C]) == AnyOf((A, B, C))


def test_a_disjunction_of_one_part_is_that_part_and_a_conjunction_stays_one():
    assert any_of([A, A]) == A
    assert all_of([A]) == AllOf((A,))


def test_what_is_not_alike_stays_nested():
    nested = AnyOf((A, AllOf((B, C))))

    assert all_of([nested, Not(A)]) == AllOf((nested, Not(A)))
    assert any_of([AllOf((A, B)), C]) == AnyOf((AllOf((A, B)), C))


def test_the_wanted_expressions_are_those_in_the_text_and_not_negated():
    x, y, z = MatchesPattern("x"), MatchesPattern("y"), MatchesPattern("z", "path")

    assert text_patterns(AllOf((x, AnyOf((y, z, A)), Not(MatchesPattern("w")), x))) == ("x", "y")

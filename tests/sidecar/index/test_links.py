import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.links import resolve, target_key, target_keys, target_number

NOTES = ["Index.md", "a/Plan.md", "a/b/Plan.md", "c/Plan.md"]


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("Index", "a/Plan.md", "Index.md"),
        ("index.md", "a/Plan.md", "Index.md"),
        ("c/plan", "Index.md", "c/Plan.md"),
        ("b/Plan", "Index.md", "a/b/Plan.md"),
        ("/c/Plan", "a/Plan.md", "c/Plan.md"),
        ("./b/Plan", "a/Plan.md", "a/b/Plan.md"),
        ("../Plan", "a/b/Other.md", "a/Plan.md"),
        ("Plan", "c/Other.md", "c/Plan.md"),
        ("Plan", "Index.md", "a/Plan.md"),
        ("", "Index.md", "Index.md"),
        ("Nowhere", "Index.md", None),
        ("/b/Plan", "Index.md", None),
        ("x/Plan", "Index.md", None),
    ],
)
def test_a_link_leads_where_obsidian_leads(target, source, expected):
    candidates = [path for path in NOTES if target_key(path) == target_key(target)]

    assert resolve(target, source, candidates) == expected


def test_names_that_differ_by_an_accent_are_different_notes():
    assert resolve("resume", "x.md", ["Résumé.md"]) is None


@given(st.lists(st.text(st.sampled_from("aÀΣς\u0301/.md\n İ"), max_size=8), max_size=5))
def test_keys_are_the_same_together_as_one_by_one(targets):
    assert target_keys(targets) == [target_key(target) for target in targets]


def test_keys_have_numbers_of_four_bytes():
    numbers = {target_number(f"note {at}") for at in range(99)}

    assert len(numbers) == 99
    assert all(-(1 << 31) <= number < 1 << 31 for number in numbers)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.links import (
    Namesakes,
    fold_case,
    fold_marks,
    fold_name,
    fold_tag,
    target_key,
    target_keys,
    target_number,
)

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

    assert Namesakes(candidates).resolve(target, source) == expected


def test_of_notes_that_are_as_near_the_first_by_path_is_meant():
    assert Namesakes(["b/Plan.md", "a/Plan.md", "a/x/Plan.md"]).resolve("Plan", "Index.md") == "a/Plan.md"
    assert Namesakes(["a/Plan.md", "A/plan.md"]).resolve("a/plan", "Index.md") == "A/plan.md"


def test_names_that_differ_by_an_accent_are_different_notes():
    assert Namesakes(["Résumé.md"]).resolve("resume", "x.md") is None


@given(st.lists(st.text(st.sampled_from("aÀΣς\u0301/.md\n İ"), max_size=8), max_size=5))
def test_keys_are_the_same_together_as_one_by_one(targets):
    assert target_keys(targets) == [target_key(target) for target in targets]


def test_keys_have_numbers_of_four_bytes():
    numbers = {target_number(f"note {at}") for at in range(99)}

    assert len(numbers) == 99
    assert all(-(1 << 31) <= number < 1 << 31 for number in numbers)


def test_case_and_composition_are_ignored_but_accents_count():
    assert fold_case("CAFÉ") == fold_case("cafe\u0301") == "café"
    assert fold_case("café") != fold_case("cafe")


def test_accents_are_ignored_where_paths_are_filtered():
    assert fold_marks("Résumé/ÉTÉ.md") == fold_marks("Re\u0301sume\u0301/ete.md") == "resume/ete.md"


def test_letters_of_other_scripts_stay_whole():
    assert fold_marks("日本語 Ελλάδα 한국") == "日本語 ελλαδα 한국"


def test_a_tag_is_the_same_with_or_without_its_sign():
    assert fold_tag("#Work/Plans/") == fold_tag("work/plans")


def test_a_note_is_named_by_the_last_part_of_its_path_without_suffix():
    assert fold_name("Areas/Health.MD") == fold_name("health") == "health"
    assert fold_name("v1.2 notes.md") == "v1.2 notes"

from quarry.index.folding import fold_case, fold_marks, fold_name, fold_tag


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

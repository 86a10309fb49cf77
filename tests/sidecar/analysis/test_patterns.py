import sys

import pytest

from quarry.analysis.patterns import BadPattern, compile_pattern, find_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "finds"),
    [
        ("V\\d+", "see v12", True),
        ("^b", "a\nb", True),
        ("a$", "a\nb", True),
        ("É", "é", True),
        ("a.b", "a\nb", False),
        ("(a+)+$", "a" * 100_000 + "b", False),
        ("", "", True),
    ],
)
def test_letters_are_found_in_any_case_and_lines_have_ends(pattern, text, finds):
    assert (compile_pattern(pattern).search(text) is not None) is finds


def test_matches_are_found_by_characters_and_without_empty_ones():
    assert find_pattern("b+|x*", "é bb ab", 9) == [(2, 4), (6, 7)]
    assert find_pattern("b", "b b b", 2) == [(0, 1), (2, 3)]
    assert find_pattern("[b", "b", 9) == []


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        *(("[a", r"missing \]"), ("(", r"missing \)"), ("*", "repetition operator"), (r"(a)\1", "escape sequence")),
        *(("(?<!a)", "invalid perl operator"), ("(?=a)", "invalid perl operator")),
        *(("((a{999}){999})", "invalid repetition size"), ("\\", "trailing")),
    ],
)
def test_what_re2_cannot_read_is_refused_with_a_reason(pattern, reason):
    with pytest.raises(BadPattern, match=reason):
        compile_pattern(pattern)


def test_where_re2_is_missing_there_are_no_expressions(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)

    with pytest.raises(BadPattern, match="google-re2"):
        compile_pattern("never compiled before")

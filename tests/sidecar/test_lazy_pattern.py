import copy
import re

import pytest

from quarry.lazy_pattern import lazy_pattern


def test_it_behaves_as_the_compiled_pattern():
    lazy, compiled = lazy_pattern("(a)(b)?", re.IGNORECASE), re.compile("(a)(b)?", re.IGNORECASE)

    assert lazy.findall("abA") == compiled.findall("abA")
    assert [found.span() for found in lazy.finditer("xabA", 1, 3)] == [(1, 3)]
    assert lazy.fullmatch("AB")
    assert not lazy.fullmatch("b")
    assert lazy.sub("-", "xaby") == "x-y"
    assert (lazy.pattern, lazy.flags, lazy.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_bytes_are_matched_as_well():
    assert lazy_pattern(rb"\d+").search(b"a12").group() == b"12"  # type: ignore[union-attr]


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch):
    compiled: list[str] = []
    compile_now = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given[0]) or compile_now(*given))

    lazy = lazy_pattern("a+")
    assert compiled == []
    assert [bool(lazy.match(text)) for text in ("a", "b", "aa")] == [True, False, True]
    assert compiled == ["a+"]


def test_an_expression_that_is_not_valid_is_refused_when_it_is_used():
    lazy = lazy_pattern("(")

    with pytest.raises(re.error):
        lazy.search("x")


def test_a_copy_matches_too():
    assert copy.copy(lazy_pattern("b")).search("ab")

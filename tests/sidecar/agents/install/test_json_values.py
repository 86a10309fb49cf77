"""What configurations mean, and what is missing in them."""

import pytest

from quarry.agents.install.json_values import (
    check_meaning,
    is_like,
    json_value,
    missing_prefixes,
    object_at,
    with_member,
    without_empty,
)
from quarry.agents.install.jsonc import Malformed


def test_a_blank_text_means_an_empty_object():
    assert json_value(" \n") == {}
    assert json_value("[1] // one") == [1]


def test_what_is_not_there_is_an_empty_object_and_what_is_none_is_malformed():
    assert object_at({"a": {}}, ["a", "b"]) == {}
    with pytest.raises(Malformed, match=r"a\.b is not an object"):
        object_at({"a": {"b": 1}}, ["a", "b"])
    with pytest.raises(Malformed, match="the file is not an object"):
        object_at([], ["a"])


def test_a_member_is_set_and_the_original_stays():
    root = {"a": {"b": 1}}

    assert with_member(root, ["a"], "c", 2) == {"a": {"b": 1, "c": 2}}
    assert root == {"a": {"b": 1}}


def test_missing_prefixes_are_named_outermost_first():
    assert missing_prefixes({"a": {}}, ["a", "b", "c"]) == (("a", "b"), ("a", "b", "c"))


def test_empty_objects_go_innermost_first_and_full_ones_stay():
    assert without_empty('{"a": {"b": {}}, "c": {"d": 1}}', [("a",), ("a", "b"), ("c",)]) == '{ "c": {"d": 1}}'


def test_an_object_with_a_comment_in_it_is_not_empty():
    text = '{"a": {/* mine */}}'

    assert without_empty(text, [("a",)]) == text


def test_blanks_do_not_count_in_a_scaffold():
    assert is_like("{ }\n", "{}\n")
    assert is_like("", '{"version": 1}')
    assert not is_like('{"a": 1}', "{}")


def test_a_wrong_meaning_is_an_error():
    check_meaning({"a": 1}, {"a": 1})
    with pytest.raises(Malformed):
        check_meaning({"a": 1}, {"a": 2})

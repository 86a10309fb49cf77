import pytest

from quarry.mcp.arguments import BadArguments, checked, nearest

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "maxLength": 10},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
        "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "least": {"type": "number", "minimum": 0, "maximum": 1},
        "links": {"type": "boolean", "default": False},
        "paths": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "line": {"type": "integer", "minimum": 1},
    },
    "required": ["query"],
}


def test_what_is_left_out_or_null_has_its_default():
    assert checked(SCHEMA, {"query": "x", "mode": None}) == {
        "query": "x",
        "limit": 5,
        "mode": "a",
        "least": None,
        "links": False,
        "paths": None,
        "line": None,
    }


def test_a_whole_number_may_be_written_as_a_decimal():
    limit = checked(SCHEMA, {"query": "x", "limit": 7.0})["limit"]

    assert limit == 7
    assert type(limit) is int


@pytest.mark.parametrize(
    ("given", "message", "suggestion"),
    [
        ({"qery": "x"}, "'qery'", "did you mean `query`?"),
        ({"zzz": 1}, "'zzz'", "it takes query, limit"),
        ({}, "`query` is missing", "a string of at most 10 characters"),
        ({"query": None}, "`query` is missing", "send `query`"),
        ({"query": 5}, "`query` is 5; it takes a string", "correct `query`"),
        ({"query": "x" * 11}, "has 11 characters", "correct `query`"),
        ({"query": "x", "limit": 0}, "`limit` is 0; it takes a whole number from 1 to 50", "correct `limit`"),
        ({"query": "x", "limit": True}, "`limit` is True", "correct `limit`"),
        ({"query": "x", "limit": 2.5}, "`limit` is 2.5", "correct `limit`"),
        ({"query": "x", "limit": "5"}, "`limit` is '5'", "correct `limit`"),
        ({"query": "x", "mode": "c"}, "'a' or 'b'", "correct `mode`"),
        ({"query": "x", "least": 2}, "`least` is 2; it takes a number from 0 to 1", "correct `least`"),
        ({"query": "x", "links": 1}, "it takes true or false", "correct `links`"),
        ({"query": "x", "paths": "a"}, "it takes a list", "correct `paths`"),
        ({"query": "x", "paths": ["a", "b", "c"]}, "has 3 items", "correct `paths`"),
        ({"query": "x", "paths": [1]}, "an item of `paths` is 1", "correct `paths`"),
        ({"query": "x", "line": 0}, "a whole number from 1 on", "correct `line`"),
        ([], "`arguments` is an object", "query"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_right(given, message, suggestion):
    with pytest.raises(BadArguments) as refused:
        checked(SCHEMA, given)

    assert message in str(refused.value)
    assert suggestion in refused.value.suggestion


def test_a_long_wrong_value_is_quoted_in_part():
    with pytest.raises(BadArguments) as refused:
        checked(SCHEMA, {"query": ["x" * 5000]})

    assert len(str(refused.value)) < 150


def test_the_nearest_name_ignores_case_and_may_be_none():
    assert nearest("NOTE", ["Notes", "Work"]) == "Notes"
    assert nearest("zzz", ["Notes", "Work"]) is None

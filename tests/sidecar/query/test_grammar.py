"""A query is split into tokens with their places, and these are parsed into a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import BadQuery
from quarry.query.grammar import (
    MAX_DEPTH,
    GroupNode,
    LeafNode,
    NegationNode,
    OperatorNode,
    parse_query_tree,
    tokenize_query,
)


def pieces(typed):
    return [(token.kind, token.text) for token in tokenize_query(typed)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a  b", [("word", "a"), ("word", "b")]),
        ('a"b c"d', [("word", "a"), ("phrase", "b c"), ("word", "d")]),
        ("“a”", [("phrase", "a")]),
        ("OR or ORs", [("or", "OR"), ("word", "or"), ("word", "ORs")]),
        ("-a - --b -", [("not", "-"), ("word", "a"), ("word", "-"), ("word", "--b"), ("word", "-")]),
        ("(a)", [("open", "("), ("word", "a"), ("close", ")")]),
        ("f(x) g() h(", [("word", "f(x)"), ("word", "g()"), ("word", "h"), ("open", "(")]),
        ("a(b c)", [("word", "a"), ("open", "("), ("word", "b"), ("word", "c"), ("close", ")")]),
        ("/a b/ /c", [("regex", "a b"), ("word", "/c")]),
        ("(/a/)", [("open", "("), ("regex", "a"), ("close", ")")]),
        (r"/a\/b/", [("regex", r"a\/b")]),
        (
            "and/or /usr/bin/ 1 / 2 / 3 //",
            [("word", w) for w in ["and/or", "/usr/bin/", "1", "/", "2", "/", "3", "//"]],
        ),
        ("#a/b #1 # a#b", [("tag", "a/b"), ("word", "#1"), ("word", "#"), ("word", "a#b")]),
        ("#a, b", [("tag", "a"), ("word", ","), ("word", "b")]),
        ("[[x]] [t](u) [1] []", [("word", w) for w in ["[[x]]", "[t](u)", "[1]", "[]"]]),
        ("PATH:a x:b", [("operator", "path"), ("word", "a"), ("word", "x:b")]),
        ("path:-a tag:#b", [("operator", "path"), ("word", "-a"), ("operator", "tag"), ("word", "#b")]),
        ("folder:/a/ path:/a/", [("operator", "folder"), ("word", "/a/"), ("operator", "path"), ("regex", "a")]),
        ("path: a", [("operator", "path"), ("word", "a")]),
        ("created:last week x", [("operator", "created"), ("word", "last week"), ("word", "x")]),
        ("path:last week", [("operator", "path"), ("word", "last"), ("word", "week")]),
        ("a\0b\ud800", [("word", "a"), ("word", "b\ufffd")]),
    ],
)
def test_pieces(typed, expected):
    assert pieces(typed) == expected


@pytest.mark.parametrize(
    ("typed", "name", "value", "is_whole"),
    [
        ("[p]", "p", None, True),
        ("[ my  prop ]", "my prop", None, True),
        ('["a: b":c]', "a: b", "c", True),
        ("[p:]", "p", "", True),
        ("[p:a b]", "p", "a b", True),
        ('[p:"]"]', "p", '"]"', True),
        ("[up:[[Home]]]", "up", "[[Home]]", True),
        ("[p", "p", None, False),
        ("[p:", "p", "", False),
        ('[p:"a b', "p", '"a b', False),
        ('["p', "p", None, False),
    ],
)
def test_a_property_is_named_and_may_have_a_value(typed, name, value, is_whole):
    (token,) = tokenize_query(typed)

    assert (token.kind, token.text, token.value, token.is_whole) == ("property", name, value, is_whole)


@given(st.text(alphabet='ab1 "-:#/()[]<>=.\\path\x00OR😀\ud800\u3000', max_size=60))
def test_pieces_stand_in_order_and_leave_only_spaces_out(typed):
    tokens = list(tokenize_query(typed))

    ends = [0, *(token.end for token in tokens)]
    starts = [*(token.start for token in tokens), len(typed)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    between = "".join(typed[end:start] for end, start in zip(ends, starts, strict=True))
    assert not between.replace("\0", " ").strip()


def shown(node) -> str:
    """A tree on one line, every group in brackets."""
    match node:
        case None:
            return ""
        case LeafNode(token):
            return token.text
        case OperatorNode(token, value):
            return f"{token.text}:{shown(value)}"
        case NegationNode(part):
            return f"-{shown(part)}"
        case GroupNode(kind, parts):
            return f"{kind}({' '.join(map(shown, parts))})"


@pytest.mark.parametrize(
    ("typed", "tree"),
    [
        ("a", "a"),
        ("a b", "every(a b)"),
        ("a b OR c", "either(every(a b) c)"),
        ("a (b OR c)", "every(a either(b c))"),
        ("-(a b) -c", "every(-every(a b) -c)"),
        ("-path:x", "-path:x"),
        ("path:(a OR b) c", "every(path:either(a b) c)"),
        ("((a))", "every(a)"),
        ("task: a task", "every(task: a task)"),
        ("a) b", "every(a b)"),
        ("(a", "every(a)"),
        ("a OR", "a"),
        ("OR OR a", "a"),
        ("a OR () OR b", "either(a b)"),
        ("- -( path: section:() tag:", "-"),
        ("a -)", "a"),
        ("-OR a", "a"),
        ("x [p", "x"),
        ("[p]", "p"),
        ("", ""),
    ],
)
def test_trees(typed, tree):
    assert shown(parse_query_tree(typed)) == tree


def test_parentheses_may_nest_twenty_deep():
    assert shown(parse_query_tree("(" * MAX_DEPTH + "a")) == "every(a)"
    with pytest.raises(BadQuery) as caught:
        parse_query_tree("tag:" + "(" * (MAX_DEPTH + 1) + "a")

    assert caught.value.position == 4 + MAX_DEPTH

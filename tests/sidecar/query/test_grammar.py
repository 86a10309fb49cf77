import pytest

from quarry.errors import BadQuery
from quarry.query.grammar import MAX_DEPTH, GroupNode, LeafNode, NegationNode, OperatorNode, parse_query_tree


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

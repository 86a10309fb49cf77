import pytest

from quarry.errors import BadQuery
from quarry.text.query.grammar import MAX_DEPTH, Group, Leaf, Negation, Operator, parse_tree


def shown(node) -> str:
    """A tree on one line, every group in brackets."""
    match node:
        case None:
            return ""
        case Leaf(token):
            return token.text
        case Operator(token, value):
            return f"{token.text}:{shown(value)}"
        case Negation(part):
            return f"-{shown(part)}"
        case Group(kind, parts):
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
        ("((a))", "a"),
        ("task: a task", "every(task: a task)"),
        ("a) b", "every(a b)"),
        ("(a", "a"),
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
    assert shown(parse_tree(typed)) == tree


def test_parentheses_may_nest_twenty_deep():
    assert shown(parse_tree("(" * MAX_DEPTH + "a")) == "a"
    with pytest.raises(BadQuery) as caught:
        parse_tree("tag:" + "(" * (MAX_DEPTH + 1) + "a")

    assert caught.value.position == 4 + MAX_DEPTH

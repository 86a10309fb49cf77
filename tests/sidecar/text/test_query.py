"""A query means what it says, also while it is being typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import BadQuery
from quarry.text.query import FIRST_SYMBOL, parse_query
from quarry.types import Scope


def test_words_are_ranked_without_stop_words_and_embedded_as_typed() -> None:
    query = parse_query("How do I rename a Git branch")

    assert query.terms == ("rename", "git", "branch")
    assert query.text == "How do I rename a Git branch"


@pytest.mark.parametrize("typed", ["to be or not to be", "The Who", "why?"])
def test_a_query_of_stop_words_keeps_them(typed: str) -> None:
    assert " ".join(parse_query(typed).terms) == " ".join(dict.fromkeys(typed.lower().rstrip("?").split()))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"git  rebase" x', {"phrases": ("git rebase",), "terms": ("x",), "text": "git rebase x"}),
        ("“smart” «quotes»", {"phrases": ("smart", "quotes")}),
        ('"still being typed', {"phrases": ("still being typed",)}),
        (
            'x -Merge -"two words" -foo-bar',
            {"terms": ("x",), "excluded": ("merge", "two words", "foo-bar"), "text": "x"},
        ),
        ("a-b --force -", {"terms": ("b", "force"), "excluded": ()}),
        ("foo:bar C:\\x http://y.z", {"terms": ("foo", "bar", "c", "x", "http", "y", "z"), "scope": Scope()}),
        ("the 'x'", {"terms": ("x",)}),
        ('"" "!" "', {"phrases": ("!",), "terms": ()}),
        ('"->" x -> y', {"phrases": ("->",), "terms": ("x", "y")}),
        ("party 😀", {"terms": ("party", "😀")}),
        ("数据库 naïve", {"terms": ("数据库", "naïve")}),
        ("x x X", {"terms": ("x",)}),
    ],
)
def test_words_phrases_and_exclusions(typed: str, expected: dict[str, object]) -> None:
    query = parse_query(typed)

    assert {name: getattr(query, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("path:daily", Scope(paths=("daily",))),
        ('PATH:"My notes/2024" -path:old', Scope(paths=("My notes/2024",), not_paths=("old",))),
        ("folder:/a/b/ -folder:c", Scope(folders=("a/b",), not_folders=("c",))),
        ("tag:x tag:#y/z #w -tag:#v -#u", Scope(tags=("x", "y/z", "w"), not_tags=("v", "u"))),
        ('path: tag: folder:/ tag:# path:"', Scope()),
    ],
)
def test_filters(typed: str, scope: Scope) -> None:
    query = parse_query(typed)

    assert query.scope == scope
    assert not query.has_text


def test_filters_set_elsewhere_add_up() -> None:
    assert parse_query("x tag:b", Scope(tags=("a",), not_folders=("c",))).scope == Scope(
        tags=("a", "b"), not_folders=("c",)
    )


@pytest.mark.parametrize(
    ("typed", "position"),
    [
        ("-foo", 0),
        ('  -"foo bar" -x', 2),
        ("x" * 5_000, 4_096),
        ("a " + "-x " * 40, 2 + 32 * 3),
        ("tag:a " + "path:b " * 101, 6 + 99 * 7),
    ],
)
def test_a_query_that_cannot_be_served_says_where(typed: str, position: int) -> None:
    with pytest.raises(BadQuery) as caught:
        parse_query(typed)

    assert caught.value.position == position
    assert ":" in str(caught.value)


def test_exclusions_may_stand_beside_a_filter() -> None:
    assert parse_query("tag:x -foo").excluded == ("foo",)


def test_a_long_question_keeps_32_terms() -> None:
    assert len(parse_query(" ".join(f"word{n}" for n in range(100))).terms) == 32


@given(st.one_of(st.text(), st.text(alphabet='ab "-:#path\x00(*)^')))
def test_any_query_is_read_or_refused_and_its_terms_are_plain(typed: str) -> None:
    try:
        query = parse_query(typed)
    except BadQuery as error:
        query, position = None, error.position
    else:
        position = 0

    assert 0 <= position <= len(typed)
    if query is None:
        return
    assert all(word.isalnum() or any(character >= FIRST_SYMBOL for character in word) for word in query.terms)
    assert not any(character.isspace() or character in '"\0' for word in query.terms for character in word)
    assert not any(sign in part for part in (*query.phrases, *query.excluded) for sign in '"\x00')
    assert query == parse_query(typed)

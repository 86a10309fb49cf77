"""A query means what it says, also while it is being typed."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.conditions import (
    MATCH_ALL,
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InBlock,
    InFile,
    InFolder,
    InPath,
    InSection,
    InTask,
    InTimeRange,
    MatchesPattern,
    Not,
    PropertyComparison,
)
from quarry.errors import BadQuery
from quarry.messages import Message
from quarry.options import Scope
from quarry.query.parse import parse_query
from quarry.types import Query

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)


def read(typed: str, extra: Scope | None = None) -> Query:
    return parse_query(typed, extra or Scope(), now=NOW)


def insists(typed: str) -> tuple[Condition, ...]:
    condition = read(typed).condition
    assert isinstance(condition, AllOf)
    return condition.parts


# --- words -----------------------------------------------------------------------------------------


def test_words_are_ranked_without_stop_words_and_embedded_as_typed() -> None:
    query = read("How do I rename a Git branch")

    assert query.words == ("rename", "git", "branch")
    assert query.text == "How do I rename a Git branch"
    assert query.condition == MATCH_ALL


@pytest.mark.parametrize("typed", ["to be or not to be", "The Who", "why?"])
def test_a_query_of_stop_words_keeps_them(typed: str) -> None:
    assert " ".join(read(typed).words) == " ".join(dict.fromkeys(typed.lower().rstrip("?").split()))


def test_stop_words_beside_a_phrase_do_not_rank() -> None:
    assert read('the "git rebase"').words == ()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("getStaleFiles C++ v1.2.3 --flag", ("getStaleFiles", "c++", "v1.2.3", "--flag")),
        ("path/to/file and/or snake_case malloc()", ("path/to/file", "and/or", "snake_case", "malloc")),
        ("foo:bar C:\\x http://y.z", ("foo:bar", "c:\\x", "http://y.z")),
        ("数据库 naïve party 😀", ("数据库", "naïve", "party", "😀")),
        ("x x X", ("x",)),
        ("1) buy #1 milk:)", ("1", "buy", "milk")),
        ("[[Home]] - -> x", ("home", "x")),
    ],
)
def test_what_is_not_of_the_language_is_a_word_and_stays_whole(typed: str, words: tuple[str, ...]) -> None:
    assert read(typed).words == words
    assert read(typed).condition == MATCH_ALL


@pytest.mark.parametrize(
    ("typed", "prefix"),
    [
        ("rate lim", "lim"),
        ("rate lim ", None),
        ('rate "lim', None),
        ("rate -lim", None),
        ("section:lim", None),
        ("path:lim", None),
        ("lim path:x", None),
        ("rate (lim", "lim"),
        ("getStale", "getStale"),
        ("lim?", None),
        ("what is the", "the"),
        ("OR", None),
    ],
)
def test_the_last_word_may_be_the_beginning_of_one(typed: str, prefix: str | None) -> None:
    assert read(typed).prefix == prefix


def test_a_long_question_keeps_32_words() -> None:
    assert len(read(" ".join(f"word{n}" for n in range(100))).words) == 32


@pytest.mark.parametrize(
    "typed", ["", " ", "-", "OR", "(", "()", "#", '"', "path:", "[stat", "task", "created:20", "?"]
)
def test_what_is_not_there_yet_insists_on_nothing(typed: str) -> None:
    query = read(typed)

    assert query.condition == MATCH_ALL
    assert not query.phrases


# --- phrases, exclusions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "phrases", "words"),
    [
        ('"git  rebase" x', ("git rebase",), ("x",)),
        ("“smart” «quotes»", ("smart", "quotes"), ()),
        ('"still being typed', ("still being typed",), ()),
        ('"" "!" "', ("!",), ()),
        ('"->" x', ("->",), ("x",)),
    ],
)
def test_phrases_rank_and_are_insisted_on(typed: str, phrases: tuple[str, ...], words: tuple[str, ...]) -> None:
    query = read(typed)

    assert query.phrases == phrases
    assert query.words == words
    assert query.condition == AllOf(tuple(map(HasPhrase, phrases)))


def test_exclusions_are_of_words_phrases_groups_and_operators_and_do_not_rank() -> None:
    query = read('x -Merge -"two words" -foo-bar -(a b OR c) -path:old -#done -/v\\d/ -[due]')

    assert query.words == ("x",)
    assert query.text == "x"
    assert query.phrases == ()
    assert query.condition == AllOf(
        tuple(
            map(
                Not,
                (
                    HasPhrase("merge"),
                    HasPhrase("two words"),
                    HasPhrase("foo-bar"),
                    AnyOf((AllOf((HasPhrase("a"), HasPhrase("b"))), HasPhrase("c"))),
                    InPath("old"),
                    HasTag("done"),
                    MatchesPattern("v\\d"),
                    HasProperty("due"),
                ),
            )
        )
    )


# --- alternatives ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "conditions"),
    [
        ("a OR b", ()),
        ("cats dogs OR (birds OR fish)", ()),
        ('"rate limit" OR throttle', (AnyOf((HasPhrase("rate limit"), HasPhrase("throttle"))),)),
        ("#a OR todo", (AnyOf((HasTag("a"), HasPhrase("todo"))),)),
        ("#a OR the cat", (AnyOf((HasTag("a"), HasPhrase("cat"))),)),
        ("#a OR the", (AnyOf((HasTag("a"), HasPhrase("the"))),)),
        ('x "y" OR z', (AnyOf((HasPhrase("y"), HasPhrase("z"))),)),
        ('"a" OR b c', (AnyOf((HasPhrase("a"), AllOf((HasPhrase("b"), HasPhrase("c"))))),)),
        ('("a" OR "b") "c"', (AnyOf((HasPhrase("a"), HasPhrase("b"))), HasPhrase("c"))),
        ('"a" OR ("b" OR "c")', (AnyOf((HasPhrase("a"), HasPhrase("b"), HasPhrase("c"))),)),
        ("#a OR path:", (HasTag("a"),)),
        ('"a" OR', (HasPhrase("a"),)),
        ('OR "a" OR OR "b"', (AnyOf((HasPhrase("a"), HasPhrase("b"))),)),
        ('"a" or "b"', (HasPhrase("a"), HasPhrase("b"))),
        ("-(x) #a", (Not(HasPhrase("x")), HasTag("a"))),
    ],
)
def test_or_binds_looser_than_standing_beside_each_other(typed: str, conditions: tuple[Condition, ...]) -> None:
    assert insists(typed) == conditions


def test_words_and_phrases_of_alternatives_rank() -> None:
    query = read('"rate limit" OR throttle requests')

    assert query.phrases == ("rate limit",)
    assert query.words == ("throttle", "requests")


# --- operators -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "conditions"),
    [
        ('PATH:"My notes/2024" -path:old', (InPath("My notes/2024"), Not(InPath("old")))),
        ("folder:/a/b/ -folder:c\\d", (InFolder("a/b"), Not(InFolder("c/d")))),
        (
            "tag:x tag:#y/z #w -tag:#v -#u",
            (HasTag("x"), HasTag("y/z"), HasTag("w"), Not(HasTag("v")), Not(HasTag("u"))),
        ),
        ("file:README.md", (InFile("README.md"),)),
        ("path:tag:x", (InPath("tag:x"),)),
        ('path:(a OR "b c" -d)', (AnyOf((InPath("a"), AllOf((InPath("b c"), Not(InPath("d")))))),)),
        ("tag:(#a OR b)", (AnyOf((HasTag("a"), HasTag("b"))),)),
        ("path:/20\\d\\d/ file:/^a b/", (MatchesPattern("20\\d\\d", "path"), MatchesPattern("^a b", "file"))),
        ("/v\\d+ x/", (MatchesPattern("v\\d+ x"),)),
        (
            'type:daily status:"in progress"',
            (HasProperty("type", "is", "daily"), HasProperty("status", "is", "in progress")),
        ),
        ("domain:(a OR b)", (AnyOf((HasProperty("domain", "is", "a"), HasProperty("domain", "is", "b"))),)),
        ('content:(a "b c")', (HasPhrase("a"), HasPhrase("b c"))),
        (
            'section:(a "b c") block:d line:(a e)',
            (InSection(("a", "b c")), InBlock("block", ("d",)), InBlock("line", ("a", "e"))),
        ),
        (
            "match-case:HappyCat, -match-case:x",
            (HasPhrase("HappyCat", match_case=True), Not(HasPhrase("x", match_case=True))),
        ),
        (
            'match-case:("Happy Cat" OR /Cat$/) match-case:?',
            (AnyOf((HasPhrase("Happy Cat", match_case=True), MatchesPattern("(?-i:Cat$)"))),),
        ),
        ('task: task-todo:x task-done:""', (InTask("any"), InTask("todo", ("x",)), InTask("done"))),
        ("[status:done]", (HasProperty("status", "is", "done"),)),
        ('path: tag: folder:/ tag:# section: path:"', ()),
        ("ignore-case:X", ()),
    ],
)
def test_operators(typed: str, conditions: tuple[Condition, ...]) -> None:
    assert insists(typed) == conditions


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", [("exists", "")]),
        ("<", [("exists", "")]),
        ("done", [("is", "done")]),
        ("in progress", [("is", "in progress")]),
        ('"a  b"', [("is", "a  b")]),
        ("null", [("is", "")]),
        ('"null"', [("is", "null")]),
        ("<5", [("<", "5")]),
        ("> = 5", [(">", "= 5")]),
        (">= 5", [(">=", "5")]),
        ('"<5"', [("is", "<5")]),
        ("<today", [("<", "2026-11-21")]),
        (">=tomorrow", [(">=", "2026-11-22")]),
        ("today", [("is", "today")]),
        ("a OR b c", [("is", "a"), ("is", "b c")]),
        ('(a OR "b OR c")', [("is", "a"), ("is", "b OR c")]),
        ("<1 OR >5", [("<", "1"), (">", "5")]),
        ("a OR", [("is", "a")]),
        ("[[Home]]", [("is", "[[Home]]")]),
    ],
)
def test_what_brackets_ask_for(value: str, expected: list[tuple[PropertyComparison, str]]) -> None:
    wanted = tuple(HasProperty("p", comparison, text) for comparison, text in expected)

    assert insists(f"[p:{value}]") == (wanted if len(wanted) == 1 else (AnyOf(wanted),))


def test_times_are_counted_from_now_where_the_person_is() -> None:
    first = round(datetime(2026, 11, 9, tzinfo=UTC).timestamp() * 1000)
    week = 7 * 86_400_000

    expected = InTimeRange("created", first, first + week)

    assert insists("created:last week") == insists('created:"last  week"') == (expected,)
    assert insists("created:last week x") == (expected,)
    assert insists("-modified:today") == (
        Not(InTimeRange("modified", first + 12 * 86_400_000, first + 13 * 86_400_000)),
    )


def test_what_is_said_within_an_operator_ranks_when_it_is_text() -> None:
    query = read('section:(a "b c") task:call content:x match-case:Y path:no file:no tag:no type:no')

    assert query.words == ("call", "x", "y")
    assert query.phrases == ("b c",)


def test_filters_set_elsewhere_add_up() -> None:
    query = read("x tag:b", Scope(folders=("f", "g"), tags=("a",), not_folders=("c",), paths=("p",), not_paths=("q",)))

    assert query.condition == AllOf(
        (
            AnyOf((InFolder("f"), InFolder("g"))),
            Not(InFolder("c")),
            InPath("p"),
            Not(InPath("q")),
            HasTag("a"),
            HasTag("b"),
        )
    )


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "position"),
    [
        ("-foo", 0),
        ('  -"foo bar" -x', 2),
        ("-(a OR /b/)", 0),
        ("x" * 5_000, 4_096),
        ("a " + "-x " * 40, 2 + 32 * 3 + 1),
        ('"' + "x " * 40 + '"', 0),
        ("tag:a " + "path:b " * 101, 6 + 99 * 7 + 5),
        ("x " + "(" * 30, 2 + 20),
        ("x /[a/", 2),
        ("x /(?=a)/", 2),
        ("created:2026-13-45", 8),
        ("created:nonsense x", 8),
        ("modified:>7d x", 9),
        ("match-case:/a)(b/", 11),
        ("match-case:(a [p])", 14),
        ("section:(path:x y)", 9),
        ("path:(a section:b)", 8),
        ("tag:(/x/)", 5),
    ],
)
def test_a_query_that_cannot_be_served_says_where_and_what_to_do(typed: str, position: int) -> None:
    with pytest.raises(BadQuery) as caught:
        read(typed)

    assert caught.value.position == position


@pytest.mark.parametrize("typed", ["tag:x -foo", "-tag:x", "-path:x -foo", "-foo bar", '-foo "bar"', "-(foo tag:x)"])
def test_exclusions_may_stand_beside_something_to_look_for(typed: str) -> None:
    assert insists(typed)


# --- any input -------------------------------------------------------------------------------------

_CHARACTERS = st.text(alphabet='ab1 "-:#/()[]<>=.\\path\x00OR*^\u00e9日😀\ud800', max_size=80)
_PIECES = st.lists(
    st.one_of(
        st.sampled_from(["(", ")", "-", "OR", '"', "/", "[", "]", "a:", "path:", "tag:", "section:(", "task:", "[p:"]),
        st.sampled_from(["created:", "7d", "#t", "foo", "the", "日本", '"x y"', "/a+/", "<5", "->", "last week", " "]),
    ),
    max_size=40,
).map(lambda pieces: "".join(pieces) if len(pieces) % 2 else " ".join(pieces))


def _read_unless_refused(typed: str) -> Query | None:
    try:
        return read(typed)
    except BadQuery as error:
        refusal = error
    assert 0 <= refusal.position <= len(typed)
    assert isinstance(refusal.message, Message)
    assert str(refusal) != refusal.message.code
    return None


@given(st.one_of(st.text(), _CHARACTERS, _PIECES))
def test_any_query_is_read_or_refused(typed: str) -> None:
    query = _read_unless_refused(typed)
    if query is None:
        return

    assert query == read(typed)
    assert query.prefix is None or query.prefix in query.words
    assert not any(character.isspace() or character in '"\0' for word in query.words for character in word)
    assert all(phrase and '"' not in phrase for phrase in query.phrases)
    "".join((query.text, *query.words, *query.phrases)).encode()


@given(_PIECES, st.integers(0, 200))
def test_every_beginning_of_a_query_is_read_or_refused(typed: str, cut: int) -> None:
    _read_unless_refused(typed[:cut])


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        ")",
        "a(",
        "a)",
        "[a:",
        "[",
        "/a ",
        "/a\\/ ",
        '"',
        "-",
        "#a",
        "a:[[",
        "[a:[[]]]x",
        "  ",
        "\\",
        "tag:(",
        "x OR ",
    ],
)
def test_4096_characters_of_anything_are_read_or_refused(piece: str) -> None:
    _read_unless_refused((piece * 4096)[:4096])


# --- a query that was written out means what it was written for ---------------------------------------

_WORDS = st.sampled_from(["apple", "日本", "pear-tree", "don't", "the", "c++"])
_LEAVES: st.SearchStrategy[tuple[str, Condition]] = st.one_of(
    st.lists(_WORDS, min_size=1, max_size=3).map(lambda words: (f'"{" ".join(words)}"', HasPhrase(" ".join(words)))),
    _WORDS.map(lambda word: (f"content:{word}", HasPhrase(word))),
    st.sampled_from(
        [("#a/b", HasTag("a/b")), ("path:x", InPath("x")), ("file:y", InFile("y")), ("[p]", HasProperty("p"))]
    ),
    st.sampled_from(
        [("/a+/", MatchesPattern("a+")), ("folder:F", InFolder("F")), ("task-done:z", InTask("done", ("z",)))]
    ),
)


def _combined(parts: st.SearchStrategy[tuple[str, Condition]]) -> st.SearchStrategy[tuple[str, Condition]]:
    several = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        parts.map(lambda part: (f"-({part[0]})", Not(part[1]))),
        several.map(lambda all_: (f"({' '.join(text for text, _ in all_)})", AllOf(tuple(c for _, c in all_)))),
        several.map(lambda all_: (f"({' OR '.join(text for text, _ in all_)})", AnyOf(tuple(c for _, c in all_)))),
    )


def _plain(condition: Condition) -> Condition:
    """Without brackets that mean nothing: groups within groups of their kind, groups of one, repetitions."""
    if isinstance(condition, Not):
        return Not(_plain(condition.part))
    if not isinstance(condition, AllOf | AnyOf):
        return condition
    parts: dict[Condition, None] = {}
    for part in map(_plain, condition.parts):
        parts.update(dict.fromkeys(part.parts if type(part) is type(condition) else (part,)))
    return next(iter(parts)) if len(parts) == 1 else type(condition)(tuple(parts))


@given(st.recursive(_LEAVES, _combined, max_leaves=8))
def test_a_tree_that_is_written_out_is_read_as_the_same_tree(written: tuple[str, Condition]) -> None:
    typed, meant = written
    plain = _plain(meant)

    assert read(f"x {typed}").condition == (plain if isinstance(plain, AllOf) else AllOf((plain,)))


@pytest.mark.parametrize(
    ("typed", "has"),
    [
        ("walnut OR /ch.rry/", True),
        ("walnut OR tag:fruit", True),
        ("walnut OR (-oil path:x)", True),
        ("walnut OR content:/ch.rry/", True),
        ("walnut OR task:", True),
        ("walnut OR cherry", False),
        ('walnut OR "cherry pie"', False),
        ("walnut OR -tag:fruit", False),
        ("walnut OR task:oil", False),
        ("(walnut OR tag:fruit) oil", False),
        ("tag:fruit", False),
    ],
)
def test_an_alternative_of_filters_alone_is_told(typed: str, has: bool):
    assert parse_query(typed, now=NOW).has_filter_alternative is has

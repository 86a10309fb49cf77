"""A condition admits the notes that it describes, and no others."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quarry.analysis.analysis import locate_terms
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
    IsNote,
    MatchesPattern,
    Not,
)
from quarry.errors import BadQuery, Cancelled, DeadlineExceeded
from quarry.index import Deadline, Index
from quarry.index.database import FTS5

DAY_MS = 86_400_000
Admit = Callable[[Condition], list[str]]

NOTES: dict[str, dict[str, object]] = {
    "Work/Plans/Q1.md": {
        "texts": ("The rate limit of the API", "is reached\n- [ ] call the dentist"),
        "tags": ("Project/Alpha", "todo"),
    },
    "Work/Budget 2026.md": {"texts": ("getStaleFiles -> c++ and snake_case_name",), "tags": ("project",)},
    "Workshop/Tools.md": {
        "texts": ("# Saws\n- [x] buy a saw\n  and blades\n- [/] oil it", "Limits are rated"),
        "heading": "Saws",
        "tags": ("projects",),
    },
    "Privé/Été.md": {"texts": ("用Python写數據庫 😀",), "heading": "Résumé", "aliases": ("Summer days", "third")},
    "100%_sure's.md": {"texts": ("nothing at all",), "tags": ("a_b",)},
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory, make_note, store) -> Iterator[Index]:
    index = Index.open(tmp_path_factory.mktemp("admission") / "index.db")
    for seconds, (path, note) in enumerate(NOTES.items(), 1):
        fields = dict(note)
        store(index, make_note(path, *fields.pop("texts"), **fields), seconds)
    yield index
    index.close()


def names(index: Index, condition: Condition, deadline: Deadline | None = None) -> list[str]:
    """The notes that a condition admits, by name."""
    with index.reader() as reader:
        ids = reader.matching_notes(condition, deadline=deadline or Deadline.after(3600))
        newest = reader.browse(condition, 1000, deadline=Deadline.after(3600))
    assert ids is None or (len(ids) == newest.total and (np.diff(ids) > 0).all() and ids.dtype == np.int64)
    return sorted(candidate.path.rpartition("/")[2].removesuffix(".md") for candidate in newest.ranking)


ALL = ["100%_sure's", "Budget 2026", "Q1", "Tools", "Été"]


def test_no_condition_admits_every_note_without_naming_them(vault: Index) -> None:
    with vault.reader() as reader:
        assert reader.matching_notes(MATCH_ALL, deadline=Deadline.after(3600)) is None
        assert reader.matching_notes(InFolder(""), deadline=Deadline.after(3600)) is None
        assert reader.matching_notes(AnyOf(()), deadline=Deadline.after(3600)).tolist() == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (InFolder("Work"), ["Budget 2026", "Q1"]),
        (InFolder("work/plans/"), ["Q1"]),
        (InFolder("prive"), ["Été"]),
        (InFolder(""), ALL),
        (Not(InFolder("/")), []),
        (IsNote(normalize("NFD", "Privé/Été.md")), ["Été"]),
        (IsNote("privé/été.md"), []),
        (IsNote("Été.md"), []),
        (Not(IsNote("Privé/Été.md")), ["100%_sure's", "Budget 2026", "Q1", "Tools"]),
        (InPath("ETE"), ["Été"]),
        (InPath("work"), ["Budget 2026", "Q1", "Tools"]),
        (InPath("%_"), ["100%_sure's"]),
        (InFile("work"), []),
        (InFile("2026.md"), ["Budget 2026"]),
        (InFile("sure'S"), ["100%_sure's"]),
        (HasTag("PROJECT"), ["Budget 2026", "Q1"]),
        (HasTag("#project/alpha"), ["Q1"]),
        (HasTag("a_b"), ["100%_sure's"]),
        (HasTag("acb"), []),
        (Not(HasTag("project")), ["100%_sure's", "Tools", "Été"]),
        (InFolder("x' OR 1 --"), []),
        (HasTag('"; DROP TABLE notes; --'), []),
        (HasProperty("x') OR ('1"), []),
        (HasPhrase('x" OR "nothing'), []),
        (HasPhrase("title : Q1"), []),
        (HasPhrase("{body} : nothing"), []),
        (MatchesPattern("' OR '1"), []),
    ],
)
def test_where_a_note_lies_and_what_it_is_filed_under(vault: Index, condition: Condition, expected: list[str]) -> None:
    assert names(vault, condition) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (HasPhrase("RATE limit"), ["Q1"]),
        (HasPhrase("rate limits"), ["Q1"]),
        (HasPhrase("limit"), ["Q1", "Tools"]),
        (HasPhrase("API is reached"), ["Q1"]),
        (HasPhrase("The rate limit of the API is reached - [ ] call the dentist"), ["Q1"]),
        (HasPhrase("limit is reached"), []),
        (HasPhrase("limit rate"), []),
        (HasPhrase("nothing at all"), ["100%_sure's"]),
        (HasPhrase("getStaleFiles"), ["Budget 2026"]),
        (HasPhrase("snake_case"), ["Budget 2026"]),
        (HasPhrase("c++"), ["Budget 2026"]),
        (HasPhrase("->"), ["Budget 2026"]),
        (HasPhrase("- ["), ["Q1", "Tools"]),
        (HasPhrase("數據"), ["Été"]),
        (HasPhrase("python写"), ["Été"]),
        (HasPhrase("😀"), ["Été"]),
        (HasPhrase("été"), ["Été"]),
        (HasPhrase("Summer days"), ["Été"]),
        (HasPhrase("days third"), []),
        (Not(HasPhrase("limit")), ["100%_sure's", "Budget 2026", "Été"]),
        (InSection(("limit", "dentist")), ["Q1"]),
        (InSection(("saws", "oil it", "blades")), ["Tools"]),
        (InSection(("resume", "python")), ["Été"]),
        (InSection(("limit",), ("saw",)), ["Q1"]),
        (InSection((), ("limit", "nothing", "->")), ["Été"]),
        (InSection(("->", "snake")), ["Budget 2026"]),
        (InBlock("line", ("buy", "saw")), ["Tools"]),
        (InBlock("line", ("saw", "blades")), []),
        (InBlock("block", ("saw", "blades")), ["Tools"]),
        (InBlock("block", ("reached", "dentist")), []),
        (InBlock("block", ("saws", "oil")), []),
        (InBlock("line", ("saw",), ("buy",)), ["Tools"]),
        (InBlock("line", ("limits",), ("api",)), ["Tools"]),
        (InBlock("line", (), ("nothing", "getStaleFiles", "python", "oil", "is")), ["Q1", "Tools"]),
        (HasPhrase("getStaleFiles", match_case=True), ["Budget 2026"]),
        (HasPhrase("getstalefiles", match_case=True), []),
        (HasPhrase("The rate", match_case=True), ["Q1"]),
        (HasPhrase("rate limits", match_case=True), []),
        (HasPhrase("the", match_case=True), ["Q1"]),
        (HasPhrase("Limit", match_case=True), []),
        (HasPhrase("Summer", match_case=True), ["Été"]),
        (HasPhrase("summer", match_case=True), []),
        (HasPhrase("Q1", match_case=True), ["Q1"]),
        (HasPhrase("數據", match_case=True), ["Été"]),
        (MatchesPattern("(?-i:API)"), ["Q1"]),
        (MatchesPattern("(?-i:api)"), []),
        (InTask("any"), ["Q1", "Tools"]),
        (InTask("todo"), ["Q1", "Tools"]),
        (InTask("done"), ["Tools"]),
        (InTask("done", ("buy", "blades")), ["Tools"]),
        (InTask("done", ("oil",)), []),
        (InTask("todo", ("oil",)), ["Tools"]),
        (InTask("todo", (), ("oil",)), ["Q1"]),
        (InTask("any", ("limit",)), []),
        (MatchesPattern("rate.*api"), ["Q1"]),
        (MatchesPattern("^is\\b"), ["Q1"]),
        (MatchesPattern("ÉTÉ", "path"), ["Été"]),
        (MatchesPattern("^work/", "path"), ["Budget 2026", "Q1"]),
        (MatchesPattern("^b.*\\d{4}", "file"), ["Budget 2026"]),
        (MatchesPattern(""), ALL),
    ],
)
def test_what_stands_in_a_note(vault: Index, condition: Condition, expected: list[str]) -> None:
    assert names(vault, condition) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (HasProperty("status"), ["A", "B", "C"]),
        (HasProperty("STATUS", "is", "in progress"), ["A"]),
        (HasProperty("Étape", "is", "deux"), ["B"]),
        (HasProperty("status", "is", ""), ["C"]),
        (Not(HasProperty("status", "is", "")), ["A", "B", "D"]),
        (HasProperty("source"), ["A"]),
        (HasProperty("source.url", "is", "x"), ["A"]),
        (HasProperty("sourc"), []),
        (HasProperty("rating", ">=", "4"), ["A", "B"]),
        (HasProperty("rating", "<", "10"), ["A", "B", "C"]),
        (HasProperty("rating", "is", "4.0"), ["A"]),
        (HasProperty("done", "is", "true"), ["A"]),
        (HasProperty("authors", "is", "bob"), ["A"]),
        (HasProperty("due", "<", "2026-03-05"), ["B"]),
        (HasProperty("due", "is", "2026-03"), ["A"]),
        (InTimeRange("created"), ["A", "B", "C"]),
        (InTimeRange("created", 0, 1_639_113_925_845), ["A"]),
        (InTimeRange("created", 1_639_113_925_845), ["B", "C"]),
        (Not(InTimeRange("created", 0, 1_639_113_925_845)), ["B", "C", "D"]),
        (InTimeRange("modified", 2_000, 4_000), ["B", "C"]),
        (InTimeRange("modified", 2**62, None), []),
        (InTimeRange("modified", None, 2**62), ["A", "B", "C", "D"]),
        (InTimeRange("modified"), ["A", "B", "C", "D"]),
    ],
)
def test_what_the_front_matter_and_the_file_say(index: Index, put, condition: Condition, expected: list[str]) -> None:
    of_a = {"Status": "In Progress", "rating": 4, "done": True, "source.url": "x", "authors": ("Ann", "Bob")}
    put("A.md", "a", seconds=1, properties={**of_a, "due": "2026-03-05", "created": 1_639_113_925_844})
    of_b = {"status": "done", "étape": "Deux", "rating": "9.5", "due": "2026-02-01T10:00"}
    put("B.md", "b", seconds=2, properties={**of_b, "Date Created": "2026-03-05"})
    put("C.md", "c", seconds=3, properties={"status": "", "rating": -1, "created_at": "2026-03-05T10:00:00+02:00"})
    put("D.md", "d", seconds=4, properties={"rating": "good", "createdness": "2020-01-01"})

    assert names(index, condition) == expected


_LEAVES = [
    HasPhrase("limit"), HasPhrase("->"), HasPhrase("nothing"), InFolder("Work"), HasTag("project"), InTask("done"),
    InPath("w"), InSection(("saws",)), InBlock("line", ("saw",)),
    HasPhrase("API", match_case=True), MatchesPattern("[0-9a]b"), HasProperty("p"), InTimeRange("created"),
    InTimeRange("modified", 3_000), MATCH_ALL, AnyOf(()),
]  # fmt: skip
_TREES = st.recursive(
    st.sampled_from(_LEAVES),
    lambda part: st.one_of(
        part.map(Not),
        st.lists(part, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(part, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=8,
)


@given(_TREES)
def test_a_tree_of_conditions_is_the_algebra_of_its_leaves(vault: Index, condition: Condition) -> None:
    def admitted(part: Condition) -> set[str]:
        if isinstance(part, Not):
            return set(ALL) - admitted(part.part)
        if isinstance(part, AllOf):
            return set(ALL).intersection(*map(admitted, part.parts))
        if isinstance(part, AnyOf):
            return set().union(*map(admitted, part.parts))
        return set(names(vault, part))

    assert set(names(vault, condition)) == admitted(condition)


# --- any text ---------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    ["apple", "running", "Café", "don't", "user's", "getStaleFiles", "snake_case", "--flag", "v1.2.3", "c++", "日本語",
     "用Python写", "ไทย", "😀", "👩‍💻", "(x)", "\n\n", "- [ ]", "[[Link|shown]]", "`code()`", "a/b.md", "é",
     "mail@host.org", "#tag"]
)  # fmt: skip
_TEXTS = st.one_of(
    st.lists(st.lists(_WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=3),
    st.lists(st.lists(_WORDS, min_size=0, max_size=2).map(" ".join), min_size=8, max_size=40),  # tiny chunks
    st.lists(st.sampled_from(["a", "b", "a b", "b a", "-", ""]), min_size=4, max_size=40),  # much alike, or empty
)


@pytest.mark.slow
@given(_TEXTS, st.data())
@settings(max_examples=60)
def test_whatever_stands_in_a_note_is_found_when_quoted_also_over_the_borders_of_chunks(
    tmp_path_factory: pytest.TempPathFactory, make_note, store, texts: list[str], data: st.DataObject
) -> None:
    whole = "\n".join(texts)
    terms = list(locate_terms(whole))
    assume(terms)
    first = data.draw(st.integers(0, len(terms) - 1))
    last = data.draw(st.integers(first, len(terms) - 1))
    phrase = whole[terms[first].start : terms[last].end]
    index = Index.open(tmp_path_factory.mktemp("any") / "index.db")

    try:
        store(index, make_note("Note.md", *texts))
        store(index, make_note("Other.md", "plum"))

        assert "Note" in names(index, HasPhrase(phrase))
        assert "Note" not in names(index, Not(HasPhrase(phrase)))
        assert "Other" not in names(index, HasPhrase(phrase))
    finally:
        index.close()


@pytest.mark.slow
@given(st.lists(st.sampled_from(["a", "b", "a b", "b a", "-", ""]), min_size=2, max_size=12), st.data())
@settings(max_examples=60)
def test_what_does_not_stand_in_a_note_is_not_found_over_the_borders_of_chunks(
    tmp_path_factory: pytest.TempPathFactory, make_note, store, texts: list[str], data: st.DataObject
) -> None:
    asked = data.draw(st.lists(st.sampled_from("ab"), min_size=2, max_size=20))
    stands = f" {' '.join(asked)} " in f" {' '.join(term.text for term in locate_terms(' '.join(texts)))} "
    index = Index.open(tmp_path_factory.mktemp("none") / "index.db")

    try:
        store(index, make_note("Note.md", *texts))
        store(index, make_note("Other.md", "a", "-", "b"))

        assert ("Note" in names(index, HasPhrase(" ".join(asked)))) == stands
        assert ("Other" in names(index, HasPhrase(" ".join(asked)))) == (asked == ["a", "b"])
    finally:
        index.close()


@pytest.mark.slow
@given(st.one_of(st.text(max_size=30), st.text(alphabet="\"*^:{}()+-NEAR AND OR'%_\\;\n", max_size=30)))
def test_no_text_is_syntax(vault: Index, text: str) -> None:
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")

    for condition in (
        HasPhrase(text), InFolder(text), InPath(text), InFile(text), HasTag(text), HasProperty(text, "is", text),
        HasProperty(text, "<", text), InSection((text,), (text,)), InBlock("block", (text,), (text,)),
        InTask("any", (text,), (text,)),
    ):  # fmt: skip
        assert set(names(vault, Not(condition))) == set(ALL) - set(names(vault, condition))


# --- without parts, without time ---------------------------------------------------------------------


def test_without_fts5_words_are_looked_for_as_they_are_written(tmp_path: Path, make_note, store) -> None:
    index = Index.open(tmp_path / "index.db", without=frozenset({FTS5}))
    store(index, make_note("A.md", "The Rate Limit", "- [ ] call", aliases=("Café",), heading="Top"))
    store(index, make_note("B.md", "nothing"))

    assert names(index, HasPhrase("rate limit")) == ["A"]
    assert names(index, HasPhrase("café")) == ["A"]
    assert names(index, Not(HasPhrase("rate"))) == ["B"]
    assert names(index, InSection(("top", "limit"), ("nothing",))) == ["A"]
    assert names(index, InBlock("line", ("rate", "limit"))) == ["A"]
    assert names(index, HasPhrase("Rate", match_case=True)) == ["A"]
    assert names(index, HasPhrase("rate", match_case=True)) == []
    assert names(index, InTask("todo", ("call",))) == ["A"]
    index.close()


def test_a_search_that_takes_too_long_is_stopped(vault: Index) -> None:
    with vault.reader() as reader:
        with pytest.raises(DeadlineExceeded):
            reader.matching_notes(MatchesPattern("a"), deadline=Deadline.after(-1))
        with pytest.raises(Cancelled):
            reader.matching_notes(MatchesPattern("a"), deadline=Deadline(math.inf, lambda: True))


def test_a_slow_regular_expression_is_stopped_on_its_way(index: Index, put) -> None:
    for number in range(40):
        put(f"{number}.md", *["x" * 50] * 20)
    asked = iter(range(10_000))

    with index.reader() as reader, pytest.raises(Cancelled):
        reader.matching_notes(MatchesPattern("y"), deadline=Deadline(math.inf, lambda: next(asked) > 3))


def test_a_regular_expression_that_cannot_be_used_is_refused(vault: Index) -> None:
    with vault.reader() as reader, pytest.raises(BadQuery, match="missing"):
        reader.matching_notes(MatchesPattern("("), deadline=Deadline.after(60))


# --- why not -----------------------------------------------------------------------------------------


def test_the_first_part_that_refuses_a_note_is_named(vault: Index, in_time: Deadline) -> None:
    parts = (InFolder("Work"), Not(HasTag("todo")), HasPhrase("rate limit"))

    with vault.reader() as reader:
        ids = {path: int(reader.matching_notes(InPath(path), deadline=in_time)[0]) for path in NOTES}

        def refusal(path: str, condition: Condition) -> Condition | None:
            return reader.first_failing_condition(condition, ids[path], deadline=in_time)

        assert refusal("Workshop/Tools.md", AllOf(parts)) == parts[0]
        assert refusal("Work/Plans/Q1.md", AllOf(parts)) == parts[1]
        assert refusal("Work/Budget 2026.md", AllOf(parts)) == parts[2]
        assert refusal("Work/Budget 2026.md", HasPhrase("x")) == HasPhrase("x")
        assert refusal("Work/Plans/Q1.md", MATCH_ALL) is None
        assert refusal("Work/Plans/Q1.md", InFolder("Work")) is None

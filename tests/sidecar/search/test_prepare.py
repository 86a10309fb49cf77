"""What is asked of the retrievers: words corrected, begun, dated; names of programs; scripts without spaces."""

from collections.abc import Callable
from datetime import datetime

import numpy as np
import pytest
from builders import HashEncoder, Vault, ask, execution_over, find

from quarry.engine import Engine
from quarry.errors import DeadlineExceeded
from quarry.index import Deadline, KeywordQuery, max_score
from quarry.options import Filters
from quarry.query.parse import parse_query
from quarry.search.prepare import PreparedQuery, TermsOfNotes, can_rank, prepare_query

NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001


@pytest.fixture
def question_of(encoder: HashEncoder) -> Callable[..., PreparedQuery]:
    """The prepared that a typed query becomes to an engine's index."""

    def prepared(engine: Engine, typed: str, *, typing: bool = False, has_model: bool = True) -> PreparedQuery:
        with engine.reader() as reader:
            query = parse_query(typed, now=NOW)
            return prepare_query(query, execution_over(reader, encoder if has_model else None), typing=typing)

    return prepared


# --- corrections -----------------------------------------------------------------------------------


def test_the_model_sees_the_corrected_text(vault: Vault, open_engine, question_of, encoder: HashEncoder):
    vault.write("a.md", "accordions and bellows")
    engine = open_engine()
    encoder.known_words.add("breathe")

    prepared = question_of(engine, "How do acordions breathe")

    assert prepared.vector.tobytes() == encoder.encode(["How do accordions breathe"])[0].tobytes()
    assert prepared.query.text == "How do acordions breathe"


def test_phrases_and_the_word_being_typed_are_not_corrected(vault: Vault, open_engine, question_of):
    vault.write("a.md", "accordions and bellows")
    engine = open_engine()

    assert question_of(engine, "acordions", typing=True).corrections == ()
    assert question_of(engine, '"acordions" bellows').corrections == ()


def test_other_terms_than_those_of_the_query_are_looked_up_under_the_deadline(vault: Vault, open_engine):
    vault.write("a.md", "walnut")

    with open_engine().reader() as reader:
        prepared = prepare_query(parse_query("walnut", now=NOW), execution_over(reader), typing=False)
        late = execution_over(reader, deadline=Deadline.after(-1))
        with pytest.raises(DeadlineExceeded):
            TermsOfNotes(prepared, np.array([1]), late).contain(KeywordQuery(("oak",)))


# --- typing ----------------------------------------------------------------------------------------


def test_the_last_word_may_be_a_beginning_while_typing_only(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnuts for breakfast", "b.md": "cherry"})
    engine = open_engine()

    assert find(engine, "breakfast waln", mode="keyword", typing=True) == ["a.md"]
    assert find(engine, "waln", mode="keyword", typing=True) == ["a.md"]
    assert ask(engine, "waln", mode="keyword", typing=True).relaxed is None


def test_a_word_of_the_vault_behind_others_is_whole_while_typing(vault: Vault, open_engine, question_of):
    vault.write_all({"a.md": "the tragedy of the commons", "b.md": "a commonspace", "c.md": "commons"})
    engine = open_engine()

    assert question_of(engine, "tragedy of the commons", typing=True).keyword_query.prefix is None
    assert question_of(engine, "tragedy of the common", typing=True).keyword_query.prefix is None
    assert question_of(engine, "tragedy of the commo", typing=True).keyword_query.prefix == "commo"
    assert question_of(engine, "commons", typing=True).keyword_query.prefix == "commons"


@pytest.mark.parametrize("typed", ["waln ", "waln cherry", '"waln"', "waln*", "tag:waln"])
def test_only_the_word_at_the_very_end_is_a_beginning(vault: Vault, open_engine, question_of, typed: str):
    vault.write_all({"a.md": "walnuts", "b.md": "cherry"})

    assert question_of(open_engine(), typed, typing=True).keyword_query.prefix != "waln"


def test_a_beginning_of_one_or_two_letters_is_no_reason_to_look_through_all_words(open_engine, question_of):
    engine = open_engine()

    assert question_of(engine, "wa", typing=True).keyword_query.prefix is None
    assert question_of(engine, "wa", typing=True).keyword_query.name_prefix == "wa"
    assert question_of(engine, "wa").keyword_query.name_prefix is None
    assert question_of(engine, "水", typing=True).keyword_query.prefix == "水"


SHORT = {
    "Folder tools.md": "x", "Places/Forest.md": "# Old forest\nwalnut", "c.md": "---\naliases: [Foxes]\n---\ny",
    "d.md": "follow the fox", "e.md": "cherry fo", "f.md": "cherry\n## Fog",
}  # fmt: skip


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_one_or_two_letters_find_the_names_that_begin_with_them_and_mean_nothing(vault: Vault, open_engine, mode):
    vault.write_all(SHORT)
    engine = open_engine()
    names = ["Folder tools.md", "Places/Forest.md", "c.md"]

    counts = []
    for typed in ("f", "fo", "fol"):
        answer = ask(engine, typed, mode=mode, typing=True)
        counts.append(answer.total)
        assert answer.weakness is None
        if len(typed) < 3:
            assert {*names} <= {hit.path for hit in answer.hits} <= {*names, "e.md", "f.md"}
            assert not any("dense" in hit.retrievers for hit in answer.hits)

    assert counts == [4, 5, 2]  # `e.md` holds the word `fo` itself; of three letters on, texts are searched
    assert find(engine, "fo", mode=mode, typing=True, filters=Filters(folders=("Places",))) == ["Places/Forest.md"]


def test_letters_of_a_word_to_come_do_not_change_what_is_meant(open_engine, question_of, encoder: HashEncoder):
    prepared = question_of(open_engine(), "hide glue b", typing=True)

    assert prepared.vector.tobytes() == encoder.encode(["hide glue"])[0].tobytes()
    assert question_of(open_engine(), "b", typing=True).vector is None


# --- pairs, weights --------------------------------------------------------------------------------


def test_neighbours_in_the_query_are_pairs_unless_one_of_them_only_joins(open_engine, question_of):
    engine = open_engine()

    assert question_of(engine, "hot hide glue").pairs == (("hot", "hide"), ("hide", "glue"))
    assert question_of(engine, "the smell of glue").pairs == ()


def test_what_no_model_serves_has_no_vector(open_engine, question_of):
    prepared = question_of(open_engine(), "walnut", has_model=False)

    assert prepared.vector is None
    assert prepared.vocabulary_coverage == 0


# --- dates -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["december 2021", "Dec 2021", "7 December 2021", "December 7th, 2021", "2021-12-07"])
def test_a_month_in_words_finds_the_days_of_it(vault: Vault, open_engine, typed: str):
    vault.write_all({f"Daily/2021-{month:02}-07.md": "oiled the bench" for month in range(1, 13)})
    vault.write_all({f"Daily/2020-12-{day:02}.md": "oiled the bench" for day in range(1, 20)})
    vault.write_all({f"f{n}.md": f"something else {n} of december" for n in range(20)})

    for mode in ("hybrid", "keyword"):
        assert find(open_engine(), typed, mode=mode)[0] == "Daily/2021-12-07.md"


# --- words of all kinds ----------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["to be or not to be", "the who", "The Who?", "how to", "it"])
def test_a_query_of_stop_words_alone_is_looked_for(vault: Vault, open_engine, typed: str):
    bare = typed.rstrip("?")
    vault.write_all({f"{n}.md": f"walnut number{n}" for n in range(30)} | {"wanted.md": f"Somebody said: {bare}"})

    assert find(open_engine(), typed, mode="keyword")[0] == "wanted.md"
    assert find(open_engine(), f'"{bare}"', mode="keyword") == ["wanted.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("水", "山から水を引く"),
        ("浜松", "昨日、浜松へ行った"),
        ("機械", "机の上の機械学習の本"),
        ("機械学習", "机の上の機械学習の本"),
        ("책", "그 책을 읽었다"),
        ("คำ", "คำไทย"),
        ("getStaleFiles", "call getStaleFiles() first"),
        ("stale files", "call getStaleFiles() first"),
        ("getstalefiles", "call getStaleFiles() first"),
        ("snake_case", "set snake_case=1"),
        ("snake case", "set snake_case=1"),
        ("--flag", "run it with --flag on"),
        ("C++", "written in C++, mostly"),
        ("C#", "written in C#"),
        (".NET", "runs on .NET only"),
        ("v1.2.3", "released v1.2.3 today"),
        ("src/index/terms.py", "see src/index/terms.py there"),
        ("terms.py", "see src/index/terms.py there"),
        ("user@example.org", "write to user@example.org"),
        ("🪚", "cut it with a 🪚 then"),
        ("👩‍👩‍👧", "the family 👩‍👩‍👧"),
        ("🇩🇪", "off to 🇩🇪"),
        ("naive", "a naïve idea"),
        ("STRASSE", "in der Straße"),
        ("U.S.A.", "made in the USA"),
        ("e-mail", "write an email"),
        ("can't", "you cannot, you can't"),
    ],
)
def test_words_of_all_kinds_are_found(vault: Vault, open_engine, typed: str, text: str):
    others = (
        "山と机",
        "松の木と浜",
        "械機",
        "c plus b",
        "1.2 and 3",
        "snaked",
        "flags",
        "index",
        "net",
        "😀 🇫🇷 👨‍👩‍👦",
        "usable",
    )
    vault.write_all({f"{at:02}.md": f"{other} walnut" for at, other in enumerate(others * 3)} | {"wanted.md": text})

    assert find(open_engine(), typed, mode="keyword")[0] == "wanted.md"


@pytest.mark.parametrize(
    ("typed", "ranks"), [("walnut", True), ('"hide glue"', True), ('"->"', False), ("tag:x", False), ("?", False)]
)
def test_signs_alone_are_nothing_to_rank_by(typed: str, ranks: bool):
    assert can_rank(parse_query(typed, now=NOW)) == ranks


# --- words by themselves -----------------------------------------------------------------------


def test_each_whole_word_has_the_idf_of_its_rarest_term(vault: Vault, open_engine, question_of):
    vault.write_all({"a.md": "walnut oil", "b.md": "walnut", "c.md": "cherry"})
    engine = open_engine()

    whole, typing = (question_of(engine, "walnut the oi", typing=typing).word_idf for typing in (False, True))

    assert 0 < whole["walnut"] < whole["oi"]
    assert "walnut" in typing
    assert "the" not in whole


def test_pairs_of_characters_count_less_in_what_words_can_reach(vault: Vault, open_engine, question_of):
    vault.write_all({"a.md": "海底地图", "b.md": "walnut"})
    engine = open_engine()

    chinese, english = (question_of(engine, typed) for typed in ("海底地图", "walnut oil"))

    assert 0 < chinese.attainable_bm25 < max_score(chinese.idf.values()) / 2
    assert english.attainable_bm25 == max_score(english.idf.values())


def test_a_model_is_trusted_less_in_a_vault_whose_words_it_does_not_know(
    vault: Vault, open_engine, question_of, encoder: HashEncoder
):
    vault.write_all(
        {f"{n}.md": f"Der Ofen steht in der Küche und wird mit Holz geheizt, Nummer {n}." for n in range(40)}
    )
    engine = open_engine()

    unknown = question_of(engine, "Ofen Küche").trust_in_model
    encoder.known_words |= {"ofen", "küche"}

    assert unknown < question_of(engine, "Ofen Küche").trust_in_model == 1

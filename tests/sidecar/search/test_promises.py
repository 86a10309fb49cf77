"""What holds whatever else competes: a phrase that is there is found, what is excluded is not."""

from itertools import product

import pytest
from builders import Said, Sayings, Vault, ask, find, modified, tell, what_is_said
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from quarry.analysis.analysis import phrase_terms
from quarry.engine import Engine
from quarry.errors import BadQuery
from quarry.options import Filters

pytestmark = pytest.mark.slow  # an index is built for each of many examples

WAYS = tuple(product(("hybrid", "keyword", "semantic"), ("convex", "rrf", "six-signals")))
QUOTES = '"“”„«»'


def cut(said: Said, start: float, count: int) -> str:
    """Some neighbouring words of a note, as they are written."""
    words = [word for word in said.words if not set(word) & set(QUOTES)]
    assume(words)
    first = int(start * len(words))
    return " ".join(words[first : first + count])


somewhere = st.floats(0, 1, exclude_max=True)


# --- phrases ---------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(note=somewhere, start=somewhere, count=st.integers(1, 12), way=st.sampled_from(WAYS))
@example(note=0.15625, start=0.65625, count=3, way=("hybrid", "convex"))  # across two passages
def test_any_phrase_of_any_note_is_found_when_it_is_quoted(
    strange: Engine, said: Sayings, note: float, start: float, count: int, way: tuple[str, str]
):
    phrase = cut(said[list(said)[int(note * len(said))]], start, count)
    expected = {path for path in said if said[path].holds(phrase)}
    assume(expected)  # words on both sides of a quote that was left out are no neighbours
    mode, fusion = way

    answer = ask(strange, f'"{phrase}"', mode=mode, fusion=fusion, limit=100, max_tokens=1_000_000)

    found = {hit.path for hit in answer.hits}
    assert found == expected or (found < expected and found and fusion == "rrf")  # which cuts its lists, as published
    assert answer.total == len(expected)
    assert answer.relaxed is None
    assert answer.weakness is None


@settings(max_examples=60)
@given(note=somewhere, start=somewhere, count=st.integers(2, 12))
def test_any_phrase_of_real_notes_is_found_whatever_else_is_asked_for(
    sample: Engine, sample_said: Sayings, note: float, start: float, count: int
):
    said = sample_said
    phrase = cut(said[list(said)[int(note * len(said))]], start, count)
    expected = {path for path in said if said[path].holds(phrase)}
    assume(expected and phrase_terms(phrase))  # beside words, signs alone do not rank

    answer = ask(sample, f'"{phrase}" and some more words about walnut', limit=100, max_tokens=1_000_000)

    assert {hit.path for hit in answer.hits} == expected


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=200), start=somewhere, count=st.integers(1, 6))
def test_whatever_is_written_can_be_quoted(vault_of_one, text: str, start: float, count: int):
    engine, said = vault_of_one(text)
    phrase = cut(said, start, count)
    assume(said.holds(phrase))
    assume("\0" not in phrase)  # a query cannot hold one

    assert [hit.path for hit in ask(engine, f'"{phrase}"').hits] == ["one.md"]


@pytest.fixture
def vault_of_one(vault: Vault, open_engine):
    """Gives an engine whose one note has the given text, and what it says."""
    engine = open_engine()

    def with_text(text: str) -> tuple[Engine, Said]:
        vault.write("one.md", text.encode("utf-8", "replace"))
        tell(engine, modified("one.md"))
        found = what_is_said(engine)
        assume("one.md" in found)
        return engine, found["one.md"]

    return with_text


def test_a_phrase_over_the_border_of_two_chunks_is_found(vault: Vault, open_engine):
    vault.write_all({f"{number:02}.md": "hot hide and then hide glue hot " * 20 for number in range(40)})
    vault.write("z.md", "## One\n" + "other words " * 150 + "ends hot\n\n## Glue\nof any kind " + "more words " * 150)
    engine = open_engine()

    with engine.reader() as reader:
        assert len(reader.note("z.md").chunk_ids) > 1
    for mode, fusion in WAYS:
        assert find(engine, '"ends hot glue of"', mode=mode, fusion=fusion, limit=1) == ["z.md"]


def test_a_note_that_has_a_phrase_once_is_found_beside_one_that_has_it_in_every_passage(vault: Vault, open_engine):
    other = "and many other words " * 40
    for number in range(3):
        vault.write(f"much{number}.md", "\n\n".join(f"## Part {n}\nhide glue {other}" for n in range(80)))
    vault.write("once.md", f"{other} hide glue {other}")
    engine = open_engine()

    for mode in ("hybrid", "keyword", "semantic"):
        assert len(find(engine, '"hide glue"', mode=mode, limit=100)) == 4
    assert len(find(engine, "glue", mode="keyword")) == 4


def test_a_phrase_in_the_title_or_in_one_alias_is_found_and_over_two_aliases_is_not(vault: Vault, open_engine):
    vault.write("a.md", "---\naliases: [hide glue, pearl white]\n---\n# Hot hide\nnothing of the kind")
    engine = open_engine()

    assert find(engine, '"hot hide"') == find(engine, '"pearl white"') == ["a.md"]
    assert ask(engine, '"glue pearl"').total == 0 or ask(engine, '"glue pearl"').relaxed


@pytest.mark.parametrize("phrase", ["->", "👩‍👩‍👧", "- [ ]", "…", "???", "]", "["])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_a_phrase_without_any_word_is_found_as_it_is_written(vault: Vault, open_engine, phrase: str, mode: str):
    vault.write_all({f"{number:02}.md": "---\naliases: [nut, oak]\n---\na walnut b" for number in range(60)})
    vault.write("sign.md", f"a goes {phrase} b")
    engine = open_engine()

    assert find(engine, f'"{phrase}"', mode=mode, limit=1) == ["sign.md"]


# --- exclusions ------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(note=somewhere, start=somewhere, count=st.integers(1, 3), wanted=somewhere, way=st.sampled_from(WAYS))
def test_what_is_excluded_stands_in_no_hit(
    strange: Engine, said: Sayings, note: float, start: float, count: int, wanted: float, way: tuple[str, str]
):
    phrase = cut(said[list(said)[int(note * len(said))]], start, count)
    word = cut(said["00.md"], wanted, 1)
    mode, fusion = way

    answer = ask(strange, f'"{word}" -"{phrase}"', mode=mode, fusion=fusion, limit=100, max_tokens=1_000_000)

    assert not [hit.path for hit in answer.hits if said[hit.path].holds(phrase)]


@pytest.mark.parametrize(
    "word", ["walnut", "oil", "größe", "NAÏVE", "機械", "책을", "getStaleFiles", "snake_case", "C++", "🇩🇪"]
)
def test_an_excluded_word_stands_in_no_hit_in_any_form(strange: Engine, said: Sayings, word: str):
    for mode, fusion in WAYS:
        answer = ask(strange, f"draft -{word}", mode=mode, fusion=fusion, limit=100)

        assert answer.hits
        assert not [hit.path for hit in answer.hits if said[hit.path].holds(word)]


def test_a_query_that_only_excludes_is_refused(open_engine):
    with pytest.raises(BadQuery):
        ask(open_engine(), "-walnut")


# --- conditions ------------------------------------------------------------------------------------


def test_conditions_hold_before_the_cut(vault: Vault, open_engine):
    vault.write_all({f"filler/{number:03}.md": "walnut walnut walnut" for number in range(150)})
    vault.write("wanted/note.md", "a walnut in a much longer text of other words #nut")
    engine = open_engine()

    for (mode, fusion), typed in product(WAYS, ("walnut folder:wanted", "walnut tag:nut", "walnut /much.longer/")):
        assert find(engine, typed, mode=mode, fusion=fusion, limit=1) == ["wanted/note.md"]
    assert find(engine, "walnut", limit=1, filters=Filters(folders=("wanted",))) == ["wanted/note.md"]

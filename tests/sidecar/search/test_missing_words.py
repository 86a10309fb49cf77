"""Each hit names the words of the query that its note does not hold."""

from datetime import datetime

import pytest
from builders import Vault, ask

from quarry.index import Reader
from quarry.index.database import NO_DEADLINE
from quarry.index.postings.searcher import Fts5Retriever
from quarry.options import SearchOptions
from quarry.search.execution import parse_request
from quarry.search.missing_words import query_of, words_missing
from quarry.search.prepare import prepare_query

NOTES = {
    "crossing.md": "# Crossing\nThe zebra crossing was repainted.",
    "cross.md": "# Roads\nCross the road here.",
    "other.md": "# Ferries\nThe ferry leaves at noon.",
}


def missing(engine, query: str, **options: object) -> dict[str, tuple[str, ...]]:
    return {hit.path: hit.missing_words for hit in ask(engine, query, **options).hits}


def test_a_hit_names_the_words_that_its_note_holds_in_no_form(vault: Vault, open_engine):
    vault.write_all(NOTES)
    found = missing(open_engine(), "zebras crossing", mode="keyword")

    assert found["crossing.md"] == ()
    assert found["cross.md"] == ("zebras",)


def test_a_word_that_stands_elsewhere_in_the_note_is_not_missing(vault: Vault, open_engine):
    filler = "\n\n".join(f"# Part {number}\nNothing of the kind here, {number}." for number in range(40))
    vault.write_all({**NOTES, "long.md": f"# Start\nA zebra.\n\n{filler}\n\n# End\nThe crossing."})

    assert missing(open_engine(), "zebra crossing", mode="keyword")["long.md"] == ()


def test_a_word_that_is_being_typed_is_held_by_its_beginning(vault: Vault, open_engine):
    vault.write_all(NOTES)
    engine = open_engine()

    assert missing(engine, "crossing zeb", mode="keyword", typing=True)["crossing.md"] == ()
    assert missing(engine, "crossing zeb", mode="keyword")["crossing.md"] == ("zeb",)


def test_a_word_of_the_vault_counts_as_typed_to_its_end(vault: Vault, open_engine):
    vault.write_all({**NOTES, "keys.md": "# Keys\nThe key and the keys.", "keypad.md": "# Pads\nA keypad, crossing."})
    engine = open_engine()

    assert missing(engine, "crossing key", mode="keyword", typing=True)["keys.md"] == ("crossing",)
    assert missing(engine, "crossing key", mode="keyword", typing=True)["keypad.md"] == ("key",)
    assert missing(engine, "crossing keyp", mode="keyword", typing=True)["keypad.md"] == ()


def test_one_or_two_letters_that_are_being_typed_are_no_word_yet(vault: Vault, open_engine):
    vault.write_all(NOTES)

    assert missing(open_engine(), "crossing ze", mode="keyword", typing=True)["crossing.md"] == ()


def test_a_corrected_word_is_the_one_that_was_searched_for(vault: Vault, open_engine):
    vault.write_all(NOTES)
    found = ask(open_engine(), "zebrra ferry", mode="keyword")

    assert [correction.used for correction in found.corrections] == ["zebra"]
    assert {hit.path: hit.missing_words for hit in found.hits}["other.md"] == ("zebra",)


def test_by_meaning_alone_no_word_is_missing(vault: Vault, open_engine):
    vault.write_all(NOTES)

    assert set(missing(open_engine(), "zebra unicorns", mode="semantic").values()) <= {()}


NAMES = {
    "snake.md": "# Names\nCall `snake_case` with std::vector here.",
    "parts.md": "# Parts\nA snake in its case; a vector of std.",
    "joined.md": "---\naliases: [snake_case]\n---\n# Joined\nNothing else about it.",
    "border.md": "# First\nIt ends with snake\n\n# Second\ncase begins here.",
    "数据库.md": "# 数据库\n索引很快。",
    "other.md": "# 数字\n据说库存不足。",
    "tagged.md": "---\ntags: [vector]\n---\n# Tagged\nA zebra.",
}


@pytest.mark.parametrize("has_postings", [True, False], ids=["from memory", "from FTS5"])
@pytest.mark.parametrize(
    "typed", ["snake_case vector", "std::vector here", "数据库 索引", "vector zebra --flag", "snake vec", "the"]
)
def test_words_are_missing_where_a_query_for_them_alone_finds_nothing(
    vault: Vault, open_engine, typed: str, has_postings: bool, monkeypatch: pytest.MonkeyPatch
):
    vault.write_all(NAMES)
    engine = open_engine()
    if not has_postings:
        monkeypatch.setattr(
            Reader,
            "_retriever",
            lambda reader: Fts5Retriever(reader._db, reader._memory.documents, reader._memory.spelling),
        )
    with engine.reader() as reader:
        query = parse_request(SearchOptions(query=typed, typing=True), datetime(2026, 1, 1))  # noqa: DTZ001 - as the engine does
        prepared = prepare_query(query, reader, None, typing=True, deadline=NO_DEADLINE)
        ids = [note.note_id for path in NAMES if (note := reader.note_named(path))]
        found = words_missing(prepared, ids, reader, NO_DEADLINE)

        for typed_word, word in dict(prepared.words_used).items():
            alone = query_of(typed_word, word, prepared)
            holding = reader.keywords.query(alone).note_scores(ids) if not alone.is_empty else ids
            assert {note_id for note_id in ids if word not in found.get(note_id, ())} == {*holding}


def test_of_a_question_without_spaces_a_note_lacks_the_words_that_it_does_not_hold(vault: Vault, open_engine):
    vault.write_all(
        {"reeds.md": "笙的簧片用响铜制成。林师傅说:调音不是改变簧片。", "other.md": "簧片 and glue", "third.md": "x y"}
    )
    engine = open_engine()

    found = missing(engine, "簧片怎么调音", mode="keyword")
    assert (found["reeds.md"], found["other.md"]) == ((), ("调音",))
    assert missing(engine, "glueと簧片の調音", mode="keyword")["other.md"] == ("調音",)


def test_the_last_part_of_a_word_that_is_being_typed_is_lacked_by_none(vault: Vault, open_engine):
    vault.write_all({"resin.md": "glue and resin", "glue.md": "glue"})
    found = missing(open_engine(), "glue—resi", mode="keyword", typing=True)

    assert (found["resin.md"], found["glue.md"]) == ((), ())


LONG_QUESTION = "隅田川花火大会の会場から一番近い駅と屋台が並ぶ通りの名前と開始時刻を詳しく教えてくださいお願いします"


def test_a_long_run_without_spaces_has_as_many_pairs_as_it_has(vault: Vault, open_engine):
    vault.write_all({"fireworks.md": "# 花火\n隅田川花火大会は夏です。", "other.md": "# 駅\n近い駅と屋台。"})
    engine = open_engine()

    assert len(LONG_QUESTION) > 45
    lacked = missing(engine, LONG_QUESTION, mode="keyword")["fireworks.md"]
    assert "屋台" in "".join(lacked)
    assert not any("花火大会" in word for word in lacked)
    assert "開始時刻" in "".join(lacked)  # of the pairs beyond those that rank

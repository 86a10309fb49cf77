"""Each hit names the words of the query that its note does not hold."""

import pytest
from builders import Vault, ask, execution_over

from quarry.index import Reader
from quarry.index.postings.stored_snapshot import TermReader
from quarry.options import SearchOptions
from quarry.search.missing_words import _query_for, pairs_of, split_runs, words_missing, words_outside
from quarry.search.pipeline import parse_request
from quarry.search.prepare import prepare_query

NOTES = {
    "crossing.md": "# Crossing\nThe zebra crossing was repainted.",
    "cross.md": "# Roads\nCross the road here.",
    "other.md": "# Ferries\nThe ferry leaves at noon.",
}


def missing(engine, query: str, **options: object) -> dict[str, tuple[str, ...]]:
    return {hit.path: hit.missing_words for hit in ask(engine, query, **options).hits}


TYPING = {"mode": "keyword", "typing": True}


@pytest.mark.parametrize(
    ("typed", "options", "lacked"),
    [
        ("zebras crossing", {"mode": "keyword"}, {"crossing.md": (), "cross.md": ("zebras",)}),
        ("zebra unicorns", {"mode": "semantic"}, {"crossing.md": (), "cross.md": ()}),
        ("crossing zeb", {"mode": "keyword"}, {"crossing.md": ("zeb",)}),
        ("crossing zeb", TYPING, {"crossing.md": ()}),
        ("crossing ze", TYPING, {"crossing.md": ()}),  # one or two letters are no word yet
        ("crossing key", TYPING, {"keys.md": ("crossing",), "keypad.md": ("key",)}),  # a word of the vault is whole
        ("crossing keyp", TYPING, {"keypad.md": ()}),
        ("glue—resi", TYPING, {"resin.md": (), "glue.md": ()}),
    ],
)
def test_a_hit_names_the_words_that_its_note_holds_in_no_form(vault: Vault, open_engine, typed, options, lacked):
    others = {"keys.md": "# Keys\nThe key and the keys.", "keypad.md": "# Pads\nA keypad, crossing."}
    vault.write_all({**NOTES, **others, "resin.md": "glue and resin", "glue.md": "glue"})

    found = missing(open_engine(), typed, **options)

    assert {path: found[path] for path in lacked} == lacked


def test_a_word_that_stands_elsewhere_in_the_note_is_not_missing(vault: Vault, open_engine):
    filler = "\n\n".join(f"# Part {number}\nNothing of the kind here, {number}." for number in range(40))
    vault.write_all({**NOTES, "long.md": f"# Start\nA zebra.\n\n{filler}\n\n# End\nThe crossing."})

    assert missing(open_engine(), "zebra crossing", mode="keyword")["long.md"] == ()


def test_a_corrected_word_is_the_one_that_was_searched_for(vault: Vault, open_engine):
    vault.write_all(NOTES)
    found = ask(open_engine(), "zebrra ferry", mode="keyword")

    assert [correction.used for correction in found.corrections] == ["zebra"]
    assert {hit.path: hit.missing_words for hit in found.hits}["other.md"] == ("zebra",)


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
            "_postings",
            lambda reader: TermReader(reader._db),
        )
    with engine.reader() as reader:
        execution = execution_over(reader)
        query = parse_request(SearchOptions(query=typed, typing=True), execution)
        prepared = prepare_query(query, execution, typing=True)
        ids = [note.note_id for path in NAMES if (note := reader.note_named(path))]
        found = words_missing(prepared, ids, execution)

        for typed_word, word in dict(prepared.words_used).items():
            alone = _query_for(typed_word, word, prepared)
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


LONG_QUESTION = "隅田川花火大会の会場から一番近い駅と屋台が並ぶ通りの名前と開始時刻を詳しく教えてくださいお願いします"


def test_a_long_run_without_spaces_has_as_many_pairs_as_it_has(vault: Vault, open_engine):
    vault.write_all({"fireworks.md": "# 花火\n隅田川花火大会は夏です。", "other.md": "# 駅\n近い駅と屋台。"})
    engine = open_engine()

    assert len(LONG_QUESTION) > 45
    lacked = missing(engine, LONG_QUESTION, mode="keyword")["fireworks.md"]
    assert "屋台" in "".join(lacked)
    assert not any("花火大会" in word for word in lacked)
    assert "開始時刻" in "".join(lacked)  # of the pairs beyond those that rank


def lacks(run: str, note: str) -> list[str]:
    return words_outside(run, [pair in note for pair in pairs_of(run)])


@pytest.mark.parametrize(
    ("run", "note", "lacking"),
    [
        ("簧片怎么调音", "笙的簧片和调音", []),  # 怎么 asks
        ("簧片怎么调音", "笙的簧片", ["调音"]),
        ("面包的烤箱温度", "面包", ["烤箱温度"]),
        ("烤箱里的面包温度", "面包", ["烤箱里", "温度"]),
        ("楽器博物館はどこですか", "楽器博物館", []),
        ("楽器博物館の入場料はいくら", "楽器博物館", ["入場料"]),
        ("ギターの弦", "ギター", []),  # a single character may be what joins two words
        ("手风琴怎么修理", "手风", ["修理"]),
        ("手风琴怎么修理", "", ["手风琴", "修理"]),
    ],
)
def test_what_no_held_pair_covers_is_lacking(run, note, lacking):
    assert lacks(run, note) == lacking


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("glueとは何ですか", ["glue", "とは何ですか"]),
        ("关于如何制作《hide", ["关于如何制作", "hide"]),
        ("请问，手风琴修理", ["请问", "手风琴修理"]),
        ("numpy调音教程", ["numpy", "调音教程"]),
        ("簧片resin", ["簧片", "resin"]),  # however short its parts are
        ("ﾃﾞｰﾀ修理方法", ["ﾃﾞｰﾀ修理方法"]),  # half-width kana
        ("glue—the", ["glue"]),  # a stop word
        *((word, None) for word in ("getStaleFiles", "机器", "数据库", "ภาษาไทย", "전기차")),
    ],
)
def test_a_word_is_split_where_its_script_changes_and_at_punctuation(word, parts):
    assert split_runs(word) == parts

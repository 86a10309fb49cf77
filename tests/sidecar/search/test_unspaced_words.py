"""Which words of a run without spaces a note lacks."""

import pytest
from quarry.search.unspaced_words import lacking_words, pairs_of, split_runs


def lacks(run: str, note: str) -> list[str]:
    return lacking_words(run, [pair in note for pair in pairs_of(run)])


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


def test_a_word_is_split_where_its_script_changes_and_at_punctuation():
    assert split_runs("glueとは何ですか") == ["glue", "とは何ですか"]
    assert split_runs("关于如何制作《hide") == ["关于如何制作", "hide"]
    assert split_runs("请问，手风琴修理") == ["请问", "手风琴修理"]


def test_a_change_between_chinese_and_latin_ends_a_word_however_short_its_parts_are():
    assert split_runs("numpy调音教程") == ["numpy", "调音教程"]
    assert split_runs("簧片resin") == ["簧片", "resin"]
    assert split_runs("ﾃﾞｰﾀ修理方法") == ["ﾃﾞｰﾀ修理方法"]  # half-width kana


def test_a_stop_word_between_signs_is_no_word_to_lack():
    assert split_runs("glue—the") == ["glue"]


@pytest.mark.parametrize("word", ["getStaleFiles", "机器", "数据库", "ภาษาไทย", "전기차"])
def test_a_word_without_a_run_of_several_words_is_not_split(word):
    assert split_runs(word) is None

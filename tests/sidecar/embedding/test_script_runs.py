import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.embedding.script_runs import WORD_START, find_runs, has_runs, without_runs

LATIN = st.text(st.characters(max_codepoint=0x3FF))
CYRILLIC_OR_HAN = st.text(st.characters(min_codepoint=0x410, max_codepoint=0x44F), min_size=1)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("机器学习笔记本，第二章", ["机器学习笔记本", "第二章"]),
        ("東京タワーへ ﾊﾝｶｸ 々", ["東京タワーへ", "ﾊﾝｶｸ", "々"]),
        ("안녕하세요 세계", ["▁안녕하세요", "▁세계"]),
        ("Привет, мир!", ["▁Привет", "▁мир"]),
        ("за\u0301мок и\u0306од", ["▁за\u0301мок", "▁и\u0306од"]),
        ("か\u3099 \u1112\u1161\u11ab", ["か\u3099", "▁\u1112\u1161\u11ab"]),
        ("Git分支 and ветка2 x", ["分支", "▁ветка"]),
        ("中한", ["中", "▁한"]),
        ("plain English, Größe, Ελληνικά, שלום, ไทย, 12", []),
        ("。「」・ー", ["ー"]),
        ("", []),
    ],
)
def test_runs_are_letters_of_the_four_scripts_with_their_marks(text: str, runs: list[str]) -> None:
    assert find_runs(text) == runs
    assert has_runs(text) == bool(runs)


def test_what_is_left_has_a_space_for_each_run() -> None:
    assert without_runs("Git分支 and ветка2") == "Git  and  2"


@given(text=LATIN)
def test_text_of_other_letters_has_no_runs_and_stays_as_it_is(text: str) -> None:
    assert not has_runs(text)
    assert without_runs(text) == text


@given(text=st.text())
def test_every_letter_is_either_in_a_run_or_left(text: str) -> None:
    runs, left = find_runs(text), without_runs(text)

    assert not has_runs(left)
    assert has_runs(text) == bool(runs)
    assert sum(len(run.removeprefix(WORD_START)) for run in runs) + len(left) - len(runs) == len(text)


@given(before=LATIN, run=CYRILLIC_OR_HAN, after=LATIN)
def test_a_word_among_other_letters_is_one_run(before: str, run: str, after: str) -> None:
    assert find_runs(f"{before} {run} {after}") == [WORD_START + run]

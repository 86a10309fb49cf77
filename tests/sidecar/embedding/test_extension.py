import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from quarry.embedding.extension import (
    MAX_PIECES,
    UNKNOWN_ID,
    WORD_START,
    Extension,
    find_runs,
    has_runs,
    read_extension,
    without_runs,
)
from quarry.embedding.model_files import BUNDLED, EXTENSION_TOKENIZER_FILE
from quarry.embedding.static import StaticEncoder, load_static_encoder
from quarry.embedding.tokens import MAX_TEXT_CHARS

MIXED = "Git 分支 and ветка, 노트 2024 ノート"
TEXTS = [MIXED, "机器学习笔记本", "Привет, мир!", "안녕하세요 세계", "plain", "", "東京タワー"]
LATIN = st.text(st.characters(max_codepoint=0x3FF))


@pytest.fixture
def extension() -> Extension:
    return read_extension(BUNDLED)


@pytest.fixture(scope="module")
def english_alone(tmp_path_factory: pytest.TempPathFactory) -> StaticEncoder:
    """The bundled model without its extension."""
    folder = tmp_path_factory.mktemp("english")
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        (folder / name).write_bytes((BUNDLED.path / name).read_bytes())
    return load_static_encoder(str(folder))


# --- Latin letters ---------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(texts=st.lists(LATIN, max_size=20))
def test_text_without_letters_of_its_scripts_has_the_bytes_that_the_model_alone_gives_it(
    bundled: StaticEncoder, english_alone: StaticEncoder, texts: list[str]
) -> None:
    assert bundled.encode(texts).tobytes() == english_alone.encode(texts).tobytes()


@given(text=LATIN)
def test_what_the_model_knows_of_such_text_stays(
    bundled: StaticEncoder, english_alone: StaticEncoder, text: str
) -> None:
    assert bundled.vocabulary_coverage(text) == english_alone.vocabulary_coverage(text)
    assert bundled.is_word(text) == english_alone.is_word(text)


def test_texts_of_other_scripts_in_a_batch_change_no_byte_of_the_rest(
    bundled: StaticEncoder, english_alone: StaticEncoder
) -> None:
    texts = [f"note {number} {'笔记' if number % 3 == 0 else ''}" for number in range(90)]
    latin = [text for text in texts if not has_runs(text)]

    rows = bundled.encode(texts)[[not has_runs(text) for text in texts]]

    assert rows.tobytes() == english_alone.encode(latin).tobytes()


# --- rows ------------------------------------------------------------------------------------------------------


def test_a_mixed_text_is_the_sum_of_the_rows_of_both_tables(
    bundled: StaticEncoder, english_alone: StaticEncoder, extension: Extension
) -> None:
    text = "Git 分支 and ветка"
    english = english_alone._table[next(english_alone._tokens.read(["Git   and  "]))].astype(np.int64)
    others = extension.table[extension.read(text)].astype(np.int64)
    total = (english.sum(axis=0) + others.sum(axis=0)).astype(np.float64)

    row = bundled.encode([text])[0]

    assert len(others) >= 2
    assert row.tobytes() == (total / np.sqrt(np.square(total).sum())).astype(np.float32).tobytes()


def test_sums_of_a_thousand_tokens_do_not_overflow(bundled: StaticEncoder, extension: Extension) -> None:
    text = "的 " * 1_200 + "stone " * 600
    rows = extension.table[extension.read(text)].astype(np.int64)
    total = rows.sum(axis=0) + bundled._table[next(bundled._tokens.read(["stone " * 512]))].astype(np.int64).sum(axis=0)
    expected = total / np.sqrt(np.square(total.astype(np.float64)).sum())

    assert len(rows) == MAX_PIECES
    np.testing.assert_array_equal(bundled.encode([text])[0], expected.astype(np.float32))


def test_only_the_first_pieces_and_characters_of_a_text_count(bundled: StaticEncoder) -> None:
    head = "дом " * MAX_PIECES
    rows = bundled.encode([head, head + "скрипка", head[:-4] + "скрипка"])
    far = bundled.encode([" " * MAX_TEXT_CHARS + "скрипка"])

    assert rows[0].tobytes() == rows[1].tobytes()
    assert rows[0].tobytes() != rows[2].tobytes()
    assert not far.any()


@pytest.mark.parametrize(
    "forms", [["Йод и чай", "ЙОД и чай", "и\u0306од и чаи\u0306", "йо\u0301д и чай"], ["ノート", "ﾉｰﾄ"]]
)
def test_upper_case_decomposed_and_half_width_letters_are_read_as_the_usual_ones(
    bundled: StaticEncoder, forms: list[str]
) -> None:
    rows = bundled.encode(forms)

    assert len({row.tobytes() for row in rows}) == 1


@pytest.mark.parametrize("text", ["\ud83d笔记", "笔\udc00记", "до\ud83dм", "\ud83d"])
def test_a_lone_surrogate_beside_a_run_is_no_error(bundled: StaticEncoder, text: str) -> None:
    assert bundled.encode([text]).shape == (1, 256)
    assert 0 <= bundled.vocabulary_coverage(text) <= 1
    assert not bundled.is_word(text)


def test_characters_without_a_row_are_left_out(extension: Extension, bundled: StaticEncoder) -> None:
    assert UNKNOWN_ID not in extension.read("\U00020000ꙮ笔")
    assert bundled.encode(["笔\U00020000"]).tobytes() == bundled.encode(["笔"]).tobytes()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("собака и кошка", "dogs and cats", "database index"),
        ("如何重命名 git 分支", "rename a git branch", "bake sourdough bread"),
        ("睡眠不足", "trouble sleeping, insomnia", "garden fence paint"),
        ("データベースの索引", "database index", "cheap flights to Japan"),
        ("여행 일정과 비행기", "flights and travel plans", "regular expressions"),
        ("налоговая декларация", "tax return", "puppies and kittens playing"),
    ],
)
def test_the_same_in_another_script_is_near(bundled: StaticEncoder, text: str, near: str, far: str) -> None:
    row, near_row, far_row = bundled.encode([text, near, far])

    assert row @ near_row > row @ far_row + 0.2


# --- what it knows ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["дом", "Москва", "学习", "여행"])
def test_a_run_that_is_one_piece_is_a_word(bundled: StaticEncoder, word: str) -> None:
    assert bundled.is_word(word)


@pytest.mark.parametrize("word", ["домм", "дом2", "a学习", "学习 学习", "ꙮꙮ", "Мсоква"])
def test_other_runs_are_not(bundled: StaticEncoder, word: str) -> None:
    assert not bundled.is_word(word)


def test_words_of_its_scripts_are_covered(bundled: StaticEncoder) -> None:
    assert bundled.vocabulary_coverage("Как переименовать ветку в git?") > 0.8
    assert bundled.vocabulary_coverage("如何重命名分支") == 1
    assert bundled.vocabulary_coverage("노트") == 1
    assert bundled.vocabulary_coverage("домм") < 1
    assert bundled.vocabulary_coverage("ꙮꙮꙮ") == 0


# --- when it is opened -----------------------------------------------------------------------------------------


def test_a_vault_without_such_letters_never_opens_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Extension, "open", lambda _: pytest.fail("opened"))
    encoder = load_static_encoder()

    encoder.encode(["Größe, Ελληνικά, C++ — “quoted”", "x" * 5_000])

    assert encoder.is_word("branch")
    assert encoder.vocabulary_coverage("naïve") > 0


def test_the_fingerprint_is_the_same_before_and_after_it_is_opened() -> None:
    encoder = load_static_encoder()
    before = encoder.fingerprint

    encoder.encode(["笔记"])

    assert encoder.fingerprint == before == load_static_encoder().fingerprint


def test_threads_that_meet_its_first_letter_at_once_all_get_the_same_rows() -> None:
    encoder = load_static_encoder()
    expected = load_static_encoder().encode(TEXTS).tobytes()
    ready = threading.Barrier(8)

    def encode(_: int) -> bytes:
        ready.wait()
        return encoder.encode(TEXTS).tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(encode, range(8))) == {expected}


def test_a_tokenizer_that_does_not_fit_the_table_is_refused(extension: Extension) -> None:
    content = (BUNDLED.path / EXTENSION_TOKENIZER_FILE).read_bytes()

    with pytest.raises(ValueError, match="pieces, its weights have"):
        Extension(extension.table[:-1], content).open()


def test_files_that_an_update_replaces_are_read_as_they_were(bundled_copy: Path) -> None:
    folder = replace(BUNDLED, path=bundled_copy)
    before = read_extension(folder)
    (bundled_copy / EXTENSION_TOKENIZER_FILE).unlink()
    (bundled_copy / EXTENSION_TOKENIZER_FILE).write_bytes(b"{}")

    assert len(before.read("笔记")) > 0


def test_processes_with_other_hash_seeds_and_thread_counts_give_the_same_bytes() -> None:
    code = (
        "import hashlib; from quarry.embedding import load_encoder; "
        f"print(hashlib.sha256(load_encoder().encode({TEXTS!r} * 40).tobytes()).hexdigest())"
    )

    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads},
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }

    assert len(digests) == 1


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


@given(text=st.text())
def test_every_letter_is_either_in_a_run_or_left(text: str) -> None:
    runs, left = find_runs(text), without_runs(text)

    assert not has_runs(left)
    assert has_runs(text) == bool(runs)
    assert sum(len(run.removeprefix(WORD_START)) for run in runs) + len(left) - len(runs) == len(text)


@given(before=LATIN, run=CYRILLIC_OR_HAN, after=LATIN)
def test_a_word_among_other_letters_is_one_run(before: str, run: str, after: str) -> None:
    assert find_runs(f"{before} {run} {after}") == [WORD_START + run]

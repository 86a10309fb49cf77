import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import BPE, Unigram
from tokenizers.pre_tokenizers import Metaspace

from quarry.embedding.extension import has_runs
from quarry.embedding.model_files import BUNDLED, TOKENIZER_FILE, WEIGHTS_FILE
from quarry.embedding.static import StaticEncoder, load_static_encoder
from quarry.embedding.tokens import MAX_TOKENS
from quarry.errors import ModelDamaged

SaveModel = Callable[..., Path]  # rows, folder, other tensors -> the folder

VAULT = Path(__file__).parents[2] / "retrieval" / "vault"
RENAME = "How do I rename a git branch?"
TEXTS = [RENAME, "", "Sourdough needs a warm kitchen.", "Größe 💡", "SELECT count(*) FROM notes;", "\n\t "]


def change_tokenizer(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    tokenizer = json.loads((folder / TOKENIZER_FILE).read_text(encoding="utf-8"))
    change(tokenizer)
    (folder / TOKENIZER_FILE).write_text(json.dumps(tokenizer), encoding="utf-8")


# --- shapes and values -----------------------------------------------------------------------------------------


def test_a_row_for_each_text_in_float32(bundled: StaticEncoder) -> None:
    rows = bundled.encode(TEXTS)

    assert rows.shape == (len(TEXTS), 256) == (len(TEXTS), bundled.dim)
    assert rows.dtype == np.float32


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "ꙮꙮ", "x" * 5_000])
def test_text_without_a_known_token_gives_a_zero_row(bundled: StaticEncoder, text: str) -> None:
    assert not bundled.encode([text]).any()


def test_rows_are_those_of_model2vec(bundled: StaticEncoder) -> None:
    library = StaticModel.from_pretrained(BUNDLED.path, force_download=False)
    notes = [path.read_text(encoding="utf-8") for path in sorted(VAULT.rglob("*.md"))]
    paragraphs = [paragraph for note in notes for paragraph in note.split("\n\n") if not has_runs(paragraph)]

    assert len(paragraphs) > 300
    np.testing.assert_allclose(bundled.encode(TEXTS), library.encode(TEXTS), atol=1e-6)
    np.testing.assert_allclose(bundled.encode(paragraphs), library.encode(paragraphs), atol=1e-6)


def test_a_row_is_to_the_last_bit_the_sum_of_its_tokens_added_one_by_one(bundled: StaticEncoder) -> None:
    library = StaticModel.from_pretrained(BUNDLED.path, max_length=MAX_TOKENS, force_download=False)
    texts = [*TEXTS, "stone, " * 300, "antidisestablishmentarianism " * 90, "violin " * 255, "violin " * 257]

    rows = bundled.encode(texts)

    for row, token_ids in zip(rows, library.tokenize(texts), strict=True):
        total = [sum(column) for column in library.embedding[token_ids].T.tolist()] or [0] * bundled.dim
        length = math.sqrt(sum(value * value for value in total)) or 1
        assert row.tolist() == [float(np.float32(value / length)) for value in total]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_models_of_other_tokenizers_give_the_rows_of_model2vec(tmp_path: Path, kind: str) -> None:
    words = ["▁", "▁stone", "▁wall", "s", "t", "o", "n", "e", "w", "a", "l", "<unk>"]
    model: Unigram | BPE = (
        Unigram([(word, -float(len(words) - number)) for number, word in enumerate(words)], unk_id=len(words) - 1)
        if kind == "unigram"
        else BPE({word: number for number, word in enumerate(words)}, [], unk_token="<unk>")
    )
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = Metaspace()
    StaticModel(np.random.default_rng(7).normal(size=(12, 4)).astype("float32"), tokenizer).save_pretrained(tmp_path)
    texts = ["stone wall", "a lone stone, ꙮ", "", "wall " * 90]

    encoder = load_static_encoder(str(tmp_path))

    expected = StaticModel.from_pretrained(tmp_path, force_download=False, normalize=True).encode(texts)
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-6)
    assert encoder.is_word("stone")
    assert encoder.is_word("Wall")
    assert not encoder.is_word("brick")


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_a_row_is_the_mean_of_its_tokens_whatever_type_they_are_stored_in(save_model: SaveModel, dtype: str) -> None:
    table = (np.arange(20).reshape(5, 4) * 7 % 19 - 9).astype(dtype)
    encoder = load_static_encoder(str(save_model(table)))

    row = encoder.encode(["beta unheard-of delta beta"])[0]

    mean = (2 * table[2].astype(float) + table[4]) / 3
    np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_opposite_words_that_cancel_give_a_zero_row_and_no_nan(save_model: SaveModel) -> None:
    table = np.array([[0, 0], [1, 2], [-1, -2], [5, 5], [5, 6]], dtype="float32")

    rows = load_static_encoder(str(save_model(table))).encode(["alpha beta"])

    assert not rows.any()


@pytest.mark.parametrize("scale", [1e-20, 1e25])
def test_the_scale_of_the_weights_does_not_show(save_model: SaveModel, scale: float) -> None:
    table = np.array([[0, 0], [3, 4], [1, 0], [0, 1], [1, 1]], dtype="float32") * np.float32(scale)

    row = load_static_encoder(str(save_model(table))).encode(["alpha"])[0]

    np.testing.assert_allclose(row, [0.6, 0.8], atol=1e-6)


# --- determinism -----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(texts=st.lists(st.text(max_size=60), max_size=12), cut=st.integers(0, 12))
def test_a_text_gives_the_same_bytes_in_any_company(bundled: StaticEncoder, texts: list[str], cut: int) -> None:
    together = bundled.encode(texts)
    apart = np.concatenate([bundled.encode(texts[:cut]), bundled.encode(texts[cut:])])

    assert together.tobytes() == apart.tobytes()


# --- meaning ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("rename a git branch", "change the name of a branch in version control", "bake sourdough bread"),
        ("the dog chased a cat", "puppies and kittens playing", "quarterly tax return"),
        ("doctor's appointment", "visit the hospital for a medical check", "install a python package"),
        ("cheap flights to Japan", "plane ticket for a trip to Tokyo", "regular expressions"),
        ("trouble sleeping", "insomnia and bedtime habits", "database index"),
        ("feeling sad and alone", "depression and loneliness", "garden fence paint"),
    ],
)
def test_near_in_meaning_is_near_in_space(bundled: StaticEncoder, text: str, near: str, far: str) -> None:
    row, near_row, far_row = bundled.encode([text, near, far])

    assert row @ near_row > row @ far_row + 0.2


# --- what it knows ---------------------------------------------------------------------------------------------


def test_words_of_its_language_are_familiar_and_single_characters_are_not(bundled: StaticEncoder) -> None:
    english, mixed, thai, signs = map(bundled.vocabulary_coverage, (RENAME, "rename สมุดบันทึก", "สมุดบันทึก", "-> ++ ..."))

    assert english > 0.8
    assert english > mixed > thai
    assert signs == 0


@settings(max_examples=50)
@given(text=st.text(max_size=60))
def test_familiarity_is_a_share_whatever_is_written(bundled: StaticEncoder, text: str) -> None:
    assert 0 <= bundled.vocabulary_coverage(text) <= 1


@pytest.mark.parametrize("word", ["branch", "Branch", "KITCHEN", "dentist"])
def test_words_that_it_knows_whole_are_words(bundled: StaticEncoder, word: str) -> None:
    assert bundled.is_word(word)


@pytest.mark.parametrize(
    "word", ["brnach", "kitchn", "\ud83d", "x\ud83d", "accordeonn", "getStaleFiles", "", " ", "##ing", "ꙮ"]
)
def test_slips_and_pieces_are_no_words(bundled: StaticEncoder, word: str) -> None:
    assert not bundled.is_word(word)


# --- fingerprints ----------------------------------------------------------------------------------------------


def test_the_fingerprint_describes_the_model(bundled: StaticEncoder) -> None:
    fingerprint = bundled.fingerprint

    assert (fingerprint.name, fingerprint.vocabulary_size, fingerprint.dim) == ("bundled", 29_525 + 41_894, 256)
    assert len(fingerprint.weights_sha256) == 64


def test_a_folder_is_fingerprinted_by_its_name_and_the_same_weights(bundled: StaticEncoder, bundled_copy: Path) -> None:
    fingerprint = load_static_encoder(str(bundled_copy)).fingerprint

    assert fingerprint.name == "copy"
    assert fingerprint.weights_sha256 == bundled.fingerprint.weights_sha256


def test_other_weights_have_another_fingerprint(save_model: SaveModel, tmp_path: Path) -> None:
    table = np.ones((5, 4), dtype="float32")
    one = load_static_encoder(str(save_model(table, tmp_path / "one" / "model")))
    table[3, 1] = 1.5
    other = load_static_encoder(str(save_model(table, tmp_path / "other" / "model")))

    assert one.fingerprint != other.fingerprint


def test_another_tokenizer_has_another_fingerprint(save_model: SaveModel, tmp_path: Path) -> None:
    folder = save_model(np.ones((5, 4), dtype="float32"))
    before = load_static_encoder(str(folder)).fingerprint
    change_tokenizer(folder, lambda tokenizer: tokenizer.update(normalizer={"type": "Lowercase"}))

    assert load_static_encoder(str(folder)).fingerprint != before


# --- damage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 1e200])
def test_a_weight_that_is_no_sane_number_is_refused(save_model: SaveModel, value: float) -> None:
    table = np.ones((5, 4), dtype="float64" if value == 1e200 else "float32")
    table[3, 1] = value

    with pytest.raises(ModelDamaged, match="NaN, infinite or absurdly large"):
        load_static_encoder(str(save_model(table)))


@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_a_token_weight_that_is_no_number_is_refused(save_model: SaveModel, weight: float) -> None:
    weights = np.array([1, 1, weight, 1, 1], dtype="float32")
    folder = save_model(np.ones((2, 4), dtype="float32"), token_mapping=np.array([0, 0, 1, 1, 0]), weights=weights)

    with pytest.raises(ModelDamaged, match="NaN, infinite or absurdly large"):
        load_static_encoder(str(folder))


@pytest.mark.parametrize("row", [-1, 2])
def test_a_token_mapping_that_leads_outside_the_table_is_refused(save_model: SaveModel, row: int) -> None:
    mapping = np.array([0, 0, row, 1, 0])
    folder = save_model(np.ones((2, 4), dtype="float32"), token_mapping=mapping)

    with pytest.raises(ModelDamaged):
        load_static_encoder(str(folder))


def test_a_table_that_is_no_matrix_is_refused(save_model: SaveModel) -> None:
    with pytest.raises(ModelDamaged, match="shape"):
        load_static_encoder(str(save_model(np.ones((5, 4, 2), dtype="float32"))))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda tokenizer: tokenizer["model"]["vocab"].update(delta=999), "token 999"),
        (lambda tokenizer: tokenizer["model"].update(unk_token="[NOWHERE]"), None),
    ],
    ids=["counts beyond the table", "fails on unknown words"],
)
def test_a_tokenizer_that_does_not_fit_is_refused(
    save_model: SaveModel, change: Callable[[dict[str, Any]], None], reason: str | None
) -> None:
    folder = save_model(np.ones((5, 4), dtype="float32"))
    change_tokenizer(folder, change)

    with pytest.raises(ModelDamaged, match=reason):
        load_static_encoder(str(folder))


@pytest.mark.parametrize("name", [WEIGHTS_FILE, TOKENIZER_FILE, "config.json"])
@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"null", b'{"a": ', b"\xff\xfe\xfd"])
def test_a_file_of_something_else_is_refused(save_model: SaveModel, name: str, content: bytes) -> None:
    folder = save_model(np.ones((5, 4), dtype="float32"))
    (folder / name).write_bytes(content)

    with pytest.raises(ModelDamaged) as caught:
        load_static_encoder(str(folder))

    assert str(folder) in str(caught.value)
    assert '"bundled"' in str(caught.value)


def test_a_truncated_weights_file_is_refused_without_a_manifest_too(save_model: SaveModel) -> None:
    folder = save_model(np.ones((5, 4), dtype="float32"))
    whole = (folder / WEIGHTS_FILE).read_bytes()
    (folder / WEIGHTS_FILE).write_bytes(whole[:-5])

    with pytest.raises(ModelDamaged):
        load_static_encoder(str(folder))


def test_loading_the_bundled_model_imports_none_of_the_libraries_that_fetch_and_distil_one() -> None:
    code = (
        "import sys; from quarry.embedding import load_encoder; load_encoder().encode(['a note']); "
        "print({'model2vec', 'huggingface_hub', 'joblib', 'tqdm', 'onnxruntime'} & set(sys.modules) or 'none')"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "none"

import json
from pathlib import Path

import pytest

from quarry.embedding.contextual_config import MAX_TOKENS, Prompts, read_config

TRANSFORMER = {"type": "sentence_transformers.models.Transformer", "path": ""}
POOLING = {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}
NORMALIZE = {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}
BERT = {"model_type": "bert", "max_position_embeddings": 512}
E5 = Prompts("query: ", "passage: ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The descriptions of a model that pools by mean and reads 256 tokens."""
    write(tmp_path, "config", BERT)
    write(tmp_path, "sentence_bert_config", {"max_seq_length": 256, "do_lower_case": False})
    write(tmp_path, "modules", [TRANSFORMER, POOLING, NORMALIZE])
    write(tmp_path, "1_Pooling/config", {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    return tmp_path


def write(folder: Path, name: str, description: object) -> None:
    path = folder / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(description), encoding="utf-8")


# --- length ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "transformer", "tokenizer", "expected"),
    [
        (BERT, {"max_seq_length": 256}, {"model_max_length": 512}, 256),
        (BERT, {"max_seq_length": None}, {"model_max_length": 384}, 384),
        (BERT, {}, {"model_max_length": 1e30}, 512),
        (BERT, {"max_seq_length": 4096}, {}, 512),
        (BERT, {"max_seq_length": True}, {}, 512),
        ({"model_type": "bert"}, {}, {}, 512),
        ({"model_type": "bert"}, {}, {"model_max_length": 1e30}, MAX_TOKENS),
        ({"model_type": "modernbert", "max_position_embeddings": 8192}, {}, {}, MAX_TOKENS),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, {}, {}, 512),
        ({"model_type": "mpnet", "max_position_embeddings": 514}, {"max_seq_length": 384}, {}, 384),
    ],
)
def test_the_shortest_limit_in_the_files_holds(
    folder: Path, config: object, transformer: object, tokenizer: object, expected: int
) -> None:
    write(folder, "config", config)
    write(folder, "sentence_bert_config", transformer)
    write(folder, "tokenizer_config", tokenizer)

    assert read_config(folder, "a", is_pooled=False).max_tokens == expected


# --- prompts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ({"query": "search: ", "document": "text: "}, Prompts("search: ", "text: ")),
        ({"query": "search: ", "passage": "text: "}, Prompts("search: ", "text: ")),
        ({"query": "search: ", "corpus": "text: ", "passage": "passage: "}, Prompts("search: ", "passage: ")),
        ({"query": "search: ", "document": ""}, Prompts("search: ")),
        ({"query": 3, "clustering": "group: "}, Prompts()),
        (None, Prompts()),
        ([], Prompts()),
    ],
)
def test_prompts_are_those_of_the_model(folder: Path, prompts: object, expected: Prompts) -> None:
    write(folder, "config_sentence_transformers", {"prompts": prompts})

    assert read_config(folder, "a", is_pooled=False).prompts == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/multilingual-e5-small", E5),
        ("intfloat/e5-base-v2", E5),
        ("my-E5-Large", E5),
        ("intfloat/multilingual-e5-large-instruct", Prompts()),
        ("me5-small", Prompts()),
        ("e5-small/all-MiniLM-L6-v2", Prompts()),
        ("BAAI/bge-small-en-v1.5", Prompts("Represent this sentence for searching relevant passages: ")),
        ("BAAI/bge-m3", Prompts()),
        ("nomic-ai/nomic-embed-text-v1.5", Prompts("search_query: ", "search_document: ")),
        ("sentence-transformers/all-MiniLM-L6-v2", Prompts()),
    ],
)
@pytest.mark.parametrize("prompts", [{}, {"query": "", "document": ""}])
def test_prompts_that_only_a_model_card_asks_for_are_known_by_name(
    folder: Path, name: str, expected: Prompts, prompts: dict[str, str]
) -> None:
    write(folder, "config_sentence_transformers", {"prompts": prompts})

    assert read_config(folder, name, is_pooled=False).prompts == expected


def test_prompts_in_the_files_go_before_those_of_the_family(folder: Path) -> None:
    write(folder, "config_sentence_transformers", {"prompts": {"query": "ask: "}})

    assert read_config(folder, "intfloat/e5-small", is_pooled=False).prompts == Prompts("ask: ")


# --- pooling ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_lasttoken": True}, "lasttoken"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode_cls_token": False}, "mean"),
        ({}, "mean"),
        ({"pooling_mode": "cls", "embedding_dimension": 384}, "cls"),
        ({"pooling_mode": ["weightedmean"]}, "weightedmean"),
    ],
)
def test_the_pooling_is_that_of_the_files(folder: Path, config: object, expected: str) -> None:
    write(folder, "1_Pooling/config", config)

    assert read_config(folder, "a", is_pooled=False).pooling == expected


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode": "attention"},
        {"pooling_mode": ["cls", "mean"]},
        {"pooling_mode": {}, "pooling_mode_cls_token": "yes", "include_prompt": False},
        {"pooling_mode": "mean", "include_prompt": False},
    ],
)
def test_another_way_to_pool_is_refused(folder: Path, config: object) -> None:
    write(folder, "1_Pooling/config", config)

    with pytest.raises(ValueError, match=r"it (pools by|leaves prompts out)"):
        read_config(folder, "a", is_pooled=False)


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        ([TRANSFORMER, POOLING, {"type": "sentence_transformers.models.Dense", "path": "2_Dense"}], "a Dense module"),
        ([{**TRANSFORMER, "path": "0_Transformer"}, POOLING], "a Transformer module"),
        ([TRANSFORMER, {**POOLING, "path": "../1_Pooling"}], "a Pooling module"),
        ([TRANSFORMER, {**POOLING, "path": "/etc"}], "a Pooling module"),
        ([TRANSFORMER, POOLING, POOLING], "a Pooling module"),
        ([TRANSFORMER, NORMALIZE], "names no pooling"),
        (["Transformer"], "a nameless module"),
        ([{}], "a nameless module"),
        ({"0": TRANSFORMER}, "does not contain a JSON array"),
    ],
)
def test_modules_that_quarry_does_not_run_are_refused(folder: Path, modules: object, reason: str) -> None:
    write(folder, "modules", modules)

    with pytest.raises(ValueError, match=reason):
        read_config(folder, "a", is_pooled=False)


def test_without_modules_nothing_is_guessed(folder: Path) -> None:
    (folder / "modules.json").unlink()

    with pytest.raises(ValueError, match=r"no modules\.json, so nothing says"):
        read_config(folder, "a", is_pooled=False)


def test_a_network_that_pools_needs_no_modules(folder: Path) -> None:
    (folder / "modules.json").unlink()

    assert read_config(folder, "a", is_pooled=True).pooling is None


def test_vectors_that_are_compared_by_more_than_direction_are_refused(folder: Path) -> None:
    write(folder, "config_sentence_transformers", {"similarity_fn_name": "dot"})
    assert read_config(folder, "a", is_pooled=False).pooling == "mean"  # as they are scaled to unit length

    write(folder, "modules", [TRANSFORMER, POOLING])
    with pytest.raises(ValueError, match="compared by 'dot'"):
        read_config(folder, "a", is_pooled=False)


# --- the rest --------------------------------------------------------------------------------------------------


def test_modules_may_be_named_as_newer_versions_name_them(folder: Path) -> None:
    names = ("base.modules.transformer.Transformer", "sentence_transformer.modules.pooling.Pooling")
    kinds = [f"sentence_transformers.{name}" for name in names]
    write(folder, "modules", [{**TRANSFORMER, "type": kinds[0]}, {**POOLING, "type": kinds[1]}])

    assert read_config(folder, "a", is_pooled=False).pooling == "mean"


@pytest.mark.parametrize("token", ["[UNK]", {"content": "[UNK]", "lstrip": False}])
def test_the_unknown_token_is_written_in_two_ways(folder: Path, token: object) -> None:
    write(folder, "tokenizer_config", {"unk_token": token})

    assert read_config(folder, "a", is_pooled=False).unknown_token == "[UNK]"


def test_a_text_is_lowercased_only_where_the_files_say_so(folder: Path) -> None:
    assert not read_config(folder, "a", is_pooled=False).is_lowercased

    write(folder, "sentence_bert_config", {"do_lower_case": True})
    assert read_config(folder, "a", is_pooled=False).is_lowercased


@pytest.mark.parametrize("text", ["", "torn {", "[]", "3", "[" * 100_000])
def test_a_file_that_is_no_description_is_refused(folder: Path, text: str) -> None:
    (folder / "sentence_bert_config.json").write_text(text, encoding="ascii")

    with pytest.raises(ValueError, match=r"Expecting value|JSON object|nested too deeply|Expecting property"):
        read_config(folder, "a", is_pooled=False)

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer, Metaspace, Sequence, WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from quarry.embedding.contextual_config import ContextualConfig, Prompts
from quarry.embedding.token_windows import OVERLAP, WindowTokenizer, split_evenly

UNKNOWN, START, END, QUERY, PASSAGE, A, B = range(7)


def tokenizer(**config: object) -> WindowTokenizer:
    """Of the words `▁a` and `▁b`, with marks at both ends."""
    words = ("<unk>", "<s>", "</s>", "▁query:", "▁passage:", "▁a", "▁b")
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = Sequence([WhitespaceSplit(), Metaspace()])
    made.add_special_tokens(["<s>", "</s>"])
    made.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", START), ("</s>", END)])
    made.enable_truncation(2)  # as files of tokenizers have it
    made.enable_padding(length=128)
    settings: dict[str, object] = {"prompts": Prompts("query: ", "passage: "), "max_tokens": 11} | config
    return WindowTokenizer(
        made, ContextualConfig(is_lowercased=False, unknown_token="<unk>", pooling="mean", **settings)
    )


def test_a_text_is_read_behind_its_prompt_and_between_marks() -> None:
    assert tokenizer().passage("a b") == [[START, PASSAGE, A, B, END]]
    assert tokenizer().query("a b") == [START, QUERY, A, B, END]
    assert tokenizer(prompts=Prompts()).query("a b") == [START, A, B, END]


@pytest.mark.parametrize("text", ["", " \n", "c", "c d"])
def test_a_text_without_a_known_token_has_no_window(text: str) -> None:
    assert tokenizer().passage(text) == []
    assert tokenizer().query(text) == []


def test_a_network_can_be_tried_on_unknown_tokens() -> None:
    assert tokenizer().any_window("c") == [START, PASSAGE, UNKNOWN, END]


def test_a_long_passage_has_overlapping_windows_each_with_prompt_head_and_marks() -> None:
    windows = tokenizer(max_tokens=19).passage(" ".join(["a"] * 4 + ["b"] * 30))

    assert len(windows) > 1
    assert all(window[:6] == [START, PASSAGE, A, A, A, A] for window in windows)
    assert all(window[-1] == END and len(window) <= 19 for window in windows)
    assert [token for window in windows for token in window].count(B) > 30


def test_of_a_long_query_the_first_window_is_read() -> None:
    assert tokenizer().query("a " * 50) == [START, QUERY, *[A] * 8, END]


def test_a_text_is_lowercased_where_the_model_wants_it() -> None:
    assert tokenizer(max_tokens=8).passage("A") == []

    shouted = Tokenizer(WordLevel({"a": 0, "?": 1}, unk_token="?"))
    config = ContextualConfig(8, Prompts(), is_lowercased=True, unknown_token="?", pooling="mean")

    assert WindowTokenizer(shouted, config).passage("A") == [[0]]


def test_half_a_surrogate_pair_is_no_obstacle() -> None:
    assert tokenizer().passage("a \ud83d b") == [[START, PASSAGE, A, UNKNOWN, B, END]]


def test_a_prompt_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="of 3 tokens its prompt 'query: ' leaves none"):
        tokenizer(max_tokens=3)


def test_the_vocabulary_is_counted() -> None:
    assert tokenizer().vocabulary_size == 7


@given(length=st.integers(0, 600), room=st.integers(1, 80))
def test_windows_cover_all_tokens_and_are_of_one_length(length: int, room: int) -> None:
    windows = split_evenly(range(length), room)

    lengths = [len(window) for window in windows]
    assert {token for window in windows for token in window} == set(range(length))
    assert max(lengths) <= room
    assert max(lengths) - min(lengths) <= len(windows)


@given(length=st.integers(81, 600))
def test_neighbouring_windows_overlap(length: int) -> None:
    windows = split_evenly(range(length), 80)

    overlaps = [len({*one} & {*other}) for one, other in itertools.pairwise(windows)]
    assert overlaps
    assert min(overlaps) == max(overlaps) == 80 * OVERLAP


def test_the_offsets_of_a_normalised_text_find_its_prompt() -> None:
    made = Tokenizer(WordLevel({"query": 0, ":": 1, "a": 2, "?": 3}, unk_token="?"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = BertPreTokenizer()
    config = ContextualConfig(8, Prompts("Query: "), is_lowercased=False, unknown_token="?", pooling="mean")

    assert WindowTokenizer(made, config).query("a a") == [0, 1, 2, 2]
    assert WindowTokenizer(made, config).query("x") == []

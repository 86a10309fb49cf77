"""The conversation about the sample vault: what it costs with blocks and without, and what it is made of."""

from pathlib import Path

import pytest
from conversation_cost import CONVERSATIONS, WAYS, hold, read_conversation, vaults

MOST_TOKENS = 10_500  # of ten prompts with three blocks; a published system's, whose prompts cost 15,000 without


@pytest.mark.parametrize("file", sorted(CONVERSATIONS.glob("*.toml")), ids=lambda file: file.stem)
def test_each_conversation_has_ten_prompts_and_three_blocks(file: Path) -> None:
    prompts, settings = read_conversation(file)

    assert len(prompts) == 10
    assert sum(prompt.is_answered for prompt in prompts) == 8
    assert settings.count("[context.") == 3


@pytest.mark.slow
def test_ten_prompts_with_three_blocks_stay_below_what_is_published(tmp_path: Path) -> None:
    ((name, vault),) = vaults(None, tmp_path)
    prompts, settings = read_conversation(CONVERSATIONS / f"{name}.toml")

    held = hold(vault, prompts, settings, tmp_path / "index.db")

    assert tuple(held) == WAYS
    assert held["prompts"].tokens < held["blocks"].tokens <= MOST_TOKENS
    assert held["blocks"].tokens < held["search"].tokens / 2
    assert held["blocks"].answered >= held["prompts"].answered

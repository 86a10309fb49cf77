"""Models for these tests: the bundled one, a copy of it to damage, and a tiny one saved by model2vec itself."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from model2vec import StaticModel
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from quarry.embedding.model_files import BUNDLED
from quarry.embedding.static import StaticEncoder, load_encoder

WORDS = ("[UNK]", "alpha", "beta", "gamma", "delta")

Tensor = NDArray[np.generic]
SaveModel = Callable[..., Path]


@pytest.fixture(scope="session")
def bundled() -> StaticEncoder:
    return load_encoder()


@pytest.fixture
def bundled_copy(tmp_path: Path) -> Path:
    """The bundled folder, where its bytes may be changed."""
    return Path(shutil.copytree(BUNDLED.path, tmp_path / "copy"))


@pytest.fixture
def save_model(tmp_path: Path) -> SaveModel:
    """Save a model of five words with the given rows, and give its folder."""

    def save(
        rows: Tensor,
        folder: Path = tmp_path / "tiny",
        token_mapping: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> Path:
        tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
        tokenizer.pre_tokenizer = Whitespace()
        StaticModel(rows, tokenizer, token_mapping=token_mapping, weights=weights).save_pretrained(folder)
        return folder

    return save

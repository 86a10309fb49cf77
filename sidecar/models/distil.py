"""Takes the sentence encoder apart: what it makes of each token alone, which is where the training starts."""

from functools import cache
from typing import Any

import numpy as np
from model2vec import StaticModel
from model2vec.distill import distill
from numpy.typing import NDArray
from teacher import ENCODER_DIM, ENCODER_NAME, MAX_TOKENS, encoder_path

SIF_COEFFICIENT = 1e-4  # model2vec's default: frequent tokens weigh less, by their rank in the vocabulary
UNKNOWN = "[UNK]"


@cache
def distilled() -> StaticModel:
    """Pass every token of the vocabulary through the encoder alone, and weigh what comes out by SIF. float32."""
    model = distill(
        encoder_path(),
        device="cpu",
        pca_dims=ENCODER_DIM,  # turned, but nothing left out
        sif_coefficient=SIF_COEFFICIENT,
        quantize_to="float32",
    )
    # Where the encoder's files lay on this machine is nobody's business, and differs on the next one.
    model.config["tokenizer_name"] = ENCODER_NAME
    return model


def token_ids(model: StaticModel, texts: list[str]) -> list[NDArray[np.int64]]:
    """
    Give the tokens of each text as *model* reads it, as far as the encoder read it; never none.

    Returns:
        int64, each of 1 to MAX_TOKENS - 2 ids; the encoder's own marks at the ends are among its MAX_TOKENS.
    """
    tokenizer: Any = model.tokenizer
    unknown = tokenizer.token_to_id(UNKNOWN)
    read = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    known = ([number for number in one.ids if number != unknown][: MAX_TOKENS - 2] for one in read)
    return [np.array(ids or [0], dtype=np.int64) for ids in known]

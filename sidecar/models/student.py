"""Trains one row a token, so that the sum of a text's rows points where the encoder's embedding of the text points."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from corpus import SEED
from numpy.typing import NDArray
from teacher import Rows
from torch import Tensor
from torch.nn import functional

# A second pass learns the training texts by heart: a tenth lost on questions about code, little won elsewhere.
EPOCHS = 1
PAIRS_PER_STEP = 256
LEARNING_RATE = 1.5e-3  # falls to nothing along a straight line
CONTRAST_WEIGHT = 0.03
TEMPERATURE = 0.05
STEPS_PER_CAP = 10  # capping at every step costs a quarter more time and changes nothing

Table = NDArray[np.float32]
TokenIds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as the student reads them (token ids, at least one a text) and as the encoder embeds them (rows)."""

    token_ids: Sequence[TokenIds]
    targets: Rows

    def targets_of(self, numbers: NDArray[np.int64]) -> Tensor:
        """Give the encoder's rows of the texts with these *numbers*, float32."""
        return torch.from_numpy(self.targets[numbers].astype(np.float32))


@dataclass(frozen=True, slots=True)
class Pairs:
    """Which query leads to which passage, by their numbers, and the page it is on: three lists of one length."""

    query: NDArray[np.int64]
    passage: NDArray[np.int64]
    page: NDArray[np.int64]


def turned_towards(table: Table, texts: Texts) -> Table:
    """
    Turn the whole table, changing no angle in it, until its texts point as near to their targets as one turn can.

    The orthogonal Procrustes problem: Schönemann, Psychometrika 31 (1966).
    """
    rows = _embedded(torch.from_numpy(table), texts.token_ids)
    left, _, right = torch.linalg.svd(rows.T @ torch.from_numpy(texts.targets.astype(np.float32)))
    return (torch.from_numpy(table) @ (left @ right)).numpy()


def trained(table: Table, queries: Texts, passages: Texts, pairs: Pairs) -> Table:
    """
    Fit *table* to the encoder's rows of both sides of the *pairs*, and lightly to the pairs themselves.

    The rows are scaled so that the median length is 1, and none is let beyond it: rare tokens start with the longest
    rows, and would grow until one of them decides where its text points.
    """
    median_length = np.median(np.linalg.norm(table, axis=1))
    weights = torch.nn.Parameter(torch.from_numpy(table / median_length))
    optimizer = torch.optim.Adam([weights], lr=LEARNING_RATE, fused=True)
    steps_per_epoch = len(pairs.query) // PAIRS_PER_STEP
    slowing = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, EPOCHS * steps_per_epoch)
    chance = np.random.default_rng(SEED)
    for epoch in range(EPOCHS):
        order = chance.permutation(len(pairs.query))
        for step in range(steps_per_epoch):
            chosen = order[step * PAIRS_PER_STEP : (step + 1) * PAIRS_PER_STEP]
            loss = _loss(weights, queries, passages, pairs, chosen)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            slowing.step()
            if step % STEPS_PER_CAP == 0:
                _cap_lengths(weights)
            if step % 100 == 0:
                print(f"epoch {epoch + 1}, step {step} of {steps_per_epoch}: loss {loss.item():.3f}", flush=True)
    _cap_lengths(weights)
    return weights.detach().numpy()


def reduced(table: Table, dim: int, counts: NDArray[np.int64]) -> Table:
    """Keep the *dim* principal components of the rows, each weighted by the square root of how often it was read."""
    spread = (table * np.sqrt(counts)[:, None].astype(np.float32)).T @ table
    _, components = np.linalg.eigh(spread)  # by rising share
    return np.ascontiguousarray(table @ components[:, : -dim - 1 : -1])


def _embedded(table: Tensor, texts: Sequence[TokenIds]) -> Tensor:
    """Sum the rows of each text's tokens and scale to unit length, shape (len(texts), dim)."""
    starts = np.cumsum([0, *(len(ids) for ids in texts[:-1])])
    token_ids = torch.from_numpy(np.concatenate(texts))
    return functional.normalize(functional.embedding_bag(token_ids, table, torch.from_numpy(starts), mode="sum"), dim=1)


def _loss(weights: Tensor, queries: Texts, passages: Texts, pairs: Pairs, chosen: NDArray[np.int64]) -> Tensor:
    """Mean cosine distance of both sides to their targets, and a little of telling each passage from the others."""
    query, passage, page = pairs.query[chosen], pairs.passage[chosen], torch.from_numpy(pairs.page[chosen])
    query_rows = _embedded(weights, [queries.token_ids[number] for number in query])
    passage_rows = _embedded(weights, [passages.token_ids[number] for number in passage])
    distance = (1 - (query_rows * queries.targets_of(query)).sum(1)).mean()
    distance = distance + (1 - (passage_rows * passages.targets_of(passage)).sum(1)).mean()
    # Another passage of the same page may well answer too: it is not held against the query.
    kin = (page[:, None] == page[None, :]) & ~torch.eye(len(page), dtype=torch.bool)
    likeness = (query_rows @ passage_rows.T / TEMPERATURE).masked_fill(kin, -1e4)
    return distance + CONTRAST_WEIGHT * functional.cross_entropy(likeness, torch.arange(len(page)))


def _cap_lengths(weights: Tensor) -> None:
    with torch.no_grad():
        weights.div_(weights.norm(dim=1, keepdim=True).clamp_min(1.0))

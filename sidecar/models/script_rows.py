"""
Fits rows for Chinese, Japanese, Korean and Cyrillic pieces into the space of the bundled English model.

They start as what a multilingual encoder makes of each piece alone, mapped by ridge regression. Then the sum of the
rows of a text is trained to point where the English model puts the text's English translation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from corpus import SEED
from e5 import Vocabulary
from english import english_table, english_token_ids, english_vectors, summed_rows, unit_rows
from numpy.typing import NDArray
from pairs import Pair
from tokenizers import Regex, Tokenizer, models, normalizers
from torch import Tensor
from torch.nn import functional

from quarry.analysis.scripts import CYRILLIC, HAN, HANGUL, KANA
from quarry.embedding.extension import WORD_START, find_runs, without_runs

CYRILLIC_PIECES = 16_000  # the most frequent of 28,000; those of the other scripts are all taken, 25,000
SCORE_DIGITS = 4  # of a log probability: all that tells pieces apart, and a quarter of a megabyte less
SIF_COEFFICIENT = 1e-4  # a frequent piece weighs less: Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline", 2017
RIDGE = 3e-3  # of the mean variance of the encoder's dimensions; from .001 to .01 nothing changes
EPOCHS = 3
PAIRS_PER_STEP = 1_024
LEARNING_RATE = 2e-3  # falls to nothing along a straight line
STEPS_PER_CAP = 10

UNKNOWN = "<unk>"  # piece 0, for characters that no piece holds
SCRIPTS = {"han": HAN, "kana": KANA, "hangul": HANGUL, "cyrillic": CYRILLIC}
_UNSPACED = re.compile(f"[{HAN}{KANA}]+")
_SPACED = re.compile(f"{WORD_START}?[{HANGUL}{CYRILLIC}]+")

Table = NDArray[np.float32]
TokenIds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the extension, and the id of the encoder's token that its row starts from."""

    text: str
    score: float  # log probability
    token_id: int

    @property
    def script(self) -> str:
        """The key in SCRIPTS of its first letter."""
        first = self.text.removeprefix(WORD_START)[0]
        return next(name for name, letters in SCRIPTS.items() if re.match(f"[{letters}]", first))


def chosen_pieces(vocabulary: Vocabulary) -> list[Piece]:
    """
    Choose the pieces that get a row, in the order of the encoder's vocabulary: the most frequent first.

    Only pieces whose letters are all of the four scripts. Lower case stands for upper case too. In scripts without
    spaces a piece is the same at the beginning of a word, as a run does not say whether one begins.
    """
    chosen: dict[str, Piece] = {}
    cyrillic_count = 0
    for token_id, (written, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        text = written.lower()
        if _UNSPACED.fullmatch(text.removeprefix(WORD_START)):
            text = text.removeprefix(WORD_START)
        elif not _SPACED.fullmatch(text):
            continue
        if text in chosen:
            continue
        piece = Piece(text, round(float(score), SCORE_DIGITS), token_id)
        if piece.script == "cyrillic":
            cyrillic_count += 1
            if cyrillic_count > CYRILLIC_PIECES:
                continue
        chosen[text] = piece
    return list(chosen.values())


def make_tokenizer(pieces: Sequence[Piece]) -> Any:
    """Make the Unigram tokenizer of the runs: normalised, lower-cased, and without accents that no letter has."""
    tokenizer = Tokenizer(models.Unigram([(UNKNOWN, 0.0), *((piece.text, piece.score) for piece in pieces)], unk_id=0))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(Regex("[\u0300-\u036f]"), "")]
    )
    return tokenizer


def sif_weights(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Smooth inverse frequency of pieces with these log probabilities, from 0 to 1."""
    return (SIF_COEFFICIENT / (SIF_COEFFICIENT + np.exp(scores.astype(np.float64)))).astype(np.float32)


def centred(rows: Table, groups: NDArray[np.str_]) -> Table:
    """
    Subtract from each row the mean of its group, and scale to unit length.

    The encoder's rows share a large component with all others, and another with those of their script. Without them
    the start alone, untrained, finds .80 of xquad-zh, and across languages .41 instead of .20.
    """
    rows = rows.copy()
    for group in np.unique(groups):
        rows[groups == group] -= rows[groups == group].mean(axis=0)
    return unit_rows(rows)


def ridge_map(rows: Table, ids_of_texts: Sequence[TokenIds], targets: Table) -> Table:
    """The matrix that maps the unit sums of *rows* over each text to its target, by ridge regression."""
    sums = unit_rows(summed_rows(rows, ids_of_texts))
    spread = sums.T @ sums
    ridge = RIDGE * np.trace(spread) / len(spread)
    return np.linalg.solve(spread + ridge * np.eye(len(spread), dtype=np.float32), sums.T @ targets)


def start_rows(mapped: Table) -> Table:
    """Scale so that the median length is that of the English rows, and cap the others at it."""
    median = _english_median()
    rows = mapped * (median / np.median(np.linalg.norm(mapped, axis=1)))
    return rows * np.minimum(1, median / np.linalg.norm(rows, axis=1, keepdims=True))


def trained(start: Table, tokenizer: Any, pairs: Sequence[Pair]) -> Table:
    """
    Fit the rows of the extension, shape (piece count, dim), to the English vectors of the *pairs*.

    What of a text is in other letters is read by the English model, whose rows stay as they are.
    """
    texts = _Texts.read(tokenizer, pairs)
    median = _english_median()
    frozen = torch.from_numpy(english_table() / median)
    weights = torch.nn.Parameter(torch.from_numpy(start / median))
    optimizer = torch.optim.Adam([weights], lr=LEARNING_RATE, fused=True)
    steps_per_epoch = len(texts.targets) // PAIRS_PER_STEP
    slowing = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, EPOCHS * steps_per_epoch)
    chance = np.random.default_rng(SEED)
    for epoch in range(EPOCHS):
        order = chance.permutation(len(texts.targets))
        for step in range(steps_per_epoch):
            chosen = order[step * PAIRS_PER_STEP : (step + 1) * PAIRS_PER_STEP]
            rows = _summed(weights, [texts.piece_ids[at] for at in chosen])
            rows = rows + _summed(frozen, [texts.english_ids[at] for at in chosen])
            loss = (1 - (functional.normalize(rows, dim=1) * torch.from_numpy(texts.targets[chosen])).sum(1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            slowing.step()
            if step % STEPS_PER_CAP == 0:
                _cap_lengths(weights)
            if step % 50 == 0:
                print(f"epoch {epoch + 1}, step {step} of {steps_per_epoch}: loss {loss.item():.3f}", flush=True)
    _cap_lengths(weights)
    table: Table = weights.detach().numpy() * median
    return table


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of the pairs, by their pieces and what is left of them, and the English vectors."""

    piece_ids: Sequence[TokenIds]
    english_ids: Sequence[TokenIds]
    targets: Table

    @classmethod
    def read(cls, tokenizer: Any, pairs: Sequence[Pair]) -> "_Texts":
        """Leave out pairs of which one side has no row."""
        targets = english_vectors([pair.english for pair in pairs])
        piece_ids = [_piece_ids(tokenizer, pair.text) for pair in pairs]
        kept = [at for at, ids in enumerate(piece_ids) if len(ids) and targets[at].any()]
        english_ids = english_token_ids([without_runs(pairs[at].text) for at in kept])
        return cls([piece_ids[at] for at in kept], english_ids, targets[kept])


def _piece_ids(tokenizer: Any, text: str) -> TokenIds:
    """The row numbers of the pieces in *text*; row 0, of what is unknown, is none of the table's."""
    runs = tokenizer.encode_batch_fast(find_runs(text), add_special_tokens=False)
    return np.array([piece_id - 1 for run in runs for piece_id in run.ids if piece_id], np.int64)


def _summed(table: Tensor, ids_of_texts: Sequence[TokenIds]) -> Tensor:
    starts = np.cumsum([0, *(len(ids) for ids in ids_of_texts[:-1])])
    token_ids = torch.from_numpy(np.concatenate(ids_of_texts))
    return functional.embedding_bag(token_ids, table, torch.from_numpy(starts), mode="sum")


def _english_median() -> float:
    return float(np.median(np.linalg.norm(english_table(), axis=1)))


def _cap_lengths(weights: Tensor) -> None:
    with torch.no_grad():
        weights.div_(weights.norm(dim=1, keepdim=True).clamp_min(1.0))

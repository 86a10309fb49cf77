"""How current an answer is, and what a request waits for."""

from typing import Annotated

from quarry.limits import UNFINISHED
from quarry.protocol.base import Doc, Params, Value
from quarry.protocol.session import IndexState

MAX_WAIT_MS = 60_000


class Freshness(Value, frozen=True, kw_only=True):
    """How current the index was when the answer was read. The answer is complete if `done` equals `total`."""

    state: IndexState
    done: Annotated[
        int, Doc(description="Finished notes of the current work; without work, all notes that can be found.")
    ]
    total: Annotated[
        int, Doc(description="Notes of the current work. While `starting` or `scanning`, the number may grow.")
    ]
    epoch: Annotated[
        int,
        Doc(
            description=(
                "Every commit increments it, also across rebuilds; it restarts at 1 if the index had to be created "
                "again. The answer includes all commits up to it: with an equal epoch, nothing can have changed."
            )
        ),
    ]

    @property
    def is_complete(self) -> bool:
        """Whether the answer was read from an index that contains every note."""
        return self.state not in UNFINISHED and self.done >= self.total


class ReadParams(Params, frozen=True, kw_only=True):
    """Parameters of every request that reads the index."""

    wait_ms: Annotated[
        int,
        Doc(
            description=(
                "The longest time to wait, in milliseconds, until all changes reported before this request are "
                "indexed, no comparison with the vault is running and the model is loaded; then answer in any case. "
                "Unless the index is empty, work that is expected to take longer is not waited for."
            ),
            ge=0,
            le=MAX_WAIT_MS,
        ),
    ] = 0
    after_ms: Annotated[
        int | None,
        Doc(
            description=(
                "Answer only when all changes reported up to this time (by `vault/changed`, whose result contains "
                "it, or by the sidecar's own watcher) are indexed, and wait for nothing else. If that takes longer "
                "than `waitMs`, or indexing is paused, the error is `index-behind`. A future time counts as now."
            )
        ),
    ] = None

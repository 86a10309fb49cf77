"""How current an answer is, and what it waits for."""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc, Params, Value
from quarry.interfaces.protocol.session import IndexState

MAX_WAIT_MS = 60_000


class Freshness(Value, frozen=True, kw_only=True):
    """How current the index was that an answer was read from. The answer is complete where `done` is `total`."""

    state: IndexState
    done: Annotated[
        int, Doc(description="Notes of the work in progress that are done; without work, all that can be found.")
    ]
    total: Annotated[
        int, Doc(description="Notes of the work in progress. While `starting` or `scanning`, more may be to come.")
    ]
    epoch: Annotated[
        int,
        Doc(
            description=(
                "Every commit raises it, over rebuilds too; it begins again at 1 where an index had to be made anew. "
                "The answer holds what was committed up to it: with an equal epoch nothing can have changed."
            )
        ),
    ]


class ReadParams(Params, frozen=True, kw_only=True):
    """Parameters of every request that reads the index."""

    wait_ms: Annotated[
        int,
        Doc(
            description=(
                "Wait at most so long, in milliseconds, until all that was reported before this request is indexed, "
                "no comparison with the vault is under way and the model is loaded; then answer with what there is. "
                "Work that is expected to take longer is not waited for, unless the index is empty."
            ),
            ge=0,
            le=MAX_WAIT_MS,
        ),
    ] = 0
    after_ms: Annotated[
        int | None,
        Doc(
            description=(
                "Answer only when all changes that were reported up to this time (by `vault/changed`, whose answer has "
                "it, or by the sidecar's own watch) are indexed, and wait for nothing else; if they are not within "
                "`waitMs`, or indexing is paused, the error is `index-behind`. A time to come counts as now."
            )
        ),
    ] = None

"""The engine's state and settings, as they leave."""

from collections.abc import Mapping
from typing import get_args

from quarry.engine import Status
from quarry.interfaces import protocol as wire
from quarry.settings import Settings
from quarry.types import Retriever
from quarry.vault.paths import nfc


def index_status(status: Status) -> wire.IndexStatus:
    """The reply to `index/status`, and what `index/progress` carries."""
    progress = status.progress
    return wire.IndexStatus(
        state=status.state,
        notes=status.notes,
        chunks=status.chunks,
        pending=status.pending,
        excluded=status.excluded,
        progress=wire.Progress(
            done_notes=progress.done_notes,
            total_notes=progress.total_notes,
            done_chunks=progress.done_chunks,
            notes_per_second=progress.notes_per_second,
            remaining_ms=progress.remaining_ms,
        )
        if progress
        else None,
        model=wire.Model(name=status.model_name, state=status.model_state, message=status.model_message),
        missing=missing_legs(status.missing),
        problem_count=status.problem_count,
        problems=[wire.Problem(path=nfc(p.path), reason=p.reason, skipped=p.skipped) for p in status.problems],
        indexed_ms=status.indexed_ms,
        size_bytes=status.size_bytes,
        message=status.message,
    )


def settings(values: Settings) -> wire.Settings:
    """The reply to `settings/read` and `settings/write`."""
    return wire.Settings(
        include_folders=list(values.include_folders),
        exclude_folders=list(values.exclude_folders),
        model=values.model,
        skip_sections=list(values.skip_sections),
        lexical_weight=values.lexical_weight,
        dense_weight=values.dense_weight,
        fusion=values.fusion,
    )


def missing_legs(missing: Mapping[Retriever, str]) -> list[wire.MissingLeg]:
    """Retrievers that cannot serve, in a fixed order."""
    return [wire.MissingLeg(leg=leg, reason=missing[leg]) for leg in get_args(Retriever) if leg in missing]

"""The sidecar: how a connection begins, what the index holds and does, what can be set."""

from typing import Annotated, Literal

import msgspec

from quarry.interfaces.protocol.base import Doc, MissingLeg, Params, Value
from quarry.interfaces.protocol.query_params import Fusion

IndexState = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]
ModelState = Literal["loading", "ready", "missing"]


class Progress(Value, frozen=True, kw_only=True):
    """How far the work in hand has come."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: Annotated[int | None, Doc(description="Null until the rate is known.")]


class Model(Value, frozen=True, kw_only=True):
    """The embedding model."""

    name: str
    state: ModelState
    message: Annotated[str | None, Doc(description="Why it is missing and what to do; null when all is well.")]


class Problem(Value, frozen=True, kw_only=True):
    """A note that was skipped, cut short, or only partly read."""

    path: str
    reason: str
    skipped: Annotated[bool, Doc(description="True: nothing of it can be found. False: it can, but not all of it.")]


class IndexStatus(Value, frozen=True, kw_only=True):
    """The status of the index: its contents and current work."""

    state: IndexState
    notes: Annotated[int, Doc(description="Notes that can be found now.")]
    chunks: int
    pending: Annotated[int, Doc(description="Notes known to have changed and not yet indexed.")]
    excluded: Annotated[int, Doc(description="Notes left out by a rule at the last scan.")]
    progress: Annotated[Progress | None, Doc(description="Null when nothing is being done.")]
    model: Model
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that cannot serve now; empty when all is well.")]
    problem_count: int
    problems: Annotated[list[Problem], Doc(description="At most 100, by path.")]
    indexed_ms: Annotated[int | None, Doc(description="When the index last became equal to the vault.")]
    size_bytes: Annotated[int, Doc(description="Of the index on disk.")]
    message: Annotated[str | None, Doc(description="Something the user should know, and what to do about it.")]


class IndexUpdated(Value, frozen=True, kw_only=True):
    """Sent after a commit: an open query may have other answers now."""

    indexed: Annotated[list[str], Doc(description="Notes that are current now; at most 100.")]
    removed: Annotated[list[str], Doc(description="At most 100.")]
    status: IndexStatus


class RebuildParams(Params, frozen=True, kw_only=True):
    """Build the index anew beside the old one, which answers until then."""


class Client(Value, frozen=True, kw_only=True):
    """The program that connects; shown in the log."""

    name: Annotated[str, Doc(max_length=100)]
    version: Annotated[str, Doc(max_length=100)] = ""


class InitializeParams(Params, frozen=True, kw_only=True):
    """The first message of every connection."""

    token: Annotated[str, Doc(description="The token of the discovery file.", max_length=200)]
    protocol: Annotated[int, Doc(description="The protocol version that the client speaks.")]
    client: Client


class Vault(Value, frozen=True, kw_only=True):
    """The folder that this sidecar serves."""

    id: Annotated[str, Doc(description="Stable for one folder on one machine.")]
    name: str
    path: Annotated[str, Doc(description="Absolute path on this machine.")]


class InitializeResult(Value, frozen=True, kw_only=True):
    """The connection is open."""

    protocol: int
    version: Annotated[str, Doc(description="Of the sidecar.")]
    vault: Vault
    status: IndexStatus


class Settings(Value, frozen=True, kw_only=True):
    """The vault's settings, as `.quarry.toml` at its root gives them, or the defaults."""

    include_folders: Annotated[list[str], Doc(description="When given, only these folders are indexed.")]
    exclude_folders: list[str]
    model: Annotated[str, Doc(description='"bundled", a local folder, or a Hugging Face name.')]
    skip_sections: Annotated[list[str], Doc(description="Headings whose sections are left out of chunks.")]
    lexical_weight: float
    dense_weight: float
    fusion: Annotated[Fusion, Doc(description="How the retrievers' answers become one ranking.")]


class SettingsWriteParams(Params, frozen=True, kw_only=True):
    """Only what is given changes; comments in `.quarry.toml` stay."""

    include_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    exclude_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    skip_sections: list[str] | msgspec.UnsetType = msgspec.UNSET
    lexical_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET
    dense_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET
    fusion: Fusion | msgspec.UnsetType = msgspec.UNSET

"""What a client saw change in the vault."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, Params, Value


class Change(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened to a file or a folder. The sidecar reads the disk; this says where to look."""

    kind: Literal["created", "modified", "deleted", "renamed"]
    path: Annotated[str, Doc(max_length=4096)]
    old_path: Annotated[str, Doc(description="Only with `renamed`.", max_length=4096)] | None = None


class VaultChangedParams(Params, frozen=True, kw_only=True):
    """Changes in the order in which they happened."""

    changes: Annotated[list[Change], Doc(max_length=5000)]


class Accepted(Value, frozen=True, kw_only=True):
    """The changes are queued; `index/updated` follows when they can be found."""

    accepted: int
